// Handshakes are counted by their outcome, with real clients.

import Catalogue
import Certificates
import Engine
import Foundation
import HTTP
import Posix
import TLS
import Telemetry
import Testing

struct HandshakeRecordingTests {
    /// An engine with one good certificate and one that cannot be read.
    private func start() throws -> SecureEngine {
        try SecureEngine(workers: 1) {
            $0.limits.handshakeTimeoutMilliseconds = 2_000
        } certificates: { hosts, authority in
            try authority.write(for: "shop.example", in: "\(hosts)/shop.example")
            try authority.write(for: "broken.example", in: "\(hosts)/broken.example")
            try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(hosts)/broken.example/fullchain.pem"))
            return CertificateStore(hostsPath: hosts)
        }
    }

    /// Runs a shell command, which can use the server's port and authority.
    private func run(_ command: String, _ server: SecureEngine) throws {
        let words = "PORT=\(server.port) CA='\(server.authority.certificatePath)'; \(command)"
        _ = try Command(["/bin/sh", "-c", words], in: server.folder.path).run()
    }

    private func counts(_ server: SecureEngine) -> [HandshakeOutcome: UInt64] {
        let all = HandshakeOutcome.allCases.map { ($0, server.engine.metrics.total(.handshakes($0))) }
        return Dictionary(uniqueKeysWithValues: all).filter { $0.value > 0 }
    }

    private static let client = "openssl s_client -connect 127.0.0.1:$PORT -CAfile \"$CA\" -verify_return_error"

    @Test(arguments: [
        ("\(client) -servername shop.example", HandshakeOutcome.full),
        ("\(client) -servername shop.example -tls1_2", .full), ("\(client) -servername other.example", .unknownName),
        ("\(client) -servername other.example -tls1_2", .unknownName), ("\(client) -noservername", .unknownName),
        ("\(client) -servername broken.example", .brokenCertificate),
        ("\(client) -servername shop.example -tls1_1 -cipher DEFAULT@SECLEVEL=0", .noSharedVersion),
        ("\(client) -servername shop.example -alpn h2", .noSharedVersion),
        ("\(client) -servername shop.example -tls1_2 -cipher AES128-SHA", .noSharedCipher),
        ("\(client) -servername shop.example -tls1_3 -groups X448", .noSharedCipher),
        (
            "curl --silent --max-time 9 --resolve shop.example:$PORT:127.0.0.1 https://shop.example:$PORT/",
            .refusedByClient
        ),
        ("curl --silent --max-time 9 http://127.0.0.1:$PORT/", .plainHTTP),
    ])
    func `counts a handshake by its outcome`(command: String, outcome: HandshakeOutcome) throws {
        let server = try start()
        try run(command, server)
        #expect(eventually { counts(server) == [outcome: 1] }, "\(counts(server))")
    }

    @Test func `a second handshake of a client resumes the session of the first`() throws {
        let server = try start()
        let request = "printf 'GET /doc HTTP/1.1\\r\\nHost: shop.example\\r\\nConnection: close\\r\\n\\r\\n'"
        let client = "\(HandshakeRecordingTests.client) -servername shop.example -quiet -ign_eof"
        try run("\(request) | \(client) -sess_out session; \(request) | \(client) -sess_in session", server)
        #expect(eventually { counts(server) == [.full: 1, .resumed: 1] }, "\(counts(server))")
    }

    /// The beginning of a client's first message, and bytes that begin no message.
    @Test(arguments: [
        ([UInt8]([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), true, HandshakeOutcome.clientClosed),
        ([0x16, 0x03, 0x01, 0x02, 0x00, 0x01], false, .timedOut), ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], false, .other),
    ])
    func `counts an unfinished handshake too`(
        bytes: [UInt8], closes: Bool, outcome: HandshakeOutcome
    ) throws {
        let server = try start()
        let client = try ClientSocket(to: server.engine.secureAddresses[0], timeoutMilliseconds: 10_000)
        try client.send(bytes)
        if closes { finishSending(client.number) }
        #expect(eventually { counts(server) == [outcome: 1] }, "\(counts(server))")
        _ = try? client.receive()
    }
}
