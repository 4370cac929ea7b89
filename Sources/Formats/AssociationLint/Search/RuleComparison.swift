// Compares two lists: is there a URL that they decide differently, or one that both open? The paths of both lists run in
// parallel, once for each query and fragment that is tried. The matchers check every witness before it is reported. That
// there is no witness is proved only if paths alone decide, and only for ordinary URLs: unescaped where possible, otherwise
// escaped in upper case, without empty segments, and with eight characters that represent all others that are neither ASCII
// nor mentioned by a rule.

public import Association

/// A URL that two lists decide differently, or that both open.
public struct RuleWitness: Hashable, Sendable {
    public var url: LinkURL
    /// The decisions of the two lists.
    public var first: RuleDecision
    public var second: RuleDecision
}

/// The result of comparing two lists.
public enum RuleComparison: Hashable, Sendable {
    /// Such URLs: at most one for each direction.
    case found([RuleWitness])
    /// It is proved that there is no such ordinary URL.
    case none
    /// None was found with the queries and fragments that were tried. This is not a proof.
    case noneFound
    /// A limit was reached, or on Android only the manifest decides.
    case unknown

    public var witnesses: [RuleWitness] {
        if case .found(let witnesses) = self { return witnesses }
        return []
    }

    /// Whether the search was complete and found no such URL.
    var foundNothing: Bool { self == .none || self == .noneFound }

    /// URLs that one list opens and the other does not, at most one for each direction.
    public static func differences(
        between first: RuleList, and second: RuleList, host: String, limits: AutomatonLimits = AutomatonLimits()
    ) -> RuleComparison {
        examine(first, second, host: host, limits: limits, wanted: [.onlyFirst, .onlySecond])
    }

    /// Searches for URLs with the wanted openings.
    static func examine(
        _ first: RuleList, _ second: RuleList, host: String, limits: AutomatonLimits, wanted: [Opening],
        in queryCases: [QueryCase]? = nil
    ) -> RuleComparison {
        guard !first.isLeftToManifest, !second.isLeftToManifest, LinkURL("https://\(host)/") != nil else {
            return .unknown
        }
        var search = WitnessSearch(first: first, second: second, host: host, limits: limits, wanted: wanted)
        let isComplete = search.run(in: queryCases)
        let isProof = first.usesOnlyPaths && second.usesOnlyPaths
        let witnesses = wanted.compactMap { search.witnesses[$0] }
        return !witnesses.isEmpty ? .found(witnesses) : !isComplete ? .unknown : isProof ? .none : .noneFound
    }

    /// A URL that both lists open.
    public static func overlap(
        of first: RuleList, and second: RuleList, host: String, limits: AutomatonLimits = AutomatonLimits()
    ) -> RuleComparison {
        if AppleRelations.areProvenDisjoint(first, second, limits) { return .none }
        return examine(first, second, host: host, limits: limits, wanted: [Opening(true, true)])
    }
}

extension UndocumentedBehaviour.Kind {
    /// Whether AOSP's behaviour is known, and only that of Play services is not.
    public var isKnownOfAOSP: Bool {
        switch self {
        case .starLookahead, .semicolonSeparator, .absentPart: true
        default: false
        }
    }
}

/// Limits for the analysis of one rule list or of two lists.
public struct AutomatonLimits: Hashable, Sendable {
    /// States of all patterns of one kind together. A page of rules has a few hundred.
    public var patternStatesMax = 50_000
    /// Combined states of patterns that run in parallel.
    public var productStatesMax = 20_000
    /// Steps from state to state, weighted by their cost: all of them take some tenths of a second.
    public var stepsMax = 2_000_000
    /// Combinations of a query and a fragment that are tried when two lists are compared.
    public var queryCasesMax = 400
    /// Witnesses that the matchers may reject before the search stops.
    public var rejectedWitnessesMax = 64

    public init() {}
}

/// The paths of several lists as one search.
struct ParallelLists {
    let search: ProductSearch
    private let lists: [RuleList]
    /// The recognizers of each list.
    private let ranges: [Range<Int>]

    init?(_ lists: [RuleList], plain: Bool, _ limits: AutomatonLimits) {
        self.lists = lists
        var groups: [ProductSearch.Group] = []
        ranges = lists.map { list in
            let first = groups.count
            groups += list.pathGroups(limits)
            return first..<groups.count
        }
        let patterns = lists.flatMap(\.pathPatterns)
        guard let search = ProductSearch(plain: plain, groups, piece: .path, patterns, limits) else { return nil }
        self.search = search
    }

    /// For each rule of each list, whether it matches the URL's query and fragment.
    func activeRules(_ url: LinkURL) -> [[Bool]] {
        lists.map { list in (0..<list.count).map { list.matches($0, ignoringPathOf: url) } }
    }

    /// The first active rule of a list that matches.
    func rule(of list: Int, _ states: [Int], _ active: [[Bool]]) -> Int? {
        ranges[list].lazy.compactMap { position in
            search.recognizers[position].tags(states[position]).first { active[list][$0] }
        }.min()
    }

    /// Whether the first active rule that matches opens the app.
    func opens(_ list: Int, _ states: [Int], _ active: [[Bool]]) -> Bool {
        rule(of: list, states, active).map(lists[list].opens) ?? false
    }

    /// The decision of a list about every path with this beginning; nil if it depends on the rest. Rules after one that matches any
    /// rest do not count.
    func verdict(of list: Int, _ states: [Int], _ active: [[Bool]]) -> Bool? {
        let settled = ranges[list].lazy.compactMap { position in
            search.recognizers[position].settledTags(states[position]).first { active[list][$0] }
        }.min()
        var results: Set<Bool> = settled == nil ? [false] : []
        for position in ranges[list] {
            for rule in search.recognizers[position].aliveTags(states[position])
            where rule <= settled ?? .max && active[list][rule] {
                results.insert(lists[list].opens(rule))
            }
        }
        return results.count == 1 ? results.first : nil
    }
}
