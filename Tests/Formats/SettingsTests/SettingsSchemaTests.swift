// The schema of server.json against its reader: what one refuses for its form, the other refuses too.

import Foundation
import SourceJSON
import TestSupport
import Testing

@testable import Settings

struct SettingsSchemaTests {
    private static let schema = SettingsSchema.value

    /// Whether the reader has nothing against a file, and whether the schema has nothing.
    private func verdicts(_ text: String) throws -> (reader: Bool, schema: Bool) {
        let value = try #require(SourceReader.read(Array(text.utf8), as: .json5).value)
        let findings = SettingsReader(file: "config/server.json", text: Array(text.utf8)).findings
        return (findings.isEmpty, SchemaCheck.accepts(Self.schema, value))
    }

    /// A file that the reader has nothing against is valid, unless it has what no document names.
    static func expectValid(_ reader: SettingsReader) {
        guard reader.findings.isEmpty, let value = reader.document?.value, value.member(named: "tests") == nil else {
            return
        }
        #expect(SchemaCheck.accepts(schema, value))
    }

    /// The schema of a setting, in its place.
    private static func place(_ setting: Setting) -> SourceValue? {
        let section = schema.member(named: "properties")?.member(named: "\(setting.section)")
        if setting.key == setting.section { return section }
        let object = section?.member(named: "anyOf")?.asArray?.last ?? section
        return object?.member(named: "properties")?.member(named: setting.name)
    }

    private static func file(_ setting: Setting, _ value: String) -> String {
        let member = "\"\(setting.name.isEmpty ? setting.key : setting.name)\": \(value)"
        let more = setting.section == "acme" && setting.name != "termsAgreed" ? ", termsAgreed: true" : ""
        return setting.key == setting.section ? "{ \(member) }" : "{ \(setting.section): { \(member)\(more) } }"
    }

    @Test func `it is strict JSON, with every setting and what each is for`() throws {
        let bytes = SourceWriter.canonical(Self.schema)
        #expect(SourceReader.read(bytes, as: .json).problems.isEmpty)
        #expect((try JSONSerialization.jsonObject(with: Data(bytes)) as? [String: Any])?["properties"] != nil)
        for setting in Setting.all {
            let place = try #require(Self.place(setting), "\(setting.key)")
            #expect(place.member(named: "description")?.asString?.isEmpty == false, "\(setting.key)")
            #expect((place.member(named: "default") != nil) == (setting.defaultText != nil), "\(setting.key)")
        }
        #expect(Self.schema.member(named: "properties")?.member(named: "tests") == nil)
        let objects = Setting.all.filter { $0.key != $0.section }.map { "\($0.section)" }
        #expect(Set(SettingsSchema.objects.keys) == Set(objects))
    }

    @Test(arguments: Setting.all.filter { $0.schema["type"]?.asString == "integer" }.map(\.key))
    func `a number has the same bounds`(key: String) throws {
        let setting = try #require(Setting.all.first { $0.key == key })
        let bounds = try #require(setting.schema["minimum"]?.asInt)...#require(setting.schema["maximum"]?.asInt)
        for (number, isAllowed) in [
            (bounds.lowerBound, true), (bounds.upperBound, true), (bounds.lowerBound - 1, false),
            (bounds.upperBound + 1, false),
        ] {
            #expect(try verdicts(Self.file(setting, "\(number)")) == (isAllowed, isAllowed), "\(number)")
        }
    }

    /// `{ "x/": 1 }` is no value of any setting, and neither is a list of nothing but null.
    @Test(arguments: Setting.all.map(\.key), ["{ 'x/': 1 }", "[null]", "null", "''"])
    func `what no setting takes is refused`(key: String, value: String) throws {
        let setting = try #require(Setting.all.first { $0.key == key })
        #expect(try verdicts(Self.file(setting, value)) == (false, false))
    }

