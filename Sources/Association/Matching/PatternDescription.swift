// Patterns and values in words, for explanations. A pattern that says something simple is put into words; any other is
// quoted.

/// Words for patterns and values.
enum PatternDescription {
    /// Completes "needs the path to …".
    static func demand(_ pattern: String) -> String {
        switch pattern {
        case "": return "be empty"
        case "*": return "be anything"
        case "?*": return "be one or more characters"
        case "?": return "be one character"
        default: break
        }
        if pattern.allSatisfy({ $0 == "?" }) { return "be exactly \(pattern.count) characters" }
        let isPlain = PatternToken.tokens(of: pattern).allSatisfy { token in
            if case .scalar = token { return true }
            return false
        }
        return (isPlain ? "be " : "match ") + quoted(pattern)
    }

    /// Completes "the URL has …".
    static func found(_ value: String?) -> String {
        guard let value else { return "none" }
        return value.isEmpty ? "an empty one" : quoted(value)
    }

    /// Long texts are cut, because a URL may be thousands of characters long.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        // Not by their number: that would go through all of a long text.
        guard let end = scalars.index(scalars.startIndex, offsetBy: 120, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return "`\(text)`" }
        return "`\(text[..<end])…`"
    }
}
