// From one rule of an app file to the dynamic rules that mean the same on Android 15, or to the reason why there are
// none. A rule is translated exactly or, as far as its stars go, to within links that nobody has (`AndroidPattern`).
// One that Android cannot look for is left out rather than approximated, and the caller says so.
//
// "The same" is meant for links as browsers write them: no doubled slash, no escape where none is needed, no query item
// twice. Elsewhere the two platforms differ in every rule.

import SourceJSON

/// Translates the rules of one app.
struct AndroidTranslator {
    private let defaults: AppleDefaults
    private let variants: PatternVariants

    /// What a single rule may become; beyond that, the list would be a burden on every link.
    private static let rulesMax = 128

    init(defaults: AppleDefaults, variables: [SubstitutionVariable]) {
        self.defaults = defaults
        variants = PatternVariants(table: SubstitutionTable(variables), limit: Self.rulesMax)
    }

    /// The alternatives for one part of a rule; nil in `patterns` stands for a part that is not looked at.
    private enum Alternatives {
        case anything
        case patterns([String])
        case obstacle(String)
    }

    func translate(_ link: AppleComponent) -> RuleTranslation<AndroidRule> {
        let isEncoded = link.percentEncoded ?? defaults.percentEncoded ?? true
        var drafts = [AndroidRule(exclude: link.exclude ?? false, range: link.range)]
        if let path = link.path {
            switch pathAlternatives(path, isEncoded: isEncoded) {
            case .anything: break
            case .obstacle(let obstacle): return RuleTranslation(obstacle: obstacle)
            case .patterns(let patterns): drafts = Self.combined(drafts, patterns) { $0.path = $1 }
            }
        }
        switch link.query {
        case nil, .whole("*"): break
        case .whole: return RuleTranslation(obstacle: "the whole query at once, where single items are compared")
        case .items(let items):
            for item in items {
                switch itemAlternatives(item, isEncoded: isEncoded) {
                case .anything: break
                case .obstacle(let obstacle): return RuleTranslation(obstacle: obstacle)
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
            case .obstacle(let obstacle): return RuleTranslation(obstacle: obstacle)
            case .patterns(let patterns): drafts = Self.combined(drafts, patterns) { $0.fragment = $1 }
            }
        }
        guard drafts.count <= Self.rulesMax else { return RuleTranslation(obstacle: Self.tooMany) }
        // A rule that looks at nothing matches nothing there.
        for index in drafts.indices where drafts[index].isEmpty { drafts[index].path = "*" }
        return RuleTranslation(rules: drafts)
    }

    private static let tooMany = "more than \(rulesMax) rules, with every value of its variables written out"

    private static func combined(
        _ drafts: [AndroidRule], _ patterns: [String], _ set: (inout AndroidRule, String) -> Void
    ) -> [AndroidRule] {
        // One more than the limit is as bad as a million.
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
        guard let expanded = variants.expanded(normal) else { return .obstacle(Self.tooMany) }
        var plain: [[PatternToken]] = []
        for pattern in expanded {
            switch AndroidPattern.decoded(pattern, isEncoded: isEncoded, part: .path) {
            case .never: continue
            case .obstacle(let obstacle): return .obstacle(obstacle)
            case .pattern(let decoded):
                switch PatternVariants.paths(decoded) {
                case .everything: return .anything
                case .some(let paths): plain += paths
                }
            }
        }
        return .patterns(Self.texts(plain))
    }

    /// The same for the paths that most rules have, by their bytes: no variable, no escape, and no star but at the end.
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
        // The name goes through Android's matcher together with the value.
        let isPlain = item.name.unicodeScalars.allSatisfy { $0.isASCII && $0.value > 0x20 && !"*?%&;=".contains($0) }
        if item.name.isEmpty || !isPlain { return .obstacle("the item \(item.name.quoted), a name it cannot look for") }
        return alternatives
    }

    private func textAlternatives(_ text: String, isEncoded: Bool, part: AndroidPattern.Part) -> Alternatives {
        guard let expanded = variants.expanded(ParsedPattern(text)) else { return .obstacle(Self.tooMany) }
        var plain: [[PatternToken]] = []
        // Apple reads an absent item or fragment as an empty one, so a bare star asks for nothing.
        if expanded.contains([.star]) { return .anything }
        for pattern in expanded {
            switch AndroidPattern.decoded(pattern, isEncoded: isEncoded, part: part) {
            case .never: continue
            case .obstacle(let obstacle): return .obstacle(obstacle)
            case .pattern(let decoded):
                if decoded.isEmpty { return .obstacle("a part that is absent or empty, which it cannot look for") }
                plain.append(decoded)
            }
        }
        return .patterns(Self.texts(plain))
    }

    /// Each pattern once, with its stars repeated.
    private static func texts(_ patterns: [[PatternToken]]) -> [String] {
        let texts = patterns.flatMap(AndroidPattern.repeated).map(\.text)
        // Mostly a path with and without its slash.
        if texts.count == 1 || (texts.count == 2 && !texts[0].isIdentical(to: texts[1])) { return texts }
        var seen: Set<ExactText> = []
        return texts.filter { seen.insert(ExactText($0)).inserted }
    }
}

