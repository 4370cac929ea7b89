// Searches for URLs that open an app on one side of a change only, with the automata that decide reachability. Every URL that is
// reported has been decided by the matchers of both sides, with all their rules.

import Association
import SourceJSON

/// When a URL opens one app: if all lists open it.
struct OpeningRules {
    /// The first one names the rule that opens a URL.
    var lists: [RuleList]
    /// The decision of `match`, with everything else that is known of the app.
    var opens: (LinkURL) -> Bool

    /// An app that no URL opens.
    static var never: OpeningRules { OpeningRules(lists: [.apple(AppleMatcher(components: []))]) { _ in false } }

    /// Equal for lists that decide every URL in the same way. The places of rules and their comments do not count.
    var signature: [[RuleSignature]] { lists.map(\.signature) }

    /// What it costs to decide a URL.
    var cost: Int { lists.lazy.flatMap(\.patternTexts).reduce(1) { $0 + SearchBudget.weight(of: $1) } }
}

/// How much the comparisons of one run may cost together.
struct DifferenceBudget {
    /// Steps of automata: about a second.
    var stepsLeft = 8_000_000
    /// Rules that decide URLs.
    var decisionsLeft = 4_000_000
    /// Rules that are compiled for automata, by the bytes of their patterns.
    var bytesLeft = 2_000_000

    /// The steps of one comparison.
    static let shareOfSteps = 2_000_000
}

/// One search for one app, on one platform and one host.
struct OpeningSearch {
    /// A URL whose opening changes.
    struct Found {
        var url: LinkURL
        var opensNow: Bool
        /// Whether the decisions depend on documented behaviour only.
        var isSettled: Bool
        fileprivate var tries = 1
    }

    /// Why there may be further URLs.
    enum Rest: String {
        /// A limit was reached.
        case limit
        /// Of the queries and fragments, only some combinations were tried.
        case queries
    }

    private let sides: [OpeningRules]
    private let host: String
    private let cost: Int
    /// For each rule of the first list of a side, the first one of its family.
    private let families: [[Int]]
    private var budget: DifferenceBudget
    private var byRule: [Key: Found] = [:]
    private var rejectedCount = 0

    /// At most one URL for each rule, or family of rules, that opens URLs on one side only.
    private struct Key: Hashable {
        var opensNow: Bool
        var rule: Int?
    }

    /// URLs in one direction. More would only repeat that there are many.
    static let foundMax = 5
    /// URLs of one rule that are tried for one that is settled.
    private static let triesMax = 8
    /// Rules from which URLs are made if the search is not complete.
    private static let sampledMax = 50

    /// Nil if the rules are the same.
    init?(from before: OpeningRules, to after: OpeningRules, host: String, _ budget: DifferenceBudget) {
        if before.signature == after.signature { return nil }
        (sides, self.host, self.budget) = ([before, after], host, budget)
        cost = before.cost + after.cost
        families = sides.map(\.lists[0].families)
    }

    /// Searches, and takes what it costs out of the budget.
    /// - Parameter hints: URLs that changed on another platform. One URL for all reads better than one for each.
    mutating func run(trying hints: [LinkURL], _ shared: inout DifferenceBudget) -> (found: [Found], rest: Rest?) {
        for url in hints { note(url) }
        let rest = searchPaths()
        if rest != nil { trySamples() }
        shared = budget
        let found = byRule.sorted {
            ($0.value.url.text.utf8.count, $0.value.url.text) < ($1.value.url.text.utf8.count, $1.value.url.text)
        }
        .map(\.value)
        // All URLs of an app that one side does not have change in the same direction.
        let isOneWay = !found.isEmpty && sides.contains { $0.lists.contains { $0.count == 0 } }
        return (found, isFull || isOneWay ? nil : rest)
    }

    private func key(_ opensNow: Bool, _ rule: Int?) -> Key {
        Key(opensNow: opensNow, rule: rule.map { families[opensNow ? 1 : 0][$0] })
    }

