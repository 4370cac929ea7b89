// One rule in Apple's current form (an element of `components`), which is also the form of an app file's `links`.

public import SourceJSON

/// A rule as it was written: an absent key is nil, and is inherited from the defaults.
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
    public var range: SourceRange?
    /// The keys of flags that are neither true nor false, and are read as absent.
    public var unreadFlags: [String] = []

    public init(
        path: String? = nil, query: AppleQuery? = nil, fragment: String? = nil, exclude: Bool? = nil,
        caseSensitive: Bool? = nil, percentEncoded: Bool? = nil, comment: String? = nil, range: SourceRange? = nil
    ) {
        (self.path, self.query, self.fragment) = (path, query, fragment)
        (self.exclude, self.caseSensitive, self.percentEncoded) = (exclude, caseSensitive, percentEncoded)
        (self.comment, self.range) = (comment, range)
    }

    public var patterns: [String] {
        let queries: [String] =
            switch query {
            case nil: []
            case .whole(let pattern): [pattern]
            case .items(let items): items.map(\.pattern)
            }
        return [path, fragment].compactMap { $0 } + queries
    }

    package var variableNames: [ExactText] {
        patterns.flatMap { ParsedPattern($0).names }.map(ExactText.init(_:))
    }

    /// The rule with new names of variables.
    func renaming(_ names: [ExactText: String]) -> AppleComponent {
        names.isEmpty ? self : replacingPatterns { ParsedPattern($0).text(renaming: names) }
    }

    /// The rule with each pattern written in another way.
    package func replacingPatterns(_ write: (String) -> String) -> AppleComponent {
        var result = self
        result.path = path.map(write)
        result.fragment = fragment.map(write)
        switch query {
        case nil: break
        case .whole(let pattern): result.query = .whole(write(pattern))
        case .items(let items):
            result.query = .items(items.map { QueryItemPattern(name: $0.name, pattern: write($0.pattern)) })
        }
        return result
    }

    /// The rule as JSON, with the members in the order of Apple's documentation. The comment is only for app files; in a
    /// document every phone would download it.
    public func value(includingComment: Bool) -> SourceValue {
        .object(present: [
            ("/", path.map { .string($0) }),
            ("?", query.map(AppleComponent.value(of:))),
            ("#", fragment.map { .string($0) }),
            ("exclude", exclude == true ? .bool(true) : nil),
            ("caseSensitive", caseSensitive.map { .bool($0) }),
            ("percentEncoded", percentEncoded.map { .bool($0) }),
            ("comment", includingComment ? comment.map { .string($0) } : nil),
        ])
    }

    private static func value(of query: AppleQuery) -> SourceValue {
        switch query {
        case .whole(let pattern): .string(pattern)
        case .items(let items): .object(items.map { ($0.name, .string($0.pattern)) })
        }
    }
}

/// A query constraint: one pattern for the whole query, or one for each named item.
public enum AppleQuery: Hashable, Sendable {
    case whole(String)
    case items([QueryItemPattern])
}

/// The pattern that one named query parameter must match.
public struct QueryItemPattern: Hashable, Sendable {
    public var name: String
    public var pattern: String

    public init(name: String, pattern: String) {
        (self.name, self.pattern) = (name, pattern)
    }

    public static func == (left: QueryItemPattern, right: QueryItemPattern) -> Bool {
        left.name.isIdentical(to: right.name) && left.pattern.isIdentical(to: right.pattern)
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        hasher.combine(ExactText(pattern))
    }
}

/// A named list of alternatives for `$(name)` in patterns.
public struct SubstitutionVariable: Hashable, Sendable {
    public var name: String
    public var values: [String]
    /// Whether it was written as one string instead of an array.
    public var isBare = false

    public static func == (left: SubstitutionVariable, right: SubstitutionVariable) -> Bool {
        left.name.isIdentical(to: right.name)
            && left.values.elementsEqual(right.values) { $0.isIdentical(to: $1) }
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(ExactText(name))
        for value in values { hasher.combine(ExactText(value)) }
    }
}

extension AppleComponent {
    /// The component with absent keys from `defaults`, nearest first.
    public func inheriting(from defaults: [AppleComponent]) -> AppleComponent {
        var result = self
        for outer in defaults {
            result.path = result.path ?? outer.path
            result.query = result.query ?? outer.query
            result.fragment = result.fragment ?? outer.fragment
            result.exclude = result.exclude ?? outer.exclude
            result.caseSensitive = result.caseSensitive ?? outer.caseSensitive
            result.percentEncoded = result.percentEncoded ?? outer.percentEncoded
            result.unreadFlags += outer.unreadFlags
        }
        return result
    }

    /// One string of a legacy `paths` list; `NOT ` excludes. Only the two documented defaults apply to it.
    public init(legacyPath: String, defaults: [AppleComponent] = []) {
        let not = LegacyNot(legacyPath)
        self.init(path: not.pattern, exclude: not.excludes)
        for outer in defaults {
            caseSensitive = caseSensitive ?? outer.caseSensitive
            percentEncoded = percentEncoded ?? outer.percentEncoded
            unreadFlags += outer.unreadFlags.filter { $0 != "exclude" }
        }
    }
}

/// The beginning of a legacy path. `NOT ` excludes, in upper and lower case; without the space it is part of the pattern.
struct LegacyNot {
    var pattern: String
    var excludes = false
    /// The doubt about this reading, if there is one.
    var doubt: UndocumentedBehaviour.Kind?
    /// The pattern in the other reading.
    var otherPattern: String

    init(_ text: String) {
        pattern = text
        otherPattern = text
        let scalars = text.unicodeScalars
        guard String(scalars.prefix(3)).folded == "not" else { return }
        let rest = scalars.dropFirst(3)
        if rest.first == " " {
            pattern = String(rest.dropFirst())
            excludes = true
            if !text.begins(with: "NOT") { doubt = .lowerCaseNot }
        } else if rest.first == "/" || rest.first == "*" {
            otherPattern = String(rest)
            doubt = .notWithoutSpace
        }
    }
}
