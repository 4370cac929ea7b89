// Text that belongs to other tools: template placeholders and conflict markers.

extension Scanner {
    /// The end of a template placeholder that begins at the cursor and ends on the same line.
    var placeholderEnd: Int? {
        let closing: StaticString
        switch (byte, peek(1)) {
        case (Byte.openBrace, Byte.openBrace): closing = "}}"
        case (Byte.openBrace, Byte.percent): closing = "%}"
        case (Byte.less, Byte.percent): closing = "%>"
        case (Byte.dollar, Byte.openBrace): closing = "}"
        case (Byte.dollar, UInt8(ascii: "(")): closing = ")"
        case (Byte.less, _) where peek(1).isLetter: closing = ">"
        default: return nil
        }
        // No placeholder is longer than this, and the bound keeps a line of them linear.
        let limit = min(bytes.count, index + 200)
        var ahead = self
        ahead.index += 2
        while ahead.index < limit, ahead.byte != Byte.lineFeed {
            if ahead.continues(with: closing) { return ahead.index + closing.utf8CodeUnitCount }
            ahead.index += 1
        }
        return nil
    }

    /// Whether a line of a merge that was never finished begins at the cursor.
    var isConflictMarker: Bool {
        position.column == 1
            && (continues(with: "<<<<<<<") || continues(with: "=======") || continues(with: ">>>>>>>")
                || continues(with: "|||||||"))
    }
}