    private func count(_ opensNow: Bool) -> Int { byRule.keys.count { $0.opensNow == opensNow } }

    /// Whether further URLs would not be reported.
    private var isFull: Bool { [true, false].allSatisfy { count($0) >= Self.foundMax } }

    private func isWanted(_ key: Key) -> Bool {
        byRule[key].map { !$0.isSettled && $0.tries < Self.triesMax } ?? (count(key.opensNow) < Self.foundMax)
    }

    /// Has the matchers decide about a URL. False if the sides agree, or the budget is used up.
    @discardableResult
    private mutating func note(_ url: LinkURL) -> Bool {
        guard budget.decisionsLeft >= cost else { return false }
        budget.decisionsLeft -= cost
        let opensNow = sides[1].opens(url)
        guard sides[0].opens(url) != opensNow else { return false }
        let key = key(opensNow, sides[opensNow ? 1 : 0].lists[0].decide(url)?.rule)
        guard isWanted(key) else { return true }
        let points = sides.flatMap(\.lists).flatMap { $0.unsettled(url) }
        let isSettled = points.allSatisfy(\.kind.isKnownOfAOSP)
        if let tries = byRule[key]?.tries, !isSettled {
            byRule[key]?.tries = tries + 1
        } else {
            byRule[key] = Found(url: url, opensNow: opensNow, isSettled: isSettled)
        }
        return true
    }

    /// Searches all ordinary URLs. Returns what was left out.
    private mutating func searchPaths() -> Rest? {
        var isComplete = true
        let lists = sides.map { side in
            side.lists.map { list in
                let count = SearchBudget.count(of: list.patternTexts, table: list.table)
                if count < list.count { isComplete = false }
                return list.prefix(count)
            }
        }
        let all = lists.flatMap(\.self)
        let bytes = all.flatMap(\.patternTexts).joined().reduce(0) { $0 + $1.utf8.count }
        guard budget.bytesLeft >= bytes else { return .limit }
        budget.bytesLeft -= bytes
        var limits = AutomatonLimits()
        limits.stepsMax = min(DifferenceBudget.shareOfSteps, budget.stepsLeft)
        var stepsLeft = limits.stepsMax
        defer { budget.stepsLeft -= limits.stepsMax - max(stepsLeft, 0) }
        let (cases, areExhaustive) = QueryCase.cases(for: all, stepsLeft: &stepsLeft, limits)
        let ranges = [0..<lists[0].count, lists[0].count..<all.count]
        // Plain letters first, so that a URL has an escape only if it needs one.
        for isPlain in [true, false] where !isFull {
            guard let parallel = ParallelLists(all, plain: isPlain, limits) else { return .limit }
            var tried: Set<[[Bool]]> = []
            for queryCase in cases where !isFull {
                guard let url = LinkURL("https://\(host)/" + queryCase.suffix) else { continue }
                let active = parallel.activeRules(url)
                guard tried.insert(active).inserted else { continue }
                if !search(parallel, ranges, active, queryCase, &stepsLeft, limits) { isComplete = false }
            }
        }
        return !isComplete ? .limit : areExhaustive ? nil : .queries
    }

