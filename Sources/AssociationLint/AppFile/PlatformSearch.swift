// What a search of all URLs adds to the questions that are made up from single rules: links for rules that are left out
// and seemed to be missed by nobody, and the differences that no single rule shows.

import Association

/// What was found about all the rules together.
struct PlatformSearch {
    /// Nil where the list is too long for a search.
    var comparison: RuleComparison?
    /// Links that came of parts of the rules, where all of them were too much.
    var ofParts: [LinkURL] = []

    var links: [LinkURL] { (comparison?.witnesses ?? []).map(\.url) + ofParts }

    /// Whether the platforms were found to agree on everything that was tried.
    var foundNothing: Bool { comparison == RuleComparison.none || comparison == .noneFound }
}

extension PlatformComparison {
    /// For how many rules that are left out a search of their own is made; each takes some hundredths of a second.
    private static let ownSearchesMax = 8

    /// With how many other rules one is confronted, where they could meet.
    private static let meetingsMax = 4

    private static var limits: AutomatonLimits {
        var limits = ListScope.limits
        limits.queryCasesMax = 100
        return limits
    }

    /// `shown` are the ways round in which links differ that were found without a search, and `explained` the rules that
    /// are left out and have a finding with a link.
    func search(
        _ other: OtherDialect, shown: Set<Bool>, explained: Set<Int>, isWanted: Bool
    ) -> PlatformSearch {
        var scope = ListScope()
        guard isWanted, !other.list.isLeftToManifest else { return PlatformSearch() }
        guard scope.take(app.links.map(\.patternTexts), table: source.table) == app.links.count else {
            return PlatformSearch()
        }
        // What opens nothing opens nothing more than iOS does.
        let possible = other.opensAnything ? [Opening.onlyFirst, .onlySecond] : [.onlyFirst]
        let examination = RuleComparison.examine(
            .apple(source), other.list, host: host, limits: Self.limits, wanted: possible)
        var search = PlatformSearch(comparison: examination.comparison)
        let seen = shown.union(search.links.map { source.decide($0).opens })
        let wanted = possible.filter { !seen.contains($0.first) }
        guard !examination.isComplete, !wanted.isEmpty else { return search }
        let parts = PartSearch(
            app: app, source: source, other: other, host: host, explained: explained, limits: Self.limitsOfParts)
        let links = parts.links(wanted) { url, opening in
            source.decide(url).opens == opening.first && other.decide(url)?.opens == opening.second
                && source.unsettled(url).isEmpty
        }
        search.ofParts = wanted.compactMap { links[$0] }
        return search
    }

    private static var limitsOfParts: AutomatonLimits {
        var limits = limits
        limits.stepsMax = 30_000
        limits.queryCasesMax = 20
        return limits
    }

    /// The rules that are left out and for which no link was found so far; `shown` are the ways round that their links
    /// show. That nobody misses such a rule is said only where a search ended with that.
    func leftOutUnseen(
        _ links: [Int: LinkURL?], _ search: PlatformSearch, _ other: OtherDialect
    ) -> (findings: [Finding], shown: Set<Bool>) {
        var findings: [Finding] = []
        var shown: Set<Bool> = []
        var searchesLeft = search.comparison == nil ? 0 : Self.ownSearchesMax
        // With one rule less there is nothing else to try.
        lazy var queryCases = ownQueryCases
        for (index, doubtful) in links.sorted(by: { $0.key < $1.key }) {
            guard let link = app.links.element(at: index), let obstacle = other.obstacles[index] else { continue }
            var isMissed = search.foundNothing ? false : nil as Bool?
            var witness = search.links.first { differs(on: $0, other, because: index) }
            if witness == nil, isMissed == nil, searchesLeft > 0 {
                searchesLeft -= 1
                (witness, isMissed) = missing(index, other, queryCases)
            }
            if let witness {
                shown.insert(source.decide(witness).opens)
                findings.append(leftOut(link, obstacle, witness, other))
            } else {
                findings.append(leftOut(link, obstacle, isMissed: isMissed, doubtful: doubtful, other))
            }
        }
        return (findings, shown)
    }

    private var ownQueryCases: [QueryCase] {
        var stepsLeft = Self.limits.stepsMax
        return QueryCase.worthTrying([.apple(source)], stepsLeft: &stepsLeft, Self.limits)
    }

    /// A link that needs the rule, and whether there is one: nil where that is not known.
    private func missing(_ index: Int, _ other: OtherDialect, _ queryCases: [QueryCase]) -> (LinkURL?, Bool?) {
        var rest = app.links
        rest.remove(at: index)
        let without = AppleMatcher(components: rest, defaults: source.defaults, table: source.table)
        let comparison = RuleComparison.examine(
            .apple(source), .apple(without), host: host, limits: Self.limits, wanted: [.onlyFirst, .onlySecond],
            in: queryCases
        ).comparison
        let witness = comparison.witnesses.first { differs(on: $0.url, other, because: index) }
        if let witness { return (witness.url, true) }
        if comparison == RuleComparison.none || comparison == .noneFound { return (nil, false) }
        let met = meeting(index, other)
        return (met, met == nil ? nil : true)
    }

