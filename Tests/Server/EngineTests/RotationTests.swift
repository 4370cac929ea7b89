// Certificates that change while clients come and go, as every sixty days on every host.

import Certificates
import Foundation
import Posix
import TLS
import TestSupport
import Testing

struct RotationTests {
    private let server: SecureEngine

    init() throws {
        server = try SecureEngine { hosts, _ in
            var limits = CertificateLimits()
            limits.recheckMilliseconds = 10
            return CertificateStore(hostsPath: hosts, limits: limits)
        }
    }

    /// Replaces both files, one after the other as renewals do, and returns the new certificate's text.
    private func rotate() throws -> String {
        let (live, new) = ("\(server.folder.path)/hosts/shop.example", "\(server.folder.path)/\(UUID().uuidString)")
        try server.folder.makeFolder("hosts/shop.example")
        try server.authority.write(for: "shop.example", in: new)
        let text = try String(contentsOfFile: "\(new)/fullchain.pem", encoding: .utf8)
        for name in ["privkey.pem", "fullchain.pem"] { #expect(rename("\(new)/\(name)", "\(live)/\(name)") == 0) }
        return text
    }

    @Test func `certificates are replaced under load, and no request fails`() throws {
        _ = try rotate()
        let (isDone, answers) = (StopFlag(), TestSupport.Shared<[String]>([]))
        // Twenty requests, each on its own connection, again and again; the statuses, or curl's error.
        let thread = try Posix.Thread(name: "load") { [server] in
            repeat {
                let run = try? server.curl(
                    "shop.example", "/doc?[1-20]", "--header", "connection: close", "--no-sessionid", "--output",
                    "/dev/null", "--write-out", "%{http_code} ")
                answers.change { $0.append(run?.text ?? "curl does not run") }
            } while !isDone.value
        }
        for _ in 0..<5 {
            let certificate = try rotate()
            // Within the interval at which files are checked; a slow machine needs longer.
            let isShown = try eventually { try server.openssl(["-servername", "shop.example"]).contains(certificate) }
            #expect(isShown)
        }
        isDone.set()
        thread.join()
        #expect(!answers.value.isEmpty)
        let expected = String(repeating: "200 ", count: 20)
        #expect(answers.value.allSatisfy { $0 == expected }, "\(answers.value.filter { $0 != expected })")
    }
}
