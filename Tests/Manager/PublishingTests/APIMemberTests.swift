// What parameters and members may be, in the API and in its document.

import Database
import HTTP
import SourceJSON
import Testing

@testable import DatabaseSupport
@testable import Publishing
@testable import Service

struct APIMemberTests {
    @Test func `a name is checked by what its pattern says`() throws {
        for (rule, right, wrong) in [
            (
                .tenant, ["a", "0", "a-", "a-0", String(repeating: "a", count: 63)],
                ["", "-a", "A", "a_", "a.b", "é", "a\n", "а", String(repeating: "a", count: 64)]
            ),
            (
                .file, ["a.json", "a.json5", "a.b_-.json", String(repeating: "a", count: 95) + ".json"],
                ["", ".json", "_.json", "A.json", "a.jsonx", "axjson", "a.json6", "a/b.json", "a.json\n", "a json"]
                    + [String(repeating: "a", count: 96) + ".json"]
            ),
            (.token, ["0123456789ab"], ["0123456789a", "0123456789abc", "0123456789aB", "0123456789ag"]),
        ] as [(NameRule, [String], [String])] {
            let schema = APIKind.name(rule).schema()
            let pattern = try Regex(#require(schema.member(named: "pattern")?.asString))
            let lengths = try ["minLength", "maxLength"].map { try #require(schema.member(named: $0)?.asInt) }
            for name in right + wrong {
                let isDocumented =
                    try pattern.wholeMatch(in: name) != nil
                    && (lengths[0]...lengths[1]).contains(name.unicodeScalars.count)
                #expect(isDocumented == right.contains(name), "\(name)")
                #expect(rule.allows(name) == right.contains(name), "\(name)")
            }
        }
    }

    @Test(
        arguments: [
            (.text(max: 3), ["", "abc", "äöü"], ["abcd", "a\0"]),
            (.integer(1...9), ["1", "9"], ["0", "10", "+1", "01", "x", ""]),
            (.host, ["a.test", "*.a.test", "A.Test", "bücher.test"], ["", "a..b", "127.0.0.1", "a_b.test", "a:80"]),
            (.link, ["https://a.test/x", "http://a.test"], ["", "ftp://a.test", "a.test", "https://"]),
            (.choice(["a", "b"]), ["a"], ["", "c", "A"]),
            (
                .time, ["2026-12-01T08:00:00Z", "2026-12-01T09:00:00.5+01:00", "2024-02-29t08:00:00z"],
                ["", "2026-12-01", "2026-02-29T08:00:00Z", "9999-12-31T23:00:00-01:00", "2026-12-01T08:00:60Z"]
            ),
            (.bool, [], ["true"]), (.choices(["a"]), [], ["a"]), (.changes, [], ["{}"]),
        ] as [(APIKind, [String], [String])])
    func `a parameter is one of its kind, or is refused`(kind: APIKind, right: [String], wrong: [String]) {
        for text in right { #expect(kind.allows(text), "\(text)") }
        for text in wrong { #expect(!kind.allows(text), "\(text)") }
    }

    @Test(
        arguments: [
            ("{ \"scopes\": [\"read\"], \"days\": 3660, \"label\": null }", 201),
            ("{ \"scopes\": [\"read\"], \"days\": 3661 }", 400),
            ("{ \"scopes\": [\"read\"], \"days\": 0 }", 400), ("{ \"scopes\": null }", 400),
            ("{ \"scopes\": \"read\" }", 400),
            ("{ \"scopes\": [\"read\", null] }", 400), ("{ \"scopes\": [\"read\"], \"label\": \"\\u0000\" }", 400),
        ])
    func `a member is one of its kind, or is refused`(body: String, status: Int) throws {
        let rig = try PublishingRig()
        #expect(try rig.post("acme/tokens", rig.token(), body).status == status)
    }

    @Test func `a time is the same in any zone`() {
        #expect(APITime.milliseconds("2026-12-01T09:30:00+01:30") == APITime.milliseconds("2026-12-01T08:00:00Z"))
    }

    @Test(arguments: [
        "/ACME", "/acme/apps/x", "/acme/releases/0", "/acme/releases/01", "/acme/releases/99999999999",
        "/acme/tokens/x",
    ])
    func `what cannot be in a path is refused with what may be`(path: String) throws {
        let rig = try PublishingRig()
        let method: Method = path.contains("tokens") ? .delete : .get
        let answer = try rig.ask(method, "/api/v1/tenants\(path)", rig.token())
        #expect(answer.status == 400 && answer["detail"]?.contains(" must be ") == true, "\(answer.value)")
    }

    /// The members of an answer, in the order of the document.
    @Test func `an answer has the members of its document`() throws {
        let rig = try PublishingRig()
        try rig.own("shop.acme.test")
        let admin = try rig.token()
        let release = PublishingRig.release(base: 0, [("shop.json", PublishingRig.app())])
        #expect(try rig.post("acme/releases:check", admin, release).status == 200)
        #expect(try rig.post("acme/releases", admin, release).status == 201)
        _ = try rig.post("acme/tokens", admin, "{ \"scopes\": [\"read\"] }")
        let document = try rig.ask(.get, "/api/v1/openapi.json", nil).value
        for (path, template) in [
            ("", ""), ("/acme", "/{tenant}"), ("/acme/releases", "/{tenant}/releases"),
            ("/acme/apps", "/{tenant}/apps"),
            ("/acme/releases/1", "/{tenant}/releases/{number}"), ("/acme/hosts", "/{tenant}/hosts"),
            ("/acme/hosts/shop.acme.test", "/{tenant}/hosts/{host}"), ("/acme/tokens", "/{tenant}/tokens"),
        ] {
            let answer = try rig.ask(.get, "/api/v1/tenants\(path)", admin).value
            var schema = document
            for name in [
                "paths", "/api/v1/tenants\(template)", "get", "responses", "200", "content", "application/json",
                "schema",
            ] {
                schema = try #require(schema.member(named: name), "\(path): \(name)")
            }
            check(answer, schema, path)
        }
    }

    private func check(_ value: SourceValue, _ schema: SourceValue, _ place: String) {
        let names = schema.member(named: "required")?.asArray?.compactMap(\.asString)
        if let names { #expect(value.asObject?.map(\.key) == names, "\(place)") }
        for property in schema.member(named: "properties")?.asObject ?? [] {
            if let member = value.member(named: property.key) {
                check(member, property.value, "\(place).\(property.key)")
            }
        }
        if let items = schema.member(named: "items") {
            for item in value.asArray ?? [] { check(item, items, "\(place)[]") }
        }
        let type = schema.member(named: "type")
        let types = type?.asArray?.compactMap(\.asString) ?? [type?.asString ?? ""]
        let found =
            switch value.kind {
            case .null: "null"
            case .bool: "boolean"
            case .number: "integer"
            case .string: "string"
            case .array: "array"
            case .object: "object"
            }
        #expect(types.contains(found), "\(place)")
    }
}
