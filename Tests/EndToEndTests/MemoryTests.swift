// Resident memory does not grow with the number of past requests, connections and handshakes. The benchmark repeats this with a
// million of each.

import Foundation
import Posix
import Testing

@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["ASSOCIATED_SANITIZER"] == nil, "sanitizers keep what was freed"))
struct MemoryTests {
    private let folder: Folder
    private let server: RunningServer

    /// Variation by allocators and the kernel, in KiB; a leak of 16 bytes for each of 100,000 requests is more.
    private static let slackKilobytes = 1_500

    init() throws {
        folder = try Folder()
        server = try RunningServer(
            ServeTests.demo + [
                "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--dev", "--state", folder.path, "--workers", "2",
            ])
    }

    /// The growth by an action that has run before.
    private func growth(_ body: () throws -> Void) throws -> Int {
        try body()
        let before = try server.kilobytes("VmRSS")
        try body()
        return try server.kilobytes("VmRSS") - before
    }

    private static let request = "GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: shop.localhost\r\n"

    @Test func `a hundred thousand requests leave no memory behind`() throws {
        let batch = Array(String(repeating: MemoryTests.request + "\r\n", count: 100).utf8)
        let growth = try growth {
            for _ in 0..<10 {
                let client = try server.connect()
                for _ in 0..<100 {
                    try client.send(batch)
                    var (answers, last) = (0, [UInt8]())
                    while answers < 100 {
                        // A status line may be split between two reads.
                        let bytes = last + (try client.receive())
                        answers += String(decoding: bytes, as: UTF8.self).ranges(of: "HTTP/1.1 200 OK\r\n").count
                        last = Array(bytes.suffix(16))
                    }
                }
            }
        }
        #expect(growth < MemoryTests.slackKilobytes)
    }

    @Test func `closed connections leave no memory behind`() throws {
        let requests = ["", "GET / HT", MemoryTests.request + "Connection: close\r\n\r\n", "nonsense\r\n\r\n"]
            .map { Array($0.utf8) }
        let growth = try growth {
            for number in 0..<4_000 {
                let client = try server.connect()
                try client.send(requests[number % requests.count])
                if number % requests.count > 1 { _ = try client.receive() }
            }
        }
        #expect(growth < MemoryTests.slackKilobytes)
    }

    @Test func `handshakes leave no memory behind`() throws {
        let growth = try growth {
            let run = try Subject.curl([
                "--cacert", "\(folder.path)/development-ca.pem", "--resolve",
                "shop.localhost:\(server.securePort):127.0.0.1",
                "--header", "Connection: close", "--output", "/dev/null", "--write-out", "%{http_code}\n",
                "https://shop.localhost:\(server.securePort)/.well-known/assetlinks.json?[1-300]",
            ])
            #expect(run.output.split(separator: "\n").count { $0 == "200" } == 300)
        }
        #expect(growth < MemoryTests.slackKilobytes)
    }
}
