// The tokens of Apple's patterns: characters, `*`, `?` and `$(name)`. There are no escapes and no classes, and only variables
// have alternatives. Tokens have no references, because every rule of every app file is parsed here and few have variables; the
// names of variables are stored separately.

package import SourceJSON

/// One token of a written pattern.
package enum PatternToken: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case any
    /// `*`
    case star
    /// `$(name)`, with its index in the names of the pattern.
    case variable(Int)
    /// A `$(` that is not closed, or a name with an invalid character. It never matches.
    case broken

    package static let slash = PatternToken.scalar("/")

    /// The tokens of a pattern without the names.
    package static func tokens(of pattern: String) -> [PatternToken] { ParsedPattern(pattern).tokens }
}

/// A pattern cut into tokens.
package struct ParsedPattern: Sendable {
    package var tokens: [PatternToken]
    /// The variables in order.
    package private(set) var names: [String] = []

    package init(tokens: [PatternToken]) { self.tokens = tokens }

    package init(_ pattern: String) {
        tokens = []
        tokens.reserveCapacity(pattern.utf8.count)
        // Few patterns have variables; without them no lookahead is needed.
        if !pattern.utf8.contains(UInt8(ascii: "$")) {
            for scalar in pattern.unicodeScalars {
                switch scalar {
                case "*": tokens.append(.star)
                case "?": tokens.append(.any)
                default: tokens.append(.scalar(scalar))
                }
            }
            return
        }
        var rest = pattern.unicodeScalars[...]
        while let scalar = rest.popFirst() {
            switch scalar {
            case "*": tokens.append(.star)
            case "?": tokens.append(.any)
            case "$" where rest.first == "(": readVariable(&rest)
            default: tokens.append(.scalar(scalar))
            }
        }
    }

    /// Reads a variable's name after its `$`; a name can have any characters but `$`, `(` and `)`.
    private mutating func readVariable(_ rest: inout Substring.UnicodeScalarView) {
        let text = rest.dropFirst()
        guard let end = text.firstIndex(where: { $0 == ")" || $0 == "$" || $0 == "(" }), text[end] == ")" else {
            rest = rest[rest.endIndex...]
            return tokens.append(.broken)
        }
        tokens.append(.variable(names.count))
        names.append(String(text[..<end]))
        rest = text[text.index(after: end)...]
    }

    /// Whether a `$(` is not closed, or a name has an invalid character.
    package var isBroken: Bool { tokens.contains(.broken) }

    /// The pattern with a NUL for each variable, so that the text around it does not run together.
    package var textWithGaps: String {
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

    /// The written pattern, with new names for some variables. An unclosed variable is changed, but the reader rejects such
    /// rules.
    package func text(renaming newNames: [ExactText: String] = [:]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity(tokens.count)
        for token in tokens {
            switch token {
            case .scalar(let scalar) where scalar.isASCII: text.append(UInt8(scalar.value))
            case .scalar(let scalar): text.append(contentsOf: String(scalar).utf8)
            case .any: text.append(UInt8(ascii: "?"))
            case .star: text.append(UInt8(ascii: "*"))
            case .variable(let index):
                let name = names.element(at: index) ?? ""
                text.append(contentsOf: "$(\(newNames[ExactText(name)] ?? name))".utf8)
            case .broken: text.append(contentsOf: "$(".utf8)
            }
        }
        return String(decoding: text, as: UTF8.self)
    }
}

extension [PatternToken] {
    /// The written pattern; not for patterns with variables, because the names are missing.
    package var text: String { ParsedPattern(tokens: self).text() }
}
