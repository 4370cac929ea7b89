// Finds the rules of an ordered list that have no effect: rules that match nothing, rules whose URLs earlier rules already
// decide, and exclusions after which no rule includes the URLs. Each result is proved for all URLs. A rule is not reported if
// the proof exceeds the limits, or depends on behaviour that is not known.

public import Association

/// A rule without effect, and why.
public struct UselessRule: Hashable, Sendable {
    /// Why a rule has no effect.
    public enum Reason: Hashable, Sendable {
        /// No URL matches this part of the rule.
        case matchesNothing(MatchStep.Part)
        /// These earlier rules decide every URL that it matches: one rule if one is enough, otherwise a small set.
        case covered(by: [Int])
        /// It excludes, and no later rule includes any of the URLs that it matches.
        case excludesNothing
    }

    public var rule: Int
    public var reason: Reason
}

/// Finds rules without effect.
public enum Reachability {
    /// The useless rules of an Apple list, each with its first reason, in order.
    public static func uselessRules(
        of matcher: AppleMatcher, limits: AutomatonLimits = AutomatonLimits()
    ) -> [UselessRule] {
        var relations = AppleRelations(matcher, limits)
        return uselessRules(count: matcher.count, &relations, limits)
    }

    /// The useless rules of an Android list; none if Android discards the list.
    public static func uselessRules(
        of matcher: AndroidMatcher, limits: AutomatonLimits = AutomatonLimits()
    ) -> [UselessRule] {
        guard matcher.discardedBecauseOf == nil else { return [] }
        var relations = AndroidRelations(matcher, limits)
        return uselessRules(count: matcher.count, &relations, limits)
    }

    /// Earlier rules that are checked one at a time, if checking all at once was too much or needed several of them.
    private static let singlesMax = 32

    private static func uselessRules<Relations: RuleRelations>(
        count: Int, _ relations: inout Relations, _ limits: AutomatonLimits
    ) -> [UselessRule] {
        var found: [UselessRule] = []
        lazy var paths = PathRelations(relations.pathGroupsInBothReadings, limits)
        for rule in 0..<count where relations.isBounded(rule) {
            if let part = relations.impossiblePart(of: rule) {
                found.append(UselessRule(rule: rule, reason: .matchesNothing(part)))
                continue
            }
            let candidates = (0..<rule).filter {
                relations.sureTag(of: $0) != nil && relations.ignoringPath(rule, implies: $0)
            }
            if let always = candidates.first(where: relations.acceptsEveryPath) {
                found.append(UselessRule(rule: rule, reason: .covered(by: [always])))
                continue
            }
            var coverage = PathRelations.Coverage.notCovered
            if relations.simplePath(of: rule, isMatchedByOneOf: candidates) != false {
                coverage = paths.coverage(of: rule, by: candidates.compactMap(relations.sureTag))
            }
            if coverage.wantsSingle,
                let one = candidates.prefix(singlesMax).first(where: {
                    relations.isCertain($0) && relations.path(of: rule, isWithin: $0)
                })
            {
                coverage = .covered(by: [one])
            }
            if case .covered(let covering) = coverage {
                found.append(UselessRule(rule: rule, reason: .covered(by: covering.map { $0 % count }.sorted())))
                continue
            }
            guard relations.excludes(rule) else { continue }
            let later = (rule + 1..<count).filter { other in
                !relations.excludes(other)
                    && !(relations.isBounded(other) && relations.ignoringPath(rule, excludes: other))
            }
            if later.allSatisfy(relations.isBounded),
                relations.simplePath(of: rule, isMatchedByOneOf: later) != true, paths.isDisjoint(rule, from: later)
            {
                found.append(UselessRule(rule: rule, reason: .excludesNothing))
            }
        }
        return found
    }
}

/// The relations between the rules of a list that `Reachability` needs, for either platform.
protocol RuleRelations {
    /// The path patterns grouped by lens. Each is tagged with its rule. If a pattern has two readings, the wider one has that
    /// tag and the narrower one has its `sureTag`.
    var pathGroupsInBothReadings: [ProductSearch.Group] { get }
    /// Whether it is known exactly what the rule matches.
    func isCertain(_ rule: Int) -> Bool
    /// Whether the rule certainly matches no more than the pattern with its tag.
    func isBounded(_ rule: Int) -> Bool
    /// The tag of the pattern that the rule certainly matches. Modulo the number of rules, it is the rule. Nil if nothing is
    /// certain.
    func sureTag(of rule: Int) -> Int?
    func excludes(_ rule: Int) -> Bool
    func acceptsEveryPath(_ rule: Int) -> Bool
    /// Whether one of `others` matches a path of `rule` that is found without a search; nil if none is found.
    func simplePath(of rule: Int, isMatchedByOneOf others: [Int]) -> Bool?
    /// Whether `other` matches every path of `rule`. This is slower than checking all rules at once.
    mutating func path(of rule: Int, isWithin other: Int) -> Bool
    mutating func impossiblePart(of rule: Int) -> MatchStep.Part?
    /// Whether every URL that matches `rule` matches `other`, without their paths.
    mutating func ignoringPath(_ rule: Int, implies other: Int) -> Bool
    /// Whether no URL matches both, without their paths.
    mutating func ignoringPath(_ rule: Int, excludes other: Int) -> Bool
}

extension RuleRelations {
    func isBounded(_ rule: Int) -> Bool { isCertain(rule) }

    func sureTag(of rule: Int) -> Int? { isCertain(rule) ? rule : nil }
}

extension PathRelations.Coverage {
    /// Whether a single covering rule would be a better result.
    fileprivate var wantsSingle: Bool {
        switch self {
        case .covered(let rules): rules.count > 1
        case .notCovered: false
        case .unknown: true
        }
    }
}