    /// A link on which the rule decides before a later one of the other kind, looked for with one value for each of its
    /// variables: so few letters that a search comes to its end where one of all values does not.
    private func meeting(_ index: Int, _ other: OtherDialect) -> LinkURL? {
        var link = app.links[index].withFirstValues(of: PatternVariants(table: source.table, limit: 1))
        let excludes = link.exclude == true
        link.exclude = false
        let one = AppleMatcher(components: [link], defaults: source.defaults, table: source.table)
        let later = app.links[(index + 1)...].filter { ($0.exclude == true) != excludes }
        for var rule in later.prefix(Self.meetingsMax) {
            rule.exclude = false
            let two = AppleMatcher(components: [rule], defaults: source.defaults, table: source.table)
            let overlap = RuleComparison.overlap(of: .apple(one), and: .apple(two), host: host, limits: Self.limits)
            if let url = overlap.witnesses.first?.url, differs(on: url, other, because: index) { return url }
        }
        return nil
    }

    private func leftOut(
        _ link: AppleComponent, _ obstacle: String, isMissed: Bool?, doubtful: LinkURL?, _ other: OtherDialect
    ) -> Finding {
        let reason = "the rule is left out on \(other.name), because it needs \(obstacle)"
        let fix = "write it with what both know, or accept the difference"
        if let doubtful {
            let doubt = source.unsettled(doubtful).first.map { ", but \($0.kind.message)" } ?? ""
            return Finding(
                other.cannotExpress, in: app, at: link.range, "\(reason): \(difference(on: doubtful, other))\(doubt)",
                fix: fix)
        }
        guard isMissed == false else {
            return Finding(
                other.cannotExpress, in: app, at: link.range,
                "\(reason); whether a link ends up elsewhere for it was not found out", fix: fix)
        }
        return Finding(
            other.cannotExpress, in: app, at: link.range,
            "\(reason); no ordinary link was found that ends up elsewhere for it", severity: .note)
    }

    /// Differences beside the known ones: at most one for each way round that has not been shown yet.
    func beside(_ search: PlatformSearch, shown: Set<Bool>, _ other: OtherDialect) -> [Finding] {
        var urls = search.links.filter { !shown.contains(source.decide($0).opens) }
        let left = Set([true, false]).subtracting(shown).subtracting(urls.map { source.decide($0).opens })
        if !left.isEmpty { urls += repeatedItems(other, opening: left) }
        return urls.compactMap { url in
            let link = source.decide(url).rule ?? other.decide(url)?.link
            guard isLikely(url, for: link.flatMap { app.links.element(at: $0) }) else { return nil }
            let reason =
                url.repeatsItem
                ? "iOS asks every occurrence of a query item, and \(other.name) any of them"
                : "the rules mean something else on \(other.name)"
            return Finding(
                other.differs, in: app, at: link.flatMap { app.links.element(at: $0)?.range } ?? app.ranges.links,
                "\(reason): \(difference(on: url, other))", severity: .note)
        }
    }

    /// URLs with an item twice, one for each of the wanted ways round: asked directly, because the search need not come
    /// by them.
    private func repeatedItems(_ other: OtherDialect, opening wanted: Set<Bool>) -> [LinkURL] {
        var left = wanted
        var found: [LinkURL] = []
        for (index, link) in app.links.prefix(ListScope.rulesMax).enumerated() where !left.isEmpty {
            guard case .items = link.query, other.obstacles[index] == nil,
                link.patternTexts.allSatisfy({ $0.utf8.count <= ListScope.patternBytesMax })
            else { continue }
            let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
            let urls = WitnessCandidates(host: host, table: source.table).repeatingItems(
                of: link, isEncoded: isEncoded, beside: Array(app.links.prefix(Self.meetingsMax)))
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
    /// The rule with the first value of each variable in its place.
    fileprivate func withFirstValues(of variants: PatternVariants) -> AppleComponent {
        let write = { (pattern: String) in
            let parsed = ParsedPattern(pattern)
            return parsed.tokens.reduce(into: [PatternToken]()) { tokens, token in
                guard case .variable(let index) = token else { return tokens.append(token) }
                tokens += variants.values(of: parsed.names[index])?.first ?? [token]
            }.text
        }
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
}

extension LinkURL {
    /// Whether two items of the query have the same name.
    fileprivate var repeatsItem: Bool {
        let names = (query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        return Set(names).count < names.count
    }
}
