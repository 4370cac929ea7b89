// Translates one rule of an app file into the strings of a `paths` list, for iOS 9 to 12. That format has `*`, `?` and
// `NOT `, and matches only the path. How it treats a trailing slash is not documented, so both forms are written.

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
        if let feature = unsupported(in: link) { return RuleTranslation(unsupported: feature) }
        let prefix = link.exclude == true ? "NOT " : ""
        guard let path = link.path else { return RuleTranslation(rules: [prefix + "*"]) }
        let normal = AppleSlashes.normalised(ParsedPattern(path))
        guard let expanded = variants.expanded(normal) else {
            return RuleTranslation(unsupported: "more than \(Self.pathsMax) paths, one for each value of its variables")
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

    /// The feature of a rule that the format does not support.
    private func unsupported(in link: AppleComponent) -> String? {
        switch link.query {
        case nil, .whole("*"): break
        case .whole: return "the query"
        case .items(let items):
            let real = items.filter {
                variants.expanded(ParsedPattern($0.pattern))?.contains([.star]) != true
            }
            if let item = real.first { return "the query parameter \(item.name.quoted)" }
        }
        if let fragment = link.fragment,
            variants.expanded(ParsedPattern(fragment))?.contains([.star]) != true
        {
            return "the fragment"
        }
        return nil
    }

    /// The pattern with the star at its beginning that the rule has. Without a star, Apple puts a slash before the pattern,
    /// so `?*` would need one character more than `*?` (`AppleSlashes`).
    private static func begun(as rule: [PatternToken], _ pattern: [PatternToken]) -> [PatternToken] {
        rule.first == .star && pattern.first != .star ? [.star] + pattern : pattern
    }

    /// The pattern for the encoded path.
    private static func text(_ tokens: [PatternToken], isEncoded: Bool) -> String {
        guard !isEncoded else { return tokens.text }
        let bytes = Array(tokens.text.utf8).flatMap { byte in
            byte == UInt8(ascii: "%") ? Percent.escape(byte) : [byte]
        }
        return String(decoding: Percent.escapingIllegalBytes(bytes), as: UTF8.self)
    }
}
