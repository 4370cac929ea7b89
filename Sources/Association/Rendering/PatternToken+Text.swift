// Patterns written down again.

extension PatternToken {
    /// The pattern as it is written, with some variables under other names. An unclosed variable does not come back as
    /// it was, but the reader lets no such rule pass.
    static func text(of tokens: [PatternToken], renaming names: [String: String] = [:]) -> String {
        var text = ""
        for token in tokens {
            switch token {
            case .scalar(let scalar): text.unicodeScalars.append(scalar)
            case .any: text += "?"
            case .star: text += "*"
            case .variable(let name): text += "$(\(names[name] ?? name))"
            case .broken: text += "$("
            }
        }
        return text
    }
}

extension [PatternToken] {
    /// The pattern as it is written.
    var text: String { PatternToken.text(of: self) }

    /// Whether upper and lower case of it differ.
    var hasCase: Bool {
        contains { token in
            guard case .scalar(let scalar) = token else { return false }
            return scalar.properties.isCased
        }
    }
}
