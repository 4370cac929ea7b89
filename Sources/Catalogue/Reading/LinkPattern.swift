// Patterns over the bytes of a request: `*` is any number of bytes, `?` is one, and the bytes 1 to 6 each stand for one of a
// character class; the whole text has to match. To find a match it is enough to retry from the last `*`, so there is no recursion
// and no stack. A budget of steps limits the cost of a hostile target.

import HTTP

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

    /// Byte comparisons for one request: some microseconds.
    static let stepsMax = 1 << 16

    /// Whether all of `text` matches. False when the steps run out, which then leaves none for the next pattern.
    static func matches(
        _ pattern: UnsafeRawBufferPointer, _ text: UnsafeRawBufferPointer, foldsCase: Bool, steps: inout Int
    ) -> Bool {
        var patternIndex = 0
        var textIndex = 0
        /// Where to continue when a comparison fails: after the last star, one byte later than the last time.
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
                    pattern[patternIndex], foldsCase ? Octet.lowercased(text[textIndex]) : text[textIndex], foldsCase)
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
        // If the case is ignored, small letters are capitals too.
        case .upper: return isUpper || foldsCase && isLower
        case .lower: return isLower
        case .alphanumeric: return isUpper || isLower || isDigit
        case .digit: return isDigit
        case .hexadecimal: return isDigit || (byte | 0x20) &- 0x61 < 6
        }
    }
}
