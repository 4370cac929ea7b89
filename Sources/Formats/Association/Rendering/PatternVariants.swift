// Expands patterns: variables are replaced by their values, and paths are written with and without their trailing slash.
// Other platforms have no variables and do not ignore slashes as Apple does, so one pattern may become several there.

/// Expands an Apple pattern.
package struct PatternVariants {
    package let table: SubstitutionTable
    /// Number of patterns that one pattern may become.
    package let limit: Int

    package init(table: SubstitutionTable, limit: Int) {
        (self.table, self.limit) = (table, limit)
    }

    /// The pattern with its variables replaced by each of their values, and wildcards in canonical order. Empty if it can
    /// match nothing; nil if there would be more than the limit.
    package func expanded(_ pattern: ParsedPattern) -> [[PatternToken]]? {
        if pattern.names.isEmpty {
            return pattern.tokens.contains(.broken) ? [] : [Self.canonical(pattern.tokens)]
        }
        var variants: [[PatternToken]] = [[]]
        for token in pattern.tokens {
            switch token {
            case .scalar, .any, .star:
                for index in variants.indices { variants[index].append(token) }
            case .broken: return []
            case .variable(let index):
                let name = pattern.names[index]
                // The values are counted before they are read, because ten thousand rules may use a thousand values each.
                if let custom = table.values(of: name), variants.count * custom.count > limit { return nil }
                guard let values = values(of: name) else { return [] }
                guard variants.count * values.count <= limit else { return nil }
                variants = variants.flatMap { start in values.map { start + $0 } }
            }
        }
        return variants.map(Self.canonical)
    }

    /// The values of a variable; nil if it is not defined.
    package func values(of name: String) -> [[PatternToken]]? {
        if let custom = table.values(of: name) { return custom.map(PatternToken.tokens) }
        return switch PredefinedVariable(rawValue: name) {
        case nil: nil
        case .region: Self.regions
        case .lang: Self.languages
        case let variable?: variable.characters.unicodeScalars.map { [.scalar($0)] }
        }
    }

    // Made once, because thousands of rules may use them.
    private static let regions = ISOCodes.regions.flatMap(bothSpellings)
    private static let languages = ISOCodes.languages.flatMap(bothSpellings)

    private static func bothSpellings(_ code: String) -> [[PatternToken]] {
        [PatternToken.tokens(of: code.uppercased()), PatternToken.tokens(of: code.lowercased())]
    }

    /// The pattern with `?` before `*` in each run of wildcards. The order has no meaning, but Android reads only this one
    /// correctly.
    package static func canonical(_ tokens: [PatternToken]) -> [PatternToken] {
        var result: [PatternToken] = []
        result.reserveCapacity(tokens.count)
        var hasStar = false
        for token in tokens {
            switch token {
            case .star: hasStar = true
            case .any: result.append(.any)
            default:
                if hasStar { result.append(.star) }
                hasStar = false
                result.append(token)
            }
        }
        if hasStar { result.append(.star) }
        return result
    }

    /// A path pattern for a matcher that compares slashes exactly.
    package enum Paths: Hashable {
        case everything
        case some([[PatternToken]])
    }

    /// The paths that Apple matches with a normalised pattern (see `AppleSlashes`), as patterns for the exact path. Paths
    /// with two slashes in a row are ignored, because no usual link has them.
    package static func paths(_ pattern: [PatternToken]) -> Paths {
        guard pattern.count > 1 else { return pattern == [.star] ? .everything : .some([pattern]) }
        var stem = pattern
        let last = stem.removeLast()
        switch last {
        case .slash:
            guard stem.last == .star else { return .some([stem, pattern]) }
            return .some([withLastSegment(stem)])
        case .star where stem.last == .slash:
            stem.removeLast()
            return stem.isEmpty ? .everything : .some([withLastSegment(stem), pattern])
        default: return .some([pattern])
        }
    }

    /// `/x/*/` needs something between the slashes, `/x*/` does not.
    private static func withLastSegment(_ stem: [PatternToken]) -> [PatternToken] {
        guard stem.count > 1, stem.last == .star, stem[stem.count - 2] == .slash else { return stem }
        var stem = stem
        stem.insert(.any, at: stem.count - 1)
        return stem
    }
}
