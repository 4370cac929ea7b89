// The certificate that `openssl s_client` gets: in each version, with the name of a host, with another name and with none,
// with and without a default certificate.

import Catalogue
import Engine
import Foundation
import Posix
import TLS
import Testing

struct HandshakeMatrixTests {
    /// An engine with certificates in files, for `shop.example` and perhaps as the default.
    private final class FileServer {
        let engine: Engine
        let folder: TemporaryFolder
        private let authority: DevelopmentAuthority

        init(hasDefault: Bool) throws {
            folder = try TemporaryFolder()
            authority = try DevelopmentAuthority(directory: folder.path)
            for (name, host) in [("shop.example", "shop.example")] + (hasDefault ? [("_default", "else.example")] : [])
            {
                let place = "\(folder.path)/hosts/\(name)"
                try authority.write(
                    for: host, certificateFile: "\(place)/fullchain.pem", keyFile: "\(place)/privkey.pem")
            }
            var settings = try EngineSettings(plainAddresses: [], workerCount: 2)
            try settings.listen(at: SocketAddress("127.0.0.1:0")!, isSecure: true)
            settings.secure = SecureSettings(
                certificates: CertificateStore(hostsPath: folder.path + "/hosts"), tickets: try TicketKeys())
            settings.limits = TestEngine.limits
            engine = try Engine(settings, published: PublishedCatalogue(TestEngine.catalogue(TestEngine.sites)))
        }

        deinit { engine.stop() }

        func openssl(_ arguments: [String], request: String) throws -> String {
            let words =
                ["openssl", "s_client", "-connect", engine.secureAddresses[0].description, "-ign_eof"]
                + ["-CAfile", authority.certificatePath, "-nameopt", "utf8"] + arguments
            return try Command(words, input: Array(request.utf8)).run().text
        }
    }

    private static let versions = ["-tls1_2", "-tls1_3"]

    @Test(arguments: versions, [true, false])
    func `a client that names a host gets its certificate and an answer`(version: String, hasDefault: Bool) throws {
        let text = try FileServer(hasDefault: hasDefault).openssl(
            [version, "-servername", "shop.example", "-verify_hostname", "shop.example"], request: Self.request)
        #expect(text.contains("Verification: OK"))
        #expect(text.contains("HTTP/1.1 200 OK"))
    }

    @Test(arguments: versions, [["-servername", "other.example"], ["-noservername"]])
    func `a client that names another host or none gets the default certificate`(version: String, name: [String]) throws
    {
        let text = try FileServer(hasDefault: true).openssl(
            [version, "-verify_hostname", "else.example"] + name, request: Self.request)
        #expect(text.contains("Verification: OK"))
        // A client that named another host gets 421; one that named none may request any.
        #expect(text.contains(name == ["-noservername"] ? "HTTP/1.1 200 OK" : "HTTP/1.1 421 Misdirected Request"))
    }

    // RFC 6066 §3 has the alert 112, unrecognized_name; RFC 8446 §9.2 has 109, missing_extension, for clients that should have
    // named a host.
    @Test(arguments: [
        ("-tls1_2", ["-servername", "other.example"], 112),
        ("-tls1_3", ["-servername", "other.example"], 112),
        ("-tls1_2", ["-noservername"], 112),
        ("-tls1_3", ["-noservername"], 109),
    ])
    func `without a default certificate, the alert names the reason`(
        version: String, name: [String], alert: Int
    ) throws {
        let text = try FileServer(hasDefault: false).openssl([version] + name, request: Self.request)
        #expect(text.contains("SSL alert number \(alert)\n"))
        #expect(!text.contains("HTTP/1.1"))
        #expect(!text.contains("BEGIN CERTIFICATE"))
    }

    @Test(arguments: versions)
    func `resumes a session only under the name that it was created for`(version: String) throws {
        let server = try FileServer(hasDefault: true)
        let session = "\(server.folder.path)/session"
        let made = try server.openssl(
            [version, "-servername", "shop.example", "-sess_out", session], request: Self.request)
        #expect(made.contains("HTTP/1.1 200 OK"))
        let same = try server.openssl(
            [version, "-servername", "SHOP.example.", "-sess_in", session], request: Self.request)
        #expect(same.contains("Reused, TLS"))
        let other = try server.openssl(
            [version, "-servername", "other.example", "-sess_in", session], request: Self.request)
        #expect(!other.contains("Reused, TLS"))
        #expect(other.contains("New, TLS"))
    }

    private static let request = "GET /doc HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
}
