// A new server takes over from the old one while clients continue: no client loses an answer.

import Foundation
import Posix
import Synchronization
import Testing

struct RestartTests {
    /// The outcome of the clients' requests.
    private final class Tally: Sendable {
        let isOver = Atomic<Bool>(false)
        private let answered = Atomic<Int>(0)
        private let problems = Mutex<[String]>([])

        var count: Int { answered.load(ordering: .relaxed) }
        var losses: [String] { problems.withLock { $0 } }

        func noteAnswer() { answered.add(1, ordering: .relaxed) }
        func note(_ problem: String) { problems.withLock { $0.append(problem) } }
    }

    /// Sends requests until the end: on one connection as long as the server keeps it, or on a new one each time.
    private static func ask(_ address: SocketAddress, keepsAlive: Bool, _ tally: Tally) {
        let line = keepsAlive ? "" : "Connection: close\r\n"
        let request = Array("GET /.well-known/assetlinks.json HTTP/1.1\r\nHost: shop.localhost\r\n\(line)\r\n".utf8)
        do {
            while !tally.isOver.load(ordering: .relaxed) {
                let client = try ClientSocket(to: address, timeoutMilliseconds: 60_000)
                var staysOpen = true
                var answered: Int64?
                while staysOpen, !tally.isOver.load(ordering: .relaxed) {
                    let silence = answered.map { Clock.monotonicMilliseconds() - $0 } ?? 0
                    guard let head = try exchange(request, client, canBeClosed: silence > silenceMilliseconds) else {
                        if silence <= silenceMilliseconds { tally.note("closed without a whole answer") }
                        break
                    }
                    answered = Clock.monotonicMilliseconds()
                    if head.hasPrefix("HTTP/1.1 200 ") { tally.noteAnswer() } else { tally.note(head) }
                    staysOpen = !head.contains("\r\nconnection: close\r\n")
                }
            }
        } catch {
            tally.note("\(error)")
        }
    }

    /// HTTP allows a server to close an idle connection at any time, and on a busy machine this client may be idle itself. A
    /// stopping server waits longer than this.
    private static let silenceMilliseconds: Int64 = 1_000

    /// The head of an answer; nil if there is none.
    private static func exchange(
        _ request: [UInt8], _ client: borrowing ClientSocket, canBeClosed: Bool
    ) throws -> String? {
        do {
            try client.send(request)
            return try readAnswer(client)
        } catch {
            if canBeClosed { return nil }
            throw error
        }
    }

    /// The head of an answer with a complete body.
    private static func readAnswer(_ client: borrowing ClientSocket) throws -> String? {
        var bytes: [UInt8] = []
        while true {
            let more = try client.receive()
            if more.isEmpty { return nil }
            bytes += more
            let text = String(decoding: bytes, as: UTF8.self)
            guard let end = text.range(of: "\r\n\r\n"), let field = text.range(of: "\r\ncontent-length: "),
                let length = Int(text[field.upperBound...].prefix { $0.isNumber })
            else { continue }
            if text[end.upperBound...].utf8.count == length { return String(text[..<end.upperBound]) }
        }
    }

    @Test func `clients do not notice that the server is replaced five times, with the program on disk`() throws {
        let folder = try Folder()
        let program = "\(folder.path)/associated"
        try Subject.copyExecutable(to: program)
        let server = try RunningServer(
            command: [program, "serve"] + ServeTests.demo + ["--http", "127.0.0.1:0", "--workers", "2"],
            environment: [:], input: nil)
        let address = try #require(SocketAddress("127.0.0.1:\(server.port)"))
        let tally = Tally()
        let keeping = try Thread(name: "keeping") { RestartTests.ask(address, keepsAlive: true, tally) }
        let closing = try Thread(name: "closing") { RestartTests.ask(address, keepsAlive: false, tally) }
        for _ in 0..<5 {
            try Subject.copyExecutable(to: "\(program).new")
            try #require(rename("\(program).new", program) == 0)
            let old = server.serverIdentifier
            server.send(SIGUSR2)
            let line = try #require(server.line(beginning: "upgraded: "))
            #expect(line.hasPrefix("upgraded: process \(server.serverIdentifier) serves; process \(old) finishes"))
            let before = tally.count
            // The new server serves alone before it is replaced in turn.
            try #require(eventually { kill(old, 0) != 0 })
            try #require(eventually { tally.count >= before + 50 || !tally.losses.isEmpty })
        }
        tally.isOver.store(true, ordering: .relaxed)
        keeping.join()
        closing.join()
        #expect(tally.losses.isEmpty)
        #expect(tally.count >= 250)
        server.stop()
    }
}
