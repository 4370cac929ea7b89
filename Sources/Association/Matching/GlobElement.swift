// What a pattern is made of once its variables are resolved. Text is UTF-8 throughout, so a literal is bytes and `?` is
// a whole scalar.

/// One step of a compiled pattern.
enum GlobElement: Sendable {
    case literal([UInt8])
    /// Exactly one scalar.
    case any
    /// Zero or more scalars.
    case star
    /// One ASCII character of a class.
    case oneOf(ByteSet)
    /// One of the values of a variable.
    case choice(GlobChoice)
    /// Nothing matches from here on.
    case never
}

/// The values of a variable: plain ones in a trie, those with wildcards as patterns of their own.
final class GlobChoice: Sendable {
    let plain: ByteTrie
    let patterns: [[GlobElement]]
    /// How many bytes the shortest value takes.
    let lengthMin: Int
    /// How many the longest takes at most; nil where there is no bound.
    let lengthMax: Int?

    init(plain: ByteTrie, patterns: [[GlobElement]]) {
        self.plain = plain
        self.patterns = patterns
        lengthMin = (plain.strings.map(\.count) + patterns.map(\.lengthMin)).min() ?? 0
        lengthMax = patterns.reduce(plain.strings.map(\.count).max() ?? 0) { longest, pattern in
            guard let longest, let length = pattern.lengthMax else { return nil }
            return max(longest, length)
        }
    }
}

extension Collection<GlobElement> {
    /// The fewest bytes that match the elements one after the other.
    var lengthMin: Int {
        reduce(0) { length, element in
            switch element {
            case .literal(let bytes): length + bytes.count
            case .any, .oneOf: length + 1
            case .choice(let choice): length + choice.lengthMin
            case .star, .never: length
            }
        }
    }

    /// The most bytes that can match them; nil where there is no bound.
    var lengthMax: Int? {
        reduce(0) { length, element in
            guard let length else { return nil }
            switch element {
            case .literal(let bytes): return length + bytes.count
            case .any: return length + 4
            case .oneOf: return length + 1
            case .choice(let choice): return choice.lengthMax.map { length + $0 }
            case .star: return nil
            case .never: return length
            }
        }
    }
}

/// A set of ASCII characters.
struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes { insert(byte) }
    }

    mutating func insert(_ byte: UInt8) {
        if byte < 64 { low |= 1 << UInt64(byte) } else if byte < 0x80 { high |= 1 << UInt64(byte - 64) }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return false }
        return byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte - 64) & 1 == 1
    }

    var members: [UInt8] { (0..<0x80).filter(contains) }
}
