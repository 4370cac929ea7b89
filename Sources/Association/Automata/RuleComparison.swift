// Compares two lists: is there a URL that they decide differently, or one that both open? The paths of both lists run
// side by side, once for each combination of query and fragment worth trying. Every witness is put to the matchers
// before it is reported, so a reported one is real. That there is none is proved only where paths alone decide, and then
// for ordinary URLs: what can stand for itself does, the rest is escaped in upper case, and no segment is empty.

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
        compare(first, second, host, limits, wanted: [.init(true, false), .init(false, true)])
    }

    /// A URL that both lists open.
    public static func overlap(
        of first: RuleList, and second: RuleList, host: String, limits: AutomatonLimits = AutomatonLimits()
    ) -> RuleComparison {
        if AppleRelations.areProvenDisjoint(first, second, limits) { return .none }
        return compare(first, second, host, limits, wanted: [.init(true, true)])
    }

    private struct Opening: Hashable {
        var first: Bool
        var second: Bool

        init(_ first: Bool, _ second: Bool) {
            self.first = first
            self.second = second
        }
    }

    private static func compare(
        _ first: RuleList, _ second: RuleList, _ host: String, _ limits: AutomatonLimits, wanted: [Opening]
    ) -> RuleComparison {
        guard !first.isLeftToManifest, !second.isLeftToManifest, LinkURL("https://\(host)/") != nil else {
            return .unknown
        }
        var stepsLeft = limits.stepsMax
        let situations = Situation.worthTrying([first, second], stepsLeft: &stepsLeft, limits)
        guard let pair = ListPair(first, second, limits) else { return .unknown }
        var witnesses: [Opening: RuleWitness] = [:]
        var tried: Set<[[Int]]> = []
        var isComplete = true
        for situation in situations where witnesses.count < wanted.count {
            guard let url = LinkURL("https://\(host)/" + situation.suffix) else { continue }
            let active = pair.activeRules(url)
            guard tried.insert(active).inserted else { continue }
            var rejected = 0
            let outcome = pair.search.run(stepsLeft: &stepsLeft) { states in
                pair.isHopeless(states, active)
            } visit: { states, spell in
                let opening = Opening(pair.opens(0, states, active), pair.opens(1, states, active))
                guard wanted.contains(opening), witnesses[opening] == nil else { return false }
                let text = "https://\(host)" + String(decoding: spell(), as: UTF8.self) + situation.suffix
                if let witness = check(text, first, second, opening) {
                    witnesses[opening] = witness
                } else {
                    rejected += 1
                }
                return witnesses.count == wanted.count || rejected >= limits.rejectedWitnessesMax
            }
            if outcome != .finished || rejected > 0 { isComplete = false }
            if stepsLeft < 0 { break }
        }
        if !witnesses.isEmpty { return .found(wanted.compactMap { witnesses[$0] }) }
        guard isComplete else { return .unknown }
        return first.looksOnlyAtPaths && second.looksOnlyAtPaths ? .none : .noneFound
    }

    /// The witness, if the matchers agree and nothing about it is unsettled on AOSP or on Apple's systems.
    private static func check(
        _ text: String, _ first: RuleList, _ second: RuleList, _ opening: Opening
    ) -> RuleWitness? {
        guard let url = LinkURL(text), let one = first.decide(url), let two = second.decide(url),
            one.opens == opening.first, two.opens == opening.second
        else { return nil }
        let points = first.unsettled(url) + second.unsettled(url)
        guard points.allSatisfy(\.kind.isKnownOfAOSP) else { return nil }
        return RuleWitness(url: url, first: one, second: two, unsettled: points)
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
