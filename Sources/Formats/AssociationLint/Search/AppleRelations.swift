// Compares the rules of an Apple list with each other, without their paths.

import Association

/// The relations between the rules of an Apple list.
struct AppleRelations: RuleRelations {
    private let rules: [AppleRule]
    private let limits: AutomatonLimits
    private var question: PatternQuestion

    init(_ matcher: AppleMatcher, _ limits: AutomatonLimits) {
        rules = matcher.rules
        self.limits = limits
        question = PatternQuestion(limits)
    }

    /// The path patterns grouped by lens, each tagged with its rule.
    var pathGroups: [ProductSearch.Group] { groups(inBothReadings: false) }

    var pathGroupsInBothReadings: [ProductSearch.Group] { groups(inBothReadings: true) }

    private func groups(inBothReadings: Bool) -> [ProductSearch.Group] {
        var automata: [URLReading: PatternAutomaton] = [:]
        for (index, rule) in rules.enumerated() {
            // Changed in place, because a copy for each rule would take quadratic time.
            let empty = PatternAutomaton(statesMax: limits.patternStatesMax)
            if let path = rule.path {
                automata[rule.reading, default: empty].add(path, tag: index)
            } else {
                automata[rule.reading, default: empty].addEverything(tag: index)
            }
            if inBothReadings, let path = rule.surePath {
                automata[rule.reading, default: empty].add(path, tag: rules.count + index)
            }
        }
        return automata.sorted { $0.key.index < $1.key.index }.map { reading, automaton in
            ProductSearch.Group(automaton: automaton, lens: .apple(reading), piece: .path)
        }
    }

    func isCertain(_ rule: Int) -> Bool { rules[rule].doubts.isEmpty && !rules[rule].mayConsumeAddedSlash }

    /// A path that matches without the added slash matches with it too, because the star at the end matches the slash. So
    /// the reading in which a wildcard may match the added slash is the wider one.
    func isBounded(_ rule: Int) -> Bool { rules[rule].doubts.isEmpty }

    func sureTag(of rule: Int) -> Int? {
        guard rules[rule].doubts.isEmpty else { return nil }
        return rules[rule].mayConsumeAddedSlash ? rules.count + rule : rule
    }

    func excludes(_ rule: Int) -> Bool { rules[rule].excludes }

    func acceptsEveryPath(_ rule: Int) -> Bool { rules[rule].path?.acceptsEverything ?? true }

    mutating func path(of rule: Int, isWithin other: Int) -> Bool {
        guard let inner = rules[rule].path, let outer = rules[other].path else { return rules[other].path == nil }
        return isIncluded(inner, rules[rule], in: outer, rules[other], .path)
    }

    func simplePath(of rule: Int, isMatchedByOneOf others: [Int]) -> Bool? {
        let everything = GlobPattern(elements: [.star])
        let pattern = ReadPattern(rules[rule].path ?? everything, rules[rule].reading, .path)
        guard let text = pattern.simpleText else { return nil }
        var seen: [[UInt8]?] = [nil, nil, nil, nil]
        return others.contains { other in
            guard let path = rules[other].path else { return true }
            let reading = rules[other].reading
            let bytes = seen[reading.index] ?? AppleSlashes.normalised(reading.read(text))
            seen[reading.index] = bytes
            return path.matches(bytes)
        }
    }

    mutating func impossiblePart(of index: Int) -> MatchStep.Part? {
        let rule = rules[index]
        if let path = rule.path, isEmpty(path, rule, .path) { return .path }
        if let fragment = rule.fragment, isEmpty(fragment, rule, .fragment) { return .fragment }
        switch rule.query {
        case nil: return nil
        case .whole(let pattern): return isEmpty(pattern, rule, .query) ? .query : nil
        case .items(let items):
            for item in items {
                // A parameter whose name no URL can have is always absent, and an absent one is empty.
                if !Self.canBeNamed(item, rule.reading) {
                    if !item.pattern.matches([]) { return .queryItem(item.name) }
                } else if isEmpty(item.pattern, rule, .itemValue) {
                    return .queryItem(item.name)
                }
            }
            return nil
        }
    }

