// A search over all URLs, after the candidates that are made from single rules: witnesses for omitted rules that still
// have none, and differences that no single rule shows.

import Association

extension PlatformComparison {
    /// Number of omitted rules with a separate search. Each takes some hundredths of a second.
    private static let ownSearchesMax = 8

    /// Number of other rules that a rule is combined with.
    private static let combinationsMax = 4

    private static var limits: AutomatonLimits {
        var limits = SearchBudget.limits
        limits.queryCasesMax = 100
        return limits
    }

    /// The URLs that a search with all rules finds; nil if the list is too long for one.
    func search(_ other: OtherPlatform) -> RuleComparison? {
        guard !other.list.isLeftToManifest,
            SearchBudget.count(of: app.links.map(\.patternTexts), table: source.table) == app.links.count
        else { return nil }
        // A list that opens nothing cannot open more than iOS does.
        return RuleComparison.examine(
            .apple(source), other.list, host: host, limits: Self.limits,
            wanted: other.opensAnything ? [.onlyFirst, .onlySecond] : [.onlyFirst])
    }

    /// Findings about omitted rules for which no URL was found so far, and the directions of the URLs found now. A finding
    /// says that such a rule is not needed only if a complete search has shown it.
    func omittedWithoutWitness(
        _ links: [Int: LinkURL?], _ search: RuleComparison?, _ other: OtherPlatform
    ) -> (findings: [Finding], shown: Set<Bool>) {
        var findings: [Finding] = []
        var shown: Set<Bool> = []
        var searchesLeft = search == nil ? 0 : Self.ownSearchesMax
        // A list with one rule less has no other queries to try.
        lazy var queryCases = ownQueryCases
        for (index, doubtful) in links.sorted(by: { $0.key < $1.key }) {
            guard let link = app.links.element(at: index), let feature = other.unsupported[index] else { continue }
            var isNeeded = search?.foundNothing == true ? false : nil as Bool?
            var witness = search?.witnesses.map(\.url).first { differs(on: $0, other, because: index) }
            if witness == nil, isNeeded == nil, searchesLeft > 0 {
                searchesLeft -= 1
                (witness, isNeeded) = need(for: index, other, queryCases)
            }
            if let witness {
                shown.insert(source.decide(witness).opens)
                findings.append(omitted(link, feature, details: ": \(difference(on: witness, other))", other))
            } else {
                findings.append(omitted(link, feature, isNeeded: isNeeded, doubtful: doubtful, other))
            }
        }
        return (findings, shown)
    }

    private var ownQueryCases: [QueryCase] {
        var stepsLeft = Self.limits.stepsMax
        return QueryCase.cases(for: [.apple(source)], stepsLeft: &stepsLeft, Self.limits).cases
    }

    /// A URL that needs the rule, and whether there is one: nil if that is not known.
    private func need(for index: Int, _ other: OtherPlatform, _ queryCases: [QueryCase]) -> (LinkURL?, Bool?) {
        var rest = app.links
        rest.remove(at: index)
        let without = AppleMatcher(components: rest, defaults: source.defaults, table: source.table)
        let comparison = RuleComparison.examine(
            .apple(source), .apple(without), host: host, limits: Self.limits, wanted: [.onlyFirst, .onlySecond],
            in: queryCases)
        let witness = comparison.witnesses.first { differs(on: $0.url, other, because: index) }
        if let witness { return (witness.url, true) }
        if comparison.foundNothing { return (nil, false) }
        let shared = urlShared(by: index, other)
        return (shared, shared == nil ? nil : true)
    }

