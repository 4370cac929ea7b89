// Compares the paths of a list's rules with each other. All rules that read the path in the same way form one automaton, so
// the union of several rules can be checked like a single rule.

import Association

/// Coverage and disjointness of the path patterns of one list.
struct PathRelations {
    private let searches: [(search: ProductSearch, tags: Set<Int>)]
    private let stepsMax: Int
    private var stepsLeft: Int

    /// Groups that read the same text, decoded or not, are combined, because they differ only in folding.
    init(_ groups: [ProductSearch.Group], _ limits: AutomatonLimits) {
        stepsMax = limits.stepsMax
        stepsLeft = limits.stepsMax
        let byText = Dictionary(grouping: groups) { $0.lens.reading?.decodes ?? false }
        searches = byText.values.compactMap { groups in
            ProductSearch(everyTextOf: groups, piece: .path, limits: limits).map {
                ($0, Set(groups.flatMap { group in group.automaton.states.map(\.tag) }))
            }
        }
    }

    enum Coverage: Hashable {
        /// These rules together match every path of the rule.
        case covered(by: [Int])
        case notCovered
        /// A limit was reached.
        case unknown
    }

    /// Whether `candidates` together match every path of `rule`, and a small selection of them that does.
    mutating func coverage(of rule: Int, by candidates: [Int]) -> Coverage {
        guard let (search, tags) = searches.first(where: { $0.tags.contains(rule) }) else { return .unknown }
        let allowed = tags.intersection(candidates)
        guard !allowed.isEmpty else { return .notCovered }
        var coverings: Set<[Int]> = []
        var isUncovered = false
        let outcome = run(search) { states in
            // If an earlier rule ends with a star here, it matches all that follows.
            !zip(search.recognizers, states).contains { $0.aliveTags($1).contains(rule) }
                || zip(search.recognizers, states).contains { $0.settledTags($1).contains(where: allowed.contains) }
        } visit: { states in
            let settled = zip(search.recognizers, states).flatMap { $0.settledTags($1) }.filter(allowed.contains)
            if !settled.isEmpty {
                coverings.insert(settled)
                return false
            }
            let matching = zip(search.recognizers, states).flatMap { $0.tags($1) }
            guard matching.contains(rule) else { return false }
            let covering = matching.filter(allowed.contains)
            coverings.insert(covering)
            isUncovered = covering.isEmpty
            return isUncovered
        }
        if isUncovered || coverings.isEmpty { return .notCovered }
        return outcome == .finished ? .covered(by: Self.smallHittingSet(coverings)) : .unknown
    }

    /// Whether no path matches both `rule` and one of `others`.
    mutating func isDisjoint(_ rule: Int, from others: [Int]) -> Bool {
        if others.isEmpty { return true }
        guard let (search, tags) = searches.first(where: { $0.tags.contains(rule) }), tags.isSuperset(of: others) else {
            return false
        }
        let wanted = Set(others)
        let outcome = run(search) { states in
            let alive = zip(search.recognizers, states).flatMap { $0.aliveTags($1) }
            return !alive.contains(rule) || !alive.contains(where: wanted.contains)
        } visit: { states in
            let matching = zip(search.recognizers, states).flatMap { $0.tags($1) }
            return matching.contains(rule) && matching.contains(where: wanted.contains)
        }
        return outcome == .finished
    }

    /// Runs a search with a share of the steps, so that one difficult search leaves steps for the others.
    private mutating func run(
        _ search: ProductSearch, isDeadEnd: ([Int]) -> Bool, visit: ([Int]) -> Bool
    ) -> ProductSearch.Outcome {
        let share = min(stepsLeft, max(stepsMax / 16, 1))
        var left = share
        let outcome = search.run(stepsLeft: &left, isDeadEnd: isDeadEnd) { states, _ in visit(states) }
        stepsLeft -= share - left
        return outcome
    }

    /// A rule that is in every set, if there is one. Otherwise a small selection with a rule of each set.
    private static func smallHittingSet(_ sets: Set<[Int]>) -> [Int] {
        var chosen: [Int] = []
        var left = Array(sets)
        while !left.isEmpty {
            var counts: [Int: Int] = [:]
            for set in left { for rule in set { counts[rule, default: 0] += 1 } }
            guard let best = counts.max(by: { ($0.value, -$0.key) < ($1.value, -$1.key) })?.key else { break }
            chosen.append(best)
            left.removeAll { $0.contains(best) }
        }
        return chosen.sorted()
    }
}
