// A slow and simple matcher of Apple's patterns to compare the fast one with, and generators for random tests.

@testable import Association

/// Matches by trying all possibilities. Exponential; for short texts only.
enum PatternOracle {
    static func matches(
        _ tokens: ArraySlice<OracleToken>, _ text: ArraySlice<Unicode.Scalar>, _ values: [String: [String]]
    ) -> Bool {
        guard let token = tokens.first else { return text.isEmpty }
        let rest = tokens.dropFirst()
        switch token {
        case .scalar(let scalar): return text.first == scalar && matches(rest, text.dropFirst(), values)
        case .any: return !text.isEmpty && matches(rest, text.dropFirst(), values)
        case .star: return (text.startIndex...text.endIndex).contains { matches(rest, text[$0...], values) }
        case .variable(let name):
            return (values[name] ?? []).contains { value in
                matches(ArraySlice(OracleToken.tokens(of: value) + rest), text, values)
            }
        case .broken: return false
        }
    }

    static func matches(_ pattern: String, _ text: String, _ values: [String: [String]] = [:]) -> Bool {
        matches(OracleToken.tokens(of: pattern)[...], Array(text.unicodeScalars)[...], values)
    }
}

extension PatternOracle {
    /// The possible ends of a pattern that begins at one of `starts`; slow, for texts of a few hundred bytes.
    static func ends(
        of pattern: ParsedPattern, in text: [Unicode.Scalar], from starts: Set<Int>, _ values: [String: [String]]
    ) -> Set<Int> {
        pattern.tokens.reduce(starts) { reached, token in
            switch token {
            case .scalar(let scalar): Set(reached.filter { $0 < text.count && text[$0] == scalar }.map { $0 + 1 })
            case .any: Set(reached.filter { $0 < text.count }.map { $0 + 1 })
            case .star: Set((reached.min() ?? text.count + 1)..<text.count + 1)
            case .variable(let index):
                (values[pattern.names[index]] ?? []).reduce(into: []) {
                    $0.formUnion(ends(of: ParsedPattern($1), in: text, from: reached, values))
                }
            case .broken: []
            }
        }
    }
}

/// A token with the name of its variable, for the slow matcher.
enum OracleToken {
    case scalar(Unicode.Scalar)
    case any, star, broken
    case variable(String)

    static func tokens(of pattern: String) -> [OracleToken] {
        let parsed = ParsedPattern(pattern)
        return parsed.tokens.map { token in
            switch token {
            case .scalar(let scalar): .scalar(scalar)
            case .any: .any
            case .star: .star
            case .variable(let index): .variable(parsed.names[index])
            case .broken: .broken
            }
        }
    }
}
