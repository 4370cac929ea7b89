// Reading server.json.

import Association
import Foundation
import HTTP
import Posix
import SourceJSON
import TLS
import TestSupport
import Testing

@testable import Settings

struct SettingsReaderTests {
    private func read(_ text: String?) throws -> SettingsReader {
        let tree = try TemporaryFolder()
        if let text { try tree.write("server.json", text.utf8) }
        let reader = SettingsReader(file: tree.path + "/server.json")
        SettingsSchemaTests.expectValid(reader)
        return reader
    }

    @Test func `everything is optional, the file too`() throws {
        for text in [nil, "{}", "{ /* nothing */ }"] {
            let reader = try read(text)
            #expect(reader.findings.isEmpty)
            #expect(reader.settings.http.map(\.description) == ["127.0.0.1:8080"])
            #expect(reader.settings.workers == nil)
        }
    }

    /// What a link may lead to: no text of it is in a finding.
    @Test(arguments: [
        "HOME=/root\u{0}TOKEN=secret", "machine a login b password secret", "[\"secret\"]", "\"secret\"", " secret: 1",
    ])
    func `quotes nothing of a file that is no object`(text: String) throws {
        let reader = try read(text)
        #expect(reader.findings.map(\.text) == ["the settings must be an object"])
        #expect(reader.document == nil)
    }

    @Test func `reads every setting`() throws {
        let reader = try read(
            """
            {
              http: ["0.0.0.0:80", "[::]:80", "unix:/run/a.sock"], https: ["0.0.0.0:443"],
              tls: {
                ticketKeyFile: "/run/tickets", strictTransportSeconds: 0, redirectPages: false, publicPort: 443,
              },
              signing: { certificateFile: "/run/chain.pem", keyFile: "/run/key.pem" },
              workers: 3, environment: "staging", strict: true,
              fronts: { trust: ["10.0.0.0/8", "unix:"], proxyProtocol: true, fields: "forwarded", host: true },
              user: "associated:tls", sandbox: { mode: "required", read: ["/srv/releases"], write: ["/srv/log"] },
              limits: { headBytesMax: 4096, connectionsMax: 100, idleTimeoutMilliseconds: 5000 },
              log: { access: "/var/log/associated/access.log", format: "combined", process: "json", level: "warning" },
              linkTargets: ["/srv/acme-challenges"],
              lint: { ignore: ["APP-040"], severity: { "APP-036": "error" } },
            }
            """)
        #expect(reader.settings.lint.ignored == [.app040] && reader.settings.lint.severities == [.app036: .error])
        #expect(reader.findings.isEmpty)
        #expect(reader.settings.http.map(\.description) == ["0.0.0.0:80", "[::]:80", "unix:/run/a.sock"])
        #expect(reader.settings.https.map(\.description) == ["0.0.0.0:443"])
        #expect(reader.settings.ticketKeyFile == "/run/tickets")
        #expect(reader.settings.signing?.certificateFile == "/run/chain.pem")
        #expect(reader.settings.signing?.keyFile == "/run/key.pem")
        #expect(reader.settings.strictTransportSeconds == 0)
        #expect(reader.settings.publicSecurePort == 443)
        #expect(!reader.settings.redirectsPages)
        #expect(reader.settings.workers == 3)
        #expect(reader.settings.environment == "staging")
        #expect(reader.settings.isStrict)
        #expect(reader.settings.proxies.networks.includesLocal)
        #expect(reader.settings.proxies.fields == .forwarded && reader.settings.proxies.readsForwardedHost)
        guard case .everywhere = reader.settings.proxyProtocol else {
            Issue.record("the PROXY protocol is everywhere")
            return
        }
        #expect(reader.settings.user == "associated:tls")
        #expect(reader.settings.sandbox.mode == .required)
        #expect(reader.settings.sandbox.readable == ["/srv/releases"])
        #expect(reader.settings.sandbox.writable == ["/srv/log"])
        #expect(reader.settings.linkTargets == LinkTargets(["/srv/acme-challenges"]))
        #expect(reader.settings.limits.head.headBytesMax == 4096)
        #expect(reader.settings.limits.connectionsMax == 100)
        #expect(reader.settings.limits.idleTimeoutMilliseconds == 5000)
        #expect(reader.settings.accessLog.place == .file("/var/log/associated/access.log"))
        #expect(reader.settings.accessLog.format == .combined)
        #expect(reader.settings.processLog.format == .json && reader.settings.processLog.level == .warning)
    }

