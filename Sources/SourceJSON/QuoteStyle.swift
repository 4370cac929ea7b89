// The characters that people and their word processors put around strings.

/// A family of quotation marks: a string that one member opens, any member closes.
enum QuoteStyle {
    case double
    case single
    case backtick
    case smartDouble
    case smartSingle

    /// The family of a scalar, if it is a quotation mark.
    init?(_ scalar: UInt32) {
        switch scalar {
        case 0x22: self = .double
        case 0x27: self = .single
        case 0x60: self = .backtick
        // Typographic marks, the double prime, the full-width form.
        case 0x201C...0x201F, 0x2033, 0x2036, 0xFF02: self = .smartDouble
        case 0x2018...0x201B, 0x2032, 0x2035, 0xFF07: self = .smartSingle
        default: return nil
        }
    }

    /// Whether this mark closes a string of the family. The keyboard's own mark closes a typographic one too: people
    /// correct one end and forget the other.
    func isClosed(by mark: QuoteStyle) -> Bool {
        mark == self || self == .smartDouble && mark == .double || self == .smartSingle && mark == .single
    }

    /// What is wrong with a string in these marks.
    var problem: SourceProblemKind? {
        switch self {
        case .double: nil
        case .single: .singleQuotes
        case .backtick: .backtickQuotes
        case .smartDouble, .smartSingle: .smartQuotes
        }
    }
}
