// Other well-known files, each with the mistakes that clients do not report.

import Association
import AssociationLint
import SourceJSON
import Testing

struct WellKnownFileTests {
    private static let now: Int64 = 1_800_000_000

    private func findings(_ name: String, _ text: String) -> [String] {
        WellKnownFile.lint(Array(text.utf8), name: name, file: name, now: WellKnownFileTests.now)
            .map { "\($0.rule) \($0.range?.start.line ?? 0)" }
    }

    @Test(arguments: [
        ("webauthn", #"{"origins": ["https://example.com", "https://example.co.uk:8443"]}"#),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: 2030-01-01T00:00:00Z\n"),
        (
            "security.txt",
            "# Expires: never\r\ncontact: https://example.com/\r\nEXPIRES: 2030-01-01T00:00:00.5+02:00\r\n"
        ),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: 2027-01-15T08:00:01Z\n"),
        ("apple-developer-merchantid-domain-association", "7B227073704964223A22"),
        ("windows-app-web-link", #"[{"packageFamilyName": "A_b", "paths": ["*"]}]"#),
        ("applinking.json", #"{"applinking": {"apps": [{"appIdentifier": "1"}]}}"#),
        ("change-password", "anything"),
    ])
    func `reports nothing about a valid file`(name: String, text: String) {
        #expect(findings(name, text) == [])
    }

    @Test(arguments: [
        ("webauthn", "[]", ["SRV-007 0", "SRV-007 0"]),
        ("webauthn", #"{"origins": "https://example.com"}"#, ["SRV-007 0"]),
        ("webauthn", "{\"origins\": [\n\"http://example.com\"]}", ["SRV-007 2"]),
        (
            "webauthn",
            "{\"origins\": [\"https://a.com\",\"https://b.com\",\"https://c.com\",\"https://d.com\",\"https://x.e.com\","
                + "\"https://e.co.uk\",\n\"https://f.com\"]}", ["SRV-007 2"]
        ),
        ("security.txt", "Expires: 2030-01-01T00:00:00Z\n", ["SRV-010 0"]),
        ("security.txt", "Contact: mailto:a@example.com\n", ["SRV-010 0"]),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: 2027-01-15T07:59:59Z\n", ["SRV-010 2"]),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: 2027-01-15T08:00:00Z\n", ["SRV-010 2"]),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: 2027-01-15T13:29:59+05:30\n", ["SRV-010 2"]),
        (
            "security.txt",
            "Contact: mailto:a@example.com\nExpires: 2030-01-01T00:00:00Z\nExpires: 2031-01-01T00:00:00Z\n",
            ["SRV-010 2"]
        ),
        ("security.txt", "Contact: mailto:a@example.com\nExpires: tomorrow\n", ["SRV-010 2"]),
        ("apple-developer-merchantid-domain-association", "\u{FEFF}7B22", ["SRV-011 0"]),
        ("apple-developer-merchantid-domain-association", "7B22\n", ["SRV-011 0"]),
        ("apple-developer-merchantid-domain-association", "<!doctype html>", ["SRV-011 0"]),
        ("windows-app-web-link", "{}", ["SRV-012 0"]), ("windows-app-web-link", "[\n{}]", ["SRV-012 2"]),
        ("windows-app-web-link.json", "[]", ["SRV-012 0"]), ("applinking.json", #"{"apps": []}"#, ["SRV-013 1"]),
        ("applinking.json", "not json", ["SRV-013 1"]),
    ])
    func `reports the mistakes of a file`(name: String, text: String, expected: [String]) {
        #expect(findings(name, text) == expected)
    }

    @Test func `never traps on any bytes`() {
        for name in WellKnownFile.names {
            for byte in UInt8.min...UInt8.max {
                let bytes = [byte, 0x3A, byte, 0x0A, byte]
                #expect(WellKnownFile.lint(bytes, name: name, file: name, now: 0).count < 10)
            }
        }
    }

    @Test(arguments: [("{}", 1), ("{\"allowSubdomains\": false}", 1), ("{\"allowSubdomains\": true}", 0)])
    func `requires allowSubdomains for a wildcard host`(more: String, count: Int) {
        let entry = "[{\"packageFamilyName\": \"A_b\"" + (more == "{}" ? "" : ", " + more.dropFirst().dropLast()) + "}]"
        func lint(isWildcard: Bool) -> [Finding] {
            WellKnownFile.lint(
                Array(entry.utf8), name: "windows-app-web-link", file: "x", isWildcard: isWildcard,
                now: WellKnownFileTests.now)
        }
        #expect(lint(isWildcard: true).map(\.rule) == Array(repeating: .srv012, count: count))
        #expect(lint(isWildcard: false) == [])
    }

    /// Each row: what all names end with, and whether six of them have six different labels before the public suffix.
    @Test(arguments: [
        ("com", true), ("com.au", true), ("org.uk", true), ("a.co.uk", false), ("asso.fr", false),
        ("com.example", false),
    ])
    func `two short labels at the end of an origin are one suffix`(suffix: String, areSix: Bool) {
        func origins(_ names: String) -> String {
            "{\"origins\": [\(names.map { "\"https://\($0).\(suffix)\"" }.joined(separator: ","))]}"
        }
        #expect(findings("webauthn", origins("abcdef")) == (areSix ? ["SRV-007 1"] : []))
        #expect(findings("webauthn", origins("abcde")) == [])
    }

    @Test func `reports more than five names of origins once`() {
        let origins = "abcdefgh".map { "\"https://\($0).example\"" } + ["\"https://a.example\""]
        #expect(findings("webauthn", "{\"origins\": [\(origins.joined(separator: ","))]}") == ["SRV-007 1"])
    }
}
