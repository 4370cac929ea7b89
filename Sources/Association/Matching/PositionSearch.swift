// Matches a pattern by carrying the set of all positions it can have reached, one bit for each, through its elements.
// A step costs text/64 words whatever the pattern, so no pattern makes it exponential, and a limit on steps bounds
// what many variables with many values can ask for.

/// One run of a pattern over one text.
struct PositionSearch {
    /// Words touched and trie edges followed, at most: well under 50 ms of work.
    static let stepsMax = 1 << 24

    private let text: [UInt8]
    private let wordCount: Int
    /// The positions at which a scalar begins, and the end; nil when that is every position.
    private let starts: [UInt64]?
    /// Every position but the end.
    private var inside: [UInt64] = []
    /// The positions of a byte, made when it is first asked for.
    private var masks: [UInt8: [UInt64]] = [:]
    private var setMasks: [ByteSet: [UInt64]] = [:]
    private var stepsLeft: Int

    /// Whether all of `text` matches, or nil where the limit left that open.
    static func test(_ elements: [GlobElement], in text: [UInt8], stepsMax: Int = stepsMax) -> Bool? {
        var search = PositionSearch(text, stepsMax)
        var start = [UInt64](repeating: 0, count: search.wordCount)
        start[0] = 1
        let reached = search.run(elements, from: start)
        if search.stepsLeft < 0 { return nil }
        return reached[text.count >> 6] >> UInt64(text.count & 63) & 1 == 1
    }

    private init(_ text: [UInt8], _ stepsMax: Int) {
        self.text = text
        stepsLeft = stepsMax
        wordCount = text.count / 64 + 1
        if text.allSatisfy({ $0 < 0x80 }) {
            starts = nil
        } else {
            var bits = [UInt64](repeating: 0, count: wordCount)
            for index in 0...text.count where index == text.count || !UTF8Scalar.isContinuation(text[index]) {
                bits[index >> 6] |= 1 << UInt64(index & 63)
            }
            starts = bits
        }
    }

    private mutating func run(_ elements: [GlobElement], from start: [UInt64]) -> [UInt64] {
        var current = start
        for element in elements {
            guard stepsLeft >= 0, let lowest = current.firstIndex(where: { $0 != 0 }) else { return current }
            switch element {
            case .literal(let bytes):
                if let reached = advanceSingly(current, over: bytes) {
                    current = reached
                } else {
                    for byte in bytes where !advance(&current, over: byte) { return current }
                }
            case .any: advanceOverScalar(&current)
            case .star: spread(&current, from: lowest)
            case .oneOf(let set): advance(&current, over: set)
            case .choice(let choice): current = follow(choice, from: current)
            case .never: current = empty
            }
        }
        return current
    }

    private var empty: [UInt64] { [UInt64](repeating: 0, count: wordCount) }

    /// The usual case, few positions: each is compared on its own. Nil where there are many.
    private mutating func advanceSingly(_ current: [UInt64], over bytes: [UInt8]) -> [UInt64]? {
        var reached = empty
        var left = 4
        for word in current.indices {
            var bits = current[word]
            while bits != 0 {
                left -= 1
                guard left >= 0 else { return nil }
                let start = word * 64 + bits.trailingZeroBitCount
                bits &= bits - 1
                let end = start + bytes.count
                guard end <= text.count, text[start..<end].elementsEqual(bytes) else { continue }
                reached[end >> 6] |= 1 << UInt64(end & 63)
            }
        }
        stepsLeft -= wordCount + bytes.count
        return reached
    }

    /// Returns false when no position is left.
    private mutating func advance(_ current: inout [UInt64], over byte: UInt8) -> Bool {
        stepsLeft -= wordCount
        let mask = masks[byte] ?? mask { $0 == byte }
        masks[byte] = mask
        return Self.shift(&current, keeping: mask)
    }

    private mutating func advance(_ current: inout [UInt64], over set: ByteSet) {
        stepsLeft -= wordCount
        let mask = setMasks[set] ?? mask(where: set.contains)
        setMasks[set] = mask
        _ = Self.shift(&current, keeping: mask)
    }

    private mutating func advanceOverScalar(_ current: inout [UInt64]) {
        stepsLeft -= 4 * wordCount
        if inside.isEmpty { inside = mask { _ in true } }
        _ = Self.shift(&current, keeping: inside)
        guard let starts else { return }
        // A scalar has up to three more bytes: what has not arrived at a start goes on.
        var arrived = empty
        for _ in 0..<4 {
            for word in 0..<wordCount {
                arrived[word] |= current[word] & starts[word]
                current[word] &= ~starts[word]
            }
            _ = Self.shift(&current, keeping: inside)
        }
        current = arrived
    }

    /// Every start from the lowest position on.
    private mutating func spread(_ current: inout [UInt64], from lowest: Int) {
        stepsLeft -= wordCount
        let bit = UInt64(current[lowest].trailingZeroBitCount)
        for word in lowest..<wordCount {
            let all = starts?[word] ?? .max
            current[word] = word == lowest ? all & (.max << bit) : all
        }
        let unused = text.count & 63
        if unused < 63 { current[wordCount - 1] &= (1 << UInt64(unused + 1)) - 1 }
    }

    private mutating func follow(_ choice: GlobChoice, from current: [UInt64]) -> [UInt64] {
        var reached = empty
        for word in 0..<wordCount where !choice.plain.isEmpty {
            var bits = current[word]
            while bits != 0, stepsLeft >= 0 {
                let position = word * 64 + bits.trailingZeroBitCount
                bits &= bits - 1
                stepsLeft -= choice.plain.forEachEnd(in: text, from: position) { end in
                    reached[end >> 6] |= 1 << UInt64(end & 63)
                }
            }
        }
        for pattern in choice.patterns {
            guard stepsLeft >= 0 else { break }
            let ends = run(pattern, from: current)
            stepsLeft -= wordCount
            for word in 0..<wordCount { reached[word] |= ends[word] }
        }
        return reached
    }

    /// The positions whose byte satisfies `condition`.
    private func mask(where condition: (UInt8) -> Bool) -> [UInt64] {
        var bits = empty
        for (index, byte) in text.enumerated() where condition(byte) { bits[index >> 6] |= 1 << UInt64(index & 63) }
        return bits
    }

    /// Keeps the positions in `mask` and moves each by one byte.
    private static func shift(_ current: inout [UInt64], keeping mask: [UInt64]) -> Bool {
        var carry: UInt64 = 0
        var any: UInt64 = 0
        for word in current.indices {
            let kept = current[word] & mask[word]
            current[word] = kept << 1 | carry
            carry = kept >> 63
            any |= current[word]
        }
        return any != 0
    }
}
