// The alphabet of Apple's patterns: characters, `*`, `?` and `$(name)`. There is no escape, no class and no alternation
// beside the variables. Tokens are plain numbers and the names lie beside them, because every rule of every app file
// goes through here, and few have variables.

package import SourceJSON

/// One piece of a pattern as it is written.
package enum PatternToken: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case any
    /// `*`
    case star
    /// `$(name)`; its place among the names of the pattern.
    case variable(Int)
    /// A `$(` that is not closed, or a name with a character that names may not have. It never matches.
    case broken

    package static let slash = PatternToken.scalar("/")

    /// The tokens of a pattern, where the names do not matter.
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
        // Few patterns have variables, and without them there is nothing to look ahead for.
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

    /// Reads a variable's name from behind its `$`; names hold anything but `$`, `(` and `)`.
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

    /// Whether a `$(` is not closed, or a name has a character that names may not have.
    package var isBroken: Bool { tokens.contains(.broken) }

    /// The pattern with a NUL in place of each variable, so that what stood around it does not run together.
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

    /// The pattern as it is written, with some variables under other names. An unclosed variable does not come back as
    /// it was, but the reader lets no such rule pass.
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
    /// The pattern as it is written; without variables, for which it would take their names.
    package var text: String { ParsedPattern(tokens: self).text() }
}
