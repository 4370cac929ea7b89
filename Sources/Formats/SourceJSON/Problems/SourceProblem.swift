// What can be wrong with a text, and the words for it. Nearly every broken association file has one of these problems, so each
// has a name, a message that says what is wrong, and a fix that says what to write.

/// A deviation from the dialect that a text was read as.
public struct SourceProblem: Hashable, Sendable {
    public let kind: SourceProblemKind
    public let range: SourceRange
    /// The text that the problem is about, or its replacement in the message; shortened and printable.
    public let subject: String
    /// Another place that explains the problem: the opening bracket, the first of two keys, the value that ended.
    public let related: SourceRange?
    /// The edit that fixes the problem, where it is mechanical.
    public let edit: SourceEdit?
    /// False for what the dialect allows but readers treat differently.
    public let isError: Bool

    /// What is wrong: lower-case, without a full stop, as in findings.
    public var message: String { words.message }

    /// What to write instead, in the same form; nil where the message says it all.
    public var fix: String? { words.fix }

    private typealias Words = (message: String, fix: String?)

    /// The bytes, files that are not JSON at all, and limits.
    private var words: Words {
        switch kind {
        case .tooLarge: ("the file is larger than \(subject) bytes and was not read", "shorten it, or split it")
        case .tooDeep: ("values are nested more than \(subject) levels deep", "use fewer levels")
        case .tooManyValues: ("the text has more than \(subject) values", "shorten it, or split it")
        case .tooManyProblems: ("more than \(subject) problems; the rest is not listed", "fix the listed ones first")
        case .numberTooLong: ("the number is longer than \(subject) bytes", "write fewer digits")
        case .otherEncoding: ("the text is \(subject), but JSON must be UTF-8 (RFC 8259 §8.1)", "save it as UTF-8")
        case .byteOrderMark:
            ("byte order mark before the text; some JSON readers reject it", "save the file as UTF-8 without it")
        case .invalidEncoding:
            ("these bytes are not valid \(subject)", "save the file as UTF-8; it may be Latin-1 or Windows-1252")
        case .empty: ("the file has no JSON value", "write an object or array, or remove the file")
        case .html:
            (
                "this is HTML (\(subject)), not JSON",
                "check that the server does not answer every path with its start page"
            )
        case .xml: ("this is \(subject), not JSON", "write it as JSON")
        case .signedMessage: ("this is \(subject), not JSON", "publish the JSON itself; only iOS 8 needed it signed")
        case .pem: ("this is PEM (\(subject)), not JSON", "store keys and certificates in another file")
        case .compressed: ("this is \(subject) data, not JSON", "decompress the file")
        case .httpResponse: ("this is \(subject) of an HTTP response, not JSON", "save the body only (curl without -i)")
        case .javaScript: ("this is JavaScript, not JSON: '\(subject)'", "keep only the object, and write it as JSON")
        case .plainText:
            // Enough to know a message of a server by; more could be a secret in a file that was named by mistake.
            (
                "this is plain text, not JSON: '\(subject.prefix(16))\(subject.count > 16 ? "…" : "")'",
                "write an object or array, or remove the file"
            )
        default: structureWords
        }
    }

    /// What is between values, and how they are put together.
    private var structureWords: Words {
        switch kind {
        case .comment: ("JSON has no comments", "remove the comment")
        case .hashComment: ("'#' does not begin a comment in JSON or JSON5", "remove the comment")
        case .unterminatedComment: ("the comment is not closed", "close it with '*/', or remove it")
        case .otherWhiteSpace: ("\(subject) is not white space in JSON", "write an ordinary space")
        case .invisibleCharacter: ("invisible character \(subject) between values", "delete it, or retype the line")
        case .conflictMarker: ("unresolved merge conflict: '\(subject)'", "choose one side and remove the marker lines")
        case .templatePlaceholder: ("template placeholder \(subject) was not filled in", "run the template")
        case .ellipsis: ("'...' is not a value", "write what it stands for, or remove it")
        case .unexpectedCharacter where related == nil:
            ("unexpected \(quotedSubject)", "write a value or key in its place")
        case .unexpectedCharacter:
            (
                "unexpected \(quotedSubject) after what ends at \(place(related?.end))",
                "remove it, or add what is missing"
            )
        case .trailingComma: ("trailing comma before '\(subject)'; JSON does not allow it", "remove the comma")
        case .missingComma: ("missing comma before this value", "add a comma at \(place(related?.end))")
        case .extraComma: ("extra comma without a value before it", "remove the comma")
        case .wrongSeparator: ("'\(subject)' instead of a comma", "write a comma")
        case .missingColon:
            (subject.isEmpty ? "missing colon after the key" : "'\(subject)' instead of a colon", "write a colon")
        case .missingKey:
            (
                "missing key in the object that begins at \(place(related?.start))",
                "write a key, or close the object before"
            )
        case .missingValue: ("missing value after the key", "write a value after the colon, or remove the key")
        case .memberInArray:
            (
                "'key: value' in the array that begins at \(place(related?.start)); only objects have keys",
                "use { }, not [ ]"
            )
        case .mismatchedBracket where ["[", "{"].contains(subject):
            ("'\(subject)' twice where one is meant", "remove one")
        case .mismatchedBracket where related == nil || edit != nil:
            ("'\(subject)' without an opening bracket", "remove it")
        case .mismatchedBracket:
            (
                "'\(subject)' does not match the bracket at \(place(related?.start))", "make the brackets match"
            )
        case .missingBraces: ("key and value without an object around them", "put { } around the whole text")
        case .truncated:
            (
                "the text ends in the \(subject) that begins at \(place(related?.start))",
                edit.map { "add '\($0.replacement)'" } ?? "write the rest; the file may be cut off"
            )
        case .trailingContent:
            ("more text after the value, which ends at \(place(related?.end))", "keep one value in the file")
        case .duplicateKey:
            (
                "duplicate key \(subject), first at \(place(related?.start)); readers differ in which one they use",
                "keep one"
            )
        default: tokenWords
        }
    }

