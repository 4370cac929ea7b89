// Schemas as values.

import Testing

@testable import SourceJSON

struct JSONSchemaTests {
    private static func text(_ schema: JSONSchema) -> String { SourceWriter.line(schema.value) }

    @Test(arguments: [
        (JSONSchema.text(), #"{ "type": "string" }"#),
        (
            .text("a", pattern: "^/", lengthMin: 1),
            #"{ "type": "string", "description": "a", "pattern": "^/", "minLength": 1 }"#
        ),
        (.integer(-1...7), #"{ "type": "integer", "minimum": -1, "maximum": 7 }"#),
        (.word(["a", "b"]), #"{ "type": "string", "enum": ["a", "b"] }"#),
        (.list(of: .bool(), countMin: 1), #"{ "type": "array", "items": { "type": "boolean" }, "minItems": 1 }"#),
        (
            .map(of: .bool(), names: .text()),
            #"{ "type": "object", "additionalProperties": { "type": "boolean" }, "propertyNames": { "type": "string" } }"#
        ),
        (.any(of: [.bool(), .text()]), #"{ "anyOf": [{ "type": "boolean" }, { "type": "string" }] }"#),
    ])
    func `each kind of value has its keywords`(schema: JSONSchema, text: String) {
        #expect(Self.text(schema) == text)
    }

    @Test func `an object tells its keys, and a keyword is not replaced`() {
        let object = JSONSchema.object([("a", .text()), ("b", .bool("b"))], required: ["b"])
        #expect(object.keys == ["a", "b"] && object.required == ["b"])
        #expect(JSONSchema.text().keys.isEmpty && JSONSchema.text().required.isEmpty)
        #expect(Self.text(.bool("b").described("c")) == Self.text(.bool("b")))
        #expect(object.document("A").member(named: "title")?.asString == "A")
    }
}
