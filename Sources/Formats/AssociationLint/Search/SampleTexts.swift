// Short texts that distinguish a few patterns: for each set of patterns that match the same text, the shortest text of
// ordinary letters that exactly these patterns match.

import Association
import SourceJSON

/// Makes texts that distinguish patterns.
enum SampleTexts {
    /// The texts, shortest first. If a limit is reached, some are missing, and they are not complete.
    static func distinguishing(
        _ patterns: [WrittenPattern], in piece: Piece, stepsLeft: inout Int,
        _ limits: AutomatonLimits
    ) -> (texts: [String], isComplete: Bool) {
        let patterns = distinct(patterns)
        guard !patterns.isEmpty else { return ([], true) }
        var isComplete = patterns.count < patternsMax
        let groups = patterns.enumerated().map { index, entry in
            var automaton = PatternAutomaton(statesMax: limits.patternStatesMax)
            entry.pattern.add(to: &automaton, tag: index)
            return ProductSearch.Group(automaton: automaton, lens: entry.pattern.lens, piece: piece)
        }
        var seen: Set<[Bool]> = []
        var texts: [String] = []
        // Plain letters first, so that an escape appears only if it makes a difference.
        for isPlain in [true, false] {
            guard let search = ProductSearch(plain: isPlain, groups, piece: piece, patterns.map(\.written), limits)
            else { return (texts, false) }
            let outcome = search.run(stepsLeft: &stepsLeft) { states in
                patterns.indices.allSatisfy { search.recognizers[$0].aliveTags(states[$0]).isEmpty }
            } visit: { states, spell in
                let matching = patterns.indices.map { !search.recognizers[$0].tags(states[$0]).isEmpty }
                if seen.insert(matching).inserted { texts.append(String(decoding: spell(), as: UTF8.self)) }
                return texts.count >= textsMax
            }
            if outcome != .finished { isComplete = false }
        }
        return (texts, isComplete)
    }

    /// More texts are rarely needed, and their combinations would be too many to try.
    private static let textsMax = 64
    /// Each pattern has its own automaton, and every letter is tried with each.
    private static let patternsMax = 64

    /// The first patterns, each once. Variables with the same name may have different values in two lists.
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

/// A pattern with its text, and its list.
struct WrittenPattern {
    var pattern: ReadPattern
    var written: String
    var list = 0
}

extension ProductSearch {
    /// A search over the texts of usual URLs.
    /// - Parameter plain: only those of letters that need no escape.
    init?(plain: Bool, _ groups: [Group], piece: Piece, _ patterns: [String], _ limits: AutomatonLimits) {
        let mentioned = groups.reduce(into: Set<UInt32>()) { $0.formUnion($1.automaton.symbols.all) }
        let letters =
            plain
            ? Alphabet.plainLetters(of: piece)
            : Alphabet.ordinaryLetters(of: piece, mentioned: mentioned, patterns: patterns)
        self.init(groups, letters: letters, texts: piece == .path ? .ordinaryPaths : .all, limits: limits)
    }
}
