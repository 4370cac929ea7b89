// The queries and fragments that are tried when two lists are compared. There are infinitely many, so this is a selection.
// For each parameter that a rule names: absent, one value for each combination of patterns that match it, and two values at
// once. For whole queries and fragments the same. If all combinations are too many, only those that are close to what a rule
// requires.

import Association
import SourceJSON

/// One query and fragment, as written in a URL.
struct QueryCase: Hashable {
    var query: String?
    var fragment: String?

    var suffix: String { (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    /// The cases with which to compare lists. The first has neither a query nor a fragment. They are exhaustive if every ordinary
    /// query and fragment is decided like one of them.
    static func cases(
        for lists: [RuleList], stepsLeft: inout Int, _ limits: AutomatonLimits
    ) -> (cases: [QueryCase], areExhaustive: Bool) {
        let bare = QueryCase(query: nil, fragment: nil)
        if lists.allSatisfy(\.usesOnlyPaths) { return ([bare], true) }
        var areExhaustive = true
        let fragments = fragments(lists, &stepsLeft, limits, &areExhaustive)
        var cases: [QueryCase] = []
        var seen: Set<QueryCase> = []
        for query in queries(lists, &stepsLeft, limits, &areExhaustive) {
            for fragment in fragments {
                let queryCase = QueryCase(query: query, fragment: fragment)
                guard cases.count < limits.queryCasesMax else { return (cases, false) }
                if seen.insert(queryCase).inserted { cases.append(queryCase) }
            }
        }
        return (cases, areExhaustive)
    }

    private static func fragments(
        _ lists: [RuleList], _ stepsLeft: inout Int, _ limits: AutomatonLimits, _ areExhaustive: inout Bool
    ) -> [String?] {
        let patterns = numbered(lists, \.fragmentPatterns)
        guard !patterns.isEmpty else { return [nil] }
        let found = SampleTexts.distinguishing(patterns, in: .fragment, stepsLeft: &stepsLeft, limits)
        areExhaustive = areExhaustive && found.isComplete
        return [nil, ""] + found.texts
    }

    private static func queries(
        _ lists: [RuleList], _ stepsLeft: inout Int, _ limits: AutomatonLimits, _ areExhaustive: inout Bool
    ) -> [String?] {
        var queries: [String?] = [nil]
        var names: [String] = []
        var patterns: [ExactText: [(list: Int, item: RuleList.ItemPattern)]] = [:]
        for (list, item) in lists.enumerated().flatMap({ list, rules in rules.itemPatterns.map { (list, $0) } }) {
            let name = ExactText(item.name)
            if patterns[name] == nil { names.append(item.name) }
            patterns[name, default: []].append((list, item))
        }
        var choices: [[String]] = []
        // For each parameter of the first rules, its first value that matches. Choice 0 means that it is absent.
        var requirements: [Int: [Int: Int]] = [:]
        for (position, name) in names.enumerated() {
            let items = patterns[ExactText(name)] ?? []
            let (values, areComplete) = SampleTexts.distinguishing(
                items.map { WrittenPattern(pattern: $0.item.pattern, written: $0.item.written, list: $0.list) },
                in: .itemValue, stepsLeft: &stepsLeft, limits)
            // A parameter may occur more than twice. If one of three values matches nothing, that is like two of them.
            let isLoose = { (value: String) in !items.contains { $0.item.pattern.matches(Array(value.utf8)) } }
            let areFew = values.count < 3 || values.count == 3 && values.contains(where: isLoose)
            // On Android, a name is part of the pattern.
            if !areComplete || !areFew || name.contains(where: { "*?".contains($0) }) { areExhaustive = false }
            for (list, item) in items where item.rule < requirementsMax {
                let value = values.firstIndex { item.pattern.matches(Array($0.utf8)) }
                requirements[list * requirementsMax + item.rule, default: [:]][position] = value.map { $0 + 1 } ?? 0
            }
            choices.append(occurrences(of: name, values))
        }
        let bases = requirements.sorted { $0.key < $1.key }.map { requirement in
            choices.indices.map { requirement.value[$0] ?? 0 }
        }
        if choices.reduce(1, { min($0, limits.queryCasesMax) * $1.count }) > limits.queryCasesMax {
            areExhaustive = false
        }
        for selection in selections(choices, around: bases, limits.queryCasesMax) {
            let present = zip(choices, selection).map { $0[$1] }.filter { !$0.isEmpty }
            if !present.isEmpty { queries.append(present.joined(separator: "&")) }
        }
        let whole = numbered(lists, \.queryPatterns)
        let texts = SampleTexts.distinguishing(whole, in: .query, stepsLeft: &stepsLeft, limits)
        if !texts.isComplete || !whole.isEmpty && !names.isEmpty { areExhaustive = false }
        return queries + texts.texts
    }

    private static func numbered(_ lists: [RuleList], _ patterns: (RuleList) -> [WrittenPattern]) -> [WrittenPattern] {
        lists.enumerated().flatMap { index, list in
            patterns(list).map { WrittenPattern(pattern: $0.pattern, written: $0.written, list: index) }
        }
    }

    /// Rules whose requirements are tried.
    private static let requirementsMax = 64

    /// The parameter absent, with each value, and with each value before and after the first values that differ from it.
    private static func occurrences(of name: String, _ values: [String]) -> [String] {
        let spelled = String(decoding: name.utf8.flatMap(escapedInName), as: UTF8.self)
        let single = values.map { spelled + "=" + $0 }
        let pairs = single.prefix(3).flatMap { first in
            single.prefix(6).filter { $0 != first }.map { first + "&" + $0 }
        }
        return [""] + single + pairs
    }

    private static func escapedInName(_ byte: UInt8) -> [UInt8] {
        let isDelimiter = Array("&=#+;".utf8).contains(byte)
        return byte <= 0x20 || byte >= 0x7F || isDelimiter ? Percent.escape(byte) : [byte]
    }

    /// Every combination of choices if they are at most `max`. Otherwise those that differ in at most one choice from what a
    /// rule requires, and then those with at most two parameters.
    private static func selections(_ choices: [[String]], around bases: [[Int]], _ max: Int) -> [[Int]] {
        var total = 1
        for choice in choices where total <= max { total *= choice.count }
        let absent = [Int](repeating: 0, count: choices.count)
        var result = [absent]
        if total <= max {
            for (position, choice) in choices.enumerated() {
                result = result.flatMap { selection in
                    choice.indices.map { index in
                        var next = selection
                        next[position] = index
                        return next
                    }
                }
            }
            return result
        }
        result += bases
        // A share for each rule, so that the first does not use them all.
        let share = Swift.max(max / (2 * Swift.max(bases.count, 1)), 1)
        for base in bases {
            var left = share
            for (position, choice) in choices.enumerated() {
                for index in choice.indices where left > 0 && index != base[position] && result.count < max {
                    var one = base
                    one[position] = index
                    result.append(one)
                    left -= 1
                }
            }
        }
        return result + pairs(choices, max - result.count)
    }

    private static func pairs(_ choices: [[String]], _ max: Int) -> [[Int]] {
        let absent = [Int](repeating: 0, count: choices.count)
        var result: [[Int]] = []
        for (position, choice) in choices.enumerated() {
            for index in choice.indices.dropFirst() where result.count < max {
                var one = absent
                one[position] = index
                result.append(one)
                for (other, second) in choices.enumerated().dropFirst(position + 1) {
                    for otherIndex in second.indices.dropFirst().prefix(2) where result.count < max {
                        var two = one
                        two[other] = otherIndex
                        result.append(two)
                    }
                }
            }
        }
        return result
    }
}
