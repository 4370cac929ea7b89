// The served hosts in the manager's memory.

import Foundation
import Posix
import Store
import Testing

@testable import Issuance

struct ServedNamesTests {
    @Test(arguments: [
        ("*.example.com", "globex"), ("a.example.com", nil), ("b.example.com", "acme"), ("b.example", nil), ("", nil),
        ("a", nil), ("z", nil), ("example.com", nil), ("a.example.com/b.example.com", nil),
    ])
    func `finds a host and the folder of its app file`(host: String, folder: String?) {
        let names = ["*.example.com", "a.example.com", "b.example.com"]
        let served = ServedNames(names.joined(separator: "/"), folders: "globex//acme")
        #expect(served.isWanted(host) == names.contains(host))
        #expect(served.folder(of: host) == folder)
        #expect(ServedNames(names.joined(separator: "/")).folder(of: host) == nil)
    }

    @Test func `a list may be empty`() {
        #expect(ServedNames("").index(of: "a") == nil)
        #expect(ServedNames("").index(of: "") == nil)
    }

    @Test func `says for which hosts certificates are ordered`() {
        var served = ServedNames("a/b/c")
        served.select { $0 != "b" }
        #expect(["a", "b", "c", "d"].map(served.isWanted) == [true, false, true, false])
    }

    @Test func `a host needs little more memory than its name`() async {
        // In a separate process, because other tests use memory meanwhile.
        await #expect(processExitsWith: .success) {
            let count = 200_000
            let folders = (0..<count).map { "tenant-\($0 % 1_000)" }.joined(separator: "/")
            let names = (0..<count).map { "host-\(1_000_000 + $0).example.com" }.joined(separator: "/")
            func allocated() throws -> Int {
                Memory.returnFreed()
                let status = try String(contentsOfFile: "/proc/self/status", encoding: .utf8)
                let line = status.split(separator: "\n").first { $0.hasPrefix("RssAnon:") }
                return try #require(line.flatMap { Int($0.split(separator: " ")[1]) }) * 1_024
            }
            let issuance = IssuanceStatus(try WorkControl(workerCount: 1) { _, _ in })
            let before = try allocated()
            issuance.noteHosts(ServedNames(names, folders: folders))
            // 24 bytes of the name, 11 of the folder, 4 each for their ends, and a flag; as separate strings, 150. The rest of the
            // process may gain or lose 2 MB meanwhile.
            let bytes = Double(try allocated() - before) / Double(count)
            #expect((34..<54).contains(bytes), "\(bytes) bytes a host")
            #expect(issuance.isWanted("host-1199999.example.com"))
        }
    }
}
