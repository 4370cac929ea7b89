// URLs to try when a rule is translated for another platform: those that the platforms are known to treat differently.
// They are only candidates. Both matchers decide whether the platforms really differ on one.

import Association
import SourceJSON

/// Makes candidate URLs from one rule.
struct WitnessCandidates {
    let host: String
    let table: SubstitutionTable

    /// More repetitions than any translation provides for.
    private static let repetitions = 6

    func candidates(for link: AppleComponent, isEncoded: Bool, folds: Bool) -> [WitnessCandidate] {
        let tokens = AppleSlashes.normalised(ParsedPattern(link.path ?? "/"))
        let sampler = PatternSampler(table: table, isEncoded: isEncoded)
        let inQuery = sampler.inQuery
        // `/x/*/` needs some text between the slashes, so the star must not be empty there.
        let hasEmptySegment = sampler.sample(tokens, star: .shortest).contains(run: "//")
        let path = sampledPath(tokens, sampler, hasEmptySegment ? .word : .shortest)
        let query = queryText(link.query) { inQuery.sample($0, star: .word) }
        let fragment = link.fragment.map { "#" + sampler.sample(ParsedPattern($0), star: .word) } ?? ""
        var texts: [(String, WitnessCandidate.Reason)] = [
            (path + query + fragment, .plain),
            (path + (path.ends(with: "/") ? "" : "/") + query + fragment, .plain),
            (sampledPath(tokens, sampler, .word) + query + fragment, .plain),
            (path + fragment, .absentItem),
            (path + query + (query.isEmpty ? "?" : "&") + "utm_source=mail" + fragment, .extraItem),
            (replacingLastWithSlash(path) + query + fragment, .trailingSlash),
        ]
        let far = PatternSampler.Star.repetitions(Self.repetitions)
        texts.append((sampledPath(tokens, sampler, far) + query + fragment, .repetition))
        texts.append((path + queryText(link.query) { inQuery.sample($0, star: far) } + fragment, .repetition))
        if folds {
            // A URL with one changed letter reads best, but that letter may stand for a wildcard.
            for count in [1, Int.max] {
                texts.append((swappedCase(path, count) + query + fragment, .letterCase))
                texts.append((path + swappedCase(query, count) + fragment, .letterCase))
                texts.append((path + query + swappedCase(fragment, count), .letterCase))
            }
        }
        texts.append((withUpperCaseEscapes(path + query + fragment), .escape))
        // An escape is three characters of an encoded URL and one of a decoded URL. For Android, an emoji is two.
        for other in isEncoded ? ["%C3%A9"] : ["%C3%A9", "%F0%9F%98%80"] {
            let escaped = queryText(link.query) { inQuery.sample($0, star: .word, any: other) }
            for star in [PatternSampler.Star.word, .shortest] {
                texts.append((sampledPath(tokens, sampler, star, any: other) + query + fragment, .escape))
            }
            texts.append((path + escaped + fragment, .escape))
            if let pattern = link.fragment {
                let text = sampler.sample(ParsedPattern(pattern), star: .word, any: other)
                texts.append((path + query + "#" + text, .escape))
            }
        }
        // A list with a rule for every path often has another rule for the root.
        if link.path == nil { texts += texts.map { ("/x" + $0.0.dropFirst(), $0.1) } }
        return texts.compactMap { text, reason in
            guard let url = url(text) else { return nil }
            return WitnessCandidate(url: url, reason: reason)
        }
    }

    /// URLs of a rule that have one of its query parameters twice, first without a value. If the rule has no path, they
    /// have the paths of the other rules too.
    func repeatingParameters(of link: AppleComponent, isEncoded: Bool, others: [AppleComponent]) -> [LinkURL] {
        guard case .items(let items) = link.query else { return [] }
        let sampler = PatternSampler(table: table, isEncoded: isEncoded)
        let path = { (pattern: String) in
            sampledPath(AppleSlashes.normalised(ParsedPattern(pattern)), sampler, .word)
        }
        let query = queryText(link.query) { sampler.inQuery.sample($0, star: .word) }
        let fragment = link.fragment.map { "#" + sampler.sample(ParsedPattern($0), star: .word) } ?? ""
        guard !query.isEmpty else { return [] }
        let paths = link.path.map { [path($0)] } ?? ["/", "/x"] + others.compactMap(\.path).map(path)
        return paths.flatMap { path in
            items.compactMap { url(path + "?\($0.name)=&" + query.dropFirst() + fragment) }
        }
    }

