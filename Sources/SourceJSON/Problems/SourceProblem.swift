// One thing wrong with a text: what, where, what would fix it, and the words for it. A message says what stands there and
// why it is wrong; a fix says what to do. Both are lower-case and without a full stop, as findings are.

/// A deviation from the dialect a text was read as.
public struct SourceProblem: Hashable, Sendable {
    public let kind: SourceProblemKind
    public let range: SourceRange
    /// The text it concerns or what takes its place in the message, shortened and printable.
    public let subject: String
    /// Another place that explains it: the bracket that was opened, the key that came first, the value that ended.
    public let related: SourceRange?
    /// The replacement of text that mends it, where that is mechanical.
    public let edit: SourceEdit?
    /// False for what the dialect allows but nobody should rely on.
    public let isError: Bool

    /// What is wrong.
    public var message: String {
        switch kind {
        case .tooLarge: "the file is larger than \(subject) bytes and was not read"
        case .otherEncoding: "the text is encoded as \(subject); JSON is UTF-8 (RFC 8259 §8.1)"
        case .byteOrderMark: "the text begins with a byte order mark, which some readers of JSON refuse"
        case .invalidEncoding: "these bytes are no \(subject)"
        case .empty: "the text holds no value; a JSON text is one value, usually an object or array"
        case .html: "this is HTML (\(subject)), not JSON: a page was served or saved in place of the file"
        case .xml: "this is \(subject), not JSON"
        case .signedMessage: "this is \(subject), not JSON; a signed file holds its JSON inside"
        case .pem: "this is PEM (\(subject)), not JSON"
        case .compressed: "this is \(subject) data, not JSON: the file was saved compressed"
        case .httpResponse: "this begins with \(subject) of an HTTP response, not with JSON"
        case .javaScript: "this is JavaScript, not JSON: '\(subject)'"
        case .plainText: "this is text, not JSON: '\(subject)'"
        case .comment: "JSON has no comments"
        case .hashComment: "'#' begins a comment in neither JSON nor JSON5"
        case .unterminatedComment: "the comment opened here is never closed"
        case .otherWhiteSpace: "\(subject) is no white space of JSON, however it looks"
        case .invisibleCharacter: "the invisible character \(subject) stands between the values"
        case .conflictMarker: "a merge conflict was committed unresolved: '\(subject)'"
        case .templatePlaceholder: "the placeholder \(subject) was not filled in by its template engine"
        case .ellipsis: "'...' stands for something left out; it is no value"
        case .unexpectedCharacter: unexpectedMessage
        case .trailingComma: "a comma stands before '\(subject)', with nothing after it; JSON refuses that"
        case .missingComma: "a comma is missing between this and the value that ends at \(place(related?.end))"
        case .extraComma: "a comma with no value before it"
        case .wrongSeparator: "'\(subject)' stands where a comma must"
        case .missingColon:
            subject.isEmpty ? "a colon is missing after the key" : "'\(subject)' stands where a colon must"
        case .missingKey: "a key is missing here, in the object opened at \(place(related?.start))"
        case .missingValue: "the key at \(place(related?.start)) has no value"
        case .memberInArray: "'key: value' in the array opened at \(place(related?.start)); only an object has keys"
        case .mismatchedBracket: mismatchMessage
        case .missingBraces: "a member stands outside any object: the braces around the text are missing"
        case .truncated: "the text ends inside the \(subject) opened at \(place(related?.start))"
        case .trailingContent: "the text goes on after its value, which ended at \(place(related?.end))"
        case .duplicateKey:
            "the key \(subject) is given twice, first at \(place(related?.start)); readers differ in which one counts"
        default: tokenMessage
        }
    }