    @Test(arguments: [
        ("{}", AccessLogSettings.Place.off), ("{ access: 'off' }", .off), ("{ access: 'stdout' }", .standardOutput),
        ("{ access: './x' }", .file("./x")),
    ])
    func `requests are logged where it says`(log: String, place: AccessLogSettings.Place) throws {
        let reader = try read("{ log: \(log) }")
        #expect(reader.findings.isEmpty)
        #expect(reader.settings.accessLog.place == place)
        #expect(reader.settings.accessLog.format == .json)
    }

    @Test(
        arguments: [
            ("{ access: 'sdtout' }", RuleID.cfg003, "write `off`, `stdout`, or a path such as `access.log`"),
            ("{ access: '/var/log/' }", .cfg003, "write `off`, `stdout`, or a path such as `access.log`"),
            ("{ access: true }", .cfg003, "put it in quotes"), ("{ format: 'jsno' }", .cfg003, "write `json`"),
            ("{ formats: 'json' }", .cfg002, "write `format`"), ("'stdout'", .cfg003, nil),
        ] as [(String, RuleID, String?)])
    func `a log that cannot be meant is a finding`(log: String, rule: RuleID, fix: String?) throws {
        let reader = try read("{ log: \(log) }")
        #expect(reader.findings.map(\.rule) == [rule])
        #expect(reader.findings.first?.fix == fix)
        #expect(reader.settings.accessLog == AccessLogSettings())
    }

    @Test(
        arguments: [
            ("{ htpp: [] }", RuleID.cfg002, "write `http`"),
            ("{ limits: { headByteMax: 1 } }", .cfg002, "write `headBytesMax`"),
            ("{ http: \"127.0.0.1:80\" }", .cfg003, "write `[\"127.0.0.1:8080\"]`"),
            ("{ http: [\"localhost\"] }", .cfg003, "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`"),
            ("{ workers: 0 }", .cfg003, nil), ("{ workers: 257 }", .cfg003, nil), ("{ workers: \"2\" }", .cfg003, nil),
            ("{ strict: 1 }", .cfg003, nil), ("{ environment: \"\" }", .cfg003, "put it in quotes"),
            ("{ acme: { thumbprint: 'short' } }", .cfg003, "write the 43 characters of its SHA-256 in base64url"),
            ("{ acme: { webrot: '/srv' } }", .cfg002, "write `webroot`"),
            ("{ linkTargets: ['srv'] }", .cfg003, "write `[\"/srv/acme-challenges\"]`"),
            ("{ linkTargets: ['/./'] }", .cfg003, "name the folders that links need"),
            ("{ lint: { ignore: [\"APP-4\"] } }", .cfg003, "write `APP-004`"),
            ("{ lint: { ignore: [\"APP-O40\"] } }", .cfg003, "write `APP-040`"),
            ("{ lint: { ignore: \"APP-040\" } }", .cfg003, "write `[\"APP-040\"]`"),
            ("{ lint: { severity: { \"AAS-001\": \"note\" } } }", .cfg003, "write `AASA-001`"),
            (
                "{ lint: { severity: { \"AASA-001\": \"off\" } } }", .cfg003,
                "write `\"error\"`, `\"warning\"` or `\"note\"`"
            ),
            ("{ lint: { ignored: [] } }", .cfg002, "write `ignore`"),
            ("[]", .cfg001, nil),
            ("{ signing: { keyFile: \"a\" } }", .cfg003, nil), ("{ signing: [] }", .cfg003, nil),
            ("{ limits: [] }", .cfg003, nil), ("{ tls: { ticketkeyfile: \"a\" } }", .cfg002, "write `ticketKeyFile`"),
            ("{ admin: \"94640\" }", .cfg003, "write `127.0.0.1:9464`, `[::1]:9464` or `unix:/path`"),
            ("{ admin: { address: 9464 } }", .cfg003, "write `127.0.0.1:9464`, `[::1]:9464` or `unix:/path`"),
            ("{ admin: 1 }", .cfg003, nil), ("{ admin: { adress: \"\" } }", .cfg002, "write `address`"),
            ("{ admin: { socketMode: \"0999\" } }", .cfg003, "write `\"0600\"` or `\"0660\"`"),
            ("{ admin: { socketMode: \"1777\" } }", .cfg003, "write `\"0600\"` or `\"0660\"`"),
            ("{ admin: { hosts: [1] } }", .cfg003, "write `[\"metrics.example.com\"]`"),
            ("{ admin: { tokenFile: 1 } }", .cfg003, "put it in quotes"),
            ("{ https: [1] }", .cfg003, "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`"),
        ] as [(String, RuleID, String?)])
    func `names what is wrong`(text: String, rule: RuleID, fix: String?) throws {
        let findings = try read(text).findings
        #expect(findings.map(\.rule) == [rule])
        #expect(findings.first?.fix == fix)
        #expect(findings.first?.range?.start.line == 1)
    }

