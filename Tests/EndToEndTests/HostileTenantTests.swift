// A tenant that does harm with files only, next to an honest one: the honest tenant's changes are live at once and its answers
// are right, the process stays small, exits on SIGTERM and reveals no key, and file names cannot control the terminal of a person
// who reads the log.

import Glibc
import Posix
import Testing

@Suite struct HostileTenantTests {
    private let folder: Folder

    init() throws {
        folder = try Folder(serving: "good.example")
        try folder.write("config/apps/evil/evil.json", Folder.app("evil.example"))
        try folder.write("config/server.json", "{}")
        try folder.write(
            "config/hosts/good.example/privkey.pem", "-----BEGIN PRIVATE KEY-----\n\(HostileTenantTests.secret)\n")
        try folder.write("config/hosts/good.example/well-known/security.txt", "Contact: mailto:a@good.example\n")
        try folder.write("config/hosts/evil.example/fullchain.pem", "none")
        try folder.write("public/good.example/page.html", "honest")
        try folder.write("public/evil.example/page.html", "hostile")
    }

    private static let secret = "NEVER-IN-AN-ANSWER"
    /// Milliseconds. A change is live within some hundredths of a second; in the errors that this test looks for it took half a
    /// minute or forever.
    private static let liveMillisecondsMax: Int64 = 15_000
    private static let endMillisecondsMax: Int64 = 10_000
    private static let residentKilobytesMax = 160_000
    private static let logBytesMax = 512_000

    enum When: CaseIterable { case beforeTheStart, besideTheServer }

    @Test(arguments: HostileFolder.allCases.filter { $0 != .names }, When.allCases)
    func `another tenant is not affected`(mischief: HostileFolder, when: When) throws {
        if when == .beforeTheStart { try mischief.make(in: folder.path) }
        let server = try folder.serve()
        // An unread log would stop the server.
        nonisolated(unsafe) let speaker = server
        let listener = try Thread(name: "listener") { while speaker.nextRawLine() != nil {} }
        try change(server, "two")
        if when == .besideTheServer { try mischief.make(in: folder.path) }
        for version in ["three", "four", "five"] { try change(server, version) }
        #expect(try server.fetch("/page.html", host: "good.example") == "honest")
        #expect(try server.fetch("/.well-known/security.txt", host: "good.example").hasPrefix("Contact: "))
        for path in HostileFolder.paths {
            let answer = try server.fetch(path, host: "evil.example", "--path-as-is")
            #expect(!answer.contains(HostileTenantTests.secret) && answer != "{}\n", "\(path)")
        }
        #expect(try server.kilobytes("VmHWM") < HostileTenantTests.residentKilobytesMax)
        let start = Clock.monotonicMilliseconds()
        server.stop()
        #expect(Clock.monotonicMilliseconds() - start < HostileTenantTests.endMillisecondsMax)
        listener.join()
        #expect(server.log.count < HostileTenantTests.logBytesMax)
        check(log: server.log)
    }

    /// The honest tenant's host serves what its files say, within the time limit.
    private func change(_ server: RunningServer, _ version: String) throws {
        try folder.writeApp("good.example", version)
        let start = Clock.monotonicMilliseconds()
        let isLive = try eventually {
            try server.fetch("/.well-known/apple-app-site-association", host: "good.example").contains("/\(version)/")
        }
        let took = Clock.monotonicMilliseconds() - start
        #expect(isLive && took < HostileTenantTests.liveMillisecondsMax, "live after \(took) ms")
    }

    /// Every line is one of the server's own, in printable characters.
    private func check(log: [UInt8]) {
        #expect(String(validating: log, as: UTF8.self) != nil)
        let text = String(decoding: log, as: UTF8.self)
        #expect(!text.unicodeScalars.contains { $0.value < 32 && $0 != "\n" || (0x7F...0x9F).contains($0.value) })
        #expect(!text.unicodeScalars.contains { ["\u{202E}", "\u{2066}"].contains($0) })
        #expect(!text.split(separator: "\n").contains { Subject.message(String($0)).hasPrefix("forged") })
    }
}
