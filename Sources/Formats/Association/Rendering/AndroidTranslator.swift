// Translates one rule of an app file into dynamic rules that mean the same on Android 15. The translation is exact, except
// for stars, where it differs only for URLs that are not in use (`AndroidPattern`). A rule that Android cannot express is
// omitted, not approximated, and the result says why.
//
// "The same" holds for URLs as browsers write them: no doubled slash, no unnecessary escape, and no query parameter twice.
// For other URLs the platforms differ in every rule.

import SourceJSON

/// Translates the rules of one app.
struct AndroidTranslator {
    private let defaults: AppleDefaults
    private let variants: PatternVariants

    /// Android rules that one rule may become. A longer list would slow down every link.
    private static let rulesMax = 128

    init(defaults: AppleDefaults, variables: [SubstitutionVariable]) {
        self.defaults = defaults
        variants = PatternVariants(table: SubstitutionTable(variables), limit: Self.rulesMax)
    }

    /// The translations of one part of a rule.
    private enum Alternatives {
        case anything
        case patterns([String])
        /// A feature that Android does not support.
        case unsupported(String)
    }

    func translate(_ link: AppleComponent) -> RuleTranslation<AndroidRule> {
        let isEncoded = link.percentEncoded ?? defaults.percentEncoded ?? true
        var drafts = [AndroidRule(exclude: link.exclude ?? false, range: link.range)]
        if let path = link.path {
            switch pathAlternatives(path, isEncoded: isEncoded) {
            case .anything: break
            case .unsupported(let feature): return RuleTranslation(unsupported: feature)
            case .patterns(let patterns): drafts = Self.combined(drafts, patterns) { $0.path = $1 }
            }
        }
        switch link.query {
        case nil, .whole("*"): break
        case .whole:
            return RuleTranslation(unsupported: "a pattern for the whole query, but Android compares single parameters")
        case .items(let items):
            for item in items {
                switch itemAlternatives(item, isEncoded: isEncoded) {
                case .anything: break
                case .unsupported(let feature): return RuleTranslation(unsupported: feature)
                case .patterns(let patterns):
                    drafts = Self.combined(drafts, patterns) {
                        $0.query = ($0.query ?? []) + [QueryItemPattern(name: item.name, pattern: $1)]
                    }
                }
            }
        }
        if let fragment = link.fragment {
            switch textAlternatives(fragment, isEncoded: isEncoded, part: .fragment) {
            case .anything: break
            case .unsupported(let feature): return RuleTranslation(unsupported: feature)
            case .patterns(let patterns): drafts = Self.combined(drafts, patterns) { $0.fragment = $1 }
            }
        }
        guard drafts.count <= Self.rulesMax else { return RuleTranslation(unsupported: Self.tooMany) }
        // On Android a rule without a pattern matches nothing.
        for index in drafts.indices where drafts[index].isEmpty { drafts[index].path = "*" }
        return RuleTranslation(rules: drafts)
    }

    private static let tooMany = "more than \(rulesMax) Android rules, one for each value of its variables"

    private static func combined(
        _ drafts: [AndroidRule], _ patterns: [String], _ set: (inout AndroidRule, String) -> Void
    ) -> [AndroidRule] {
        // Too many rules are rejected, so there is no need to make them all.
        guard drafts.count * patterns.count <= rulesMax * 2 else {
            return Array(repeating: AndroidRule(), count: rulesMax + 1)
        }
        return drafts.flatMap { draft in
            patterns.map { pattern in
                var rule = draft
                set(&rule, pattern)
                return rule
            }
        }
    }

    private func pathAlternatives(_ path: String, isEncoded: Bool) -> Alternatives {
        if let alternatives = Self.plainAlternatives(path) { return alternatives }
        let normal = AppleSlashes.normalised(ParsedPattern(path))
        guard let expanded = variants.expanded(normal) else { return .unsupported(Self.tooMany) }
        var plain: [[PatternToken]] = []
        for pattern in expanded {
            switch AndroidPattern.decoded(pattern, isEncoded: isEncoded, part: .path) {
            case .never: continue
            case .unsupported(let feature): return .unsupported(feature)
            case .pattern(let decoded):
                switch PatternVariants.paths(decoded) {
                case .everything: return .anything
                case .some(let paths): plain += paths
                }
            }
        }
        return .patterns(Self.texts(plain))
    }

