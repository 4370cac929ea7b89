// A JSON value that remembers where it was written. Objects keep the order of their members and keep duplicate keys,
// because what is wrong with an association file is often just that.

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
        self.kind = kind
        self.range = range
    }
}

/// One `key: value` of an object.
public struct SourceMember: Sendable {
    public var key: String
    public var keyRange: SourceRange
    public var value: SourceValue

    public init(key: String, keyRange: SourceRange, value: SourceValue) {
        self.key = key
        self.keyRange = keyRange
        self.value = value
    }
}

/// A number exactly as it was written; it is converted only when somebody asks.
public struct SourceNumber: Hashable, Sendable {
    public var text: String

    public init(text: String) { self.text = text }
}
