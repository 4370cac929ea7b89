// The alphabet of Apple's patterns: characters, `*`, `?` and `$(name)`. There is no escape, no class and no alternation
// beside the variables. Tokens are plain numbers and the names lie beside them, because every rule of every app file
// goes through here, and few have variables.

/// One piece of a pattern as it is written.
enum PatternToken: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case any
    /// `*`
    case star
    /// `$(name)`; its place among the names of the pattern.
    case variable(Int)
    /// A `$(` that is not closed, or a name with a character that names may not have. It never matches.
    case broken

    static let slash = PatternToken.scalar("/")

    /// The tokens of a pattern, where the names do not matter.
    static func tokens(of pattern: String) -> [PatternToken] { ParsedPattern(pattern).tokens }
}

/// A pattern cut into tokens.
struct ParsedPattern: Sendable {
    var tokens: [PatternToken]
    /// The variables in order.
    private(set) var names: [String] = []

    init(tokens: [PatternToken]) { self.tokens = tokens }

    init(_ pattern: String) {
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
}
