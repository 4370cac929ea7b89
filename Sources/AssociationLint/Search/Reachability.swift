// Which rules of an ordered list can never decide anything: those that match nothing, those whose every URL an earlier
// rule has already decided, and exclusions after which nothing could have included. Each answer is proved over all URLs;
// what cannot be proved within the limits, or rests on an unsettled point, is left out.

public import Association

/// A rule that changes nothing, and why.
public struct UselessRule: Hashable, Sendable {
    /// Why a rule changes nothing.
    public enum Reason: Hashable, Sendable {
        /// No URL satisfies this part of the rule.
        case matchesNothing(MatchStep.Part)
        /// Every URL it matches is decided by one of these earlier rules: one if one is enough, else a small set.
        case covered(by: [Int])
        /// It excludes, and no later rule could include any of the URLs it matches.
        case excludesNothing
    }

    public var rule: Int
    public var reason: Reason
    /// The claim needs the slashes of paths brought into one form, as iOS 13 and later do. Older systems, which read
    /// legacy paths only, may tell `/a` from `/a/`.
    public var restsOnSlashes: Bool

    public init(rule: Int, reason: Reason, restsOnSlashes: Bool = false) {
        self.rule = rule
        self.reason = reason
        self.restsOnSlashes = restsOnSlashes
    }
}

/// Finds rules that can never decide anything.
public enum Reachability {
    /// The useless rules of an Apple list, each with its first reason, in order.
    public static func uselessRules(
        of matcher: AppleMatcher, limits: AutomatonLimits = AutomatonLimits()
    ) -> [UselessRule] {
        var relations = AppleRelations(matcher, limits)
        return uselessRules(count: matcher.count, &relations, limits)
    }

    /// The useless rules of an Android list; none where Android throws the list away.
    public static func uselessRules(
        of matcher: AndroidMatcher, limits: AutomatonLimits = AutomatonLimits()
    ) -> [UselessRule] {
        guard matcher.discardedBecauseOf == nil else { return [] }
        var relations = AndroidRelations(matcher, limits)
        return uselessRules(count: matcher.count, &relations, limits)
    }

    /// How many earlier rules are asked one at a time, where all at once was too much or took several.
    private static let singlesMax = 32

    private static func uselessRules<Relations: RuleRelations>(
        count: Int, _ relations: inout Relations, _ limits: AutomatonLimits
    ) -> [UselessRule] {
        var found: [UselessRule] = []
        lazy var paths = PathRelations(relations.pathGroupsInBothReadings, limits)
        lazy var asWritten = PathRelations(relations.pathGroupsAsWritten, limits)
        for rule in 0..<count where relations.isBounded(rule) {
            if let part = relations.impossiblePart(of: rule) {
                found.append(UselessRule(rule: rule, reason: .matchesNothing(part)))
                continue
            }
            let candidates = (0..<rule).filter {
                relations.sureTag(of: $0) != nil && relations.besidesPath(rule, implies: $0)
            }
            if let always = candidates.first(where: relations.acceptsEveryPath) {
                found.append(UselessRule(rule: rule, reason: .covered(by: [always])))
                continue
            }
            var coverage = PathRelations.Coverage.notCovered
            if relations.easyPath(of: rule, isMatchedByOneOf: candidates) != false {
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
                let isCoveredAsWritten = asWritten.coverage(of: rule, by: candidates) != .notCovered
                let rules = covering.map { $0 % count }.sorted()
                found.append(
                    UselessRule(rule: rule, reason: .covered(by: rules), restsOnSlashes: !isCoveredAsWritten))
                continue
            }
            guard relations.excludes(rule) else { continue }
            let later = (rule + 1..<count).filter { other in
                !relations.excludes(other)
                    && !(relations.isBounded(other) && relations.besidesPath(rule, excludes: other))
            }
            if later.allSatisfy(relations.isBounded),
                relations.easyPath(of: rule, isMatchedByOneOf: later) != true, paths.isDisjoint(rule, from: later)
            {
                found.append(UselessRule(rule: rule, reason: .excludesNothing))
            }
        }
        return found
    }
}

/// What reachability asks about the rules of a list, in either dialect.
protocol RuleRelations {
    /// The path patterns by lens, each tagged with its rule in the wider of its readings, and with its `sureTag` in the
    /// narrower one, where it has two.
    var pathGroupsInBothReadings: [ProductSearch.Group] { get }
    /// The same with the slashes of patterns and paths left as they are.
    var pathGroupsAsWritten: [ProductSearch.Group] { get }
    /// Nothing about the rule is unsettled.
    func isCertain(_ rule: Int) -> Bool
    /// Whatever is unsettled about the rule, it matches no more than what is tagged with it.
    func isBounded(_ rule: Int) -> Bool
    /// The tag of what the rule surely matches, which modulo their count is the rule; nil where nothing is sure.
    func sureTag(of rule: Int) -> Int?
    func excludes(_ rule: Int) -> Bool
    func acceptsEveryPath(_ rule: Int) -> Bool
    /// Whether one of `others` matches a path of `rule`'s that is found without a search; nil where none is.
    func easyPath(of rule: Int, isMatchedByOneOf others: [Int]) -> Bool?
    /// Whether every path of `rule` is one of `other`; the slow way, two at a time.
    mutating func path(of rule: Int, isWithin other: Int) -> Bool
    /// A part that no URL satisfies.
    mutating func impossiblePart(of rule: Int) -> MatchStep.Part?
    /// Whether, path aside, every URL that satisfies `rule` satisfies `other`.
    mutating func besidesPath(_ rule: Int, implies other: Int) -> Bool
    /// Whether, path aside, no URL satisfies both.
    mutating func besidesPath(_ rule: Int, excludes other: Int) -> Bool
}

extension RuleRelations {
    func isBounded(_ rule: Int) -> Bool { isCertain(rule) }

    func sureTag(of rule: Int) -> Int? { isCertain(rule) ? rule : nil }
}

extension PathRelations.Coverage {
    /// A single covering rule would say more.
    fileprivate var wantsSingle: Bool {
        switch self {
        case .covered(let rules): rules.count > 1
        case .notCovered: false
        case .unknown: true
        }
    }
}