    /// Strings, numbers and words.
    private var tokenWords: Words {
        switch kind {
        case .singleQuotes, .backtickQuotes, .smartQuotes:
            ("\(subject) has \(quotesName) quotation marks; JSON needs \" marks", Self.straightQuotes)
        case .unquotedKey: ("key '\(subject)' has no quotation marks; JSON needs them", Self.straightQuotes)
        case .invalidKey: ("key '\(subject)' needs quotation marks at both ends", Self.straightQuotes)
        case .unquotedString:
            (
                "'\(subject)' has no \(subject.hasSuffix("\"") ? "opening quotation mark" : "quotation marks")",
                Self.straightQuotes
            )
        case .doubledQuote: ("doubled quotation mark", "remove one of the two")
        case .unescapedQuote:
            (
                "text after the string that ends at \(place(related?.end))",
                "write \\\" for a mark in a string, or add the missing mark"
            )
        case .unterminatedString: ("the string has no closing quotation mark on its line", "add the mark")
        case .lineBreakInString:
            ("line break in the string that begins at \(place(related?.start))", "write \\n, or join the lines")
        case .controlCharacter: ("unescaped control character \(subject) in a string", replacing)
        case .lineContinuation: ("a backslash does not continue a string on the next line in JSON", "join the lines")
        case .javaScriptEscape: ("'\(subject)' is an escape of JavaScript, not of JSON", replacing)
        case .unknownEscape: ("'\(subject)' is not an escape of JSON", "write \\\\ for a backslash")
        case .invalidEscape: ("'\(subject)' is not a complete escape", "write \\u and four hexadecimal digits")
        case .loneSurrogate:
            ("'\(subject)' is half of a character; readers replace it or fail", "write both halves, or remove it")
        case .hexadecimalNumber: ("\(subject) is hexadecimal; JSON numbers are decimal", replacing)
        case .leadingZero: ("\(subject) has a leading zero; JSON does not allow it", replacing)
        case .plusSign: ("\(subject) has a plus sign; JSON does not allow it", replacing)
        case .bareDecimalPoint: ("\(subject) needs a digit on each side of its point", replacing)
        case .malformedNumber: ("'\(subject)' is not a number", "write a decimal number, or put it in quotation marks")
        case .infinityOrNaN, .undefined: ("JSON has no \(subject)", "write null, or remove the member")
        case .pythonLiteral: ("\(subject) is Python, not JSON", replacing)
        default: ("\(subject) must be in lower case", replacing)
        }
    }

    private static let straightQuotes = "put it in straight double quotation marks"

    private var replacing: String? { edit.map { "write \($0.replacement)" } }

    private var quotedSubject: String { subject.hasPrefix("U+") ? subject : "'\(subject)'" }

    private var quotesName: String {
        kind == .singleQuotes ? "single" : kind == .backtickQuotes ? "backticks as" : "typographic"
    }

    private func place(_ position: SourcePosition?) -> String {
        position.map { "line \($0.line), column \($0.column)" } ?? "the beginning"
    }
}

/// What is wrong with a part of a text.
public enum SourceProblemKind: String, Hashable, Sendable, CaseIterable {
    case tooLarge, otherEncoding, byteOrderMark, invalidEncoding
    case empty, html, xml, signedMessage, pem, compressed, httpResponse, javaScript, plainText
    case comment, hashComment, unterminatedComment, otherWhiteSpace, invisibleCharacter, conflictMarker,
        templatePlaceholder, ellipsis, unexpectedCharacter
    case trailingComma, missingComma, extraComma, wrongSeparator, missingColon, missingKey, missingValue, memberInArray,
        mismatchedBracket, missingBraces, truncated, trailingContent, duplicateKey
    case singleQuotes, smartQuotes, backtickQuotes, doubledQuote, unescapedQuote, unquotedKey, invalidKey,
        unquotedString,
        unterminatedString, lineBreakInString, controlCharacter, lineContinuation, javaScriptEscape, unknownEscape,
        invalidEscape, loneSurrogate
    case hexadecimalNumber, leadingZero, plusSign, bareDecimalPoint, infinityOrNaN, malformedNumber, numberTooLong,
        pythonLiteral, wrongCaseLiteral, undefined
    case tooDeep, tooManyValues, tooManyProblems

    /// How a dialect treats a deviation.
    enum Treatment {
        case permitted, warning, error
    }

    func treatment(in dialect: SourceDialect) -> Treatment {
        switch self {
        // RFC 8259 §4: names *should* be unique. §8.2: the grammar allows an unpaired surrogate, with unpredictable results.
        case .duplicateKey, .loneSurrogate: .warning
        // RFC 8259 §8.1: a reader may ignore the mark instead of treating it as an error; in JSON5 it is white space.
        case .byteOrderMark: dialect == .json5 ? .permitted : .warning
        // JSON5 is defined over code points in any encoding; RFC 8259 §8.1 requires UTF-8.
        case .otherEncoding: dialect == .json5 ? .warning : .error
        // JSON5 §5, §6, §7 and §8.
        case .comment, .otherWhiteSpace, .trailingComma, .singleQuotes, .unquotedKey, .controlCharacter,
            .lineContinuation, .javaScriptEscape, .unknownEscape, .hexadecimalNumber, .plusSign, .bareDecimalPoint,
            .infinityOrNaN:
            dialect == .json5 ? .permitted : .error
        default: .error
        }
    }
}
