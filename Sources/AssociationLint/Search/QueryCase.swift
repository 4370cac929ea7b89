// Queries and fragments worth trying when two lists are compared. Their number is without end, so this is a choice: for
// each item that a rule names, absent, one value for each way in which the patterns can take it, and two values at once;
// for whole queries and fragments the same; in all combinations where they are few, else around each rule's own demand.

import Association
import SourceJSON

/// One query and fragment, as they stand in a URL.
struct QueryCase: Hashable {
    var query: String?
    var fragment: String?

    var suffix: String { (query.map { "?" + $0 } ?? "") + (fragment.map { "#" + $0 } ?? "") }

    /// The queryCases in which to compare two lists. The bare one comes first.
    static func worthTrying(_ lists: [RuleList], stepsLeft: inout Int, _ limits: AutomatonLimits) -> [QueryCase] {
        let bare = QueryCase(query: nil, fragment: nil)
        if lists.allSatisfy(\.looksOnlyAtPaths) { return [bare] }
        let fragments = fragments(lists, &stepsLeft, limits)
        var queryCases: [QueryCase] = []
        var seen: Set<QueryCase> = []
        for query in queries(lists, &stepsLeft, limits) {
            for fragment in fragments {
                let situation = QueryCase(query: query, fragment: fragment)
                guard queryCases.count < limits.queryCasesMax else { return queryCases }
                if seen.insert(situation).inserted { queryCases.append(situation) }
            }
        }
        return queryCases
    }

    private static func fragments(
        _ lists: [RuleList], _ stepsLeft: inout Int, _ limits: AutomatonLimits
    ) -> [String?] {
        let patterns = numbered(lists, \.fragmentPatterns)
        guard !patterns.isEmpty else { return [nil] }
        return [nil, ""] + SampleTexts.telling(patterns, apart: .fragment, stepsLeft: &stepsLeft, limits)
    }

    private static func queries(_ lists: [RuleList], _ stepsLeft: inout Int, _ limits: AutomatonLimits) -> [String?] {
        var queries: [String?] = [nil]
        var names: [String] = []
        var patterns: [ExactText: [(list: Int, item: RuleList.ItemPattern)]] = [:]
        for (list, item) in lists.enumerated().flatMap({ list, rules in rules.itemPatterns.map { (list, $0) } }) {
            let name = ExactText(item.name)
            if patterns[name] == nil { names.append(item.name) }
            patterns[name, default: []].append((list, item))
        }
        var choices: [[String]] = []
        // For each item of the first rules, the first value it takes; the first choice is that it is absent.
        var demands: [Int: [Int: Int]] = [:]
        for (position, name) in names.enumerated() {
            let items = patterns[ExactText(name)] ?? []
            let values = SampleTexts.telling(
                items.map { WrittenPattern(pattern: $0.item.pattern, written: $0.item.written, list: $0.list) },
                apart: .itemValue, stepsLeft: &stepsLeft, limits)
            for (list, item) in items where item.rule < demandsMax {
                let value = values.firstIndex(where: item.pattern.matches)
                demands[list * demandsMax + item.rule, default: [:]][position] = value.map { $0 + 1 } ?? 0
            }
            choices.append(occurrences(of: name, values))
        }
        let bases = demands.sorted { $0.key < $1.key }.map { demand in
            choices.indices.map { demand.value[$0] ?? 0 }
        }
        for selection in selections(choices, around: bases, limits.queryCasesMax) {
            let present = zip(choices, selection).map { $0[$1] }.filter { !$0.isEmpty }
            if !present.isEmpty { queries.append(present.joined(separator: "&")) }
        }
        let whole = numbered(lists, \.queryPatterns)
        for text in SampleTexts.telling(whole, apart: .query, stepsLeft: &stepsLeft, limits) { queries.append(text) }
        return queries
    }

    private static func numbered(
        _ lists: [RuleList], _ patterns: (RuleList) -> [WrittenPattern]
    ) -> [WrittenPattern] {
        lists.enumerated().flatMap { index, list in
            patterns(list).map { WrittenPattern(pattern: $0.pattern, written: $0.written, list: index) }
        }
    }

    /// Of how many rules the demands are tried.
    private static let demandsMax = 64

    /// Absent, each value, and each value before and after the first ones that differ from it.
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

    /// Every combination of choices if they are at most `max`; otherwise those that differ from what a rule asks for in
    /// at most one of them, and then those in which at most two are present.
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
        // A share for each rule, so that the first does not take all.
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
