// Text that belongs to other tools: template placeholders and conflict markers.

extension Scanner {
    /// The end of a template placeholder that begins at the cursor and ends on the same line.
    var placeholderEnd: Int? {
        let closing: String
        switch (byte, peek(1)) {
        case (Byte.openBrace, Byte.openBrace): closing = peek(2) == Byte.openBrace ? "}}}" : "}}"
        case (Byte.openBrace, Byte.percent): closing = "%}"
        case (Byte.less, Byte.percent): closing = "%>"
        case (Byte.dollar, Byte.openBrace): closing = "}"
        case (Byte.dollar, UInt8(ascii: "(")): closing = ")"
        case (Byte.less, _) where peek(1).isLetter: closing = ">"
        default: return nil
        }
        // No placeholder is longer than this, and the bound keeps a line of them linear.
        let limit = min(bytes.count, index + 200)
        var end = index + 2
        while end < limit, bytes[end] != Byte.lineFeed {
            if continues(with: closing, at: end) { return end + closing.utf8.count }
            end += 1
        }
        return nil
    }

    /// Whether a line of a merge that was never finished begins at the cursor.
    var isConflictMarker: Bool {
        index == columnBase
            && (continues(with: "<<<<<<<") || continues(with: "=======") || continues(with: ">>>>>>>")
                || continues(with: "|||||||"))
    }
}