    /// What is wrong with a single string, number or word.
    private var tokenMessage: String {
        switch kind {
        case .singleQuotes: "\(subject) is in single quotation marks; JSON knows only \" marks"
        case .smartQuotes:
            "\(subject) has typographic quotation marks, as word processors make them; JSON knows only \" marks"
        case .backtickQuotes: "\(subject) is in backticks; JSON knows only \" marks"
        case .doubledQuote: "the quotation mark is doubled"
        case .unescapedQuote:
            "text goes on behind the string at \(place(related?.start)): a mark in it is not escaped, or one is missing"
        case .unquotedKey: "the key '\(subject)' has no quotation marks; JSON wants them"
        case .invalidKey: "the key '\(subject)' needs quotation marks on both sides: it is no plain name"
        case .unquotedString:
            "'\(subject)' has no \(subject.hasSuffix("\"") ? "opening quotation mark" : "quotation marks")"
        case .unterminatedString: "the string has no closing quotation mark on its line"
        case .lineBreakInString:
            "a line break in the string opened at \(place(related?.start)); a string stays on one line"
        case .controlCharacter: "the control character \(subject) stands in a string unescaped"
        case .lineContinuation: "a backslash at the end of a line continues a string in JavaScript, not in JSON"
        case .javaScriptEscape: "'\(subject)' is an escape of JavaScript, not of JSON"
        case .unknownEscape: "'\(subject)' is no escape of JSON"
        case .invalidEscape: "'\(subject)' is no complete escape"
        case .loneSurrogate:
            "'\(subject)' is half of a surrogate pair and means no character; readers replace it or fail"
        case .hexadecimalNumber: "\(subject) is hexadecimal; JSON numbers are decimal"
        case .leadingZero: "\(subject) begins with a zero too many"
        case .plusSign: "\(subject) has a plus sign; JSON writes none"
        case .bareDecimalPoint: "\(subject) has no digit on one side of its point"
        case .infinityOrNaN: "\(subject) is no number of JSON"
        case .malformedNumber: "'\(subject)' is no number"
        case .numberTooLong: "the number is longer than \(subject) bytes"
        case .pythonLiteral: "\(subject) is Python; JSON writes it in lower case, and None as null"
        case .wrongCaseLiteral: "\(subject) is not in lower case, as JSON writes it"
        case .undefined: "undefined is JavaScript; JSON has null"
        case .tooDeep: "values are nested deeper than \(subject) brackets"
        case .tooManyValues: "the text has more than \(subject) values"
        default: "more than \(subject) problems; the rest is not listed"
        }
    }

    private var unexpectedMessage: String {
        let what = subject.hasPrefix("U+") ? subject : "'\(subject)'"
        guard let related else { return "\(what) begins neither a value nor a key" }
        return "\(what) does not fit after what ends at \(place(related.end))"
    }

    private var mismatchMessage: String {
        guard let related else { return "'\(subject)' closes nothing: no bracket is open here" }
        return "'\(subject)' does not close the bracket opened at \(place(related.start))"
    }

    private func place(_ position: SourcePosition?) -> String {
        guard let position else { return "the beginning" }
        return "line \(position.line), column \(position.column)"
    }

    /// What to do; nil where the message says all there is.
    public var fix: String? {
        switch kind {
        case .otherEncoding: "save the file as UTF-8"
        case .byteOrderMark: "save the file as UTF-8 without byte order mark"
        case .invalidEncoding: "save the file as UTF-8; it may be Latin-1 or Windows-1252"
        case .empty: "write the object or array, or remove the file"
        case .html: "check which file this is, and that the server does not answer every path with its start page"
        case .xml: "write it as JSON"
        case .signedMessage: "publish the JSON itself; only iOS 8 needed it signed"
        case .pem: "move keys and certificates to where they belong"
        case .compressed: "decompress the file"
        case .httpResponse: "save the body only, without its header (curl without -i)"
        case .javaScript: "keep only the object literal, and write it as JSON"
        case .comment, .hashComment: "remove the comment"
        case .unterminatedComment: "close it with '*/' or remove it"
        case .otherWhiteSpace: "replace it with a plain space"
        case .invisibleCharacter: "delete it; retyping the line does"
        case .conflictMarker: "choose one side and remove the marker lines"
        case .templatePlaceholder: "run the template, or write the value"
        case .ellipsis: "write out what it stands for, or remove it"
        case .trailingComma, .extraComma: "remove the comma"
        case .missingComma: related.map { "add a comma at line \($0.end.line), column \($0.end.column)" }
        case .wrongSeparator: "write a comma"
        case .missingColon: "write a colon between key and value"
        case .missingKey: "write a key, or close the object before"
        case .missingValue: "write a value after the colon, or remove the key"
        case .memberInArray: "use { } instead of [ ]"
        case .mismatchedBracket: edit == nil ? "make the brackets match" : "remove it"
        case .missingBraces: "put { } around the whole text"
        case .truncated: edit.map { "add '\($0.replacement)'" } ?? "write the rest; the file may have been cut off"
        case .trailingContent: "keep one value in the file"
        case .duplicateKey: "merge the two, or remove one"
        case .singleQuotes, .smartQuotes, .backtickQuotes, .unquotedKey, .invalidKey, .unquotedString:
            "put it in straight double quotation marks"
        case .doubledQuote: "remove one of the two"
        case .unescapedQuote: "put a backslash before a quotation mark inside a string, or add the one that is missing"
        case .unterminatedString: "add the closing quotation mark"
        case .lineBreakInString: "write \\n for a line break, or join the lines"
        case .controlCharacter, .javaScriptEscape, .hexadecimalNumber, .leadingZero, .plusSign, .bareDecimalPoint,
            .pythonLiteral, .wrongCaseLiteral:
            edit.map { "write \($0.replacement)" }
        case .lineContinuation: "join the lines"
        case .unknownEscape: "write \\\\ for a backslash"
        case .invalidEscape: "write \\u and four hexadecimal digits"
        case .infinityOrNaN, .undefined: "write null or leave the member out"
        case .tooLarge, .tooDeep, .tooManyValues, .tooManyProblems, .numberTooLong, .plainText, .unexpectedCharacter,
            .loneSurrogate, .malformedNumber:
            nil
        }
    }
}
