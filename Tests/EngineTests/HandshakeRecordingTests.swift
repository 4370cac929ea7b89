// Handshakes are counted by their outcome, with real clients.

import Catalogue
import Engine
import Foundation
import HTTP
import Posix
import TLS
import Telemetry
import Testing

struct HandshakeRecordingTests {
    /// An engine with one good certificate and one that cannot be read.
    private final class Server {
        let engine: Engine
        let folder: TemporaryFolder
        let authority: DevelopmentAuthority
        var port: UInt16 { engine.secureAddresses[0].port }

        init() throws {
            folder = try TemporaryFolder()
            authority = try DevelopmentAuthority(directory: folder.path)
            let hosts = "\(folder.path)/hosts"
            try authority.write(
                for: "shop.example", certificateFile: "\(hosts)/shop.example/fullchain.pem",
                keyFile: "\(hosts)/shop.example/privkey.pem")
            try FileManager.default.createDirectory(
                atPath: "\(hosts)/broken.example", withIntermediateDirectories: true)
            for name in ["fullchain.pem", "privkey.pem"] {
                try Data("nonsense".utf8).write(to: URL(fileURLWithPath: "\(hosts)/broken.example/\(name)"))
            }
            var settings = try EngineSettings(plainAddresses: [], workerCount: 1)
            try settings.listen(at: try #require(SocketAddress("127.0.0.1:0")), isSecure: true)
            settings.secure = SecureSettings(
                certificates: CertificateStore(hostsPath: hosts), tickets: try TicketKeys())
            settings.limits = TestEngine.limits
            settings.limits.handshakeTimeoutMilliseconds = 2_000
            engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(TestEngine.sites)))
        }

        deinit { engine.stop() }

        /// The result of a shell command, which can use the server's port and authority.
        func run(_ command: String) throws {
            let words = "cd '\(folder.path)' && PORT=\(port) CA='\(authority.certificatePath)'; \(command)"
            _ = try Command(["/bin/sh", "-c", words]).run()
        }

        var counts: [HandshakeOutcome: UInt64] {
            Dictionary(
                uniqueKeysWithValues: HandshakeOutcome.allCases.map {
                    ($0, engine.metrics.total(.handshakes($0)))
                }
            ).filter { $0.value > 0 }
        }
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
        let server = try Server()
        try server.run(command)
        #expect(eventually { server.counts == [outcome: 1] }, "\(server.counts)")
    }

    @Test func `a second handshake of a client resumes the session of the first`() throws {
        let server = try Server()
        let request = "printf 'GET /doc HTTP/1.1\\r\\nHost: shop.example\\r\\nConnection: close\\r\\n\\r\\n'"
        let client = "\(HandshakeRecordingTests.client) -servername shop.example -quiet -ign_eof"
        try server.run("\(request) | \(client) -sess_out session; \(request) | \(client) -sess_in session")
        #expect(eventually { server.counts == [.full: 1, .resumed: 1] }, "\(server.counts)")
    }

    /// The beginning of a client's first message, and bytes that begin no message.
    @Test(arguments: [
        ([UInt8]([0x16, 0x03, 0x01, 0x02, 0x00, 0x01]), true, HandshakeOutcome.clientClosed),
        ([0x16, 0x03, 0x01, 0x02, 0x00, 0x01], false, .timedOut), ([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], false, .other),
    ])
    func `counts an unfinished handshake too`(
        bytes: [UInt8], closes: Bool, outcome: HandshakeOutcome
    ) throws {
        let server = try Server()
        let client = try ClientSocket(to: server.engine.secureAddresses[0], timeoutMilliseconds: 10_000)
        try client.send(bytes)
        if closes { finishSending(client.number) }
        #expect(eventually { server.counts == [outcome: 1] }, "\(server.counts)")
        _ = try? client.receive()
    }
}