    /// A faster translation for the paths of most rules: no variable, no escape, and a star only at the end.
    private static func plainAlternatives(_ path: String) -> Alternatives? {
        guard path.utf8.dropLast().allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "*") }),
            path.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && $0 != UInt8(ascii: "%") && $0 != UInt8(ascii: "$") })
        else { return nil }
        let pattern = AppleSlashes.normalised(Array(path.utf8))
        let whole = String(decoding: pattern, as: UTF8.self)
        guard pattern.count > 1 else { return whole == "*" ? .anything : .patterns([whole]) }
        if whole == "/*" { return .anything }
        guard whole.ends(with: "/") || whole.ends(with: "/*") else { return .patterns([whole]) }
        return .patterns([whole.dropping(lastBytes: whole.ends(with: "/") ? 1 : 2), whole])
    }

    private func itemAlternatives(_ item: QueryItemPattern, isEncoded: Bool) -> Alternatives {
        let alternatives = textAlternatives(item.pattern, isEncoded: isEncoded, part: .queryValue)
        guard case .patterns = alternatives else { return alternatives }
        // Android matches the name together with the value.
        let isPlain = item.name.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && !"*?%&;=".contains($0) }
        if item.name.isEmpty || !isPlain {
            return .unsupported("the query parameter \(item.name.quoted), a name that Android cannot match")
        }
        return alternatives
    }

    private func textAlternatives(_ text: String, isEncoded: Bool, part: AndroidPattern.Part) -> Alternatives {
        guard let expanded = variants.expanded(ParsedPattern(text)) else { return .unsupported(Self.tooMany) }
        var plain: [[PatternToken]] = []
        // Apple reads a missing parameter or fragment as empty text, so a single star requires nothing.
        if expanded.contains([.star]) { return .anything }
        for pattern in expanded {
            switch AndroidPattern.decoded(pattern, isEncoded: isEncoded, part: part) {
            case .never: continue
            case .unsupported(let feature): return .unsupported(feature)
            case .pattern(let decoded):
                if decoded.isEmpty { return .unsupported("a missing or empty part, which Android cannot match") }
                plain.append(decoded)
            }
        }
        return .patterns(Self.texts(plain))
    }

    /// Each pattern once, with its stars repeated.
    private static func texts(_ patterns: [[PatternToken]]) -> [String] {
        let texts = patterns.flatMap(AndroidPattern.repeated).map(\.text)
        // Usually a path with and without its slash.
        if texts.count == 1 || (texts.count == 2 && !texts[0].isIdentical(to: texts[1])) { return texts }
        var seen: Set<ExactText> = []
        return texts.filter { seen.insert(ExactText($0)).inserted }
    }
}

extension String {
    package func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}

// Translates one Apple pattern without variables for Android's matcher. That matcher reads decoded text, has no escape for
// wildcards, and its star stops at the first occurrence of the character after it, without backtracking.
//
// The star is the difficult part. Apple's `*c` may end at any `c` of a text, and Android's ends at the first. But `*c*c`
// ends exactly at the second, `*c*c*c` at the third, and so on. So a few such patterns together mean the same as Apple's
// single pattern, up to that number of occurrences.

enum AndroidPattern {
    /// A pattern, or the reason why there is none.
    enum Decoded: Equatable {
        case pattern([PatternToken])
        /// No URL matches the pattern.
        case never
        /// A feature that Android does not support, as the end of "it needs …".
        case unsupported(String)
    }

    /// Which part of the URL a pattern is for.
    enum Part {
        case path, queryValue, fragment
    }

    /// Number of additional occurrences that a star may match.
    private static let repeatsMax = 3
    /// Number of patterns that one pattern may become because of its stars.
    private static let repeatedMax = 20

