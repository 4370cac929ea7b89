// What implies what between the rules of an Android list, path aside. An entry of a query asks for some item that
// matches; so a rule implies another's entry if one of its own entries can only be met by items that meet the other.

import Association

/// The relations between the rules of an Android list.
struct AndroidRelations: RuleRelations {
    private let matcher: AndroidMatcher
    private let limits: AutomatonLimits
    private var question: PatternQuestion
    /// What was answered before. A rule that was written out has the same query in each of its up to 128 forms, and each
    /// is compared with all before it.
    private var answers: [Inclusion: Bool] = [:]

    private struct Inclusion: Hashable {
        var inner: [AndroidGlob.Step]
        var outer: [AndroidGlob.Step]
        var isItem: Bool
    }

    init(_ matcher: AndroidMatcher, _ limits: AutomatonLimits) {
        self.matcher = matcher
        self.limits = limits
        question = PatternQuestion(limits)
    }

    var pathGroups: [ProductSearch.Group] {
        var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
        for (index, rule) in matcher.compiled.enumerated() where !rule.isEmpty {
            if let path = rule.path { automaton.add(path, tag: index) } else { automaton.addEverything(tag: index) }
        }
        return [ProductSearch.Group(automaton: automaton, lens: .android, piece: .path)]
    }

    /// Android never touches slashes.
    var pathGroupsInBothReadings: [ProductSearch.Group] { pathGroups }

    var pathGroupsAsWritten: [ProductSearch.Group] { pathGroups }

    /// What AOSP does with a star before a wildcard is known, but not what Play services do; and a rule that rests on
    /// it is not one to make claims about.
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

    func easyPath(of rule: Int, isMatchedByOneOf others: [Int]) -> Bool? {
        let pattern = ReadPattern(matcher.compiled[rule].path ?? AndroidGlob("*"), .path)
        guard let text = pattern.easyText.map(AndroidView.decode) else { return nil }
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

    mutating func besidesPath(_ rule: Int, implies other: Int) -> Bool {
        let inner = matcher.compiled[rule]
        let outer = matcher.compiled[other]
        if outer.isEmpty { return false }
        if let fragment = outer.fragment {
            guard let innerFragment = inner.fragment, isIncluded(innerFragment, in: fragment, isItem: false) else {
                return false
            }
        }
        for item in outer.items ?? [] {
            let isImplied = (inner.items ?? []).contains { isIncluded($0, in: item, isItem: true) }
            if !isImplied { return false }
        }
        return true
    }

    private mutating func isIncluded(_ inner: AndroidGlob, in outer: AndroidGlob, isItem: Bool) -> Bool {
        let inclusion = Inclusion(inner: inner.steps, outer: outer.steps, isItem: isItem)
        if let answer = answers[inclusion] { return answer }
        let piece: Piece = isItem ? .item : .fragment
        let answer = question.isIncluded(ReadPattern(inner, piece), in: ReadPattern(outer, piece)) == true
        answers[inclusion] = answer
        return answer
    }

    /// Items never exclude each other, because a URL may have several.
    mutating func besidesPath(_ rule: Int, excludes other: Int) -> Bool {
        let one = matcher.compiled[rule]
        let two = matcher.compiled[other]
        if two.isEmpty { return true }
        guard let first = one.fragment, let second = two.fragment else { return false }
        return question.areDisjoint(ReadPattern(first, .fragment), ReadPattern(second, .fragment)) == true
    }
}
