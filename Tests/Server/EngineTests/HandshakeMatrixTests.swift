// The certificate that `openssl s_client` gets: in each version, with the name of a host, with another name and with none,
// with and without a default certificate.

import Catalogue
import Certificates
import Engine
import Posix
import TLS
import Testing

struct HandshakeMatrixTests {
    /// An engine with certificates in files, for `shop.example` and perhaps as the default.
    private func server(hasDefault: Bool) throws -> SecureEngine {
        try SecureEngine { hosts, authority in
            try authority.write(for: "shop.example", in: "\(hosts)/shop.example")
            if hasDefault { try authority.write(for: "else.example", in: "\(hosts)/_default") }
            return CertificateStore(hostsPath: hosts)
        }
    }

    private func ask(_ server: SecureEngine, _ arguments: [String]) throws -> String {
        try server.openssl(["-ign_eof", "-nameopt", "utf8"] + arguments, request: HandshakeMatrixTests.request)
    }

    private static let versions = ["-tls1_2", "-tls1_3"]

    @Test(arguments: versions, [true, false])
    func `a client that names a host gets its certificate and an answer`(version: String, hasDefault: Bool) throws {
        let text = try ask(
            server(hasDefault: hasDefault),
            [version, "-servername", "shop.example", "-verify_hostname", "shop.example"])
        #expect(text.contains("Verification: OK"))
        #expect(text.contains("HTTP/1.1 200 OK"))
    }

    @Test(arguments: versions, [["-servername", "other.example"], ["-noservername"]])
    func `a client that names another host or none gets the default certificate`(version: String, name: [String]) throws
    {
        let text = try ask(server(hasDefault: true), [version, "-verify_hostname", "else.example"] + name)
        #expect(text.contains("Verification: OK"))
        // A client that named another host gets 421; one that named none may request any.
        #expect(text.contains(name == ["-noservername"] ? "HTTP/1.1 200 OK" : "HTTP/1.1 421 Misdirected Request"))
    }

    // RFC 6066 §3 has the alert 112, unrecognized_name; RFC 8446 §9.2 has 109, missing_extension, for clients that should have
    // named a host.
    @Test(arguments: [
        ("-tls1_2", ["-servername", "other.example"], 112), ("-tls1_3", ["-servername", "other.example"], 112),
        ("-tls1_2", ["-noservername"], 112), ("-tls1_3", ["-noservername"], 109),
    ])
    func `without a default certificate, the alert names the reason`(
        version: String, name: [String], alert: Int
    ) throws {
        let text = try ask(server(hasDefault: false), [version] + name)
        #expect(text.contains("SSL alert number \(alert)\n"))
        #expect(!text.contains("HTTP/1.1"))
        #expect(!text.contains("BEGIN CERTIFICATE"))
    }

    @Test(arguments: versions)
    func `resumes a session only under the name that it was created for`(version: String) throws {
        let server = try server(hasDefault: true)
        let session = "\(server.folder.path)/session"
        let made = try ask(server, [version, "-servername", "shop.example", "-sess_out", session])
        #expect(made.contains("HTTP/1.1 200 OK"))
        let same = try ask(server, [version, "-servername", "SHOP.example.", "-sess_in", session])
        #expect(same.contains("Reused, TLS"))
        let other = try ask(server, [version, "-servername", "other.example", "-sess_in", session])
        #expect(!other.contains("Reused, TLS"))
        #expect(other.contains("New, TLS"))
    }

    private static let request = "GET /doc HTTP/1.1\r\nHost: shop.example\r\nConnection: close\r\n\r\n"
}
