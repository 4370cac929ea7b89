// A set of places in a text, one bit for each, that knows between which words its bits lie: most sets of a search are
// narrow, and a step over one costs what it holds and not what the text is long.

/// Positions from 0 to the end of a text.
struct PositionSet {
    private(set) var words: [UInt64]
    /// The first and the last word that may have bits; the other words are zero. Empty when `high < low`.
    private(set) var low: Int
    private(set) var high: Int

    /// No positions.
    init(wordCount: Int) {
        words = [UInt64](repeating: 0, count: wordCount)
        low = 0
        high = -1
    }

    /// What a step over the set costs.
    var span: Int { max(high - low + 1, 0) }

    /// The lowest position.
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

    /// The positions of a range that are also in `mask`; of all when it is nil.
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

    /// Keeps the positions in `mask` and moves each by one byte. The last position of the text is in no mask.
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

    /// Takes the positions in `mask` out of the set and returns them.
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
