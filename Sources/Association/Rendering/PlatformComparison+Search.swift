// What a search of all URLs adds to the questions that are made up from single rules: links for rules that are left out
// and seemed to be missed by nobody, and the differences that no single rule shows.

/// What was found about all the rules together.
struct PlatformSearch {
    /// Nil where the list is too long for a search.
    var comparison: RuleComparison?

    var witnesses: [RuleWitness] { comparison?.witnesses ?? [] }

    /// Whether the platforms were found to agree on everything that was tried.
    var foundNothing: Bool { comparison == RuleComparison.none || comparison == .noneFound }
}

extension PlatformComparison {
    /// For how many rules that are left out a search of their own is made; each takes some hundredths of a second.
    private static let ownSearchesMax = 8

    private static var limits: AutomatonLimits {
        var limits = ListScope.limits
        limits.situationsMax = 100
        return limits
    }

    func search(_ other: OtherDialect, isWanted: Bool) -> PlatformSearch {
        var scope = ListScope()
        guard isWanted, scope.take(app.links.map(\.patternTexts), table: source.table) == app.links.count else {
            return PlatformSearch()
        }
        return PlatformSearch(
            comparison: RuleComparison.differences(
                between: .apple(source), and: other.list, host: host, limits: Self.limits))
    }

    /// The rules that are left out and for which no link was found so far; `shown` are the ways round that their links
    /// show. That nobody misses such a rule is said only where a search ended with that.
    func leftOutUnseen(
        _ links: [Int: LinkURL?], _ search: PlatformSearch, _ other: OtherDialect
    ) -> (findings: [Finding], shown: Set<Bool>) {
        var findings: [Finding] = []
        var shown: Set<Bool> = []
        var searchesLeft = search.comparison == nil ? 0 : Self.ownSearchesMax
        for (index, doubtful) in links.sorted(by: { $0.key < $1.key }) {
            guard let link = app.links.element(at: index), let obstacle = other.obstacles[index] else { continue }
            var isMissed = search.foundNothing ? false : nil as Bool?
            var witness = search.witnesses.first { differs(on: $0.url, other, because: index) }?.url
            if witness == nil, isMissed == nil, searchesLeft > 0 {
                searchesLeft -= 1
                (witness, isMissed) = missing(index, other)
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

    /// A link that needs the rule, and whether there is one: nil where that is not known.
    private func missing(_ index: Int, _ other: OtherDialect) -> (LinkURL?, Bool?) {
        var rest = app.links
        rest.remove(at: index)
        let without = AppleMatcher(components: rest, defaults: source.defaults, table: source.table)
        let comparison = RuleComparison.differences(
            between: .apple(source), and: .apple(without), host: host, limits: Self.limits)
        let witness = comparison.witnesses.first { differs(on: $0.url, other, because: index) }
        if let witness { return (witness.url, true) }
        return (nil, comparison == RuleComparison.none || comparison == .noneFound ? false : nil)
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
            "\(reason); no link was found that ends up elsewhere for it", severity: .note)
    }

    /// Differences beside the known ones: at most one for each way round that has not been shown yet.
    func beside(_ search: PlatformSearch, shown: Set<Bool>, _ other: OtherDialect) -> [Finding] {
        var urls = search.witnesses.map(\.url).filter { !shown.contains(source.decide($0).opens) }
        if !shown.contains(false), !urls.contains(where: { !source.decide($0).opens }), let url = repeatedItem(other) {
            urls.append(url)
        }
        return urls.map { url in
            let link = source.decide(url).rule ?? other.decide(url)?.link
            let reason =
                url.repeatsItem
                ? "iOS asks every occurrence of a query item, and \(other.name) any of them"
                : "the rules mean something else on \(other.name)"
            return Finding(
                other.differs, in: app, at: link.flatMap { app.links.element(at: $0)?.range } ?? app.ranges.links,
                "\(reason): \(difference(on: url, other))", severity: .note)
        }
    }

    /// A URL with an item twice, which opens the app on the other platform alone: asked directly, because the search
    /// need not come by it.
    private func repeatedItem(_ other: OtherDialect) -> LinkURL? {
        for (index, link) in app.links.prefix(ListScope.rulesMax).enumerated() {
            guard case .items = link.query, other.obstacles[index] == nil,
                link.patternTexts.allSatisfy({ $0.utf8.count <= ListScope.patternBytesMax })
            else { continue }
            let isEncoded = link.percentEncoded ?? app.ios?.defaults.percentEncoded ?? true
            let urls = WitnessCandidates(host: host, table: source.table).repeatingItems(of: link, isEncoded: isEncoded)
            for url in urls where !source.decide(url).opens {
                if differs(on: url, other, because: index), source.unsettled(url).isEmpty { return url }
            }
        }
        return nil
    }
}

extension LinkURL {
    /// Whether two items of the query have the same name.
    fileprivate var repeatsItem: Bool {
        let names = (query ?? "").split(separator: "&").map { $0.prefix { $0 != "=" } }
        return Set(names).count < names.count
    }
}
