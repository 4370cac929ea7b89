// Texts for patterns: what a link could have in a place where a rule has a pattern.

/// Writes a text that a pattern accepts.
struct PatternSampler {
    let table: SubstitutionTable
    let isEncoded: Bool
    /// Whether the text is for a query, where separators of items would cut it.
    private var isInQuery = false

    init(table: SubstitutionTable, isEncoded: Bool) {
        self.table = table
        self.isEncoded = isEncoded
    }

    var inQuery: PatternSampler {
        var sampler = self
        sampler.isInQuery = true
        return sampler
    }

    enum Star {
        case shortest
        case word
        /// What follows the star, so many times more.
        case repetitions(Int)
    }

    /// A text in which `any` stands for each `?`.
    func sample(_ pattern: ParsedPattern, star: Star, any: String = "x") -> String {
        let tokens = Self.starsLast(pattern.tokens)
        var text = ""
        for (index, token) in tokens.enumerated() {
            switch token {
            case .scalar(let scalar): append(scalar, to: &text)
            case .any: text += any
            case .star: appendStar(star, before: tokens.element(at: index + 1), to: &text)
            case .variable(let index): text += value(of: pattern.names[index])
            case .broken: continue
            }
        }
        return text
    }

    /// `*?` and `?*` mean the same; what a star runs on to is what stands behind both.
    private static func starsLast(_ tokens: [PatternToken]) -> [PatternToken] {
        var result: [PatternToken] = []
        for token in tokens {
            switch (token, result.last) {
            case (.star, .star?): continue
            case (.any, .star?): result.insert(.any, at: result.count - 1)
            default: result.append(token)
            }
        }
        return result
    }

    private func appendStar(_ star: Star, before next: PatternToken?, to text: inout String) {
        switch star {
        case .shortest: return
        case .word: text += "x"
        case .repetitions(let count):
            text += "x"
            guard case .scalar(let scalar) = next else { return }
            for _ in 0..<count {
                append(scalar, to: &text)
                text += "x"
            }
        }
    }

    private func append(_ scalar: Unicode.Scalar, to text: inout String) {
        // A decoded pattern has characters that would cut the URL in other places if they stood there bare.
        if !isEncoded, (isInQuery ? "%#&+;" : "%?#").unicodeScalars.contains(scalar) {
            text += String(decoding: Percent.escape(UInt8(truncatingIfNeeded: scalar.value)), as: UTF8.self)
        } else {
            text.unicodeScalars.append(scalar)
        }
    }

    private func value(of name: String) -> String {
        if let custom = table.values(of: name) {
            return custom.first.map { sample(ParsedPattern($0), star: .shortest) } ?? ""
        }
        switch name {
        case "digit", "xdigit", "alnum": return "7"
        case "upper", "alpha": return "A"
        case "lower": return "a"
        case "region": return "GB"
        case "lang": return "en"
        default: return ""
        }
    }
}
