// The settings of the manager, and when certificates are ordered.

import Association
import Posix
import SourceJSON
import TLS
import TestSupport
import Testing

@testable import Settings

struct ManagerSettingsTests {
    private func read(_ text: String) throws -> SettingsReader {
        let tree = try TemporaryFolder()
        try tree.write("server.json", text.utf8)
        let reader = SettingsReader(file: tree.path + "/server.json")
        SettingsSchemaTests.expectValid(reader)
        return reader
    }

    @Test func `reads every setting`() throws {
        let reader = try read(
            """
            {
              acme: {
                webroot: "/srv/acme",
                contact: ["ops@example.com", "mailto:tls@example.com"], termsAgreed: true,
                directories: ["https://ca.example.net/dir", "https://second.example.net/dir"],
                profile: "shortlived", preferredIssuer: "Root X2", allow: ["*.Example.com", "shop.example.org"],
                deny: ["old.example.com"],
                leadsTo: { addresses: ["192.0.2.1", "2001:DB8:0::1"], names: ["edge.example.net"] },
                preflight: "off", eab: { keyID: "kid", keyFile: "/run/eab" }, caFile: "/run/ca.pem", key: "rsa2048",
                resolvers: ["192.0.2.53", "127.0.0.1:8053", "2001:db8::53", "[2001:db8::53]:5353"],
              },
              store: { database: "postgresql://user:secret@db.example.com/associated", keyFile: "/run/store.key" },
              manager: { admin: "127.0.0.1:9465", separate: true, proxy: "http://user:pass@proxy.example.com:3128" },
            }
            """)
        #expect(reader.findings.isEmpty)
        let manager = reader.settings.manager
        let issuance = try #require(manager.issuance)
        #expect(issuance.contact == ["mailto:ops@example.com", "mailto:tls@example.com"])
        #expect(issuance.isTermsAgreed)
        #expect(issuance.directories == ["https://ca.example.net/dir", "https://second.example.net/dir"])
        #expect(issuance.profile == "shortlived" && issuance.preferredIssuer == "Root X2")
        #expect(issuance.allow.map(\.text) == ["*.example.com", "shop.example.org"])
        #expect(issuance.deny.map(\.text) == ["old.example.com"])
        #expect(issuance.expectedAddresses == ["192.0.2.1", "2001:db8::1"])
        #expect(issuance.expectedNames == ["edge.example.net"])
        #expect(issuance.preflight == .off)
        #expect(issuance.externalAccount?.keyID == "kid" && issuance.externalAccount?.keyFile == "/run/eab")
        #expect(issuance.caFile == "/run/ca.pem" && issuance.key == .rsa2048 && issuance.port == 80)
        #expect(
            issuance.resolvers.map(\.description) == [
                "192.0.2.53:53", "127.0.0.1:8053", "[2001:db8::53]:53", "[2001:db8::53]:5353",
            ])
        #expect(manager.databaseURL == "postgresql://user:secret@db.example.com/associated")
        #expect(manager.keyFile == "/run/store.key" && manager.admin?.description == "127.0.0.1:9465")
        #expect(manager.isSeparate && manager.proxyURL == "http://user:pass@proxy.example.com:3128")
        #expect(reader.settings.acme.webroot == "/srv/acme")
    }

    @Test(arguments: ["https://user:secret@a", "user:secret@a:3128", "http://user:sec ret@a"])
    func `a proxy needs the URL of one, which no message repeats`(proxy: String) throws {
        let reader = try read("{ manager: { proxy: '\(proxy)' } }")
        #expect(reader.settings.manager.proxyURL == nil)
        #expect(reader.findings.map(\.message) == ["`proxy` is not the URL of an HTTP proxy"])
        #expect(reader.findings.first?.fix == "write `http://proxy.example.com:3128`")
    }

    @Test func `agreeing to the terms is enough`() throws {
        let reader = try read("{ acme: { termsAgreed: true } }")
        #expect(reader.findings.isEmpty)
        let issuance = try #require(reader.settings.manager.issuance)
        #expect(issuance.directories == ["https://acme-v02.api.letsencrypt.org/directory"])
        #expect(issuance.profile == "tlsserver" && issuance.key == .p256 && issuance.port == 80)
        #expect(issuance.preflight == .required && issuance.contact.isEmpty && issuance.resolvers.isEmpty)
        #expect(reader.settings.manager.databaseURL == nil && reader.settings.manager.admin == nil)
    }

    @Test(arguments: [
        ("{}", false), ("{ acme: { webroot: '/srv' } }", false), ("{ manager: { admin: '127.0.0.1:1' } }", false),
        ("{ store: { keyFile: '/run/key' } }", false), ("{ acme: { termsAgreed: true } }", true),
        ("{ store: { database: 'postgres://db/a' } }", true), ("{ delivery: {} }", true),
        ("{ api: '127.0.0.1:1' }", true),
        ("{ delivery: { enabled: false } }", false),
    ])
    func `a manager is wanted for certificates, deliveries, publishing or a database`(text: String, isWanted: Bool)
        throws
    {
        let reader = try read(text)
        #expect(reader.findings.isEmpty)
        #expect(reader.settings.manager.isWanted == isWanted)
    }

    @Test func `reads how deliveries are watched`() throws {
        let reader = try read(
            """
            { delivery: { enabled: true, webhooks: [{ url: "https://d.example/e", secretFile: "/run/secret" }] },
              webhooks: [{ url: "https://f.example/g", secretFile: "/run/other" }] }
            """)
        #expect(reader.findings.isEmpty)
        #expect(reader.settings.manager.delivery != nil)
        #expect(
            reader.settings.manager.webhooks == [
                .init(url: "https://d.example/e", secretFile: "/run/secret"),
                .init(url: "https://f.example/g", secretFile: "/run/other"),
            ])
        let keyed = try read("{ delivery: { registrationKeyFile: '/run/secrets/google' } }").settings.manager.delivery
        #expect(keyed?.registrationKeyFile == "/run/secrets/google")
        let usual = try #require(try read("{ delivery: {} }").settings.manager.delivery)
        #expect(usual.registrationKeyFile == nil)
        #expect(usual == DeliverySettings())
    }

    /// The keys of `tests`, which are in no document. With an error, the manager must not ask the real services.
    @Test func `reads where tests have stand-ins`() throws {
        let manager = "acme: { termsAgreed: true }, delivery: {}"
        let reader = try read(
            """
            { \(manager), tests: {
              challengePort: 5002, appleURL: "http://127.0.0.1:1/a/", googleURL: "https://b.example/c" } }
            """)
        #expect(reader.findings.isEmpty && reader.settings.manager.issuance?.port == 5002)
        let delivery = try #require(reader.settings.manager.delivery)
        #expect(delivery.appleURL == "http://127.0.0.1:1/a/" && delivery.googleURL == "https://b.example/c")
        for tests in ["{ challengePort: 0 }", "{ appleURL: 'a' }", "{ googleUrl: 'https://a' }", "1"] {
            let wrong = try read("{ \(manager), tests: \(tests) }")
            #expect(wrong.findings.count == 1, "\(tests)")
            #expect(wrong.settings.manager.issuance == nil && wrong.settings.manager.delivery == nil, "\(tests)")
        }
    }

    /// With an error, nothing is watched.
    @Test(
        arguments: [
            ("true", "`delivery` must be an object"), ("{ enabled: 1 }", "`enabled` must be true or false"),
            ("{ apple: 'https://a' }", "unknown setting `apple` is ignored"),
            ("{ webhooks: {} }", "`webhooks` must be an array"),
            ("{ webhooks: ['https://a'] }", "a webhook must be an object"),
            ("{ webhooks: [{ url: 'https://a' }] }", "a webhook needs both `url` and `secretFile`"),
            ("{ webhooks: [{ url: 'ftp://a', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://:99999/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://a:0/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://a:65536/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://u@a/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://[::1]/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https://a..b/', secretFile: 'b' }] }", "`url` is not a URL"),
            ("{ webhooks: [{ url: 'https:///a', secretFile: 'b' }] }", "`url` is not a URL"),
        ])
    func `an invalid delivery turns the monitor off`(text: String, message: String) throws {
        let reader = try read("{ delivery: \(text) }")
        #expect(reader.findings.map(\.message) == [message])
        #expect(reader.settings.manager.delivery == nil)
    }

    private static let directory = "write `https://acme-v02.api.letsencrypt.org/directory`"
    private static let mail = "write `ops@example.com`"
    private static let server = "write `192.0.2.53:53`"

    /// What is invalid in `acme`: the part of the text that the finding points to, its message and its fix.
    @Test(
        arguments: [
            ("contact: ['ops']", "'ops'", "this is not a mail address", mail),
            ("contact: ['@b']", "'@b'", "this is not a mail address", mail),
            ("contact: ['a@b@c']", "'a@b@c'", "this is not a mail address", mail),
            ("contact: ['a@b,c']", "'a@b,c'", "this is not a mail address", mail),
            ("contact: ['a@b?cc=c']", "'a@b?cc=c'", "this is not a mail address", mail),
            ("contact: ['a b@c']", "'a b@c'", "this is not a mail address", mail),
            ("contact: 'a@b'", "'a@b'", "`contact` must be an array", "write `[\"ops@example.com\"]`"),
            ("directories: ['http://ca.example']", "'http://ca.example'", "this is not an https URL", directory),
            ("directories: ['https://']", "'https://'", "this is not an https URL", directory),
            (
                "directories: ['https://a@b.example/dir']", "'https://a@b.example/dir'", "this is not an https URL",
                directory
            ),
            ("directories: ['https://:443/dir']", "'https://:443/dir'", "this is not an https URL", directory),
            (
                "directories: ['https://ca.example/{dir}']", "'https://ca.example/{dir}'", "this is not an https URL",
                directory
            ),
            (
                "directories: []", "[]", "`directories` is empty, so no certificates are ordered",
                "write `[\"https://acme-v02.api.letsencrypt.org/directory\"]`"
            ),
            ("profile: 1", "1", "`profile` must be a string", "put it in quotes"),
            ("allow: ['*']", "'*'", "this is not a host", "write `*.example.com`"),
            ("deny: [7]", "7", "this is not a host", "write `*.example.com`"),
            ("denny: ['a.example']", "denny", "unknown setting `denny` is ignored", "write `deny`"),
            ("leadsTo: []", "[]", "`leadsTo` must be an object", nil),
            ("leadsTo: { address: [] }", "address", "unknown setting `address` is ignored", "write `addresses`"),
            ("leadsTo: { addresses: ['a.b'] }", "'a.b'", "this is not an IP address", "write `192.0.2.1`"),
            ("leadsTo: { names: ['*.a.b'] }", "'*.a.b'", "this is not a host name", "write `edge.example.net`"),
            (
                "preflight: 'on'", "'on'", "`on` is not a mode of the preflight, so no certificates are ordered",
                "write `required`"
            ),
            ("key: 'p384'", "'p384'", "`p384` is not a kind of key, so no certificates are ordered", "write `p256`"),
            (
                "key: 'rsa3048'", "'rsa3048'", "`rsa3048` is not a kind of key, so no certificates are ordered",
                "write `rsa2048`"
            ),
            (
                "key: ['rsa2048', 'p256']", "['rsa2048', 'p256']",
                "`key` is a list, but a host has one certificate, so no certificates are ordered",
                "write `p256` without brackets"
            ),
            (
                "key: ['rsa2048']", "['rsa2048']",
                "`key` is a list, but a host has one certificate, so no certificates are ordered",
                "write `rsa2048` without brackets"
            ),
            ("eab: 'kid'", "'kid'", "`eab` must be an object", nil),
            (
                "eab: { keyID: 'a' }", "{ keyID: 'a' }", "`eab` needs both `keyID` and `keyFile`",
                "write the id that the certificate authority gave you, and the path of a file with its key"
            ),
            ("eab: { keyID: 1, keyFile: 'a' }", "1", "`keyID` must be a string", "put it in quotes"),
            ("resolvers: ['a.b']", "'a.b'", "this is not the address of a name server", server),
            ("resolvers: ['unix:/a']", "'unix:/a'", "this is not the address of a name server", server),
            ("resolvers: ['192.0.2.53:0']", "'192.0.2.53:0'", "this is not the address of a name server", server),
        ] as [(String, String, String, String?)])
    func `orders nothing with an invalid setting`(text: String, place: String, message: String, fix: String?) throws {
        let text = "{ acme: { termsAgreed: true, \(text) } }"
        let reader = try read(text)
        #expect(reader.settings.manager.issuance == nil)
        try expectOne(reader, in: text, place, message, fix)
    }

    @Test(arguments: [("{ contact: ['a@b'] }", "{ contact: ['a@b'] }"), ("{ termsAgreed: false }", "false")])
    func `orders nothing until the operator agrees to the terms`(acme: String, place: String) throws {
        let text = "{ acme: \(acme) }"
        let reader = try read(text)
        #expect(reader.settings.manager.issuance == nil)
        try expectOne(
            reader, in: text, place,
            "`acme` needs `termsAgreed: true`: read the terms of the certificate authority first; until then no "
                + "certificates are ordered", "write `termsAgreed: true`")
    }

    @Test func `an agreement of another type is one finding`() throws {
        let text = "{ acme: { termsAgreed: 'yes' } }"
        try expectOne(try read(text), in: text, "'yes'", "`termsAgreed` must be true or false", nil)
    }

    @Test func `orders nothing with the thumbprint of another account`() throws {
        let thumbprint = String(repeating: "a", count: 43)
        let text = "{ acme: { termsAgreed: true, thumbprint: '\(thumbprint)' } }"
        let reader = try read(text)
        #expect(reader.settings.manager.issuance == nil)
        try expectOne(
            reader, in: text, "'\(thumbprint)'",
            "the manager's own account answers challenges; `acme.thumbprint` answers them with another account's key, "
                + "so orders would fail", "remove it")
    }

    @Test(
        arguments: [
            (
                "{ store: { database: 'host=db password=secret' }", "'host=db password=secret'",
                "`database` is not the URL of a PostgreSQL database",
                "write `postgresql://user@db.example.com/associated`, or remove it to use SQLite"
            ),
            ("{ store: 'postgresql://db'", "'postgresql://db'", "`store` must be an object", nil),
            ("{ store: { keyFile: 1 }", "1", "`keyFile` must be a string", "put it in quotes"),
        ] as [(String, String, String, String?)])
    func `orders nothing with an invalid store`(store: String, place: String, message: String, fix: String?) throws {
        let text = "\(store), acme: { termsAgreed: true } }"
        let reader = try read(text)
        #expect(reader.settings.manager.issuance == nil && !reader.settings.manager.isUsable)
        try expectOne(reader, in: text, place, message, fix)
    }

    /// Each row: the settings, whether a manager has work with them, and whether it objects to something.
    @Test(arguments: [
        ("acme: { termsAgreed: true }", true, false), ("acme: { termsAgreed: true, denny: [] }", false, true),
        ("acme: { termsAgred: true }", false, true), ("acem: { termsAgreed: true }", false, true),
        ("acme: { webrot: '/srv' }", false, false), ("acme: { webroot: 1 }", false, false),
        ("acme: { termsAgreed: true }, delivery: true", true, true), ("delivery: { enabled: 1 }", false, true),
        ("store: { database: 1 }", false, true), ("store: { database: 'postgres://db/a', keyFil: 'k' }", false, true),
        ("store: { keyFil: 'k' }", false, false), ("manager: { admn: 'x' }", false, false),
        ("acme: { termsAgreed: true }, manager: { admn: 'x' }, workers: 0", true, false),
    ])
    func `a manager that is asked for is wanted although it objects to the settings`(
        text: String, isUsable: Bool, isObjection: Bool
    ) throws {
        let manager = try read("{ \(text) }").settings.manager
        #expect((manager.objection != nil) == isObjection)
        #expect(manager.isUsable == isUsable && manager.isWanted == (isUsable || isObjection))
    }

    @Test func `an error elsewhere does not stop orders`() throws {
        let reader = try read("{ workers: 0, acme: { termsAgreed: true }, manager: { admin: 'x' } }")
        #expect(reader.findings.count == 2)
        #expect(reader.settings.manager.issuance != nil && reader.settings.manager.admin == nil)
    }

    @Test(
        arguments: [
            (
                "{ manager: { admin: 'x' } }", "'x'", "this is not an address with a port",
                "write `127.0.0.1:9465`, `[::1]:9465` or `unix:/path`"
            ),
            (
                "{ manager: { admin: '*:1' } }", "'*:1'",
                "[::]:1 is reachable from other machines, and the manager's listener has no token",
                "write `127.0.0.1:9465`, `[::1]:9465` or `unix:/path`"
            ),
            (
                "{ api: '*:1' }", "'*:1'",
                "[::]:1 is reachable from other machines, and the API sends tokens in clear text",
                "write `127.0.0.1:9466` or `unix:/path`, and put a proxy with TLS in front of it"
            ),
            ("{ manager: { admn: 'x' } }", "admn", "unknown setting `admn` is ignored", "write `admin`"),
        ] as [(String, String, String, String?)])
    func `an invalid address of the manager does not stop the server`(
        text: String, place: String, message: String, fix: String?
    ) throws {
        let reader = try read(text)
        #expect(reader.lostSafeguards.isEmpty)
        try expectOne(reader, in: text, place, message, fix)
    }

    @Test(arguments: [
        ("shop.example.com", true), ("a.b.example.com", true), ("SHOP.Example.com", true), ("*.example.com", true),
        ("shop.example.org", true), ("internal.example.com", true),
        ("example.com", false), ("badexample.com", false), ("www.shop.example.org", false), ("example.net", false),
        ("old.example.com", false), ("a.internal.example.com", false),
    ])
    func `covers allowed hosts that are not denied`(host: String, isCovered: Bool) throws {
        let reader = try read(
            """
            {
              acme: {
                termsAgreed: true, allow: ["*.example.com", "shop.example.org"],
                deny: ["old.example.com", "*.internal.example.com"],
              },
            }
            """)
        #expect(try #require(reader.settings.manager.issuance).covers(host) == isCovered)
    }

    /// Each row: the settings, a host, and whether a certificate is ordered for it.
    @Test(arguments: [
        ("acme: { termsAgreed: true }", "shop.example.com", true),
        ("acme: { termsAgreed: true }", "*.example.com", false),
        (
            "acme: { termsAgreed: true, rfc2136: { server: '192.0.2.53', keyName: 'associated', keyFile: '/k' } }",
            "*.example.com", true
        ),
        ("acme: { termsAgreed: true, deny: ['shop.example.com'] }", "shop.example.com", false),
        // It is to be ordered as soon as the error is corrected.
        ("acme: { contact: ['a@example.com'] }", "shop.example.com", true),
        ("acme: { webroot: '/srv/acme' }", "shop.example.com", false), ("", "shop.example.com", false),
    ])
    func `says for which hosts a certificate is ordered`(text: String, host: String, isOrdered: Bool) throws {
        #expect(try read("{ \(text) }").settings.manager.orders(host) == isOrdered)
    }

    @Test func `covers all hosts without a list`() { #expect(IssuanceSettings().covers("shop.example.com")) }

    /// Checks that there is one finding, and the part of the text that it points to.
    private func expectOne(
        _ reader: SettingsReader, in text: String, _ place: String, _ message: String, _ fix: String?,
        sourceLocation: Testing.SourceLocation = #_sourceLocation
    ) throws {
        #expect(reader.findings.map(\.message) == [message], sourceLocation: sourceLocation)
        #expect(reader.findings.first?.fix == fix, sourceLocation: sourceLocation)
        #expect(reader.findings.first?.severity == .error, sourceLocation: sourceLocation)
        let range = try #require(reader.findings.first?.range, sourceLocation: sourceLocation)
        let found = Array(text.utf8)[range.start.offset..<range.end.offset]
        #expect(String(decoding: found, as: UTF8.self) == place, sourceLocation: sourceLocation)
    }
}
