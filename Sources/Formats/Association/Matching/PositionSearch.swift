// Matches a pattern with the set of all positions that its elements so far can reach, one bit for each. A step takes text/64
// words for any pattern, so no pattern makes it exponential. Between two stars only the lowest reachable position counts, because
// the star reaches all positions after it. A limit on steps bounds the work for variables with many values.

import SourceJSON

/// One run of a pattern over one text.
struct PositionSearch {
    /// The most words and trie edges that are visited: about 15 ms of work. Four times the need of a pattern of 4 KB without
    /// variables on a text of 64 KB.
    static let stepsMax = 1 << 23

    let text: [UInt8]
    let wordCount: Int
    /// The positions at which a scalar begins, and the end; nil if that is every position.
    private let starts: [UInt64]?
    /// Every position but the end.
    private var inside: [UInt64] = []
    /// The positions of a byte, made on first use.
    private var masks: [UInt8: [UInt64]] = [:]
    private var setMasks: [ByteSet: [UInt64]] = [:]
    /// By byte, whether it occurs in the text.
    private var present = [Bool](repeating: false, count: 256)
    private var stepsLeft: Int

    /// Whether all of `text` matches; nil if that takes more steps than the limit.
    static func test(_ elements: [GlobElement], in text: [UInt8], stepsMax: Int = stepsMax) -> Bool? {
        var search = PositionSearch(text, stepsMax)
        let isMatch = search.matches(elements)
        return search.stepsLeft < 0 ? nil : isMatch
    }

    private init(_ text: [UInt8], _ stepsMax: Int) {
        self.text = text
        stepsLeft = stepsMax
        wordCount = text.count / 64 + 1
        for byte in text { present[Int(byte)] = true }
        if !present[128...].contains(true) {
            starts = nil
        } else {
            var bits = [UInt64](repeating: 0, count: wordCount)
            for index in 0...text.count where index == text.count || !text[index].isContinuation {
                bits[index >> 6] |= 1 << UInt64(index & 63)
            }
            starts = bits
        }
    }

    private mutating func matches(_ elements: [GlobElement]) -> Bool {
        let pieces = elements.split(omittingEmptySubsequences: false, whereSeparator: \.isStar)
        var current = PositionSet(wordCount: wordCount)
        current.insert(0)
        run(pieces[0], from: &current)
        if pieces.count == 1 { return current.contains(text.count) }
        guard var lowest = current.first else { return false }
        for piece in pieces[1..<(pieces.count - 1)] where !piece.isEmpty {
            current.removeAll()
            current.insert(lowest...text.count, in: starts)
            run(piece, from: &current)
            guard stepsLeft >= 0, let end = current.first else { return false }
            lowest = end
        }
        current.removeAll()
        // The last piece has to end with the text, so it cannot begin earlier than its greatest length before the end.
        let length = pieces[pieces.count - 1].lengthMax
        current.insert(max(lowest, length.map { text.count - $0 } ?? 0)...text.count, in: starts)
        run(pieces[pieces.count - 1], from: &current)
        return current.contains(text.count)
    }

    private mutating func run(_ elements: some Collection<GlobElement>, from current: inout PositionSet) {
        for element in elements {
            guard stepsLeft >= 0, current.span > 0 else { return }
            switch element {
            case .literal(let bytes):
                for byte in bytes where current.span > 0 { advance(&current, over: byte) }
            case .any: advanceOverScalar(&current)
            case .star:
                guard let lowest = current.first else { return }
                stepsLeft -= wordCount - lowest >> 6
                current.insert(lowest...text.count, in: starts)
            case .oneOf(let set): advance(&current, over: set)
            case .choice(let choice): current = follow(choice, from: current)
            case .never: current.removeAll()
            }
        }
    }

    private mutating func advance(_ current: inout PositionSet, over byte: UInt8) {
        guard present[Int(byte)] else { return current.removeAll() }
        stepsLeft -= current.span + 1
        if masks[byte] == nil { masks[byte] = mask { $0 == byte } }
        if let mask = masks[byte] { current.shift(keeping: mask) }
    }

    private mutating func advance(_ current: inout PositionSet, over set: ByteSet) {
        stepsLeft -= current.span + 1
        if setMasks[set] == nil { setMasks[set] = mask(where: set.contains) }
        if let mask = setMasks[set] { current.shift(keeping: mask) }
    }

    private mutating func advanceOverScalar(_ current: inout PositionSet) {
        stepsLeft -= current.span + 1
        if inside.isEmpty { inside = mask { _ in true } }
        current.shift(keeping: inside)
        guard let starts else { return }
        // A scalar has up to three more bytes: positions that are not at a start yet move on.
        stepsLeft -= 8 * current.span
        var arrived = PositionSet(wordCount: wordCount)
        for _ in 0..<4 where current.span > 0 {
            arrived.formUnion(current.split(starts))
            current.shift(keeping: inside)
        }
        current = arrived
    }

