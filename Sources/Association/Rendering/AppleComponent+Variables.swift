// The variables in a rule.

package import SourceJSON

extension AppleComponent {
    /// Every pattern in the rule.
    public var patterns: [String] {
        let queries: [String] =
            switch query {
            case nil: []
            case .whole(let pattern): [pattern]
            case .items(let items): items.map(\.pattern)
            }
        return [path, fragment].compactMap { $0 } + queries
    }

    /// The variables that the patterns name.
    package var variableNames: [ExactText] {
        patterns.flatMap { ParsedPattern($0).names }.map(ExactText.init(_:))
    }

    /// The rule with variables called by other names.
    func renaming(_ names: [ExactText: String]) -> AppleComponent {
        guard !names.isEmpty else { return self }
        let rename = { (pattern: String) in ParsedPattern(pattern).text(renaming: names) }
        var result = self
        result.path = path.map(rename)
        result.fragment = fragment.map(rename)
        switch query {
        case nil: break
        case .whole(let pattern): result.query = .whole(rename(pattern))
        case .items(let items):
            result.query = .items(items.map { QueryItemPattern(name: $0.name, pattern: rename($0.pattern)) })
        }
        return result
    }
}
