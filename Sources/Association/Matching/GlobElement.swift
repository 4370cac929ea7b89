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

    init(plain: ByteTrie, patterns: [[GlobElement]]) {
        self.plain = plain
        self.patterns = patterns
    }
}

/// A set of ASCII characters.
struct ByteSet: Hashable, Sendable {
    private var low: UInt64 = 0
    private var high: UInt64 = 0

    init(_ bytes: some Sequence<UInt8>) {
        for byte in bytes where byte < 0x80 {
            if byte < 64 { low |= 1 << UInt64(byte) } else { high |= 1 << UInt64(byte - 64) }
        }
    }

    func contains(_ byte: UInt8) -> Bool {
        if byte >= 0x80 { return false }
        return byte < 64 ? low >> UInt64(byte) & 1 == 1 : high >> UInt64(byte - 64) & 1 == 1
    }

    var members: [UInt8] { (0..<0x80).filter(contains) }
}
