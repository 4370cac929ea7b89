// The part of a validator of JSON Schemas that the project's own schemas need.

package import SourceJSON

package enum SchemaCheck {
    /// Whether a value is valid by a schema.
    package static func accepts(_ schema: SourceValue, _ value: SourceValue) -> Bool {
        func keyword(_ name: String) -> SourceValue? { schema.member(named: name) }
        if let some = keyword("anyOf")?.asArray, !some.contains(where: { accepts($0, value) }) { return false }
        if let words = keyword("enum")?.asArray,
            !words.contains(where: { SourceWriter.minified($0) == SourceWriter.minified(value) })
        {
            return false
        }
        guard let type = keyword("type")?.asString else { return true }
        switch value.kind {
        case .null: return type == "null"
        case .bool: return type == "boolean"
        case .number(let number):
            guard type == "integer", let number = Int(number.text) else { return false }
            return number >= keyword("minimum")?.asInt ?? .min && number <= keyword("maximum")?.asInt ?? .max
        case .string(let text):
            guard type == "string", text.count >= keyword("minLength")?.asInt ?? 0 else { return false }
            guard let pattern = keyword("pattern")?.asString else { return true }
            return (try? Regex(pattern).firstMatch(in: text)) ?? nil != nil
        case .array(let elements):
            return type == "array" && elements.count >= keyword("minItems")?.asInt ?? 0
                && elements.allSatisfy { accepts(keyword("items") ?? .object([]), $0) }
        case .object(let members):
            return type == "object" && hasNeeded(schema, members.map(\.key))
                && members.allSatisfy { member in
                    if let names = keyword("propertyNames"), !accepts(names, .string(member.key)) { return false }
                    let own = keyword("properties")?.member(named: member.key) ?? keyword("additionalProperties")
                    return own.map { $0.asBool ?? accepts($0, member.value) } ?? true
                }
        }
    }

    private static func hasNeeded(_ schema: SourceValue, _ keys: [String]) -> Bool {
        let dependencies = (schema.member(named: "dependencies")?.asObject ?? []).filter { keys.contains($0.key) }
        let needed = [schema.member(named: "required")].compactMap { $0 } + dependencies.map(\.value)
        return needed.flatMap { $0.asArray ?? [] }.allSatisfy { keys.contains($0.asString ?? "") }
    }
}
