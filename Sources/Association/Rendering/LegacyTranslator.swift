// From one rule of an app file to the strings of a `paths` list, for iOS 9 to 12. That dialect has `*`, `?` and `NOT `,
// and looks at the path alone. How its own engine treats a trailing slash is not documented, so both forms are written.

import SourceJSON

/// Translates the rules of one app.
struct LegacyTranslator {
    private let defaults: AppleDefaults
    private let variants: PatternVariants

    private static let pathsMax = 128

    init(defaults: AppleDefaults, variables: [SubstitutionVariable]) {
        self.defaults = defaults
        variants = PatternVariants(table: SubstitutionTable(variables), limit: Self.pathsMax)
    }

    func translate(_ link: AppleComponent) -> RuleTranslation<String> {
        if let obstacle = obstacle(in: link) { return RuleTranslation(obstacle: obstacle) }
        let prefix = link.exclude == true ? "NOT " : ""
        guard let path = link.path else { return RuleTranslation(rules: [prefix + "*"]) }
        let normal = AppleSlashes.normalised(ParsedPattern(path))
        guard let expanded = variants.expanded(normal) else {
            return RuleTranslation(obstacle: "more than \(Self.pathsMax) paths, with every value of its variables")
        }
        let isEncoded = link.percentEncoded ?? defaults.percentEncoded ?? true
        var paths: [String] = []
        for pattern in expanded {
            switch PatternVariants.paths(pattern) {
            case .everything: return RuleTranslation(rules: [prefix + "*"])
            case .some(let some):
                paths += some.map { prefix + Self.text(Self.begun(as: normal.tokens, $0), isEncoded: isEncoded) }
            }
        }
        var seen: Set<ExactText> = []
        return RuleTranslation(rules: paths.filter { seen.insert(ExactText($0)).inserted })
    }

    private func obstacle(in link: AppleComponent) -> String? {
        switch link.query {
        case nil, .whole("*"): break
        case .whole: return "the query"
        case .items(let items):
            let real = items.filter {
                variants.expanded(ParsedPattern($0.pattern))?.contains([.star]) != true
            }
            if let item = real.first { return "the query item \(item.name.quoted)" }
        }
        if let fragment = link.fragment,
            variants.expanded(ParsedPattern(fragment))?.contains([.star]) != true
        {
            return "the fragment"
        }
        return nil
    }

    /// With the star in front that the rule has there: without one, a slash is put before whatever else a pattern begins
    /// with, and `?*` would be a character longer than `*?` (`AppleSlashes`).
    private static func begun(as rule: [PatternToken], _ pattern: [PatternToken]) -> [PatternToken] {
        rule.first == .star && pattern.first != .star ? [.star] + pattern : pattern
    }

    /// The pattern over the path as URLs have it.
    private static func text(_ tokens: [PatternToken], isEncoded: Bool) -> String {
        guard !isEncoded else { return tokens.text }
        let bytes = Array(tokens.text.utf8).flatMap { byte in
            byte == UInt8(ascii: "%") ? Percent.escape(byte) : [byte]
        }
        return String(decoding: Percent.escapingIllegalBytes(bytes), as: UTF8.self)
    }
}
