// Two lists whose paths run side by side. Which rules take part depends on the query and fragment; the automata are the
// same for all of them and are built once.

/// The paths of two lists as one search.
struct ListPair {
    let search: ProductSearch
    private let lists: [RuleList]
    /// Which recognizers belong to the first list, and which to the second.
    private let ranges: [Range<Int>]

    init?(_ first: RuleList, _ second: RuleList, _ searched: SearchedTexts, _ limits: AutomatonLimits) {
        let firstGroups = first.pathGroups(limits)
        let groups = firstGroups + second.pathGroups(limits)
        lists = [first, second]
        ranges = [0..<firstGroups.count, firstGroups.count..<groups.count]
        let patterns = first.pathPatterns + second.pathPatterns
        guard let search = ProductSearch(searched, groups, piece: .path, patterns, limits) else { return nil }
        self.search = search
    }

    /// The rules of each list that hold for the URL's query and fragment.
    func activeRules(_ url: LinkURL) -> [[Int]] {
        lists.map { list in (0..<list.count).filter { list.holdsBesidesPath($0, url) } }
    }

    /// Whether the first active rule that matches opens the app.
    func opens(_ list: Int, _ states: [Int], _ active: [[Int]]) -> Bool {
        let matching = ranges[list].flatMap { search.recognizers[$0].tags(states[$0]) }
        let first = matching.filter(active[list].contains).min()
        return first.map(lists[list].opens) ?? false
    }

    /// Nothing that begins like this can open either app.
    func isHopeless(_ states: [Int], _ active: [[Int]]) -> Bool {
        ranges.indices.allSatisfy { list in
            !ranges[list].contains { position in
                search.recognizers[position].aliveTags(states[position]).contains { rule in
                    lists[list].opens(rule) && active[list].contains(rule)
                }
            }
        }
    }
}
