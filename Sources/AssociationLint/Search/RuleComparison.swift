// Compares two lists: is there a URL that they decide differently, or one that both open? The paths of both lists run
// side by side, once for each combination of query and fragment worth trying. Every witness is put to the matchers
// before it is reported, so a reported one is real. That there is none is proved only where paths alone decide, and then
// for ordinary URLs: what can stand for itself does, the rest is escaped in upper case, no segment is
// empty, and eight characters stand for all that are neither ASCII nor mentioned by a rule.

public import Association

/// A URL that two lists decide differently, or that both open.
public struct RuleWitness: Hashable, Sendable {
    public var url: LinkURL
    /// What the first and the second list decide.
    public var first: RuleDecision
    public var second: RuleDecision
    /// What is known of AOSP but not of Play services, where the decision rests on that.
    public var unsettled: [UnsettledPoint]
}

/// The answer to a question about two lists.
public enum RuleComparison: Hashable, Sendable {
    /// There are such URLs: at most one for each way in which they can differ.
    case found([RuleWitness])
    /// There is no such ordinary URL; proved.
    case none
    /// None was found among the queries and fragments that were tried, which proves nothing.
    case noneFound
    /// A limit was reached, or Android leaves the decision to the manifest.
    case unknown

    public var witnesses: [RuleWitness] {
        if case .found(let witnesses) = self { return witnesses }
        return []
    }

    /// URLs that one list opens and the other does not: one for each direction in which they differ.
    public static func differences(
        between first: RuleList, and second: RuleList, host: String, limits: AutomatonLimits = AutomatonLimits()
    ) -> RuleComparison {
        examine(first, second, host: host, limits: limits, wanted: [.onlyFirst, .onlySecond]).comparison
    }

    /// The outcome of a search: with one link found, there may be another of the other kind.
    struct Examination {
        var comparison: RuleComparison
        /// Whether nothing was left open.
        var isComplete = false
    }

    /// URLs in the wanted ways.
    static func examine(
        _ first: RuleList, _ second: RuleList, host: String, limits: AutomatonLimits, wanted: [Opening],
        in queryCases: [QueryCase]? = nil
    ) -> Examination {
        guard !first.isLeftToManifest, !second.isLeftToManifest, LinkURL("https://\(host)/") != nil else {
            return Examination(comparison: .unknown)
        }
        var search = WitnessSearch(first: first, second: second, host: host, limits: limits, wanted: wanted)
        let isComplete = search.run(in: queryCases)
        let isProof = first.looksOnlyAtPaths && second.looksOnlyAtPaths
        let witnesses = wanted.compactMap { search.witnesses[$0] }
        return Examination(
            comparison: !witnesses.isEmpty ? .found(witnesses) : !isComplete ? .unknown : isProof ? .none : .noneFound,
            isComplete: isComplete)
    }

    /// A URL that both lists open.
    public static func overlap(
        of first: RuleList, and second: RuleList, host: String, limits: AutomatonLimits = AutomatonLimits()
    ) -> RuleComparison {
        if AppleRelations.areProvenDisjoint(first, second, limits) { return .none }
        return examine(first, second, host: host, limits: limits, wanted: [Opening(true, true)]).comparison
    }
}

extension UnsettledPoint.Kind {
    /// AOSP's behaviour is known, and only that of Play services is not.
    public var isKnownOfAOSP: Bool {
        switch self {
        case .starLookahead, .semicolonSeparator, .absentPart: true
        default: false
        }
    }
}

/// Limits on the analysis of one rule list or of one pair of lists.
public struct AutomatonLimits: Hashable, Sendable {
    /// States of all patterns of one kind together; a page of rules has a few hundred.
    public var patternStatesMax = 50_000
    /// States that the patterns make together when they are run side by side.
    public var productStatesMax = 20_000
    /// Steps from state to state, weighted by their cost: all of them take some tenths of a second.
    public var stepsMax = 2_000_000
    /// Combinations of query and fragment that are tried when two lists are compared.
    public var queryCasesMax = 400
    /// Witnesses that may fail their check by the matchers before the search is given up.
    public var rejectedWitnessesMax = 64

    public init() {}
}

/// The paths of two lists as one search.
struct ListPair {
    let search: ProductSearch
    private let lists: [RuleList]
    /// Which recognizers belong to the first list, and which to the second.
    private let ranges: [Range<Int>]

    init?(_ first: RuleList, _ second: RuleList, _ searched: SearchedTexts, _ limits: AutomatonLimits) {
        let firstGroups = first.pathGroups(limits)
        let groups = firstGroups + second.pathGroups(limits)
        lists = [first, second]
        ranges = [0..<firstGroups.count, firstGroups.count..<groups.count]
        let patterns = first.pathPatterns + second.pathPatterns
        guard let search = ProductSearch(searched, groups, piece: .path, patterns, limits) else { return nil }
        self.search = search
    }

    /// The rules of each list that hold for the URL's query and fragment.
    func activeRules(_ url: LinkURL) -> [[Int]] {
        lists.map { list in (0..<list.count).filter { list.holdsBesidesPath($0, url) } }
    }

    /// Whether the first active rule that matches opens the app.
    func opens(_ list: Int, _ states: [Int], _ active: [[Int]]) -> Bool {
        let matching = ranges[list].flatMap { search.recognizers[$0].tags(states[$0]) }
        let first = matching.filter(active[list].contains).min()
        return first.map(lists[list].opens) ?? false
    }

    /// Nothing that begins like this can open either app.
    func isHopeless(_ states: [Int], _ active: [[Int]]) -> Bool {
        ranges.indices.allSatisfy { list in
            !ranges[list].contains { position in
                search.recognizers[position].aliveTags(states[position]).contains { rule in
                    lists[list].opens(rule) && active[list].contains(rule)
                }
            }
        }
    }
}
