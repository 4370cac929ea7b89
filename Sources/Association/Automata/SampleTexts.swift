// Short texts that tell a few patterns apart: for each combination of "matches" and "does not" that some text shows,
// the shortest such text of ordinary letters.

/// Texts by what patterns make of them.
enum SampleTexts {
    /// The texts, shortest first. Past the limits the rest is missing.
    static func telling(
        _ patterns: [(pattern: ReadPattern, written: String)], apart piece: Piece, stepsLeft: inout Int,
        _ limits: AutomatonLimits
    ) -> [String] {
        guard !patterns.isEmpty else { return [] }
        let groups = patterns.enumerated().map { index, entry in
            var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
            entry.pattern.add(to: &automaton, tag: index)
            return ProductSearch.Group(automaton: automaton, lens: entry.pattern.lens, piece: piece)
        }
        var seen: Set<[Bool]> = []
        var texts: [String] = []
        // Plain letters first: an escape only where it makes a difference.
        for letters in OrdinaryLetters.allCases {
            guard
                let search = ProductSearch(
                    ordinary: groups, piece: piece, patterns.map(\.written), letters, limits)
            else { return texts }
            _ = search.run(stepsLeft: &stepsLeft) { states in
                patterns.indices.allSatisfy { search.recognizers[$0].aliveTags(states[$0]).isEmpty }
            } visit: { states, spell in
                let matching = patterns.indices.map { !search.recognizers[$0].tags(states[$0]).isEmpty }
                if seen.insert(matching).inserted { texts.append(String(decoding: spell(), as: UTF8.self)) }
                return texts.count >= textsMax
            }
        }
        return texts
    }

    /// Patterns that can be told apart in more ways are rare, and their combinations would be too many to try.
    private static let textsMax = 64
}

/// Which of the ordinary letters to search with.
enum OrdinaryLetters: CaseIterable {
    case plain, all
}

extension ProductSearch {
    /// A search over ordinary texts only, so that what it finds can stand in a URL.
    init?(
        ordinary groups: [Group], piece: Piece, _ patterns: [String], _ ordinary: OrdinaryLetters,
        _ limits: AutomatonLimits
    ) {
        let letters: [Letter]
        switch ordinary {
        case .plain: letters = Alphabet.plainLetters(of: piece)
        case .all:
            let mentioned = Set(groups.flatMap { $0.automaton.symbolSets.flatMap(\.mentioned) })
            letters = Alphabet.ordinaryLetters(of: piece, mentioned: mentioned, patterns: patterns)
        }
        let isPath = if case .path = piece { true } else { false }
        self.init(groups, letters: letters, texts: isPath ? .ordinaryPaths : .all, limits: limits)
    }
}