    /// Nil for a URL that no link has, because of a doubled slash or another host.
    private func url(_ text: String) -> LinkURL? {
        guard text.isEmpty || text.begins(with: "/") || text.begins(with: "?") || text.begins(with: "#"),
            let url = LinkURL("https://\(host)\(text)"), !url.path.contains(run: "//")
        else { return nil }
        return url
    }

    /// A path for the pattern. It begins with a slash, even if the pattern does not.
    private func sampledPath(
        _ pattern: ParsedPattern, _ sampler: PatternSampler, _ star: PatternSampler.Star, any: String = "x"
    ) -> String {
        let path = sampler.sample(pattern, star: star, any: any).withoutTrailingSlash
        if path.begins(with: "/") { return path }
        return pattern.tokens.first == .any ? "/" + path.dropFirst() : "/" + path
    }

    private func queryText(_ query: AppleQuery?, _ sample: (ParsedPattern) -> String) -> String {
        switch query {
        case nil: return ""
        case .whole(let pattern):
            let text = sample(ParsedPattern(pattern))
            return text.isEmpty ? "" : "?" + text
        case .items(let items):
            let wanted = items.filter { !$0.pattern.isEmpty }
            let texts = wanted.map { "\($0.name)=\(sample(ParsedPattern($0.pattern)))" }
            return texts.isEmpty ? "" : "?" + texts.joined(separator: "&")
        }
    }

    private func replacingLastWithSlash(_ path: String) -> String {
        path.utf8.count > 1 && !path.ends(with: "/") ? path.dropLast() + "/" : path
    }

    private func withUpperCaseEscapes(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for digit in index + 1..<min(index + 3, bytes.count) where bytes[digit].isLetter {
                bytes[digit] &= 0xDF
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with the case of its first `count` letters swapped, except in names of query parameters.
    private func swappedCase(_ text: String, _ count: Int) -> String {
        var bytes = Array(text.utf8)
        var isName = text.begins(with: "?")
        var index = 0
        var left = count
        while index < bytes.count, left > 0 {
            if text.begins(with: "?") {
                if bytes[index] == UInt8(ascii: "&") { isName = true }
                if bytes[index] == UInt8(ascii: "=") { isName = false }
            }
            if bytes[index] == UInt8(ascii: "%") {
                index += 3
                continue
            }
            if bytes[index].isLetter, !isName {
                bytes[index] ^= 0x20
                left -= 1
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A URL and the difference between the platforms that it should show.
struct WitnessCandidate {
    enum Reason {
        case plain
        /// A `?` of the pattern matches the trailing slash.
        case trailingSlash
        /// The text after a star occurs more often than the translation provides for.
        case repetition
        case letterCase
        case absentItem, extraItem
        /// An escape in upper case, as browsers write it, or in the place of a `?`.
        case escape
    }

    var url: LinkURL
    var reason: Reason
}

/// Writes a text that a pattern matches.
struct PatternSampler {
    let table: SubstitutionTable
    let isEncoded: Bool
    /// Whether the text is for a query, where separators of parameters would cut it.
    private var isInQuery = false

    init(table: SubstitutionTable, isEncoded: Bool) {
        (self.table, self.isEncoded) = (table, isEncoded)
    }

    var inQuery: PatternSampler {
        var sampler = self
        sampler.isInQuery = true
        return sampler
    }

    enum Star {
        case shortest
        case word
        /// The character after the star, this many times more.
        case repetitions(Int)
    }

    /// A text with `any` in the place of each `?`.
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

    /// The pattern with `*?` written as `?*`, which means the same, so that the character after a star is the one that ends it.
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
        // Some characters of a decoded pattern would cut the URL if they were not escaped.
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
