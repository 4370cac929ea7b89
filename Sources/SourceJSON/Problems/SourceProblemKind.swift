// The catalogue of what can be wrong with a text, by name. A reader that only says "unexpected token" leaves its user
// to find out that a word processor turned the quotes; nearly every broken association file is one of these.

/// What is wrong with a stretch of text. The raw value is the name in reports.
public enum SourceProblemKind: String, Hashable, Sendable, CaseIterable {
    // The bytes.
    case tooLarge = "too-large"
    case otherEncoding = "other-encoding"
    case byteOrderMark = "byte-order-mark"
    case invalidEncoding = "invalid-encoding"

    // Not JSON at all.
    case empty = "empty"
    case html = "html"
    case xml = "xml"
    case signedMessage = "signed-message"
    case pem = "pem"
    case compressed = "compressed"
    case httpResponse = "http-response"
    case javaScript = "javascript"
    case plainText = "plain-text"

    // Between the tokens.
    case comment = "comment"
    case hashComment = "hash-comment"
    case unterminatedComment = "unterminated-comment"
    case otherWhiteSpace = "other-white-space"
    case invisibleCharacter = "invisible-character"
    case conflictMarker = "conflict-marker"
    case templatePlaceholder = "template-placeholder"
    case ellipsis = "ellipsis"
    case unexpectedCharacter = "unexpected-character"

    // Structure.
    case trailingComma = "trailing-comma"
    case missingComma = "missing-comma"
    case extraComma = "extra-comma"
    case wrongSeparator = "wrong-separator"
    case missingColon = "missing-colon"
    case missingKey = "missing-key"
    case missingValue = "missing-value"
    case memberInArray = "member-in-array"
    case mismatchedBracket = "mismatched-bracket"
    case missingBraces = "missing-braces"
    case truncated = "truncated"
    case trailingContent = "trailing-content"
    case duplicateKey = "duplicate-key"

    // Strings and keys.
    case singleQuotes = "single-quotes"
    case smartQuotes = "smart-quotes"
    case backtickQuotes = "backtick-quotes"
    case doubledQuote = "doubled-quote"
    case unescapedQuote = "unescaped-quote"
    case unquotedKey = "unquoted-key"
    case invalidKey = "invalid-key"
    case unquotedString = "unquoted-string"
    case unterminatedString = "unterminated-string"
    case lineBreakInString = "line-break-in-string"
    case controlCharacter = "control-character"
    case lineContinuation = "line-continuation"
    case javaScriptEscape = "javascript-escape"
    case unknownEscape = "unknown-escape"
    case invalidEscape = "invalid-escape"
    case loneSurrogate = "lone-surrogate"

    // Numbers and words.
    case hexadecimalNumber = "hexadecimal-number"
    case leadingZero = "leading-zero"
    case plusSign = "plus-sign"
    case bareDecimalPoint = "bare-decimal-point"
    case infinityOrNaN = "infinity-or-nan"
    case malformedNumber = "malformed-number"
    case numberTooLong = "number-too-long"
    case pythonLiteral = "python-literal"
    case wrongCaseLiteral = "wrong-case-literal"
    case undefined = "undefined"

    // Limits.
    case tooDeep = "too-deep"
    case tooManyValues = "too-many-values"
    case tooManyProblems = "too-many-problems"

    /// How a dialect takes a deviation.
    enum Standing {
        case permitted
        case warning
        case error
    }

    func standing(in dialect: SourceDialect) -> Standing {
        switch self {
        // RFC 8259 §4: names *should* be unique. §8.2: an unpaired surrogate fits the grammar, with unpredictable
        // results.
        case .duplicateKey, .loneSurrogate: .warning
        // RFC 8259 §8.1: a reader may ignore the mark rather than treat it as an error; to JSON5 it is white space.
        case .byteOrderMark: dialect == .json5 ? .permitted : .warning
        // JSON5 is defined over code points, whatever their encoding; RFC 8259 §8.1 demands UTF-8.
        case .otherEncoding: dialect == .json5 ? .warning : .error
        // JSON5 §5, §6, §7 and §8.
        case .comment, .otherWhiteSpace, .trailingComma, .singleQuotes, .unquotedKey, .controlCharacter,
            .lineContinuation,
            .javaScriptEscape, .unknownEscape, .hexadecimalNumber, .plusSign, .bareDecimalPoint, .infinityOrNaN:
            dialect == .json5 ? .permitted : .error
        default: .error
        }
    }
}
