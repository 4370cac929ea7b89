// Finds what is stored already, by its hash. It keeps eight bytes for each entry and nothing of what they stand for, so
// that an index over millions of stretches of text is small beside the text.

/// An open-addressing table from hashes to numbers.
struct HashIndex {
    /// The upper bits of the hash, and below them the number plus one; 0 is an empty place.
    private var entries: [UInt64] = []
    private var count = 0

    private static let numberBits: UInt64 = 36
    private static let numberMask: UInt64 = 1 << numberBits - 1

    /// The first number under this hash for which the closure holds.
    @inline(__always)
    func find(_ hash: UInt64, where holds: (Int) -> Bool) -> Int? {
        if entries.isEmpty { return nil }
        let mask = entries.count - 1
        var place = start(hash)
        while entries[place] != 0 {
            let entry = entries[place]
            if (entry ^ hash) & ~HashIndex.numberMask == 0 {
                let number = Int(entry & HashIndex.numberMask) - 1
                if holds(number) { return number }
            }
            place = (place + 1) & mask
        }
        return nil
    }

    /// Adds a number, which is not there yet.
    mutating func insert(_ hash: UInt64, _ number: Int) {
        precondition(number >= 0 && UInt64(number) < HashIndex.numberMask, "an image is smaller than 64 GiB")
        if (count + 1) * 4 > entries.count * 3 { grow() }
        put(hash & ~HashIndex.numberMask | UInt64(number + 1))
        count += 1
    }

    private mutating func grow() {
        let old = entries
        entries = [UInt64](repeating: 0, count: max(16, old.count * 2))
        for entry in old where entry != 0 { put(entry) }
    }

    private mutating func put(_ entry: UInt64) {
        let mask = entries.count - 1
        var place = start(entry)
        while entries[place] != 0 { place = (place + 1) & mask }
        entries[place] = entry
    }

    /// Only the bits that an entry keeps may say where it is.
    private func start(_ hash: UInt64) -> Int {
        Int(hash >> HashIndex.numberBits) & (entries.count - 1)
    }
}
