// What a member of a body and a parameter may be. What is checked and what the OpenAPI document says come from the same values.

import Association
import SourceJSON

/// A member of a body, or a parameter of a query.
struct APIMember: Sendable {
    let name: String
    let kind: APIKind
    var isRequired = false
    let help: String

    init(_ name: String, _ kind: APIKind, isRequired: Bool = false, _ help: String) {
        (self.name, self.kind, self.isRequired, self.help) = (name, kind, isRequired, help)
    }

    var schema: SourceValue { kind.schema(orNull: !isRequired) }
}

/// What a name may have: characters as in the brackets of a regular expression.
struct NameRule: Sendable {
    let first: String
    let rest: String
    let count: ClosedRange<Int>
    var endings: [String] = []

    static let tenant = NameRule(first: "a-z0-9", rest: "a-z0-9-", count: 1...63)
    /// As in `config/apps`, and without what a file system or a URL reads in another way.
    static let file = NameRule(first: "a-z0-9", rest: "a-z0-9._-", count: 6...100, endings: [".json", ".json5"])
    static let token = NameRule(first: "0-9a-f", rest: "0-9a-f", count: 12...12)

    func allows(_ name: String) -> Bool {
        let bytes = Array(name.utf8)
        return count.contains(bytes.count) && NameRule.has(first, bytes[0])
            && bytes.allSatisfy { NameRule.has(rest, $0) }
            && (endings.isEmpty || endings.contains { name.hasSuffix($0) })
    }

    private static func has(_ set: String, _ byte: UInt8) -> Bool {
        var left = Array(set.utf8)[...]
        while let low = left.popFirst() {
            var high = low
            if left.count > 1, left.first == UInt8(ascii: "-") {
                high = left[left.startIndex + 1]
                left = left.dropFirst(2)
            }
            if (low...high).contains(byte) { return true }
        }
        return false
    }

    /// For the document, with the lengths.
    fileprivate var constraints: [(String, SourceValue)] {
        // Each begins with a dot.
        let ending = endings.map { "\\" + $0 }.joined(separator: "|")
        return [
            ("pattern", .string("^[\(first)][\(rest)]*\(ending.isEmpty ? "" : "(\(ending))")$")),
            ("minLength", .integer(count.lowerBound)), ("maxLength", .integer(count.upperBound)),
        ]
    }

    fileprivate var inWords: String {
        let ending = endings.isEmpty ? "" : ", with \(endings.joined(separator: " or ")) at the end"
        let length = count.lowerBound == count.upperBound ? "\(count.upperBound)" : "at most \(count.upperBound)"
        return "a name of \(length) characters, the first from \(first), the others from \(rest)\(ending)"
    }
}

enum APIKind: Sendable {
    case text(max: Int)
    case name(NameRule)
    /// A host name in any spelling, or `*.` and one.
    case host
    /// A URL of http or https.
    case link
    case choice([String])
    /// Some of them, each once.
    case choices([String])
    case integer(ClosedRange<Int>)
    case bool
    case time
    /// File names with their new text, or null.
    case changes

    static let number = APIKind.integer(1...Int(Int32.max))
    static let place = APIKind.integer(0...Int(Int32.max))

    /// What the open segments of paths are.
    static let segments: [String: APIKind] = [
        "TENANT": .name(.tenant), "NAME": .name(.file), "NUMBER": number, "HOST": .host, "ID": .name(.token),
    ]

    /// Whether a text in a path or a query is one.
    func allows(_ text: String) -> Bool {
        switch self {
        // PostgreSQL stores no U+0000.
        case .text(let max): text.unicodeScalars.count <= max && !text.utf8.contains(0)
        case .name(let rule): rule.allows(text)
        case .host: (try? HostPattern.parse(text).get()) != nil
        case .link: LinkURL(text) != nil
        case .choice(let all): all.contains(text)
        case .integer(let range): Int(text).map { range.contains($0) && "\($0)" == text } ?? false
        case .time: APITime.milliseconds(text) != nil
        case .choices, .bool, .changes: false
        }
    }

    /// Whether a value of a body is one.
    func allows(_ value: SourceValue) -> Bool {
        switch self {
        case .bool: return value.asBool != nil
        case .integer(let range): return value.asInt.map(range.contains) ?? false
        case .choices(let all):
            let texts = value.asArray?.map(\.asString) ?? []
            return !texts.isEmpty && Set(texts).count == texts.count
                && texts.allSatisfy { $0.map(all.contains) ?? false }
        // Its names and texts are checked where they are read.
        case .changes: return value.asObject != nil
        default: return value.asString.map { allows($0) } ?? false
        }
    }

    var inWords: String {
        switch self {
        case .text(let max): "a text of at most \(max) characters"
        case .name(let rule): rule.inWords
        case .host: "a host name, such as shop.example.com or *.example.com"
        case .link: "a URL such as https://shop.example.com/products/1"
        case .choice(let all): "one of \(all.joined(separator: ", "))"
        case .choices(let all): "a list of some of \(all.joined(separator: ", ")), each once"
        case .integer(let range): "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .bool: "true or false"
        case .time: "a time such as 2026-12-01T08:00:00Z"
        case .changes: "an object of file names with their text, or null"
        }
    }

    /// - Parameter orNull: whether null is as good as nothing.
    func schema(orNull: Bool = false) -> SourceValue {
        var members = constraints
        if orNull {
            for index in members.indices where members[index].0 == "type" {
                members[index].1 = .array([members[index].1, .string("null")])
            }
            for index in members.indices where members[index].0 == "enum" {
                members[index].1 = .array((members[index].1.asArray ?? []) + [.null])
            }
        }
        return .object(members)
    }

    private var constraints: [(String, SourceValue)] {
        func typed(_ type: String, _ more: [(String, SourceValue)] = []) -> [(String, SourceValue)] {
            [("type", .string(type))] + more
        }
        func oneOf(_ all: [String]) -> [(String, SourceValue)] {
            typed("string", [("enum", .array(all.map { .string($0) }))])
        }
        switch self {
        case .text(let max):
            return typed("string", [("maxLength", .integer(max)), ("pattern", .string("^[^\\x00]*$"))])
        case .name(let rule): return typed("string", rule.constraints)
        case .host: return typed("string", [("format", .string("host-pattern")), ("minLength", .integer(1))])
        case .link: return typed("string", [("format", .string("uri"))])
        case .choice(let all): return oneOf(all)
        case .choices(let all):
            return typed(
                "array",
                [
                    ("items", .object(oneOf(all))), ("uniqueItems", .bool(true)), ("minItems", .integer(1)),
                ])
        case .integer(let range):
            return typed(
                "integer", [("minimum", .integer(range.lowerBound)), ("maximum", .integer(range.upperBound))])
        case .bool: return typed("boolean")
        case .time: return typed("string", [("format", .string("date-time"))])
        case .changes:
            let text: [(String, SourceValue)] = [
                ("type", .array([.string("string"), .string("null")])),
                ("maxLength", .integer(ReleaseContent.fileBytesMax)),
            ]
            return typed(
                "object",
                [
                    ("propertyNames", .object(NameRule.file.constraints)), ("additionalProperties", .object(text)),
                    ("maxProperties", .integer(ReleaseContent.filesMax)),
                ])
        }
    }
}