    mutating func ignoringPath(_ rule: Int, implies other: Int) -> Bool {
        let inner = rules[rule]
        let outer = rules[other]
        if let fragment = outer.fragment, !fragment.acceptsEverything {
            guard let innerFragment = inner.fragment,
                isIncluded(innerFragment, inner, in: fragment, outer, .fragment)
            else { return false }
        }
        switch (inner.query, outer.query) {
        case (_, nil): return true
        case (_, .whole(let pattern)) where pattern.acceptsEverything: return true
        case (.whole(let innerPattern), .whole(let pattern)):
            return isIncluded(innerPattern, inner, in: pattern, outer, .query)
        case (_, .whole): return false
        case (_, .items(let items)):
            for item in items where !item.pattern.acceptsEverything {
                guard inner.reading.decodes == outer.reading.decodes, case .items(let innerItems) = inner.query else {
                    return false
                }
                let isImplied = innerItems.contains { innerItem in
                    innerItem.nameBytes == item.nameBytes
                        && isIncluded(innerItem.pattern, inner, in: item.pattern, outer, .itemValue)
                }
                if !isImplied { return false }
            }
            return true
        }
    }

    /// In every URL each parameter has a value, which is empty if it is absent. So two disjoint patterns cannot both match.
    mutating func ignoringPath(_ rule: Int, excludes other: Int) -> Bool {
        let one = rules[rule]
        let two = rules[other]
        if let first = one.fragment, let second = two.fragment, areDisjoint(first, one, second, two, .fragment) {
            return true
        }
        switch (one.query, two.query) {
        case (.whole(let first), .whole(let second)): return areDisjoint(first, one, second, two, .query)
        case (.items(let firsts), .items(let seconds)):
            guard one.reading.decodes == two.reading.decodes else { return false }
            return firsts.contains { first in
                seconds.contains { second in
                    first.nameBytes == second.nameBytes
                        && areDisjoint(first.pattern, one, second.pattern, two, .itemValue)
                }
            }
        default: return false
        }
    }

    private mutating func isEmpty(_ pattern: GlobPattern, _ rule: AppleRule, _ piece: Piece) -> Bool {
        question.isEmpty(ReadPattern(pattern, rule.reading, piece)) == true
    }

    private mutating func isIncluded(
        _ inner: GlobPattern, _ innerRule: AppleRule, in outer: GlobPattern, _ outerRule: AppleRule, _ piece: Piece
    ) -> Bool {
        let inner = ReadPattern(inner, innerRule.reading, piece)
        return question.isIncluded(inner, in: ReadPattern(outer, outerRule.reading, piece)) == true
    }

    private mutating func areDisjoint(
        _ first: GlobPattern, _ firstRule: AppleRule, _ second: GlobPattern, _ secondRule: AppleRule, _ piece: Piece
    ) -> Bool {
        let first = ReadPattern(first, firstRule.reading, piece)
        return question.areDisjoint(first, ReadPattern(second, secondRule.reading, piece)) == true
    }

    private static func canBeNamed(_ item: AppleRule.Query.Item, _ reading: URLReading) -> Bool {
        if reading.decodes { return true }
        return item.nameBytes.allSatisfy { $0 > 0x20 && $0 < 0x7F && !Array("&=#".utf8).contains($0) }
    }

    /// Whether it is proved that no including rule of one Apple list shares a URL with one of another list.
    static func areProvenDisjoint(_ first: RuleList, _ second: RuleList, _ limits: AutomatonLimits) -> Bool {
        guard case .apple(let one) = first, case .apple(let two) = second else { return false }
        let both = AppleMatcher(joining: one, two)
        var relations = AppleRelations(both, limits)
        var paths = PathRelations(relations.pathGroups, limits)
        let including = both.rules.indices.filter { !both.rules[$0].excludes }
        let others = including.filter { $0 >= one.count }
        return including.filter { $0 < one.count }.allSatisfy { rule in
            let sharing = others.filter { other in
                !(relations.isCertain(rule) && relations.isCertain(other)
                    && relations.ignoringPath(rule, excludes: other))
            }
            return sharing.isEmpty
                || (relations.isCertain(rule) && sharing.allSatisfy(relations.isCertain)
                    && paths.isDisjoint(rule, from: sharing))
        }
    }
}
