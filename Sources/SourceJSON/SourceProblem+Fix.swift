// What to do about each problem, in the form of a finding's fix.

extension SourceProblem {
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
