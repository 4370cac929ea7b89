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