extension String {
    package func contains(_ scalar: Unicode.Scalar) -> Bool { unicodeScalars.contains(scalar) }
}

// One plain Apple pattern in the language of Android's matcher, which reads decoded text, has no escape for its
// wildcards, and whose star runs to the first occurrence of the character after it, without a second try.
//
// That star is the interesting part. Apple's `*c` may end at any c of a text; Android's ends at the first. But `*c*c`
// ends exactly at the second, `*c*c*c` at the third, and so on: a few of these beside each other say the same as
// Apple's single one, up to that number of occurrences.

enum AndroidPattern {
    /// A pattern or the reason why there is none.
    enum Decoded: Equatable {
        case pattern([PatternToken])
        /// No URL has such a text.
        case never
        /// What Android cannot look for, as the end of "it needs …".
        case obstacle(String)
    }

    /// Which part of the URL a pattern is for.
    enum Part {
        case path, queryValue, fragment
    }

    /// How many more occurrences a star may run past.
    private static let repeatsMax = 3
    /// How many patterns one may become for that.
    private static let repeatedMax = 20

    /// The pattern over decoded text. With `isEncoded` it was written as URLs are, otherwise it is decoded already.
    static func decoded(_ tokens: [PatternToken], isEncoded: Bool, part: Part) -> Decoded {
        var result: [PatternToken] = []
        var escaped: [UInt8] = []
        var index = 0
        while index < tokens.count {
            guard isEncoded, case .scalar(let scalar) = tokens[index] else {
                if let obstacle = flush(&escaped, into: &result, part: part) { return .obstacle(obstacle) }
                if let obstacle = obstacle(tokens[index], part: part) { return .obstacle(obstacle) }
                result.append(tokens[index])
                index += 1
                continue
            }
            // Links are ASCII by the time they are compared, and a bare percent sign is in none of them.
            guard scalar.value > 0x20, scalar.value < 0x7F else { return .never }
            if scalar == "%" {
                guard let byte = byte(tokens, at: index + 1) else { return .never }
                escaped.append(byte)
                index += 3
            } else {
                if let obstacle = flush(&escaped, into: &result, part: part) { return .obstacle(obstacle) }
                if let obstacle = obstacle(tokens[index], part: part) { return .obstacle(obstacle) }
                result.append(tokens[index])
                index += 1
            }
        }
        if let obstacle = flush(&escaped, into: &result, part: part) { return .obstacle(obstacle) }
        return .pattern(result)
    }

    private static func byte(_ tokens: [PatternToken], at index: Int) -> UInt8? {
        guard index + 1 < tokens.count, case .scalar(let first) = tokens[index],
            case .scalar(let second) = tokens[index + 1], first.isASCII, second.isASCII,
            let high = ASCII.hexValue(UInt8(first.value)), let low = ASCII.hexValue(UInt8(second.value))
        else { return nil }
        return high << 4 | low
    }

    /// Appends the escaped bytes as characters; returns the obstacle if they are none, or special ones.
    private static func flush(_ escaped: inout [UInt8], into result: inout [PatternToken], part: Part) -> String? {
        guard !escaped.isEmpty else { return nil }
        defer { escaped.removeAll() }
        guard let text = String(validating: escaped, as: UTF8.self) else { return "an escape that is not UTF-8" }
        for scalar in text.unicodeScalars {
            if scalar == "*" || scalar == "?" { return "a literal \"\(scalar)\", which is always a wildcard there" }
            if scalar == "/", part == .path { return "an escaped slash, which is an ordinary one there" }
            if let obstacle = obstacle(.scalar(scalar), part: part) { return obstacle }
            result.append(.scalar(scalar))
        }
        return nil
    }

    /// What would cut a query item in two on Android.
    private static func obstacle(_ token: PatternToken, part: Part) -> String? {
        guard part == .queryValue, token == .scalar("&") || token == .scalar(";") else { return nil }
        return "a separator of query items in a value, where the item ends there"
    }

    /// The patterns that together mean on Android what `tokens` means to Apple, for up to a few repetitions of what
    /// follows a star.
    static func repeated(_ tokens: [PatternToken]) -> [[PatternToken]] {
        let innerStars = tokens.dropLast().count { $0 == .star }
        if innerStars == 0 { return [tokens] }
        let repeats = (0...repeatsMax).last { combinations(innerStars, $0) <= repeatedMax } ?? 0
        // With many stars nothing is repeated, and copying the pattern at each of them would take the square of it.
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

    /// In how many ways up to `repeats` repetitions fall on that many stars; more than enough when large.
    private static func combinations(_ stars: Int, _ repeats: Int) -> Int {
        guard stars <= repeatedMax else { return repeats == 0 ? 1 : .max }
        var count = 1
        for step in 0..<repeats { count = count * (stars + step + 1) / (step + 1) }
        return count
    }
}
