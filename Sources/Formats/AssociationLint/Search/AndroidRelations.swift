// Compares the rules of an Android list with each other, without their paths. A query pattern needs one parameter that
// matches it. So a rule implies the pattern of another rule if every parameter that matches one of its patterns matches that
// pattern too.

import Association

/// The relations between the rules of an Android list.
struct AndroidRelations: RuleRelations {
    private let matcher: AndroidMatcher
    private let limits: AutomatonLimits
    private var question: PatternQuestion

    init(_ matcher: AndroidMatcher, _ limits: AutomatonLimits) {
        (self.matcher, self.limits) = (matcher, limits)
        question = PatternQuestion(limits)
    }

    var pathGroups: [ProductSearch.Group] {
        var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
        for (index, rule) in matcher.compiled.enumerated() where !rule.isEmpty {
            if let path = rule.path { automaton.add(path, tag: index) } else { automaton.addEverything(tag: index) }
        }
        return [ProductSearch.Group(automaton: automaton, lens: .android, piece: .path)]
    }

    /// Android does not normalise slashes.
    var pathGroupsInBothReadings: [ProductSearch.Group] { pathGroups }

    /// AOSP's behaviour for a star before a wildcard is known, but not that of Play services. So nothing is claimed about
    /// such a rule.
    func isCertain(_ rule: Int) -> Bool {
        let compiled = matcher.compiled[rule]
        return !([compiled.path, compiled.fragment].compactMap { $0 } + (compiled.items ?? []))
            .contains(where: \.hasStarLookahead)
    }

    func excludes(_ rule: Int) -> Bool { matcher.rules[rule].exclude }

    func acceptsEveryPath(_ rule: Int) -> Bool {
        let compiled = matcher.compiled[rule]
        return !compiled.isEmpty && (compiled.path?.steps ?? [.rest]) == [.rest]
    }

    mutating func path(of rule: Int, isWithin other: Int) -> Bool {
        guard let outer = matcher.compiled[other].path else { return true }
        guard let inner = matcher.compiled[rule].path else { return false }
        return question.isIncluded(ReadPattern(inner, .path), in: ReadPattern(outer, .path)) == true
    }

    func simplePath(of rule: Int, isMatchedByOneOf others: [Int]) -> Bool? {
        let pattern = ReadPattern(matcher.compiled[rule].path ?? AndroidGlob("*"), .path)
        guard let text = pattern.simpleText.map(AndroidView.decode) else { return nil }
        return others.contains { other in
            let compiled = matcher.compiled[other]
            return !compiled.isEmpty && (compiled.path?.matches(text) ?? true)
        }
    }

    mutating func impossiblePart(of index: Int) -> MatchStep.Part? {
        let rule = matcher.compiled[index]
        if rule.isEmpty { return .rule }
        if let path = rule.path, question.isEmpty(ReadPattern(path, .path)) == true { return .path }
        for (item, written) in zip(rule.items ?? [], matcher.rules[index].query ?? [])
        where question.isEmpty(ReadPattern(item, .item)) == true {
            return .queryItem(written.name)
        }
        return nil
    }

    mutating func ignoringPath(_ rule: Int, implies other: Int) -> Bool {
        let inner = matcher.compiled[rule]
        let outer = matcher.compiled[other]
        if outer.isEmpty { return false }
        if let fragment = outer.fragment {
            guard let innerFragment = inner.fragment, isIncluded(innerFragment, in: fragment, .fragment) else {
                return false
            }
        }
        for item in outer.items ?? [] {
            let isImplied = (inner.items ?? []).contains { isIncluded($0, in: item, .item) }
            if !isImplied { return false }
        }
        return true
    }

    private mutating func isIncluded(_ inner: AndroidGlob, in outer: AndroidGlob, _ piece: Piece) -> Bool {
        question.isIncluded(ReadPattern(inner, piece), in: ReadPattern(outer, piece)) == true
    }

    /// Query patterns never exclude each other, because a URL may have several parameters.
    mutating func ignoringPath(_ rule: Int, excludes other: Int) -> Bool {
        let one = matcher.compiled[rule]
        let two = matcher.compiled[other]
        if two.isEmpty { return true }
        guard let first = one.fragment, let second = two.fragment else { return false }
        return question.areDisjoint(ReadPattern(first, .fragment), ReadPattern(second, .fragment)) == true
    }
}
