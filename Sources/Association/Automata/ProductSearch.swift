// Runs several recognizers side by side over all texts, shortest first. Each combination of their states is visited
// once, with the shortest text that leads there; that is how inclusion, disjointness and witnesses are found.

/// A breadth-first search over the texts of one piece of a URL.
struct ProductSearch {
    enum Outcome: Hashable { case finished, stopped, outOfSteps }

    /// Which texts are looked at.
    enum Texts {
        /// All.
        case all
        /// Paths: empty, or beginning with a slash.
        case paths
        /// Paths as people write them: beginning with a slash and with no empty segment but the last.
        case ordinaryPaths
    }

    /// Patterns that read the text through the same lens.
    struct Group {
        var automaton: PatternAutomaton
        var lens: Lens
        var normalisesSlashes: Bool
    }

    let recognizers: [Recognizer]
    private let letters: [Letter]
    private let texts: Texts
    private let limits: AutomatonLimits

    /// Nil where the patterns are too large to run.
    init?(_ groups: [Group], letters: [Letter], texts: Texts, limits: AutomatonLimits) {
        guard !groups.contains(where: \.automaton.isTooLarge) else { return nil }
        let distinct = Self.distinctLetters(letters, for: groups)
        self.letters = distinct
        self.texts = texts
        self.limits = limits
        recognizers = groups.map {
            Recognizer($0.automaton, lens: $0.lens, normalisesSlashes: $0.normalisesSlashes, letters: distinct)
        }
    }

    /// Visits every reachable combination of states until `visit` returns true; it is given the states and the way to
    /// spell the text. Nothing is looked for beyond combinations that are `isHopeless`.
    func run(
        stepsLeft: inout Int, isHopeless: ([Int]) -> Bool, visit: ([Int], () -> [UInt8]) -> Bool
    ) -> Outcome {
        // The last component says what the texts allow next: 0 at the start, 1 after a slash, 2 otherwise.
        var nodes: [(states: [Int], parent: Int, letter: Int)] = []
        var known: Set<[Int]> = []
        let first = recognizers.map(\.start) + [0]
        nodes.append((first, -1, -1))
        known.insert(first)
        var index = 0
        while index < nodes.count {
            let states = nodes[index].states
            let isText = !(texts == .ordinaryPaths && index == 0)
            if isText, visit(Array(states.dropLast()), { spell(nodes, index) }) { return .stopped }
            if isHopeless(Array(states.dropLast())) {
                index += 1
                continue
            }
            for letter in letters.indices where allows(letters[letter], after: states.last ?? 0) {
                stepsLeft -= 1
                guard stepsLeft >= 0, nodes.count < limits.productStatesMax else { return .outOfSteps }
                var next = states
                for (position, recognizer) in recognizers.enumerated() {
                    next[position] = recognizer.step(states[position], letter)
                }
                next[next.count - 1] = texts == .all ? 0 : letters[letter].isSlash ? 1 : 2
                if texts == .paths { next[next.count - 1] = 2 }
                if known.insert(next).inserted { nodes.append((next, index, letter)) }
            }
            index += 1
        }
        return .finished
    }

    private func allows(_ letter: Letter, after place: Int) -> Bool {
        switch texts {
        case .all: true
        case .paths: place != 0 || letter.isSlash
        case .ordinaryPaths: place == 0 ? letter.isSlash : place == 2 || !letter.isSlash
        }
    }

    private func spell(_ nodes: [(states: [Int], parent: Int, letter: Int)], _ index: Int) -> [UInt8] {
        var path: [Int] = []
        var current = index
        while nodes[current].parent >= 0 {
            path.append(nodes[current].letter)
            current = nodes[current].parent
        }
        return path.reversed().flatMap { letters[$0].spelling }
    }

    /// One letter for each way in which letters can differ to the patterns.
    private static func distinctLetters(_ letters: [Letter], for groups: [Group]) -> [Letter] {
        let sets = groups.map { group in
            group.automaton.symbolSets
                + (group.normalisesSlashes ? [.one(UInt32(UInt8(ascii: "/"))), .one(UInt32(UInt8(ascii: "*")))] : [])
        }
        var classes: [[UInt32: Int]] = groups.map { _ in [:] }
        var numbers: [[[Bool]: Int]] = groups.map { _ in [:] }
        func classNumber(_ group: Int, _ symbol: UInt32) -> Int {
            if let known = classes[group][symbol] { return known }
            let membership = sets[group].map { $0.contains(symbol) }
            let number = numbers[group][membership] ?? numbers[group].count
            numbers[group][membership] = number
            classes[group][symbol] = number
            return number
        }
        var seen: Set<[Int]> = []
        return letters.filter { letter in
            var signature = [letter.isSlash ? 1 : 0]
            for group in groups.indices {
                signature += groups[group].lens.symbols(of: letter).map { classNumber(group, $0) } + [-1]
            }
            return seen.insert(signature).inserted
        }
    }
}
