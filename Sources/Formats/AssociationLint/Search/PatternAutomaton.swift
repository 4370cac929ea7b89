// Several patterns as one nondeterministic automaton. Each pattern has a tag (the index of its rule), so one run over a text
// shows which patterns match.

import Association

/// A nondeterministic automaton over symbols, with tagged ends.
struct PatternAutomaton {
    struct State {
        var edges: [(set: SymbolSet, target: Int)] = []
        /// States that are reached without reading a symbol.
        var jumps: [Int] = []
        /// The pattern this state belongs to.
        var tag: Int
        var accepts = false

        /// Whether it is an accepting state with a loop on every symbol, as for a star at the end.
        func matchesWhateverFollows(itself: Int) -> Bool {
            accepts && edges.contains { $0.set == .any && $0.target == itself }
        }
    }

    private(set) var states: [State] = []
    private(set) var starts: [Int] = []
    private(set) var symbols = NamedSymbols()
    /// Whether it exceeds the limit. It is incomplete then and must not be used.
    private(set) var isTooLarge = false
    private let statesMax: Int

    init(statesMax: Int) { self.statesMax = statesMax }

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

    /// Adds an Android pattern. Its star does not backtrack: it loops on every character except the one after it.
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
                // A new state, because other edges may lead to the current state, and the loop must not apply to them.
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

    /// Plain values share their beginnings, as in the trie.
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
        // A variable may have hundreds of values, and almost all are ASCII.
        if bytes.allSatisfy({ $0 < 0x80 }) { return bytes.map(UInt32.init) }
        return String(decoding: bytes, as: UTF8.self).unicodeScalars.map(\.value)
    }
}

/// The symbols that one edge accepts.
enum SymbolSet: Hashable, Sendable {
    case one(UInt32)
    case any
    case ascii(ByteSet)
    case anyBut(UInt32)

    func contains(_ symbol: UInt32) -> Bool {
        switch self {
        case .one(let value): symbol == value
        case .any: true
        case .ascii(let set): symbol < 0x80 && set.contains(UInt8(symbol))
        case .anyBut(let value): symbol != value
        }
    }
}

/// The symbols that an automaton distinguishes from others.
struct NamedSymbols {
    private var ascii = ByteSet([])
    private var others: Set<UInt32> = []
    /// The character classes on edges. There are only a few.
    private var classes: [ByteSet] = []

    mutating func insert(_ set: SymbolSet) {
        switch set {
        case .one(let value), .anyBut(let value): insert(value)
        case .any: break
        case .ascii(let set): if !classes.contains(set) { classes.append(set) }
        }
    }

    mutating func insert(_ symbol: UInt32) {
        if symbol < 0x80 { ascii.insert(UInt8(symbol)) } else { others.insert(symbol) }
    }

    /// A number that is equal for all symbols that the automaton does not distinguish.
    func number(of symbol: UInt32) -> Int {
        let isNamed = symbol < 0x80 ? ascii.contains(UInt8(symbol)) : others.contains(symbol)
        if isNamed { return Int(symbol) << 1 | 1 }
        guard symbol < 0x80 else { return 0 }
        return classes.reduce(0) { $0 << 1 | ($1.contains(UInt8(symbol)) ? 1 : 0) } << 1
    }

    /// The symbols, including those in classes.
    var all: Set<UInt32> {
        others.union((classes + [ascii]).flatMap(\.members).map(UInt32.init))
    }
}
