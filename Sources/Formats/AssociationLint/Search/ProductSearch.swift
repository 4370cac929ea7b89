// Runs several recognizers in parallel over all texts, shortest first. Each combination of their states is visited once,
// with the shortest text that leads to it. This finds inclusion, disjointness and witnesses.

/// A breadth-first search over the texts of one piece of a URL.
struct ProductSearch {
    enum Outcome: Hashable { case finished, stopped, outOfSteps }

    enum Texts {
        case all
        /// Paths: empty, or beginning with a slash.
        case paths
        /// Usual paths: beginning with a slash, and with no empty segment except the last.
        case ordinaryPaths
    }

    /// Patterns that read the text in the same way.
    struct Group {
        var automaton: PatternAutomaton
        var lens: Lens
        var normalisesSlashes: Bool
    }

    let recognizers: [Recognizer]
    private let letters: [Letter]
    private let texts: Texts
    private let limits: AutomatonLimits

    /// Nil if the patterns are too large.
    init?(_ groups: [Group], letters: [Letter], texts: Texts, limits: AutomatonLimits) {
        guard !groups.contains(where: \.automaton.isTooLarge) else { return nil }
        let distinct = Self.distinctLetters(letters, for: groups)
        (self.letters, self.texts, self.limits) = (distinct, texts, limits)
        recognizers = groups.map {
            Recognizer($0.automaton, lens: $0.lens, normalisesSlashes: $0.normalisesSlashes, letters: distinct)
        }
    }

    /// Visits every reachable combination of states until `visit` returns true. Both closures get the states of the
    /// recognizers in order, followed by one value of the search itself. `visit` can also get the text. The search does not
    /// continue after a combination for which `isDeadEnd` is true.
    func run(stepsLeft: inout Int, isDeadEnd: ([Int]) -> Bool, visit: ([Int], () -> [UInt8]) -> Bool) -> Outcome {
        // The last value: 0 at the start, 1 after a slash, 2 otherwise.
        let place = recognizers.count
        var nodes = [Node(states: recognizers.map(\.start) + [0], parent: -1, letter: -1)]
        var known: Set<[Int]> = [nodes[0].states]
        var index = 0
        while index < nodes.count {
            let states = nodes[index].states
            if index > 0 || texts != .ordinaryPaths, visit(states, { spell(nodes, index) }) { return .stopped }
            defer { index += 1 }
            if isDeadEnd(states) { continue }
            for letter in letters.indices where allows(letters[letter], after: states[place]) {
                var next = states
                var work = 0
                for (position, recognizer) in recognizers.enumerated() {
                    next[position] = recognizer.step(states[position], letter, work: &work)
                }
                next[place] = nextPlace(after: letters[letter])
                stepsLeft -= work
                guard stepsLeft >= 0 else { return .outOfSteps }
                guard known.insert(next).inserted else { continue }
                guard nodes.count < limits.productStatesMax else { return .outOfSteps }
                nodes.append(Node(states: next, parent: index, letter: letter))
            }
        }
        return .finished
    }

    /// One combination, with the earlier one and the letter that lead to it.
    private struct Node {
        var states: [Int]
        var parent: Int
        var letter: Int
    }

    private func nextPlace(after letter: Letter) -> Int {
        switch texts {
        case .all: 0
        case .paths: 2
        case .ordinaryPaths: letter.isSlash ? 1 : 2
        }
    }

    private func allows(_ letter: Letter, after place: Int) -> Bool {
        switch texts {
        case .all: true
        case .paths: place != 0 || letter.isSlash
        case .ordinaryPaths:
            switch place {
            case 0: letter.isSlash
            case 1: !letter.isSlash
            default: true
            }
        }
    }

    private func spell(_ nodes: [Node], _ index: Int) -> [UInt8] {
        var path: [Int] = []
        var current = index
        while nodes[current].parent >= 0 {
            path.append(nodes[current].letter)
            current = nodes[current].parent
        }
        return path.reversed().flatMap { letters[$0].spelling }
    }

    /// One letter for each set of letters that the patterns do not distinguish.
    private static func distinctLetters(_ letters: [Letter], for groups: [Group]) -> [Letter] {
        let named = groups.map { group in
            var symbols = group.automaton.symbols
            for sign in "/*".utf8 where group.normalisesSlashes { symbols.insert(UInt32(sign)) }
            return symbols
        }
        var seen: Set<[Int]> = []
        return letters.filter { letter in
            var signature = [letter.isSlash ? 1 : 0]
            for group in groups.indices {
                for symbol in groups[group].lens.symbols(of: letter) {
                    signature.append(named[group].number(of: symbol))
                }
                signature.append(-1)
            }
            return seen.insert(signature).inserted
        }
    }
}