    /// A URL that the rule decides before a later rule with the opposite result. The search uses one value for each
    /// variable, so it finishes in cases in which a search with all values does not.
    private func urlShared(by index: Int, _ other: OtherPlatform) -> LinkURL? {
        var link = app.links[index].withFirstValues(of: PatternVariants(table: source.table, limit: 1))
        let excludes = link.exclude == true
        link.exclude = false
        let one = AppleMatcher(components: [link], defaults: source.defaults, table: source.table)
        let later = app.links[(index + 1)...].filter { ($0.exclude == true) != excludes }
        for var rule in later.prefix(Self.combinationsMax) {
            rule.exclude = false
            let two = AppleMatcher(components: [rule], defaults: source.defaults, table: source.table)
            let overlap = RuleComparison.overlap(of: .apple(one), and: .apple(two), host: host, limits: Self.limits)
            if let url = overlap.witnesses.first?.url, differs(on: url, other, because: index) { return url }
        }
        return nil
    }

    private func omitted(
        _ link: AppleComponent, _ feature: String, isNeeded: Bool?, doubtful: LinkURL?, _ other: OtherPlatform
    ) -> Finding {
        if let doubtful {
            let doubt = source.unsettled(doubtful).first.map { ", but \($0.kind.message)" } ?? ""
            return omitted(link, feature, details: ": \(difference(on: doubtful, other))\(doubt)", other)
        }
        guard isNeeded == false else {
            return omitted(link, feature, details: "; it is not known whether any URL is handled differently", other)
        }
        return omitted(
            link, feature, details: "; no ordinary URL was found that is handled differently", severity: .note, other)
    }

    /// Differences that have no finding yet: at most one for each direction.
    func otherDifferences(_ search: RuleComparison?, shown: Set<Bool>, _ other: OtherPlatform) -> [Finding] {
        var urls = (search?.witnesses ?? []).filter { !shown.contains($0.first.opens) }.map(\.url)
        let left = Set([true, false]).subtracting(shown).subtracting(urls.map { source.decide($0).opens })
        if !left.isEmpty { urls += repeatedParameters(other, opening: left) }
        return urls.compactMap { url in
            let link = source.decide(url).rule ?? other.decide(url)?.link
            guard isLikely(url, for: link.flatMap { app.links.element(at: $0) }) else { return nil }
            let reason =
                url.repeatsParameter
                ? "iOS requires every occurrence of a query parameter to match, \(other.name) only one"
                : "the rules match different URLs on \(other.name)"
            return Finding(
                other.differs, in: app, at: link.flatMap { app.links.element(at: $0)?.range } ?? app.ranges.links,
                "\(reason): \(difference(on: url, other))", severity: .note)
        }
    }

    /// URLs that have a query parameter twice, one for each of the wanted directions. They are tried directly, because the
    /// search may not reach them.
    private func repeatedParameters(_ other: OtherPlatform, opening wanted: Set<Bool>) -> [LinkURL] {
        var left = wanted
        var found: [LinkURL] = []
        for (index, link) in app.links.prefix(SearchBudget.rulesMax).enumerated() where !left.isEmpty {
            guard case .items = link.query, other.unsupported[index] == nil,
                SearchBudget.allows(link.patternTexts)
            else { continue }
            let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
            let urls = WitnessCandidates(host: host, table: source.table).repeatingParameters(
                of: link, isEncoded: isEncoded, others: Array(app.links.prefix(Self.combinationsMax)))
            for url in urls {
                let opens = source.decide(url).opens
                guard left.contains(opens), differs(on: url, other, because: index), source.unsettled(url).isEmpty
                else { continue }
                left.remove(opens)
                found.append(url)
            }
        }
        return found
    }
}

extension AppleComponent {
    /// The rule with each variable replaced by its first value.
    fileprivate func withFirstValues(of variants: PatternVariants) -> AppleComponent {
        replacingPatterns { pattern in
            let parsed = ParsedPattern(pattern)
            return parsed.tokens.reduce(into: [PatternToken]()) { tokens, token in
                guard case .variable(let index) = token else { return tokens.append(token) }
                tokens += variants.values(of: parsed.names[index])?.first ?? [token]
            }.text
        }
    }
}

extension LinkURL {
    /// Whether two query parameters have the same name.
    fileprivate var repeatsParameter: Bool {
        let names = (query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        return Set(names).count < names.count
    }
}
