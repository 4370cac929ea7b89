// Searches for URLs that two lists open or do not open as wanted, with each query case. It tries plain letters first, so that
// a witness has an escape only if it needs one. The matchers check what the automata find.

import Association

/// Whether the first and the second list open a URL.
struct Opening: Hashable {
    var first: Bool
    var second: Bool

    init(_ first: Bool, _ second: Bool) {
        (self.first, self.second) = (first, second)
    }

    static let onlyFirst = Opening(true, false)
    static let onlySecond = Opening(false, true)
}

/// A search for witnesses, at most one for each wanted opening.
struct WitnessSearch {
    let first: RuleList
    let second: RuleList
    let host: String
    let limits: AutomatonLimits
    let wanted: [Opening]
    private(set) var witnesses: [Opening: RuleWitness] = [:]

    /// Returns whether the search was complete: with each query case it has covered every ordinary path, so there are no
    /// other witnesses.
    /// - Parameter shared: query cases for several searches of the same lists, because making them takes time.
    mutating func run(in shared: [QueryCase]? = nil) -> Bool {
        var stepsLeft = limits.stepsMax
        let queryCases = shared ?? QueryCase.cases(for: [first, second], stepsLeft: &stepsLeft, limits).cases
        var isComplete = false
        for isPlain in [true, false] where witnesses.count < wanted.count {
            guard let pair = ParallelLists([first, second], plain: isPlain, limits) else { return false }
            isComplete = !isPlain
            var tried: Set<[[Bool]]> = []
            for queryCase in queryCases where witnesses.count < wanted.count {
                guard let url = LinkURL("https://\(host)/" + queryCase.suffix) else { continue }
                let active = pair.activeRules(url)
                guard tried.insert(active).inserted else { continue }
                if !search(pair, active, queryCase, &stepsLeft) { isComplete = false }
            }
        }
        return isComplete
    }

    /// Searches the paths with one query case. False if the search was not complete.
    private mutating func search(
        _ pair: ParallelLists, _ active: [[Bool]], _ queryCase: QueryCase, _ stepsLeft: inout Int
    ) -> Bool {
        var rejected = 0
        var found = witnesses
        let outcome = pair.search.run(stepsLeft: &stepsLeft) { states in
            pair.verdict(of: 0, states, active) == false && pair.verdict(of: 1, states, active) == false
        } visit: { states, spell in
            let opening = Opening(pair.opens(0, states, active), pair.opens(1, states, active))
            guard wanted.contains(opening), found[opening] == nil else { return false }
            let text = "https://\(host)" + String(decoding: spell(), as: UTF8.self) + queryCase.suffix
            if let witness = check(text, opening) { found[opening] = witness } else { rejected += 1 }
            return found.count == wanted.count || rejected >= limits.rejectedWitnessesMax
        }
        witnesses = found
        return outcome == .finished && rejected == 0
    }

    /// The witness, if the matchers agree, and the behaviour of AOSP and of Apple's systems is known for it.
    private func check(_ text: String, _ opening: Opening) -> RuleWitness? {
        guard let url = LinkURL(text), url.path.begins(with: "/"), let one = first.decide(url),
            let two = second.decide(url),
            one.opens == opening.first, two.opens == opening.second
        else { return nil }
        guard (first.unsettled(url) + second.unsettled(url)).allSatisfy(\.kind.isKnownOfAOSP) else { return nil }
        return RuleWitness(url: url, first: one, second: two)
    }
}
