// Random edits, good and bad, of some dozens of tenants while clients read: each answer is a complete version of that host's
// document.

import Foundation
import Posix
import Synchronization
import Testing

@Suite struct TenantChaosTests {
    private static let tenants = 40
    private static let edits = 250

    /// The failures that clients have noticed.
    private final class Tally: Sendable {
        let isOver = Atomic<Bool>(false)
        let answers = Atomic<Int>(0)
        private let found = Mutex<[String]>([])

        var problems: [String] { found.withLock { $0 } }
        func note(_ problem: String) { found.withLock { if $0.count < 10 { $0.append(problem) } } }
    }

    private let folder: Folder

    init() throws { folder = try Folder() }

    /// A version is written at both ends of the document, with its tenant.
    private func text(_ tenant: Int, _ version: Int) -> String {
        let id = "8KQ2V7M4XN.dev.associated.t\(tenant)"
        return """
            { name: "T\(tenant)", hosts: ["t\(tenant).example", "*.t\(tenant).example"],
              ios: { appIDs: ["\(id)"] },
              links: [{ "/": "/t\(tenant)/v\(version)/first" }, { "/": "/\(String(repeating: "x", count: version % 97 * 20))/*" },
                      { "/": "/t\(tenant)/v\(version)/last" }] }
            """
    }

    private static func check(_ text: String, _ tenant: Int, _ tally: Tally) {
        let body = text.split(separator: "\r\n\r\n", maxSplits: 1).last.map(String.init) ?? ""
        let versions = body.matches(of: /\/t(\d+)\/v(\d+)\/(first|last)/).map { ($0.1, $0.2, $0.3) }
        let isWhole =
            text.hasPrefix("HTTP/1.1 200 ") && body.hasPrefix("{") && body.hasSuffix("}\n") && versions.count == 2
            && versions[0].1 == versions[1].1 && versions.map(\.2) == ["first", "last"]
            && versions.allSatisfy { $0.0 == "\(tenant)" }
        if !isWhole { tally.note("t\(tenant): \(text.prefix(4000))") }
    }

    private static func read(_ address: SocketAddress, seed: UInt64, _ tally: Tally) {
        var random = SplitMix(seed: seed)
        do {
            while !tally.isOver.load(ordering: .relaxed) {
                let client = try ClientSocket(to: address, timeoutMilliseconds: 60_000)
                var isLast = false
                while !isLast, !tally.isOver.load(ordering: .relaxed) {
                    let tenant = Int.random(in: 0..<tenants, using: &random)
                    let host = Bool.random(using: &random) ? "t\(tenant).example" : "any.t\(tenant).example"
                    try client.send(
                        Array("GET /.well-known/apple-app-site-association HTTP/1.1\r\nHost: \(host)\r\n\r\n".utf8))
                    let text = try answer(client)
                    check(text, tenant, tally)
                    tally.answers.add(1, ordering: .relaxed)
                    // After many requests the server announces that it closes the connection.
                    isLast = text.contains("\r\nconnection: close\r\n")
                }
            }
        } catch {
            tally.note("\(error)")
        }
    }

    /// A head, and as many bytes after it as it states.
    private static func answer(_ client: borrowing ClientSocket) throws -> String {
        var bytes: [UInt8] = []
        while true {
            let more = try client.receive()
            bytes += more
            let text = String(decoding: bytes, as: UTF8.self)
            guard !more.isEmpty else { return text }
            guard let end = text.range(of: "\r\n\r\n"), let field = text.range(of: "\r\ncontent-length: "),
                let length = Int(text[field.upperBound...].prefix { $0.isNumber })
            else { continue }
            if text[end.upperBound...].utf8.count >= length { return text }
        }
    }

    @Test(arguments: [1] as [UInt64])
    func `every answer is a complete version of the host's own document`(seed: UInt64) throws {
        for tenant in 0..<Self.tenants { try folder.write("config/apps/t\(tenant).json", text(tenant, 0)) }
        let server = try folder.serve()
        let address = try #require(SocketAddress("127.0.0.1:\(server.port)"))
        // The log does not matter here, but it must be read.
        nonisolated(unsafe) let speaker = server
        let listener = try Thread(name: "listener") { speaker.skipLog() }
        let tally = Tally()
        let one = try Thread(name: "one") { Self.read(address, seed: seed &* 31, tally) }
        let two = try Thread(name: "two") { Self.read(address, seed: seed &* 47, tally) }
        var random = SplitMix(seed: seed)
        var paths = (0..<Self.tenants).map { "t\($0).json" }
        var isBroken = [Bool](repeating: false, count: Self.tenants)
        for version in 1...Self.edits {
            let tenant = Int.random(in: 0..<Self.tenants, using: &random)
            try edit(tenant, version, &paths, &isBroken, &random)
            if version % 50 == 0 { server.send(SIGHUP) }
            // Pauses of random length, so that edits happen at all moments of a reload.
            let before = tally.answers.load(ordering: .relaxed)
            let pause = Int.random(in: 0..<60, using: &random)
            try #require(
                eventually { tally.answers.load(ordering: .relaxed) >= before + pause || !tally.problems.isEmpty })
        }
        tally.isOver.store(true, ordering: .relaxed)
        one.join()
        two.join()
        // In the end each tenant is served as its file says.
        for tenant in 0..<Self.tenants {
            try folder.write("config/apps/\(paths[tenant])", text(tenant, 10_000 + tenant))
        }
        let client = try ClientSocket(to: address, timeoutMilliseconds: 60_000)
        for tenant in 0..<Self.tenants {
            let head = "GET /apple-app-site-association HTTP/1.1\r\nHost: t\(tenant).example\r\n\r\n"
            let isServed = try eventually {
                try client.send(Array(head.utf8))
                return try Self.answer(client).contains("/v\(10_000 + tenant)/") || !tally.problems.isEmpty
            }
            #expect(isServed, "tenant \(tenant)")
        }
        #expect(tally.problems.isEmpty)
        #expect(tally.answers.load(ordering: .relaxed) > Self.edits)
        server.stop()
        listener.join()
    }

    private func edit(
        _ tenant: Int, _ version: Int, _ paths: inout [String], _ isBroken: inout [Bool], _ random: inout SplitMix
    ) throws {
        let path = "\(folder.path)/config/apps/\(paths[tenant])"
        let good = text(tenant, version)
        switch Int.random(in: 0..<6, using: &random) {
        case 0:
            // Broken at a random byte.
            try folder.write(
                "config/apps/\(paths[tenant])", String(good.prefix(Int.random(in: 0..<good.count - 1, using: &random))))
        case 1:
            try folder.write("config/apps/.new", good)
            rename("\(folder.path)/config/apps/.new", path)
        case 2:
            // Renamed in one step.
            let name = "t\(tenant)-\(version).json"
            rename(path, "\(folder.path)/config/apps/\(name)")
            paths[tenant] = name
        case 3:
            let file = try FileHandle(forWritingTo: URL(fileURLWithPath: path))
            try file.truncate(atOffset: 0)
            for piece in good.utf8.split(separator: UInt8(ascii: "\n")) {
                file.write(Data(piece) + [UInt8(ascii: "\n")])
            }
            try file.close()
        default: try folder.write("config/apps/\(paths[tenant])", good)
        }
    }
}
