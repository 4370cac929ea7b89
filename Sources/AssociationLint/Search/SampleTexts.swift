// Short texts that tell a few patterns apart: for each combination of "matches" and "does not" that some text shows,
// the shortest such text of ordinary letters.

import Association
import SourceJSON

/// Texts by what patterns make of them.
enum SampleTexts {
    /// The texts, shortest first. Past the limits the rest is missing.
    static func telling(
        _ patterns: [WrittenPattern], apart piece: Piece, stepsLeft: inout Int,
        _ limits: AutomatonLimits
    ) -> [String] {
        let patterns = distinct(patterns)
        guard !patterns.isEmpty else { return [] }
        let groups = patterns.enumerated().map { index, entry in
            var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
            entry.pattern.add(to: &automaton, tag: index)
            return ProductSearch.Group(automaton: automaton, lens: entry.pattern.lens, piece: piece)
        }
        var seen: Set<[Bool]> = []
        var texts: [String] = []
        // Plain letters first: an escape only where it makes a difference.
        for searched in SearchedTexts.ordinary {
            guard
                let search = ProductSearch(searched, groups, piece: piece, patterns.map(\.written), limits)
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
    /// Each pattern is an automaton of its own, and every letter is tried on each.
    private static let patternsMax = 64

    /// The first patterns, each once; the values of a variable may differ from list to list.
    private static func distinct(_ patterns: [WrittenPattern]) -> [WrittenPattern] {
        struct Key: Hashable {
            var written: ExactText
            var lens: Lens
            var list: Int
        }
        var seen: Set<Key> = []
        var distinct: [WrittenPattern] = []
        for entry in patterns where distinct.count < patternsMax {
            let list = entry.written.contains(run: "$(") ? entry.list : 0
            let key = Key(written: ExactText(entry.written), lens: entry.pattern.lens, list: list)
            if seen.insert(key).inserted { distinct.append(entry) }
        }
        return distinct
    }
}

/// A pattern with the way it was written, and the list it is of.
struct WrittenPattern {
    var pattern: ReadPattern
    var written: String
    var list = 0
}

/// Which texts to search.
enum SearchedTexts: Hashable {
    /// Ordinary ones, of letters that need no escape.
    case plain
    /// Ordinary ones of all letters.
    case all

    static let ordinary: [SearchedTexts] = [.plain, .all]
}

extension ProductSearch {
    /// A search over texts that can stand in a URL.
    init?(
        _ searched: SearchedTexts, _ groups: [Group], piece: Piece, _ patterns: [String], _ limits: AutomatonLimits
    ) {
        let isPath = if case .path = piece { true } else { false }
        let texts: Texts = isPath ? .ordinaryPaths : .all
        guard searched != .plain else {
            self.init(groups, letters: Alphabet.plainLetters(of: piece), texts: texts, limits: limits)
            return
        }
        let mentioned = groups.reduce(into: Set<UInt32>()) { $0.formUnion($1.automaton.symbols.all) }
        let letters = Alphabet.ordinaryLetters(of: piece, mentioned: mentioned, patterns: patterns)
        self.init(groups, letters: letters, texts: texts, limits: limits)
    }
}
