// Bytes of a fuzzer as choices: numbers, and the rest as a text. The same bytes always give the same choices, so that
// what was found can be found again.

/// Takes choices from the front of some bytes. When they are used up, every choice is the first.
struct Choices {
    private(set) var rest: ArraySlice<UInt8>

    init(_ bytes: [UInt8]) { rest = bytes[...] }

    /// A number from 0 up to, not including, `count`.
    mutating func number(below count: Int) -> Int {
        var number = 0
        for _ in 0..<(count > 256 ? 2 : 1) { number = number << 8 | Int(rest.popFirst() ?? 0) }
        return number % count
    }

    mutating func isTrue() -> Bool { number(below: 2) == 1 }

    /// The bytes up to the next zero byte, which is taken too.
    mutating func text() -> [UInt8] {
        let text = rest.prefix { $0 != 0 }
        rest = rest.dropFirst(text.count + 1)
        return Array(text)
    }
}
