// A tenant that does harm with files only, next to an honest one: the honest tenant's changes are live at once and its answers
// are right, the process stays small, exits on SIGTERM and reveals no key, and file names cannot control the terminal of a person
// who reads the log.

import Foundation
import Glibc
import Posix
import Testing

@Suite struct HostileTenantTests {
    private let folder: Folder

    init() throws {
        folder = try Folder()
        try folder.write("config/apps/good.json", HostileTenantTests.app("good.example", "one"))
        try folder.write("config/apps/evil/evil.json", HostileTenantTests.app("evil.example", "one"))
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

    private static func app(_ host: String, _ version: String) -> String {
        """
        { name: "App", guard: "off", hosts: ["\(host)"], links: [{ "/": "/\(version)/?*" }],
          ios: { appIDs: ["8KQ2V7M4XN.dev.associated.app"] } }
        """
    }

    enum When: CaseIterable { case beforeTheStart, besideTheServer }

    @Test(arguments: HostileFolder.allCases.filter { $0 != .names }, When.allCases)
    func `another tenant is not affected`(mischief: HostileFolder, when: When) throws {
        if when == .beforeTheStart { try mischief.make(in: folder.path) }
        let server = try HostileTenantServer(folder.path)
        try change(server, "two")
        if when == .besideTheServer { try mischief.make(in: folder.path) }
        for version in ["three", "four", "five"] { try change(server, version) }
        #expect(try server.answer("good.example", "/page.html") == "honest")
        #expect(try server.answer("good.example", "/.well-known/security.txt")?.hasPrefix("Contact: ") == true)
        for path in HostileFolder.paths {
            let answer = try server.answer("evil.example", path) ?? ""
            #expect(!answer.contains(HostileTenantTests.secret) && answer != "{}\n", "\(path)")
        }
        #expect(try server.residentKilobytesAtMost() < HostileTenantTests.residentKilobytesMax)
        let start = Clock.monotonicMilliseconds()
        let (status, log) = server.end()
        #expect(status == 0 && Clock.monotonicMilliseconds() - start < HostileTenantTests.endMillisecondsMax)
        #expect(log.count < HostileTenantTests.logBytesMax)
        check(log: log)
    }

    /// The honest tenant's host serves what its files say, within the time limit.
    private func change(_ server: HostileTenantServer, _ version: String) throws {
        try folder.write("config/apps/good.json", HostileTenantTests.app("good.example", version))
        let start = Clock.monotonicMilliseconds()
        let isLive = try eventually {
            try server.answer("good.example", "/.well-known/apple-app-site-association")?.contains("/\(version)/")
                == true
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

/// The process and its output, which is read continuously.
private final class HostileTenantServer {
    private let process = Process()
    private let errors: FileHandle
    private let errorsPath: String
    private let address: SocketAddress

    init(_ folder: String) throws {
        errorsPath = "\(folder)/errors"
        try #require(FileManager.default.createFile(atPath: errorsPath, contents: nil))
        errors = try FileHandle(forWritingTo: URL(fileURLWithPath: errorsPath))
        process.executableURL = Subject.executable
        process.currentDirectoryURL = URL(fileURLWithPath: folder)
        process.arguments = ["serve", "--config", "config", "--public", "public", "--http", "127.0.0.1:0"]
        process.environment = Subject.environment
        process.standardError = errors
        try process.run()
        var port = ""
        let path = errorsPath
        let isReady = try eventually {
            let text = try String(decoding: Data(contentsOf: URL(fileURLWithPath: path)), as: UTF8.self)
            let lines = text.split(separator: "\n").map { Subject.message(String($0)) }
            let line = lines.first { $0.hasPrefix("listening on http://") }
            port = line?.split(separator: ":").last.map { String($0.prefix { $0.isNumber }) } ?? ""
            return lines.contains("ready")
        }
        try #require(isReady, "the server did not start")
        address = try #require(SocketAddress("127.0.0.1:\(port)"))
    }

    /// The body of a 200; nil for any other answer.
    func answer(_ host: String, _ path: String) throws -> String? {
        let client = try ClientSocket(to: address, timeoutMilliseconds: 10_000)
        try client.send(Array("GET \(path) HTTP/1.1\r\nHost: \(host)\r\nConnection: close\r\n\r\n".utf8))
        var bytes: [UInt8] = []
        while true {
            let more = try client.receive()
            if more.isEmpty { break }
            bytes += more
        }
        let text = String(decoding: bytes, as: UTF8.self)
        guard text.hasPrefix("HTTP/1.1 200 "), let end = text.range(of: "\r\n\r\n") else { return nil }
        return String(text[end.upperBound...])
    }

    func residentKilobytesAtMost() throws -> Int {
        // The process that serves is a child of the one that was started.
        let parent = "/proc/\(process.processIdentifier)/task/\(process.processIdentifier)/children"
        let server = try String(contentsOfFile: parent, encoding: .utf8).split(separator: " ")[0]
        let text = try String(contentsOfFile: "/proc/\(server)/status", encoding: .utf8)
        let line = text.split(separator: "\n").first { $0.hasPrefix("VmHWM:") }
        return try #require(line.flatMap { Int($0.filter(\.isNumber)) })
    }

    /// Sends SIGTERM, and returns its status and all of its output.
    func end() -> (status: Int32, log: [UInt8]) {
        kill(process.processIdentifier, SIGTERM)
        if !eventually({ !process.isRunning }) { kill(process.processIdentifier, SIGKILL) }
        process.waitUntilExit()
        return (process.terminationStatus, (try? Array(Data(contentsOf: URL(fileURLWithPath: errorsPath)))) ?? [])
    }

    deinit {
        if process.isRunning {
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }
}
