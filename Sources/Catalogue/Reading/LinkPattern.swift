// Patterns over the bytes of a request: `*` is any run of bytes, `?` is one, and the bytes 1 to 6 are one of a class; the
// whole text has to match. Going on behind the last `*` that was passed is enough to find a match if there is one, so
// there is no recursion and nothing to remember; a budget of steps bounds what a hostile target can cost.

/// A pattern as bytes.
public struct LinkPattern: Hashable, Sendable {
    public var bytes: [UInt8]

    public init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// One character of a class, as the byte that stands for it.
    public enum CharacterClass: UInt8, CaseIterable, Sendable {
        case letter = 1
        case upper
        case lower
        case alphanumeric
        case digit
        case hexadecimal
    }

    /// Comparisons of bytes for one request: some microseconds.
    static let stepsMax = 1 << 16

    /// Whether all of `text` matches. Running out of steps counts as no, and leaves none for the next.
    static func matches(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, foldsCase: Bool, steps: inout Int
    ) -> Bool {
        var patternIndex = 0
        var textIndex = 0
        /// Where to go on when a comparison fails: behind the last star, one byte later than the last time.
        var retry: (pattern: Int, text: Int)?
        while true {
            steps -= 1
            if steps < 0 { return false }
            if patternIndex < pattern.count, unsafe pattern[patternIndex] == UInt8(ascii: "*") {
                patternIndex += 1
                if patternIndex == pattern.count { return true }
                retry = (patternIndex, textIndex)
            } else if textIndex == text.count {
                return patternIndex == pattern.count
            } else if patternIndex < pattern.count,
                unsafe holds(
                    pattern[patternIndex], foldsCase ? lowercased(text[textIndex]) : text[textIndex], foldsCase)
            {
                patternIndex += 1
                textIndex += 1
            } else if let last = retry {
                patternIndex = last.pattern
                textIndex = last.text + 1
                retry = (last.pattern, textIndex)
            } else {
                return false
            }
        }
    }

    private static func holds(_ symbol: UInt8, _ byte: UInt8, _ foldsCase: Bool) -> Bool {
        if symbol == UInt8(ascii: "?") { return true }
        guard let characterClass = CharacterClass(rawValue: symbol) else { return symbol == byte }
        let isUpper = byte &- 0x41 < 26
        let isLower = byte &- 0x61 < 26
        let isDigit = byte &- 0x30 < 10
        switch characterClass {
        case .letter: return isUpper || isLower
        // Without case, the letters of either spelling are all letters.
        case .upper: return isUpper || foldsCase && isLower
        case .lower: return isLower
        case .alphanumeric: return isUpper || isLower || isDigit
        case .digit: return isDigit
        case .hexadecimal: return isDigit || (byte | 0x20) &- 0x61 < 6
        }
    }

    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }
}