    @Test(arguments: [
        ("user: 65532", ["user"]), ("user: ''", ["user"]), ("usr: 'www'", ["user"]),
        ("sandbox: 'requird'", ["sandbox"]), ("sandbox: { mode: true }", ["sandbox"]),
        ("sandbox: { mod: 'required' }", ["sandbox"]), ("sandbox: { read: 'srv' }", ["sandbox"]),
        ("sandbx: 'required'", ["sandbox"]), ("admin: { tokenFile: 1 }", ["admin"]),
        ("admin: { tokenfile: '/t' }", ["admin"]), ("admin: '94640'", ["admin"]),
        ("admin: { socketMode: 600 }", ["admin"]), ("admins: {}", ["admin"]),
        ("fronts: { trust: '10.0.0.0/8' }", ["fronts"]), ("fronts: { trust: ['10.0.0.0/99'] }", ["fronts"]),
        ("fronts: { trust: ['10.0.0.0/8'], fields: 'x' }", ["fronts"]), ("fronts: { proxyProtocol: 'on' }", ["fronts"]),
        ("https: '0.0.0.0:443'", ["https"]), ("strict: 'yes'", ["strict"]),
        ("user: 1, sandbox: 2, user: 3", ["user", "sandbox"]),
        ("user: '65532', sandbox: 'required', admin: '127.0.0.1:1', fronts: { trust: ['unix:'] }, strict: true", []),
        ("fronts: { proxyProtocol: true }", []), ("workers: 'x', colour: 'red'", []),
        ("limits: { connectionsMax: -1 }", ["limits"]), ("limits: { connectionsPerAddressMax: '64' }", ["limits"]),
        ("limits: { conectionsMax: 64 }", ["limits"]), ("limits: 64", ["limits"]), ("limit: {}", ["limits"]),
        ("limits: { connectionsMax: 64, handshakesMax: 16 }", []),
        ("http: [1], tls: 1, log: 'x', environment: 2", []),
    ])
    func `says which safeguards are lost with what is wrong`(text: String, keys: [String]) throws {
        #expect(try read("{ \(text) }").lostSafeguards == keys)
    }

    @Test func `the admin listener is nowhere unless asked for, and then on loopback`() throws {
        #expect(try read("{}").settings.admin == nil)
        #expect(try read("{ admin: {} }").settings.admin?.address.description == "127.0.0.1:9464")
        #expect(try read("{ admin: {} }").settings.admin?.socketPermissions == 0o600)
        #expect(try read("{ admin: \"[::1]:1\" }").settings.admin?.address.description == "[::1]:1")
        let whole = try read(
            "{ admin: { address: \"unix:/run/a.sock\", tokenFile: \"/t\", socketMode: \"0660\", hosts: [\"m.example\"] } }"
        )
        let place = try #require(whole.settings.admin)
        #expect(whole.findings.isEmpty)
        #expect(place.address.description == "unix:/run/a.sock")
        #expect((place.tokenFile, place.socketPermissions, place.hosts) == ("/t", 0o660, ["m.example"]))
        // One that is wrong does not become the usual one.
        #expect(try read("{ admin: \"94640\" }").settings.admin == nil)
    }

