// The rules of one app for either platform, as the comparison of lists needs them.

public import Association

/// An ordered list of rules of either platform.
public enum RuleList: Sendable {
    case apple(AppleMatcher)
    case android(AndroidMatcher)

    /// The decision about a URL; nil if on Android only the manifest decides.
    public func decide(_ url: LinkURL) -> RuleDecision? {
        switch self {
        case .apple(let matcher):
            let decision = matcher.decide(url)
            return RuleDecision(opens: decision.opens, rule: decision.rule)
        case .android(let matcher):
            let decision = matcher.decide(url)
            return decision.opens.map { RuleDecision(opens: $0, rule: decision.rule) }
        }
    }

    /// The points on which that decision depends and whose behaviour is not known.
    public func unsettled(_ url: LinkURL) -> [UndocumentedBehaviour] {
        switch self {
        case .apple(let matcher): matcher.unsettled(url)
        case .android(let matcher): matcher.unsettled(url)
        }
    }

    var count: Int {
        switch self {
        case .apple(let matcher): matcher.count
        case .android(let matcher): matcher.count
        }
    }

    /// Whether Android ignores the list, so that only the manifest decides.
    var isLeftToManifest: Bool {
        if case .android(let matcher) = self { return matcher.count == 0 || matcher.discardedBecauseOf != nil }
        return false
    }

    func opens(_ rule: Int) -> Bool {
        switch self {
        case .apple(let matcher): !matcher.rules[rule].excludes
        case .android(let matcher): !matcher.rules[rule].exclude
        }
    }

    /// Whether a rule without its path matches a URL.
    func matches(_ rule: Int, ignoringPathOf url: LinkURL) -> Bool {
        switch self {
        case .apple(let matcher):
            var views = URLViews(url)
            return AppleMatcher.holds(matcher.rules[rule].withoutPath, &views)
        case .android(let matcher):
            let compiled = matcher.compiled[rule]
            let rest = AndroidMatcher.Compiled(path: nil, items: compiled.items, fragment: compiled.fragment)
            if compiled.isEmpty { return false }
            return rest.isEmpty || AndroidMatcher.holds(rest, AndroidView(url))
        }
    }

    /// Whether only paths decide: every query and fragment pattern matches anything, even a missing part.
    var usesOnlyPaths: Bool {
        switch self {
        case .apple(let matcher):
            matcher.rules.allSatisfy { rule in
                let hasFreeQuery =
                    switch rule.query {
                    case nil: true
                    case .whole(let pattern): pattern.acceptsEverything
                    case .items(let items): items.allSatisfy(\.pattern.acceptsEverything)
                    }
                return hasFreeQuery && (rule.fragment?.acceptsEverything ?? true)
            }
        case .android(let matcher): matcher.compiled.allSatisfy { $0.items == nil && $0.fragment == nil }
        }
    }

    func pathGroups(_ limits: AutomatonLimits) -> [ProductSearch.Group] {
        switch self {
        case .apple(let matcher): AppleRelations(matcher, limits).pathGroups
        case .android(let matcher): AndroidRelations(matcher, limits).pathGroups
        }
    }

    /// The path patterns as they are written.
    var pathPatterns: [String] {
        switch self {
        case .apple(let matcher): matcher.components.compactMap(\.path)
        case .android(let matcher): matcher.rules.compactMap(\.path)
        }
    }

    /// A pattern for the value of a query parameter, with its text.
    struct ItemPattern {
        var rule: Int
        var name: String
        var pattern: ReadPattern
        var written: String
    }

    var itemPatterns: [ItemPattern] {
        switch self {
        case .apple(let matcher):
            matcher.rules.enumerated().flatMap { index, rule -> [ItemPattern] in
                guard case .items(let items) = rule.query else { return [] }
                return items.map { item in
                    let pattern = ReadPattern(item.pattern, rule.reading, .itemValue)
                    return ItemPattern(rule: index, name: item.name, pattern: pattern, written: item.written)
                }
            }
        case .android(let matcher):
            matcher.rules.enumerated().flatMap { index, rule in
                (rule.query ?? []).map { item in
                    let pattern = ReadPattern(AndroidGlob(item.pattern), .itemValue)
                    return ItemPattern(rule: index, name: item.name, pattern: pattern, written: item.pattern)
                }
            }
        }
    }

    var queryPatterns: [WrittenPattern] {
        guard case .apple(let matcher) = self else { return [] }
        return matcher.rules.compactMap { rule in
            guard case .whole(let pattern) = rule.query, case .whole(let written) = rule.component.query else {
                return nil
            }
            return WrittenPattern(pattern: ReadPattern(pattern, rule.reading, .query), written: written)
        }
    }

    var fragmentPatterns: [WrittenPattern] {
        switch self {
        case .apple(let matcher):
            matcher.rules.compactMap { rule in
                rule.fragment.map {
                    WrittenPattern(
                        pattern: ReadPattern($0, rule.reading, .fragment), written: rule.component.fragment ?? "")
                }
            }
        case .android(let matcher):
            zip(matcher.compiled, matcher.rules).compactMap { compiled, rule in
                compiled.fragment.map {
                    WrittenPattern(pattern: ReadPattern($0, .fragment), written: rule.fragment ?? "")
                }
            }
        }
    }
}

/// Whether a URL opens the app, and the rule that decides; nil if no rule matches.
public struct RuleDecision: Hashable, Sendable {
    public var opens: Bool
    public var rule: Int?
}
