// JSON Schemas of draft 7, which editors support. A schema is made of the keys, words and bounds that the reader of a file uses, so that
// the two cannot say different things. It has only the keywords that the project's schemas need.

/// The values that are allowed in one place of a file.
package struct JSONSchema: Sendable {
    package typealias Properties = [(name: String, schema: JSONSchema)]

    private var members: [(String, SourceValue)]

    private init(_ type: String, _ description: String?, _ members: [(String, SourceValue)] = []) {
        self.members = [("type", .string(type))]
        if let description { self.members.append(("description", .string(description))) }
        self.members += members
    }

    /// The schema in an object.
    package init(_ value: SourceValue) { members = (value.asObject ?? []).map { ($0.key, $0.value) } }

    package var value: SourceValue { .object(members) }

    /// The keys of an object, in order, and those that it must have.
    package var keys: [String] { (self["properties"]?.asObject ?? []).map(\.key) }
    package var required: [String] { (self["required"]?.asArray ?? []).compactMap(\.asString) }

    package subscript(keyword: String) -> SourceValue? { members.first { $0.0 == keyword }?.1 }

    /// The same schema with one more keyword, unless it has that or there is no value.
    package func with(_ keyword: String, _ value: SourceValue?) -> JSONSchema {
        guard let value, self[keyword] == nil else { return self }
        var schema = self
        schema.members.append((keyword, value))
        return schema
    }

    package func described(_ description: String?) -> JSONSchema {
        with("description", description.map { .string($0) })
    }

    /// The schema of a whole file. Editors that read `allowTrailingCommas` do not mark the commas that JSON5 allows.
    package func document(_ title: String) -> SourceValue {
        .object(
            [
                ("$schema", .string("http://json-schema.org/draft-07/schema#")), ("title", .string(title)),
                ("allowTrailingCommas", .bool(true)),
            ] + members)
    }
}

/// The kinds of values.
extension JSONSchema {
    /// - Parameter pattern: a regular expression without what only some languages have.
    package static func text(_ description: String? = nil, pattern: String? = nil, lengthMin: Int = 0) -> JSONSchema {
        JSONSchema("string", description).with("pattern", pattern.map { .string($0) })
            .with("minLength", lengthMin > 0 ? .integer(lengthMin) : nil)
    }

    package static func bool(_ description: String? = nil) -> JSONSchema { JSONSchema("boolean", description) }

    package static func integer(_ allowed: ClosedRange<Int>, _ description: String? = nil) -> JSONSchema {
        JSONSchema(
            "integer", description,
            [("minimum", .integer(allowed.lowerBound)), ("maximum", .integer(allowed.upperBound))])
    }

    package static func word(_ words: [String], _ description: String? = nil) -> JSONSchema {
        JSONSchema("string", description, [("enum", .array(words.map { .string($0) }))])
    }

    package static func list(
        of element: JSONSchema, _ description: String? = nil, countMin: Int = 0
    ) -> JSONSchema {
        JSONSchema("array", description, [("items", element.value)])
            .with("minItems", countMin > 0 ? .integer(countMin) : nil)
    }

    /// An object whose keys are names that the file chooses.
    package static func map(
        of value: JSONSchema, _ description: String? = nil, names: JSONSchema? = nil
    ) -> JSONSchema {
        JSONSchema("object", description, [("additionalProperties", value.value)]).with("propertyNames", names?.value)
    }

    /// An object that has no other keys.
    package static func object(
        _ properties: Properties, _ description: String? = nil, required: [String] = []
    ) -> JSONSchema {
        let values = properties.map { ($0.name, $0.schema.value) }
        return JSONSchema(
            "object", description, [("additionalProperties", .bool(false)), ("properties", .object(values))]
        ).with("required", required.isEmpty ? nil : .array(required.map { .string($0) }))
    }

    package static func any(of schemas: [JSONSchema], _ description: String? = nil) -> JSONSchema {
        JSONSchema(.object([("anyOf", .array(schemas.map(\.value)))])).described(description)
    }
}
