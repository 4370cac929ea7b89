// The alphabet of Apple's patterns: characters, `*`, `?` and `$(name)`. There is no escape, no class and no alternation
// beside the variables.

/// One piece of a pattern as it is written.
enum PatternToken: Hashable, Sendable {
    case scalar(Unicode.Scalar)
    /// `?`
    case any
    /// `*`
    case star
    /// `$(name)`
    case variable(String)
    /// A `$(` that is not closed, or a name with a character that names may not have. It never matches.
    case broken

    static let slash = PatternToken.scalar("/")

    /// Cuts a pattern into tokens.
    static func tokens(of pattern: String) -> [PatternToken] {
        let scalars = Array(pattern.unicodeScalars)
        var tokens: [PatternToken] = []
        tokens.reserveCapacity(scalars.count)
        var index = 0
        while index < scalars.count {
            let scalar = scalars[index]
            if scalar == "$", index + 1 < scalars.count, scalars[index + 1] == "(" {
                let (token, end) = variable(in: scalars, from: index + 2)
                tokens.append(token)
                index = end
            } else {
                tokens.append(scalar == "*" ? .star : scalar == "?" ? .any : .scalar(scalar))
                index += 1
            }
        }
        return tokens
    }

    /// Reads a variable's name from behind its `$(`; names hold anything but `$`, `(` and `)`.
    private static func variable(in scalars: [Unicode.Scalar], from start: Int) -> (PatternToken, end: Int) {
        guard let end = scalars[start...].firstIndex(where: { $0 == ")" || $0 == "$" || $0 == "(" }),
            scalars[end] == ")"
        else { return (.broken, scalars.count) }
        var name = String.UnicodeScalarView()
        name.append(contentsOf: scalars[start..<end])
        return (.variable(String(name)), end + 1)
    }
}
