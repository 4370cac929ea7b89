// The normal form of slashes that iOS gives to a path pattern and to a URL's path before it compares them (reference A.6.3).
// Because of it a leading slash is optional, a trailing one makes no difference, and `/buy/*` matches `/buy`.

/// Slash normalisation of paths and of path patterns.
package enum AppleSlashes {
    /// Empty becomes `/`; one character is kept; runs of `*` and of `/` become one; `/` is added at each end that has no `*`.
    package static func normalised(_ tokens: [PatternToken]) -> [PatternToken] {
        guard tokens.count != 1 || tokens.first.map(isVariable) == true else { return tokens }
        return normalised(tokens, slash: .slash, star: .star)
    }

    package static func normalised(_ pattern: ParsedPattern) -> ParsedPattern {
        var result = pattern
        result.tokens = normalised(pattern.tokens)
        return result
    }

    /// The same for the path of a URL.
    package static func normalised(_ path: [UInt8]) -> [UInt8] {
        path.count == 1 ? path : normalised(path, slash: UInt8(ascii: "/"), star: UInt8(ascii: "*"))
    }

    private static func normalised<Unit: Equatable>(_ units: [Unit], slash: Unit, star: Unit) -> [Unit] {
        var result: [Unit] = []
        result.reserveCapacity(units.count + 2)
        if units.first != star && units.first != slash { result.append(slash) }
        for unit in units where !((unit == star || unit == slash) && unit == result.last) { result.append(unit) }
        if result.last != star && result.last != slash { result.append(slash) }
        return result
    }

    /// Another model of the same observations: trailing slashes are dropped on both sides, and `/x/*` also matches `/x`. It
    /// differs where a wildcard could match the slash that `normalised` adds.
    package static func dropped(_ pattern: ParsedPattern) -> ParsedPattern {
        var result = normalised(pattern)
        if result.tokens.count > 1, result.tokens.last == .slash { result.tokens.removeLast() }
        return result
    }

    /// The path of a URL in that other model.
    package static func dropped(_ path: [UInt8]) -> [UInt8] {
        var result = normalised(path)
        if result.count > 1, result.last == UInt8(ascii: "/") { result.removeLast() }
        return result
    }

    /// Whether the two models can differ on a pattern: it ends in `*`, after something other than an ordinary character.
    package static func mayConsumeAddedSlash(_ tokens: [PatternToken]) -> Bool {
        guard tokens.last == .star, tokens.count > 1 else { return false }
        switch tokens[tokens.count - 2] {
        case .any: return tokens.count < 3 || tokens[tokens.count - 3] != .slash
        case .variable: return true
        case .scalar, .star, .broken: return false
        }
    }

    private static func isVariable(_ token: PatternToken) -> Bool {
        if case .variable = token { return true }
        return false
    }
}
