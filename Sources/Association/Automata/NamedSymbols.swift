// Which symbols the edges of an automaton name. Two symbols that none of them names, and that lie in the same classes of
// ASCII, are one and the same to it. Kept while the automaton grows: it may have thousands of edges, and is asked often.

/// The symbols that an automaton can tell from others.
struct NamedSymbols {
    private var ascii = ByteSet([])
    private var others: Set<UInt32> = []
    /// The classes that edges carry; there are few kinds of them.
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

    /// A number for all symbols that the automaton does not tell apart.
    func number(of symbol: UInt32) -> Int {
        let isNamed = symbol < 0x80 ? ascii.contains(UInt8(symbol)) : others.contains(symbol)
        if isNamed { return Int(symbol) << 1 | 1 }
        guard symbol < 0x80 else { return 0 }
        return classes.reduce(0) { $0 << 1 | ($1.contains(UInt8(symbol)) ? 1 : 0) } << 1
    }

    /// The symbols themselves, those in classes included.
    var all: Set<UInt32> {
        others.union((classes + [ascii]).flatMap(\.members).map(UInt32.init))
    }
}
