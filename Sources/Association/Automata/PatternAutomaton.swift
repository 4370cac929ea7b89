// Patterns as one nondeterministic automaton. Several patterns live side by side in it, each under a tag (the index of
// its rule), so that one run over a text tells which of them match.

/// A nondeterministic automaton over symbols, with tagged ends.
struct PatternAutomaton {
    struct State {
        var edges: [(set: SymbolSet, target: Int)] = []
        /// Reached without consuming anything.
        var jumps: [Int] = []
        /// The pattern this state belongs to.
        var tag: Int
        var accepts = false

        /// An accepting state that loops on everything: a closing star.
        func matchesWhateverFollows(itself: Int) -> Bool {
            accepts && edges.contains { $0.set == .any && $0.target == itself }
        }
    }

    private(set) var states: [State] = []
    private(set) var starts: [Int] = []
    /// What its edges name.
    private(set) var symbols = NamedSymbols()
    /// It grew past the limit; what is in it is not to be used.
    private(set) var isTooLarge = false
    private let statesMax: Int

    init(statesMax: Int) { self.statesMax = statesMax }

    /// Adds an Apple pattern.
    mutating func add(_ pattern: GlobPattern, tag: Int) {
        let start = newState(tag)
        starts.append(start)
        let end = append(pattern.elements, after: start)
        states[end].accepts = true
    }

    /// Adds a pattern that every text matches.
    mutating func addEverything(tag: Int) {
        let start = newState(tag)
        starts.append(start)
        connect(start, .any, start)
        states[start].accepts = true
    }

    /// Adds an Android pattern. Its star needs no second try: it loops on everything but the character it looks for.
    mutating func add(_ glob: AndroidGlob, tag: Int) {
        var current = newState(tag)
        starts.append(current)
        for step in glob.steps {
            switch step {
            case .unit(let unit): current = appendEdge(.one(UInt32(unit)), after: current)
            case .any: current = appendEdge(.any, after: current)
            case .through(let unit):
                connect(current, .anyBut(UInt32(unit)), current)
                current = appendEdge(.one(UInt32(unit)), after: current)
            case .run(let unit): connect(current, .one(UInt32(unit)), current)
            case .rest: connect(current, .any, current)
            }
            if isTooLarge { return }
        }
        states[current].accepts = true
    }

    private mutating func newState(_ tag: Int) -> Int {
        states.append(State(tag: tag))
        if states.count > statesMax { isTooLarge = true }
        return states.count - 1
    }

    private mutating func appendEdge(_ set: SymbolSet, after state: Int) -> Int {
        let next = newState(states[state].tag)
        connect(state, set, next)
        return next
    }

    private mutating func connect(_ state: Int, _ set: SymbolSet, _ target: Int) {
        states[state].edges.append((set, target))
        symbols.insert(set)
    }

    private mutating func append(_ elements: [GlobElement], after start: Int) -> Int {
        var current = start
        for element in elements {
            if isTooLarge { return current }
            switch element {
            case .literal(let bytes): current = append(Self.symbols(bytes), after: current)
            case .any: current = appendEdge(.any, after: current)
            case .star:
                // A state of its own, or the loop would also serve what jumps to the state before it.
                let loop = newState(states[current].tag)
                states[current].jumps.append(loop)
                connect(loop, .any, loop)
                current = loop
            case .oneOf(let set): current = appendEdge(.ascii(set), after: current)
            case .choice(let choice): current = append(choice, after: current)
            case .never: current = newState(states[current].tag)
            }
        }
        return current
    }

    private mutating func append(_ symbols: [UInt32], after start: Int) -> Int {
        var current = start
        for symbol in symbols where !isTooLarge { current = appendEdge(.one(symbol), after: current) }
        return current
    }

    /// Plain values share their beginnings, as they do in the trie.
    private mutating func append(_ choice: GlobChoice, after start: Int) -> Int {
        let root = newState(states[start].tag)
        let end = newState(states[start].tag)
        states[start].jumps.append(root)
        for string in choice.plain.strings {
            var current = root
            for symbol in Self.symbols(string) where !isTooLarge {
                let shared = states[current].edges.first { $0.set == .one(symbol) }
                current = shared?.target ?? appendEdge(.one(symbol), after: current)
            }
            states[current].jumps.append(end)
        }
        for pattern in choice.patterns where !isTooLarge {
            let branch = newState(states[start].tag)
            states[start].jumps.append(branch)
            let last = append(pattern, after: branch)
            states[last].jumps.append(end)
        }
        return end
    }

    private static func symbols(_ bytes: [UInt8]) -> [UInt32] {
        // A variable has hundreds of values, and nearly all of them are ASCII.
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map(UInt32.init) }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
    }
}