    private mutating func follow(_ choice: GlobChoice, from current: PositionSet) -> PositionSet {
        var reached = PositionSet(wordCount: wordCount)
        if !choice.plain.isEmpty { follow(choice.plain, from: current, into: &reached) }
        for pattern in choice.patterns {
            guard stepsLeft >= 0 else { break }
            var ends = current
            run(pattern, from: &ends)
            stepsLeft -= ends.span + 1
            reached.formUnion(ends)
        }
        return reached
    }

    /// The ends of every string of a trie. Few positions are followed one by one, many together.
    private mutating func follow(_ trie: ByteTrie, from current: PositionSet, into reached: inout PositionSet) {
        var open: [(node: Int, positions: PositionSet)] = [(ByteTrie.root, current)]
        while stepsLeft >= 0, let (node, positions) = open.popLast() {
            if !positions.isLarger(than: max(positions.span / 2, 4)) {
                positions.forEach { position in
                    guard stepsLeft >= 0 else { return }
                    stepsLeft -= trie.forEachEnd(in: text, from: position, below: node) { reached.insert($0) }
                }
                continue
            }
            if trie.isEnd(node) { reached.formUnion(positions) }
            for (byte, child) in trie.edges(of: node) where present[Int(byte)] {
                var next = positions
                advance(&next, over: byte)
                if next.span > 0 { open.append((child, next)) }
            }
        }
    }

    /// The positions whose byte satisfies `condition`.
    private func mask(where condition: (UInt8) -> Bool) -> [UInt64] {
        var bits = [UInt64](repeating: 0, count: wordCount)
        for (index, byte) in text.enumerated() where condition(byte) { bits[index >> 6] |= 1 << UInt64(index & 63) }
        return bits
    }
}

/// Positions from 0 to the end of a text.
struct PositionSet {
    private(set) var words: [UInt64]
    /// The first and the last word that may have bits; the other words are zero. Empty if `high < low`.
    private(set) var low: Int
    private(set) var high: Int

    init(wordCount: Int) {
        words = [UInt64](repeating: 0, count: wordCount)
        low = 0
        high = -1
    }

    /// The number of words that a step over the set takes.
    var span: Int { max(high - low + 1, 0) }

    var first: Int? {
        guard low <= high else { return nil }
        for word in low...high where words[word] != 0 { return word * 64 + words[word].trailingZeroBitCount }
        return nil
    }

    func contains(_ position: Int) -> Bool { words[position >> 6] >> UInt64(position & 63) & 1 == 1 }

    /// Whether there are more positions than `limit`; counts no further.
    func isLarger(than limit: Int) -> Bool {
        var left = limit
        if low > high { return false }
        for word in low...high {
            left -= words[word].nonzeroBitCount
            if left < 0 { return true }
        }
        return false
    }

    func forEach(_ body: (Int) -> Void) {
        if low > high { return }
        for word in low...high {
            var bits = words[word]
            while bits != 0 {
                body(word * 64 + bits.trailingZeroBitCount)
                bits &= bits - 1
            }
        }
    }

    mutating func insert(_ position: Int) {
        let word = position >> 6
        words[word] |= 1 << UInt64(position & 63)
        (low, high) = low > high ? (word, word) : (min(low, word), max(high, word))
    }

    mutating func formUnion(_ other: PositionSet) {
        if other.low > other.high { return }
        for word in other.low...other.high { words[word] |= other.words[word] }
        (low, high) = low > high ? (other.low, other.high) : (min(low, other.low), max(high, other.high))
    }

    /// Inserts the positions of a range that are also in `mask`, or all of them without a mask.
    mutating func insert(_ range: ClosedRange<Int>, in mask: [UInt64]?) {
        let (first, last) = (range.lowerBound >> 6, range.upperBound >> 6)
        for word in first...last {
            var bits = mask?[word] ?? .max
            if word == first { bits &= .max << UInt64(range.lowerBound & 63) }
            if word == last { bits &= .max >> UInt64(63 - range.upperBound & 63) }
            words[word] |= bits
        }
        (low, high) = low > high ? (first, last) : (min(low, first), max(high, last))
    }

    mutating func removeAll() {
        if low <= high { for word in low...high { words[word] = 0 } }
        (low, high) = (0, -1)
    }

    /// Keeps the positions in `mask` and moves each by one byte. No mask has the last position of the text.
    mutating func shift(keeping mask: [UInt64]) {
        if low > high { return }
        var carry: UInt64 = 0
        var (lowest, highest) = (words.count, -1)
        for word in low...min(high + 1, words.count - 1) {
            let kept = words[word] & mask[word]
            let moved = kept << 1 | carry
            carry = kept >> 63
            words[word] = moved
            if moved != 0 {
                if lowest > word { lowest = word }
                highest = word
            }
        }
        (low, high) = highest < 0 ? (0, -1) : (lowest, highest)
    }

    /// Removes the positions in `mask` and returns them.
    mutating func split(_ mask: [UInt64]) -> PositionSet {
        var taken = PositionSet(wordCount: words.count)
        if low > high { return taken }
        (taken.low, taken.high) = (low, high)
        for word in low...high {
            taken.words[word] = words[word] & mask[word]
            words[word] &= ~mask[word]
        }
        return taken
    }
}