    @Test(arguments: [
        "{ $schema: './server.schema.json' }",
        "{ http: ['8080', ':80', '*:80', 'localhost:80', '[::1]:1', 'unix:/a'] }",
        "{ admin: '127.0.0.1:1' }", "{ admin: {} }", "{ admin: { socketMode: '0660' } }", "{ sandbox: 'off' }",
        "{ log: { access: './x' } }", "{ log: { access: 'stdout' } }", "{ api: 'unix:/run/api' }",
        "{ fronts: { trust: ['10.0.0.0/8', 'fd00::/8', 'unix:', '192.0.2.1'], proxyProtocol: ['[::1]:8080'] } }",
        "{ owners: { 'a b': ['*.Example.com', 'bücher.example.'], '*': [] } }",
        "{ acme: { thumbprint: 'AbCdEfGhIjKlMnOpQrStUvWxYz0123456789-_AbCdE' } }",
        "{ acme: { termsAgreed: true, contact: ['mailto:a+b@c.example'], eab: { keyID: 'k', keyFile: 'f' } } }",
        "{ acme: { termsAgreed: true, resolvers: ['192.0.2.53', '2001:db8::53', '[2001:db8::53]:5353'] } }",
        "{ acme: { termsAgreed: true, rfc2136: { server: '[::1]:53', keyName: 'k_1.', keyFile: 'f', zone: 'a.b' } } }",
        "{ acme: { termsAgreed: true, leadsTo: { addresses: ['2001:DB8::1'], names: ['a.b'] } } }",
        "{ manager: { proxy: 'http://u:p@proxy.example.com:3128' } }", "{ store: { database: 'postgres://db/a' } }",
    ])
    func `what the reader takes is valid`(text: String) throws {
        #expect(try verdicts(text) == (true, true))
    }

    @Test(arguments: [
        "{ htpp: [] }", "{ limits: { headByteMax: 1 } }", "{ http: ['localhost'] }", "{ http: ['::1:80'] }",
        "{ signing: { keyFile: 'a' } }", "{ admin: { socketMode: '0999' } }", "{ admin: { socketMode: '1777' } }",
        "{ sandbox: 'maybe' }", "{ sandbox: { read: ['relative'] } }", "{ log: { access: 'sdtout' } }",
        "{ log: { access: '/var/log/' } }", "{ log: { level: 'debug' } }", "{ fronts: { fields: 'via' } }",
        "{ fronts: { trust: ['proxy.example.com'] } }", "{ lint: { ignore: ['APP-4'] } }",
        "{ lint: { severity: { 'AAS-001': 'note' } } }", "{ lint: { severity: { 'AASA-001': 'off' } } }",
        "{ owners: { 'a/b': [] } }", "{ owners: { a: ['https://a.b'] } }", "{ linkTargets: ['srv'] }",
        "{ acme: { thumbprint: 'short' } }", "{ acme: { contact: ['a@b.example'] } }",
        "{ acme: { termsAgreed: true, contact: ['a@b@c'] } }", "{ acme: { termsAgreed: true, directories: [] } }",
        "{ acme: { termsAgreed: true, directories: ['http://a.b'] } }",
        "{ acme: { termsAgreed: true, resolvers: ['ns.example'] } }", "{ acme: { termsAgreed: true, key: 'p384' } }",
        "{ acme: { termsAgreed: true, leadsTo: { address: [] } } }",
        "{ acme: { termsAgreed: true, eab: { keyID: 'a' } } }",
        "{ acme: { termsAgreed: true, rfc2136: { server: '192.0.2.53', keyName: 'k' } } }",
        "{ acme: { termsAgreed: true, rfc2136: { server: '192.0.2.53', keyName: 'k', keyFile: 'f', zone: 'a..b' } } }",
        "{ webhooks: [{ url: 'https://a.b' }] }", "{ webhooks: [{ url: 'ftp://a.b', secretFile: 'f' }] }",
        "{ manager: { proxy: 'https://proxy.example.com' } }", "{ store: { database: 'host=db' } }",
    ])
    func `what the reader refuses for its form is not valid`(text: String) throws {
        #expect(try verdicts(text) == (false, false))
    }

    /// script/check-schema --update writes it.
    @Test func `the copy for SchemaStore is the same`() throws {
        let root = URL(fileURLWithPath: #filePath).appendingPathComponent("../../../..").standardizedFileURL
        let file = root.appendingPathComponent("deploy/schemastore/src/schemas/json/associated-server.json")
        let copy = SourceReader.read(Array(try Data(contentsOf: file)), as: .json).value
        let members = (copy?.asObject ?? []).filter { $0.key != "$id" }.map { ($0.key, $0.value) }
        let isSame = SourceWriter.minified(.object(members)) == SourceWriter.minified(Self.schema)
        #expect(isSame, "run script/check-schema --update")
    }
}
