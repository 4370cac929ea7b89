// How the paths of a list's rules lie to each other. All rules that read the path in the same way run as one automaton,
// so that the union of earlier rules is as easy to ask about as a single one.

/// Coverage and disjointness of the path patterns of one list.
struct PathRelations {
    private let searches: [(search: ProductSearch, tags: Set<Int>)]
    private var stepsLeft: Int

    /// Groups that see the same text (decoded or not) go together, because they differ only in folding.
    init(_ groups: [ProductSearch.Group], _ limits: AutomatonLimits) {
        stepsLeft = limits.stepsMax
        let byText = Dictionary(grouping: groups) { $0.lens.reading?.decodes ?? false }
        searches = byText.values.compactMap { groups in
            ProductSearch(everyTextOf: groups, piece: .path, limits: limits).map {
                ($0, Set(groups.flatMap { group in group.automaton.states.map(\.tag) }))
            }
        }
    }

    /// The few of `candidates` that together match every path of `rule`; nil where there are none, or nobody knows.
    mutating func covering(of rule: Int, by candidates: [Int]) -> [Int]? {
        guard !candidates.isEmpty, let (search, tags) = searches.first(where: { $0.tags.contains(rule) }) else {
            return nil
        }
        let allowed = tags.intersection(candidates)
        guard !allowed.isEmpty else { return nil }
        var coverings: Set<[Int]> = []
        let outcome = search.run(stepsLeft: &stepsLeft) { states in
            !zip(search.recognizers, states).contains { $0.isAlive(rule, $1) }
        } visit: { states, _ in
            let matching = Self.tags(search, states)
            guard matching.contains(rule) else { return false }
            let covering = matching.filter(allowed.contains)
            coverings.insert(covering)
            return covering.isEmpty
        }
        guard outcome == .finished, !coverings.isEmpty else { return nil }
        return Self.smallHittingSet(coverings)
    }

    /// Whether no path matches both `rule` and one of `others`.
    mutating func isDisjoint(_ rule: Int, from others: [Int]) -> Bool {
        if others.isEmpty { return true }
        guard let (search, tags) = searches.first(where: { $0.tags.contains(rule) }), tags.isSuperset(of: others) else {
            return false
        }
        let wanted = Set(others)
        let outcome = search.run(stepsLeft: &stepsLeft) { states in
            !zip(search.recognizers, states).contains { $0.isAlive(rule, $1) }
        } visit: { states, _ in
            let matching = Self.tags(search, states)
            return matching.contains(rule) && matching.contains(where: wanted.contains)
        }
        return outcome == .finished
    }

    private static func tags(_ search: ProductSearch, _ states: [Int]) -> [Int] {
        zip(search.recognizers, states).flatMap { $0.tags($1) }
    }

    /// One rule that is in every set if there is one, else a small choice that meets each set.
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
