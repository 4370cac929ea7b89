// Reading server.json.

import Association
import Foundation
import HTTP
import Posix
import SourceJSON
import TLS
import Testing

@testable import Hosting

struct SettingsReaderTests {
    private func read(_ text: String?) throws -> SettingsReader {
        let tree = try ConfigTree()
        if let text { try tree.write("server.json", text) }
        return SettingsReader(file: tree.root + "/server.json")
    }

    @Test func `everything is optional, the file too`() throws {
        for text in [nil, "{}", "{ /* nothing */ }"] {
            let reader = try read(text)
            #expect(reader.findings.isEmpty)
            #expect(reader.settings.http.map(\.description) == ["127.0.0.1:8080"])
            #expect(reader.settings.workers == nil)
        }
    }

    @Test func `reads every setting`() throws {
        let reader = try read(
            """
            {
              http: ["0.0.0.0:80", "[::]:80", "unix:/run/a.sock"], https: ["0.0.0.0:443"],
              tls: {
                ticketKeyFile: "/run/tickets", passphraseFile: "/run/phrase", strictTransportSeconds: 0,
                redirectPages: false, publicPort: 443,
              },
              signing: { certificateFile: "/run/chain.pem", keyFile: "/run/key.pem" },
              workers: 3, environment: "staging", strict: true,
              limits: { headBytesMax: 4096, connectionsMax: 100, idleTimeoutMilliseconds: 5000 },
            }
            """)
        #expect(reader.findings.isEmpty)
        #expect(reader.settings.http.map(\.description) == ["0.0.0.0:80", "[::]:80", "unix:/run/a.sock"])
        #expect(reader.settings.https.map(\.description) == ["0.0.0.0:443"])
        #expect(reader.settings.ticketKeyFile == "/run/tickets")
        #expect(reader.settings.passphraseFile == "/run/phrase")
        #expect(reader.settings.signing?.certificateFile == "/run/chain.pem")
        #expect(reader.settings.signing?.keyFile == "/run/key.pem")
        #expect(reader.settings.strictTransportSeconds == 0)
        #expect(reader.settings.publicSecurePort == 443)
        #expect(!reader.settings.redirectsPages)
        #expect(reader.settings.workers == 3)
        #expect(reader.settings.environment == "staging")
        #expect(reader.settings.isStrict)
        #expect(reader.settings.limits.head.headBytesMax == 4096)
        #expect(reader.settings.limits.connectionsMax == 100)
        #expect(reader.settings.limits.idleTimeoutMilliseconds == 5000)
    }

    @Test(arguments: [
        ("{ htpp: [] }", "CFG-002", "write `http`"),
        ("{ limits: { headByteMax: 1 } }", "CFG-002", "write `headBytesMax`"),
        ("{ http: \"127.0.0.1:80\" }", "CFG-003", "write `[\"127.0.0.1:8080\"]`"),
        ("{ http: [\"localhost\"] }", "CFG-003", "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`"),
        ("{ workers: 0 }", "CFG-003", nil), ("{ workers: 257 }", "CFG-003", nil),
        ("{ workers: \"2\" }", "CFG-003", nil),
        ("{ strict: 1 }", "CFG-003", nil), ("{ environment: \"\" }", "CFG-003", "put it in quotes"),
        ("[]", "CFG-003", nil),
        ("{ signing: { keyFile: \"a\" } }", "CFG-003", nil), ("{ signing: [] }", "CFG-003", nil),
        ("{ limits: [] }", "CFG-003", nil), ("{ tls: { ticketkeyfile: \"a\" } }", "CFG-002", "write `ticketKeyFile`"),
        ("{ https: [1] }", "CFG-003", "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`"),
    ])
    func `names what is wrong`(text: String, rule: String, fix: String?) throws {
        let findings = try read(text).findings
        #expect(findings.map(\.rule) == [rule])
        #expect(findings.first?.fix == fix)
        #expect(findings.first?.range?.start.line == 1)
    }

    @Test func `a file that is not JSON5 is an error`() throws {
        #expect(try read("{ http: [").findings.first?.rule == "CFG-001")
    }

    @Test(arguments: LimitKey.allCases)
    func `each limit is set by its name, within its bounds`(key: LimitKey) throws {
        let usual = "\(Limits())"
        for (value, isAllowed) in [
            (key.allowed.lowerBound, true), (key.allowed.upperBound, true), (key.allowed.lowerBound - 1, false),
            (key.allowed.upperBound + 1, false),
        ] {
            let reader = try read("{ limits: { \(key.rawValue): \(value) } }")
            #expect(reader.findings.isEmpty == isAllowed)
            #expect(("\(reader.settings.limits)" != usual) == isAllowed)
        }
    }
}
