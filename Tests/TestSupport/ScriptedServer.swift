// An HTTP server whose answers a test chooses, over TLS or without: as wrong as servers can be.

package import Certificates
import Foundation
package import Posix
import Synchronization
import TLS

package final class ScriptedServer: Sendable {
    private let server: LoopbackServer
    package var address: SocketAddress { server.address }

    /// What to do with a request.
    package enum Answer: Sendable {
        case bytes([UInt8])
        /// The bytes, and then nothing until the client sends or closes.
        case stall([UInt8])
        /// Sends the bytes, then reads the next request of the same client.
        case keep([UInt8])

        package static func text(_ text: String) -> Answer { .bytes(Array(text.utf8)) }
    }

    /// - Parameters:
    ///   - certificates: nil for plain HTTP.
    ///   - firstHandshakeMilliseconds: how long the first client waits before it is served.
    ///   - respond: gets the head of a request, and the body that `Content-Length` counts.
    package init(
        certificates: CertificateStore?, firstHandshakeMilliseconds: Int32 = 0,
        respond: @escaping @Sendable (String) -> Answer
    ) throws {
        let tls = try certificates.map { try ServerTLS($0) }
        let delay = Atomic(firstHandshakeMilliseconds)
        server = try LoopbackServer { connection in
            poll(nil, 0, delay.exchange(0, ordering: .relaxed))
            ScriptedClient(connection, tls).serve(respond)
        }
    }
}

/// The server's side of TLS. Only the thread of the server uses it.
private final class ServerTLS: @unchecked Sendable {
    let context: SecureContext
    let queue: CertificateQueue
    let ready: CertificateQueue.Replies

    init(_ certificates: CertificateStore) throws {
        queue = try certificates.source.makeQueue()
        ready = try CertificateQueue.Replies([])
        context = try SecureContext(
            SecureSettings(certificates: certificates, tickets: try TicketKeys()), queue: queue, replies: ready)
    }
}

/// One client, over TLS where there is a session.
private struct ScriptedClient {
    private let connection: ServerConnection
    private let secure: (tls: ServerTLS, session: SecureSession)?

    init(_ connection: ServerConnection, _ tls: ServerTLS?) {
        self.connection = connection
        secure = tls.flatMap { tls in tls.context.makeSession().map { (tls, $0) } }
    }

    func serve(_ respond: (String) -> ScriptedServer.Answer) {
        defer { secure?.session.end() }
        while let request = readRequest() {
            switch respond(request) {
            case .bytes(let bytes):
                write(bytes)
                return finish()
            case .stall(let bytes):
                write(bytes)
                return connection.stall()
            case .keep(let bytes): write(bytes)
            }
        }
    }

    private static func isWhole(_ request: String) -> Bool {
        guard let end = request.range(of: "\r\n\r\n") else { return false }
        let lines = request[..<end.lowerBound].components(separatedBy: "\r\n")
        let field = "Content-Length: "
        let length = lines.first { $0.hasPrefix(field) }.flatMap { Int($0.dropFirst(field.count)) } ?? 0
        return request[end.upperBound...].utf8.count >= length
    }

    private func readRequest() -> String? {
        var text = ""
        while !ScriptedClient.isWhole(text) {
            let received = connection.receive()
            guard !received.isEmpty, let plain = decrypt(received) else { return nil }
            text += String(decoding: plain, as: UTF8.self)
        }
        return text
    }

    /// What the client said; nil if the handshake failed.
    private func decrypt(_ received: [UInt8]) -> [UInt8]? {
        guard let (tls, session) = secure else { return received }
        defer { flush() }
        if session.isEstablished {
            received.withUnsafeBytes { session.feed(tls.context, $0) }
        } else {
            let client = HandshakeClient(token: 0)
            var outcome = received.withUnsafeBytes { session.handshake(tls.context, $0, for: client) }
            while outcome == .wantsCertificate || outcome == .wantsTurn {
                tls.queue.answerAll()
                outcome = session.handshake(
                    tls.context, tls.context.unreadRecords, for: client,
                    certificate: tls.context.turn?.certificate ?? tls.ready.take().first?.answer, hasTurn: true)
            }
            if outcome == .wantsInput { return [] }
            guard case .done = outcome else { return nil }
        }
        var (plain, room) = ([UInt8](), [UInt8](repeating: 0, count: 49_152))
        while case .done(let count) = room.withUnsafeMutableBytes({ session.receive(tls.context, into: $0) }) {
            plain += room[..<count]
        }
        return plain
    }

    private func write(_ bytes: [UInt8]) {
        guard let (tls, session) = secure else { return connection.send(bytes) }
        for start in stride(from: 0, to: bytes.count, by: 16_384) {
            bytes[start..<min(bytes.count, start + 16_384)].withUnsafeBytes { _ = session.send(tls.context, $0) }
            flush()
        }
    }

    private func finish() {
        guard let (tls, session) = secure else { return }
        session.finish(tls.context)
        flush()
    }

    private func flush() {
        guard let tls = secure?.tls else { return }
        connection.send(Array(tls.context.output))
        tls.context.clearOutput()
    }
}