    /// Searches the paths with one query case. False if the search was not complete.
    private mutating func search(
        _ parallel: ParallelLists, _ ranges: [Range<Int>], _ active: [[Bool]], _ queryCase: QueryCase,
        _ stepsLeft: inout Int, _ limits: AutomatonLimits
    ) -> Bool {
        var search = self
        var isSure = true
        let outcome = parallel.search.run(stepsLeft: &stepsLeft) { states in
            // Whatever follows, both sides decide in the same way.
            let verdicts = ranges.map { range -> Bool? in
                let verdicts = range.map { parallel.verdict(of: $0, states, active) }
                return verdicts.contains(false) ? false : verdicts.contains(nil) ? nil : true
            }
            return verdicts[0] != nil && verdicts[0] == verdicts[1]
        } visit: { states, spell in
            let opens = ranges.map { $0.allSatisfy { parallel.opens($0, states, active) } }
            guard opens[0] != opens[1] else { return false }
            let rule = parallel.rule(of: opens[1] ? ranges[1].lowerBound : 0, states, active)
            let key = key(opens[1], rule)
            guard search.isWanted(key) else { return false }
            let url = LinkURL("https://\(host)" + String(decoding: spell(), as: UTF8.self) + queryCase.suffix)
            if url.map({ search.note($0) }) != true {
                isSure = false
                search.rejectedCount += 1
            }
            return search.isFull || search.rejectedCount >= limits.rejectedWitnessesMax
        }
        self = search
        return outcome == .finished && isSure
    }

    /// Tries URLs that are made from rules which only one side has.
    private mutating func trySamples() {
        let signatures = sides.map { Set($0.lists.flatMap(\.signature)) }
        for (side, other) in [(0, 1), (1, 0)] {
            let list = sides[side].lists[0]
            let candidates = WitnessCandidates(host: host, table: list.table)
            let own = zip(list.sampledComponents, list.signature).lazy.filter { component, signature in
                !signatures[other].contains(signature)
                    && SearchBudget.allows(component.patternTexts)
            }
            for (component, _) in own.prefix(Self.sampledMax) {
                let isEncoded = component.percentEncoded != false
                for candidate in candidates.candidates(for: component, isEncoded: isEncoded, folds: false).prefix(3) {
                    note(candidate.url)
                }
            }
        }
    }
}

/// What decides about one rule, without its place.
enum RuleSignature: Hashable {
    case apple(rule: [UInt8], variables: [[String]?])
    case android(AndroidMatcher.Compiled, excludes: Bool)
}

extension RuleList {
    var signature: [RuleSignature] {
        switch self {
        case .apple(let matcher):
            matcher.components.map { component in
                .apple(
                    rule: SourceWriter.minified(component.value(includingComment: false)),
                    variables: component.variableNames.map { matcher.table.values(of: $0.text) })
            }
        case .android(let matcher):
            zip(matcher.compiled, matcher.rules).map { .android($0, excludes: $1.exclude) }
        }
    }

    /// The patterns of each rule.
    var patternTexts: [[String]] {
        switch self {
        case .apple(let matcher): matcher.components.map(\.patternTexts)
        case .android(let matcher): matcher.rules.map(\.patternTexts)
        }
    }

    /// For each rule, the first one whose path differs only at its end: one link often becomes `/buy`, `/buy/` and `/buy/*`.
    fileprivate var families: [Int] {
        var first: [[ExactText]: Int] = [:]
        return patternTexts.enumerated().map { index, texts in
            var key = texts.map(ExactText.init(_:))
            if let path = texts.first {
                let ending = path.ends(with: "/*") ? 2 : path.ends(with: "/") ? 1 : 0
                key[0] = ExactText(path.dropping(lastBytes: ending))
            }
            let family = first[key] ?? index
            first[key] = family
            return family
        }
    }

    /// The variables of its patterns.
    var table: SubstitutionTable {
        if case .apple(let matcher) = self { matcher.table } else { SubstitutionTable([]) }
    }

    /// The rules in the form of which URLs are made.
    fileprivate var sampledComponents: [AppleComponent] {
        switch self {
        case .apple(let matcher): matcher.components
        case .android(let matcher):
            matcher.rules.map {
                AppleComponent(
                    path: $0.path, query: $0.query.map { .items($0) }, fragment: $0.fragment, percentEncoded: false)
            }
        }
    }

    func prefix(_ count: Int) -> RuleList {
        switch self {
        case .apple(let matcher): .apple(matcher.prefix(count))
        case .android(let matcher): .android(matcher.prefix(count))
        }
    }
}
