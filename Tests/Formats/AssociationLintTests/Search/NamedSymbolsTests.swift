// Two symbols have the same number if and only if each inserted set contains both or neither.

import Testing

@testable import Association
@testable import AssociationLint

struct NamedSymbolsTests {
    private static let sets: [SymbolSet] = [
        .one(0x61), .anyBut(0x2F), .any, .ascii(ByteSet("0123456789".utf8)), .ascii(ByteSet("abcdef0123456789".utf8)),
        .one(0xE9), .anyBut(0x1F600), .one(0x39),
    ]

    @Test(arguments: 0...sets.count)
    func `numbers symbols by the sets they are in`(count: Int) {
        let sets = Self.sets.prefix(count)
        var symbols = NamedSymbols()
        for set in sets { symbols.insert(set) }
        let all = Array(0..<0x100) + [0x1F600, 0x1F601] as [UInt32]
        for one in all {
            for other in all {
                let isDistinguished = sets.contains { $0.contains(one) != $0.contains(other) }
                if isDistinguished != (symbols.number(of: one) != symbols.number(of: other)) {
                    Issue.record("\(one) and \(other)")
                }
            }
        }
        let named = sets.flatMap { set -> [UInt32] in
            switch set {
            case .one(let value), .anyBut(let value): [value]
            case .any: []
            case .ascii(let set): set.members.map(UInt32.init)
            }
        }
        #expect(symbols.all == Set(named))
    }
}