    /// The pattern for decoded text.
    /// - Parameter isEncoded: whether it is written for encoded text.
    static func decoded(_ tokens: [PatternToken], isEncoded: Bool, part: Part) -> Decoded {
        var result: [PatternToken] = []
        var escaped: [UInt8] = []
        var index = 0
        while index < tokens.count {
            guard isEncoded, case .scalar(let scalar) = tokens[index] else {
                if let feature = flush(&escaped, into: &result, part: part) { return .unsupported(feature) }
                if let feature = unsupported(tokens[index], part: part) { return .unsupported(feature) }
                result.append(tokens[index])
                index += 1
                continue
            }
            // An encoded URL is ASCII and has no bare percent sign.
            guard scalar.value > 0x20, scalar.value < 0x7F else { return .never }
            if scalar == "%" {
                guard let byte = byte(tokens, at: index + 1) else { return .never }
                escaped.append(byte)
                index += 3
            } else {
                if let feature = flush(&escaped, into: &result, part: part) { return .unsupported(feature) }
                if let feature = unsupported(tokens[index], part: part) { return .unsupported(feature) }
                result.append(tokens[index])
                index += 1
            }
        }
        if let feature = flush(&escaped, into: &result, part: part) { return .unsupported(feature) }
        return .pattern(result)
    }

    private static func byte(_ tokens: [PatternToken], at index: Int) -> UInt8? {
        guard index + 1 < tokens.count, case .scalar(let first) = tokens[index],
            case .scalar(let second) = tokens[index + 1], first.isASCII, second.isASCII,
            let high = UInt8(first.value).hexadecimalValue, let low = UInt8(second.value).hexadecimalValue
        else { return nil }
        return high << 4 | low
    }

    /// Appends the escaped bytes as characters. Returns the unsupported feature if that is not possible.
    private static func flush(_ escaped: inout [UInt8], into result: inout [PatternToken], part: Part) -> String? {
        guard !escaped.isEmpty else { return nil }
        defer { escaped.removeAll() }
        guard let text = String(validating: escaped, as: UTF8.self) else { return "an escape that is not UTF-8" }
        for scalar in text.unicodeScalars {
            if scalar == "*" || scalar == "?" {
                return "a literal \"\(scalar)\", which is always a wildcard on Android"
            }
            if scalar == "/", part == .path { return "an escaped slash, which is an ordinary slash on Android" }
            if let feature = unsupported(.scalar(scalar), part: part) { return feature }
            result.append(.scalar(scalar))
        }
        return nil
    }

    /// The feature that is not supported if the token would end a query parameter on Android.
    private static func unsupported(_ token: PatternToken, part: Part) -> String? {
        guard part == .queryValue, token == .scalar("&") || token == .scalar(";") else { return nil }
        return "a separator of query parameters in a value, which ends the parameter on Android"
    }

    /// The patterns that together mean on Android what `tokens` means on iOS, for up to a few occurrences of the character
    /// after a star.
    static func repeated(_ tokens: [PatternToken]) -> [[PatternToken]] {
        let innerStars = tokens.dropLast().count { $0 == .star }
        if innerStars == 0 { return [tokens] }
        let repeats = (0...repeatsMax).last { combinations(innerStars, $0) <= repeatedMax } ?? 0
        // With many stars nothing is repeated, and copying the pattern at each star would take quadratic time.
        if repeats == 0 { return [tokens] }
        var variants: [(tokens: [PatternToken], left: Int)] = [([], repeats)]
        for (index, token) in tokens.enumerated() {
            guard token == .star, index + 1 < tokens.count else {
                for position in variants.indices { variants[position].tokens.append(token) }
                continue
            }
            let next = tokens[index + 1]
            variants = variants.flatMap { variant in
                (0...variant.left).map { count in
                    let run = repeatElement([PatternToken.star, next], count: count).flatMap { $0 }
                    return (variant.tokens + run + [.star], variant.left - count)
                }
            }
        }
        return variants.map(\.tokens)
    }

    /// The number of ways to distribute up to `repeats` repetitions over that many stars; `Int.max` if it is large.
    private static func combinations(_ stars: Int, _ repeats: Int) -> Int {
        guard stars <= repeatedMax else { return repeats == 0 ? 1 : .max }
        var count = 1
        for step in 0..<repeats { count = count * (stars + step + 1) / (step + 1) }
        return count
    }
}
