// The rules of an app file in another dialect, with the way back: which line of `links` each came from, and which lines
// did not make it.

/// A translated list of rules.
struct TranslatedList<Rule: Sendable>: Sendable {
    var rules: [Rule] = []
    /// For each rule, the index of the link it was made from; -1 for one that stands for the end of the list.
    var origins: [Int] = []
    /// The links that are left out, and why.
    var obstacles: [Int: String] = [:]

    /// Every phone works through the list for every link.
    static var rulesMax: Int { 10_000 }

    mutating func append(_ translation: RuleTranslation<Rule>, of link: Int) {
        guard rules.count + translation.rules.count <= Self.rulesMax else {
            obstacles[link] = "a list of more than \(Self.rulesMax) rules"
            return
        }
        rules += translation.rules
        origins += Array(repeating: link, count: translation.rules.count)
        if let obstacle = translation.obstacle { obstacles[link] = obstacle }
    }

    /// The rules that were made from a link; they stand together.
    func rules(of link: Int) -> ArraySlice<Rule> {
        // The origins ascend, so both ends are found by halving.
        let start = firstIndex { $0 >= link }
        return rules[start..<firstIndex { $0 > link }]
    }

    private func firstIndex(where isPast: (Int) -> Bool) -> Int {
        var low = 0
        var high = origins.count
        while low < high {
            let middle = (low + high) / 2
            if isPast(origins[middle]) { high = middle } else { low = middle + 1 }
        }
        return low
    }
}
