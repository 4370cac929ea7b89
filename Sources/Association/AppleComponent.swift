// One rule in Apple's modern dialect (an element of `components`), which is also the dialect of an app file's `links`.

public import SourceJSON

/// A rule as it was written: a key that is absent is nil, and is inherited from the defaults around it.
public struct AppleComponent: Sendable {
    /// The pattern under `"/"`.
    public var path: String?
    /// The patterns under `"?"`.
    public var query: AppleQuery?
    /// The pattern under `"#"`.
    public var fragment: String?
    public var exclude: Bool?
    public var caseSensitive: Bool?
    public var percentEncoded: Bool?
    public var comment: String?
    /// Where it was read from.
    public var range: SourceRange?
    /// The keys of flags whose values are none, and which are taken as absent.
    public var unreadFlags: [String] = []

    public init(
        path: String? = nil, query: AppleQuery? = nil, fragment: String? = nil, exclude: Bool? = nil,
        caseSensitive: Bool? = nil, percentEncoded: Bool? = nil, comment: String? = nil, range: SourceRange? = nil
    ) {
        self.path = path
        self.query = query
        self.fragment = fragment
        self.exclude = exclude
        self.caseSensitive = caseSensitive
        self.percentEncoded = percentEncoded
        self.comment = comment
        self.range = range
    }
}

/// A query constraint: one pattern for the whole query, or one for each named item.
public enum AppleQuery: Hashable, Sendable {
    case whole(String)
    case items([QueryItemPattern])
}

/// The pattern that one named query item must match.
public struct QueryItemPattern: Hashable, Sendable {
    public var name: String
    public var pattern: String

    public init(name: String, pattern: String) {
        self.name = name
        self.pattern = pattern
    }

    public static func == (left: QueryItemPattern, right: QueryItemPattern) -> Bool {
        left.name.isIdentical(to: right.name) && left.pattern.isIdentical(to: right.pattern)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(ExactText(pattern))
    }
}

/// A named list of alternatives that patterns use as `$(name)`.
public struct SubstitutionVariable: Hashable, Sendable {
    public var name: String
    public var values: [String]
    /// Written as one string in place of an array of them.
    public var isBare = false

    public init(name: String, values: [String]) {
        self.name = name
        self.values = values
    }

    public static func == (left: SubstitutionVariable, right: SubstitutionVariable) -> Bool {
        left.name.isIdentical(to: right.name)
            && left.values.elementsEqual(right.values) { $0.isIdentical(to: $1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        for value in values { hasher.combine(ExactText(value)) }
    }
}
