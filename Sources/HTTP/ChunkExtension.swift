// What may stand behind a chunk's size (RFC 9112 §7.1.1): `;name`, `;name=token`, `;name="quoted"`, any number of them. None
// means anything here, but one that is not of the grammar is how a request is hidden from one of two readers. For the same
// reason the blank that the grammar tolerates right behind the size is refused.

/// The state of reading past one chunk's extensions, from behind the first semicolon.
struct ChunkExtension: Equatable, Sendable {
    private var place = Place.beforeName

    private enum Place: UInt8 {
        case beforeName, name, afterName, beforeValue, value, quoted, escaped, closed, afterValue
    }

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch place {
        case .name, .value, .closed: true
        case .beforeName, .afterName, .beforeValue, .quoted, .escaped, .afterValue: false
        }
    }

    /// False refuses the byte.
    mutating func advance(_ byte: UInt8) -> Bool {
        let isBlank = byte == Octet.space || byte == Octet.tab
        switch place {
        case .beforeName:
            if Octet.isToken(byte) { place = .name } else { return isBlank }
        case .name:
            if !Octet.isToken(byte) { return leaveName(byte, isBlank) }
        case .afterName:
            return leaveName(byte, isBlank)
        case .beforeValue:
            if byte == UInt8(ascii: "\"") {
                place = .quoted
            } else if Octet.isToken(byte) {
                place = .value
            } else {
                return isBlank
            }
        case .value:
            if !Octet.isToken(byte) { return leaveValue(byte, isBlank) }
        case .quoted:
            if byte == UInt8(ascii: "\"") {
                place = .closed
            } else if byte == UInt8(ascii: "\\") {
                place = .escaped
            } else {
                return ChunkExtension.isText(byte)
            }
        case .escaped:
            place = .quoted
            return ChunkExtension.isText(byte)
        case .closed, .afterValue:
            return leaveValue(byte, isBlank)
        }
        return true
    }

    private mutating func leaveName(_ byte: UInt8, _ isBlank: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "="): place = .beforeValue
        case UInt8(ascii: ";"): place = .beforeName
        default: place = .afterName
        }
        return isBlank || place != .afterName
    }

    private mutating func leaveValue(_ byte: UInt8, _ isBlank: Bool) -> Bool {
        place = byte == UInt8(ascii: ";") ? .beforeName : .afterValue
        return isBlank || place == .beforeName
    }

    private static func isText(_ byte: UInt8) -> Bool { byte == Octet.tab || byte >= 0x20 && byte != 0x7F }
}
