// A JSON value with its place in the text. Objects keep the order of their members and duplicate keys, because mistakes in
// association files are often there.

/// One value of a JSON or JSON5 text, with the range it was read from.
public struct SourceValue: Sendable {
    public var kind: Kind
    public var range: SourceRange

    /// What a value is. `indirect` is not needed: arrays box their elements.
    public enum Kind: Sendable {
        case null
        case bool(Bool)
        case number(SourceNumber)
        case string(String)
        case array([SourceValue])
        case object([SourceMember])
    }

    public init(_ kind: Kind, range: SourceRange) {
        (self.kind, self.range) = (kind, range)
    }

    /// The value of the first member with this key; nil if there is none or this is not an object.
    public func member(named name: String) -> SourceValue? {
        guard case .object(let members) = kind else { return nil }
        for member in members where member.key.isIdentical(to: name) { return member.value }
        return nil
    }

    /// Every member with this key, in order; more than one if the key is duplicated.
    public func members(named name: String) -> [SourceMember] {
        guard case .object(let members) = kind else { return [] }
        return members.filter { $0.key.isIdentical(to: name) }
    }

    public var asString: String? {
        if case .string(let string) = kind { string } else { nil }
    }

    public var asBool: Bool? {
        if case .bool(let bool) = kind { bool } else { nil }
    }

    public var asNumber: SourceNumber? {
        if case .number(let number) = kind { number } else { nil }
    }

    public var asInt: Int? { asNumber?.asInt }

    public var asArray: [SourceValue]? {
        if case .array(let elements) = kind { elements } else { nil }
    }

    public var asObject: [SourceMember]? {
        if case .object(let members) = kind { members } else { nil }
    }

    public static var null: SourceValue { SourceValue(.null, range: .none) }

    public static func bool(_ bool: Bool) -> SourceValue { SourceValue(.bool(bool), range: .none) }

    public static func integer(_ integer: Int) -> SourceValue {
        SourceValue(.number(SourceNumber(text: String(integer))), range: .none)
    }

    public static func string(_ string: String) -> SourceValue { SourceValue(.string(string), range: .none) }

    public static func array(_ elements: [SourceValue]) -> SourceValue { SourceValue(.array(elements), range: .none) }

    public static func object(_ members: [(String, SourceValue)]) -> SourceValue {
        SourceValue(.object(members.map { SourceMember(key: $0.0, keyRange: .none, value: $0.1) }), range: .none)
    }
}

/// One `key: value` of an object.
public struct SourceMember: Sendable {
    public var key: String
    public var keyRange: SourceRange
    public var value: SourceValue

    public init(key: String, keyRange: SourceRange, value: SourceValue) {
        (self.key, self.keyRange, self.value) = (key, keyRange, value)
    }
}

/// A number as it was written; it is converted only on request.
public struct SourceNumber: Hashable, Sendable {
    public var text: String

    public init(text: String) { self.text = text }
}

extension [SourceMember] {
    /// Each key once, with its last value, as most JSON readers do; in linear time.
    public var withLastOfEachKey: [SourceMember] {
        var keys = KeyIndex()
        var kept: [SourceMember] = []
        kept.reserveCapacity(count)
        for member in self {
            if let index = keys.firstIndex(of: member.key, in: kept) {
                kept[index] = member
            } else {
                kept.append(member)
            }
        }
        return kept
    }
}

// Text that is compared byte by byte, as JSON readers and phones do. Swift's `==`, `Set` and `Dictionary` treat different
// spellings of one character (`é` as one scalar or as two, the Kelvin sign and K) as equal.

/// A text that equals only the same code points; for sets and keys of dictionaries.
package struct ExactText: Hashable, Sendable, ExpressibleByStringLiteral {
    package let text: String

    package init(_ text: String) { self.text = text }

    package init(stringLiteral text: String) { self.text = text }

    package static func == (left: ExactText, right: ExactText) -> Bool { left.text.isIdentical(to: right.text) }

    package func hash(into hasher: inout Hasher) {
        // Eight bytes at a time: three times faster than one by one.
        var word: UInt64 = 0
        var count = 0
        for byte in text.utf8 {
            word = word << 8 | UInt64(byte)
            count += 1
            if count & 7 == 0 { hasher.combine(word) }
        }
        hasher.combine(word)
        hasher.combine(count)
    }
}

extension String {
    /// Equality by code point.
    package func isIdentical(to other: String) -> Bool {
        utf8.count == other.utf8.count && utf8.elementsEqual(other.utf8)
    }
}

extension Sequence<String> {
    /// Whether one of the texts is this one, compared by code points; for a few texts.
    package func containsExactly(_ text: String) -> Bool { contains { $0.isIdentical(to: text) } }
}
