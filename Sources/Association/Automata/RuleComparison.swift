// Compares two lists: is there a URL that they decide differently, or one that both open? The paths of both lists run
// side by side, once for each combination of query and fragment worth trying. Every witness is put to the matchers
// before it is reported, so a reported one is real. That there is none is proved only where paths alone decide, and then
// for ordinary URLs: what can stand for itself does, the rest is escaped in upper case, no segment is
// empty, and eight characters stand for all that are neither ASCII nor mentioned by a rule.

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
        in situations: [Situation]? = nil
    ) -> Examination {
        guard !first.isLeftToManifest, !second.isLeftToManifest, LinkURL("https://\(host)/") != nil else {
            return Examination(comparison: .unknown)
        }
        var search = WitnessSearch(first: first, second: second, host: host, limits: limits, wanted: wanted)
        let isComplete = search.run(in: situations)
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
