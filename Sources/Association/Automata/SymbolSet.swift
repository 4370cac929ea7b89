// Sets of symbols on the edges of automata. A symbol is what a pattern compares one at a time: an ASCII character, a
// scalar or a UTF-16 unit.

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

    /// The symbols it tells apart from others.
    var mentioned: [UInt32] {
        switch self {
        case .one(let value), .anyBut(let value): [value]
        case .any: []
        case .ascii(let set): set.members.map(UInt32.init)
        }
    }
}
