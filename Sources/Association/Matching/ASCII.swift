// The few questions about ASCII bytes and about letter case that matching asks.

/// Classes of ASCII bytes.
enum ASCII {
    static func isDigit(_ byte: UInt8) -> Bool { byte &- 0x30 < 10 }

    static func isLetter(_ byte: UInt8) -> Bool { (byte | 0x20) &- 0x61 < 26 }

    static func lowercased(_ byte: UInt8) -> UInt8 { byte &- 0x41 < 26 ? byte | 0x20 : byte }

    /// The value of a hexadecimal digit of either case.
    static func hexValue(_ byte: UInt8) -> UInt8? {
        if isDigit(byte) { return byte &- 0x30 }
        let letter = (byte | 0x20) &- 0x61
        return letter < 6 ? letter + 10 : nil
    }
}

extension [UInt8] {
    /// Whether the bytes of `run` stand anywhere in it, one after the other; for short texts.
    func contains(run: [UInt8]) -> Bool {
        guard let first = run.first else { return true }
        guard count >= run.count else { return false }
        return (0...count - run.count).contains { start in
            self[start] == first && self[start..<start + run.count].elementsEqual(run)
        }
    }
}

extension Unicode.Scalar {
    /// Lower case, one scalar at a time: a mapping to several scalars leaves the scalar alone (reference A.6.7).
    var folded: Unicode.Scalar {
        if value < 0x80 { return Unicode.Scalar(ASCII.lowercased(UInt8(value))) }
        let mapped = properties.lowercaseMapping.unicodeScalars
        guard let only = mapped.first, mapped.count == 1 else { return self }
        return only
    }
}

extension String {
    /// The string with each scalar folded on its own.
    var folded: String {
        var result = String.UnicodeScalarView()
        for scalar in unicodeScalars { result.append(scalar.folded) }
        return String(result)
    }
}