    @Test func `a file that is not JSON5 is an error`() throws {
        #expect(try read("{ http: [").findings.first?.rule == .cfg001)
    }

    @Test(arguments: LimitKey.all)
    func `each limit is set by its name, within its bounds`(key: LimitKey) throws {
        let usual = "\(Limits())"
        for (value, isAllowed) in [
            (key.allowed.lowerBound, true), (key.allowed.upperBound, true), (key.allowed.lowerBound - 1, false),
            (key.allowed.upperBound + 1, false),
        ] {
            let reader = try read("{ limits: { \(key.name): \(value) } }")
            #expect(reader.findings.isEmpty == isAllowed)
            #expect(("\(reader.settings.limits)" != usual) == isAllowed)
        }
    }

    @Test(arguments: ["on", "off", "required"]) func `the sandbox may be one word`(word: String) throws {
        let reader = try read("{ sandbox: \"\(word)\" }")
        #expect(reader.findings.isEmpty && reader.settings.sandbox.mode.rawValue == word)
    }

    @Test func `the PROXY protocol may be asked for on single listeners`() throws {
        let reader = try read("{ fronts: { trust: [\"::1\"], proxyProtocol: [\"[::1]:8080\"] } }")
        guard reader.findings.isEmpty, case .on(let addresses) = reader.settings.proxyProtocol else {
            Issue.record("\(reader.findings)")
            return
        }
        #expect(addresses.map(\.description) == ["[::1]:8080"])
    }

    @Test(arguments: [
        "{ trust: \"10.0.0.0/8\" }", "{ trust: [\"10.0.0.1/8\"] }", "{ trust: [7] }", "{ fields: \"via\" }",
        "{ host: 1 }", "{ proxyProtocol: true }", "{ trust: [\"::1\"], proxyProtocol: [7] }", "{ proxies: [] }",
    ])
    func `what fronts are not is a finding`(text: String) throws {
        #expect(try read("{ fronts: \(text) }").findings.count == 1)
    }

    @Test(arguments: [
        "{ sandbox: \"maybe\" }", "{ sandbox: true }", "{ sandbox: { mode: 1 } }", "{ sandbox: { read: \"/srv\" } }",
        "{ sandbox: { write: [\"relative\"] } }", "{ sandbox: { writes: [] } }", "{ user: 1 }",
    ])
    func `of the process too, what is not understood is a finding`(text: String) throws {
        let reader = try read(text)
        #expect(reader.findings.count == 1)
        #expect(reader.settings.sandbox == SandboxSettings() && reader.settings.user == nil)
    }

    /// A link target that holds the folders of all tenants, however it is called; nil where it is beside them.
    @Test(arguments: [
        ("root", true), ("config", true), ("config/hosts", true), ("public", true), ("state", true), ("link", true),
        ("config/../config", true),
        ("config/acme", false), ("public/shared", false), ("acme", false), ("nowhere", false), ("publi", false),
    ])
    func `no link target holds what belongs to tenants`(name: String, isHolding: Bool) throws {
        let tree = try TemporaryFolder()
        let target = name == "root" ? tree.path : "\(tree.path)/\(name)"
        for folder in ["config/hosts", "public", "acme"] { try tree.write("\(folder)/x", "".utf8) }
        try FileManager.default.createSymbolicLink(atPath: "\(tree.path)/link", withDestinationPath: "config")
        try tree.write("config/server.json", "{ linkTargets: ['/srv/a', '\(target)'] }".utf8)
        let reader = SettingsReader(
            file: "\(tree.path)/config/server.json", folders: ["\(tree.path)/public", "\(tree.path)/state"])
        #expect(reader.findings.map(\.range?.start.column) == (isHolding ? [27] : []))
        #expect(reader.settings.linkTargets.paths == (!isHolding ? ["/srv/a", target] : []))
    }
}
