// Inheritance: a key that a component lacks is taken from the nearest defaults that have it, and every key can be
// inherited, a pattern and `exclude` included (reference A5-9).

extension AppleComponent {
    /// The component with its absent keys filled from `defaults`, nearest first.
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

    /// One string of a legacy `paths` list, with its `NOT ` read as an exclusion. Only the two documented defaults
    /// apply to it.
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

/// How a legacy path begins. `NOT ` excludes, in either case of its letters; without the space it is a pattern.
struct LegacyNot {
    var pattern: String
    var excludes = false
    /// The reading that is not followed, where there is reason to doubt.
    var doubt: UnsettledPoint.Kind?
    /// The pattern in that other reading.
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
