// The JSON Schema of app files.

import SourceJSON
import Testing

@testable import Association

struct AppFileSchemaTests {
    /// The part of a validator that the schema needs.
    private static func accepts(_ schema: SourceValue, _ value: SourceValue) -> Bool {
        if let some = schema.member(named: "anyOf")?.asArray { return some.contains { accepts($0, value) } }
        if let words = schema.member(named: "enum")?.asArray {
            return words.contains { SourceWriter.minified($0) == SourceWriter.minified(value) }
        }
        let type = schema.member(named: "type")
        let types = type?.asArray?.compactMap(\.asString) ?? [type?.asString].compactMap { $0 }
        switch value.kind {
        case .null: return types.contains("null")
        case .bool: return types.contains("boolean")
        case .number: return types.contains("integer")
        case .string: return types.contains("string")
        case .array(let elements):
            return types.contains("array") && elements.allSatisfy { accepts(schema.member(named: "items") ?? $0, $0) }
        case .object(let members):
            let required = (schema.member(named: "required")?.asArray ?? []).compactMap(\.asString)
            let others = schema.member(named: "additionalProperties")
            return types.contains("object") && required.allSatisfy { value.member(named: $0) != nil }
                && members.allSatisfy { member in
                    let own = schema.member(named: "properties")?.member(named: member.key) ?? others
                    return own.map { $0.asBool == nil ? accepts($0, member.value) : $0.asBool == true } ?? true
                }
        }
    }

    @Test(arguments: [
        (#"ios: { appIDs: ["9JA89QQLNQ.a.b"] }"#, true), ("ios: {}", false), ("ios: null", false), ("other: 1", false),
        ("environments: { staging: { android: null } }", true), ("environments: { staging: { ios: {} } }", true),
        ("environments: { staging: { ios: { storeID: null, variables: { v: null } } } }", true),
        ("environments: { staging: { examples: { \"https://a.b/\": null } } }", true),
        ("environments: { staging: { links: [{ \"/\": null }] } }", false),
        ("environments: { staging: { ios: { appIds: [] } } }", false), ("environments: { staging: null }", false),
    ])
    func `the schema accepts what the reader accepts`(members: String, isAccepted: Bool) throws {
        let text = "{ name: \"A\", hosts: [\"a.b\"], \(members) }"
        let value = try #require(SourceReader.read(Array(text.utf8), as: .json5).value)
        #expect(Self.accepts(AppFileSchema.value, value) == isAccepted)
    }

    @Test func `an app file may refer to the schema`() {
        let text =
            #"{ "$schema": "../app.schema.json", name: "A", hosts: ["a.acme-widgets.com"], ios: "#
            + #"{ appIDs: ["9JA89QQLNQ.a.b"] }, links: [{ "/": "/a" }] }"#
        #expect(AppFile.read(Array(text.utf8), file: "a.json").findings.filter { $0.severity != .note }.isEmpty)
    }
}
