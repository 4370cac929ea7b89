// A pattern as its linter looks at it: the text between the variables. What is a variable, the matcher's own parser says.

extension ParsedPattern {
    /// Whether a `$(` is not closed, or a name has a character that names may not have.
    var isBroken: Bool { tokens.contains(.broken) }

    /// The pattern with a NUL in place of each variable, so that what stood around it does not run together.
    var textWithGaps: String {
        var text = String.UnicodeScalarView()
        for token in tokens {
            switch token {
            case .scalar(let scalar): text.append(scalar)
            case .any: text.append("?")
            case .star: text.append("*")
            case .variable: text.append("\u{0}")
            case .broken: continue
            }
        }
        return String(text)
    }
}
