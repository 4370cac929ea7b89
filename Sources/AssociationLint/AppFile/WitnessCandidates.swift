// URLs worth asking about when one rule is said in two dialects: those on which the dialects are known to part. They
// are only questions; whether the platforms really differ on one is found by asking both matchers.

import Association

/// Makes candidates from one rule.
struct WitnessCandidates {
    let host: String
    let table: SubstitutionTable

    /// More than any translation repeats.
    private static let repetitions = 6

    func candidates(for link: AppleComponent, isEncoded: Bool, folds: Bool) -> [WitnessCandidate] {
        let tokens = AppleSlashes.normalised(ParsedPattern(link.path ?? "/"))
        let sampler = PatternSampler(table: table, isEncoded: isEncoded)
        let inQuery = sampler.inQuery
        // `/x/*/` needs something between the slashes, which the trailing one alone would not show.
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
            (slashInPlaceOfLast(path) + query + fragment, .trailingSlash),
        ]
        let far = PatternSampler.Star.repetitions(Self.repetitions)
        texts.append((sampledPath(tokens, sampler, far) + query + fragment, .repetition))
        texts.append((path + queryText(link.query) { inQuery.sample($0, star: far) } + fragment, .repetition))
        if folds {
            // One letter reads best, but it may be one that stands for a wildcard.
            for count in [1, Int.max] {
                texts.append((swappedCase(path, count) + query + fragment, .letterCase))
                texts.append((path + swappedCase(query, count) + fragment, .letterCase))
                texts.append((path + query + swappedCase(fragment, count), .letterCase))
            }
        }
        texts.append((withUpperCaseEscapes(path + query + fragment), .escape))
        // Three characters of an encoded URL, one of a decoded one, or to Android the two halves of one.
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
        // Rules for every path often stand beside one for the root.
        if link.path == nil { texts += texts.map { ("/x" + $0.0.dropFirst(), $0.1) } }
        return texts.compactMap { text, reason in
            guard let url = url(text) else { return nil }
            return WitnessCandidate(url: url, reason: reason)
        }
    }

    /// URLs of a rule with one of its items twice, first without a value. A rule for every path meets the others on theirs.
    func repeatingItems(of link: AppleComponent, isEncoded: Bool, beside others: [AppleComponent]) -> [LinkURL] {
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

    /// Nil where it would be none that a link has: with a doubled slash, or on another host.
    private func url(_ text: String) -> LinkURL? {
        guard text.isEmpty || text.begins(with: "/") || text.begins(with: "?") || text.begins(with: "#"),
            let url = LinkURL("https://\(host)\(text)"), !url.path.contains(run: "//")
        else { return nil }
        return url
    }

    /// Every path begins with a slash, whatever the pattern has there.
    private func sampledPath(
        _ pattern: ParsedPattern, _ sampler: PatternSampler, _ star: PatternSampler.Star, any: String = "x"
    ) -> String {
        let path = withoutTrailingSlash(sampler.sample(pattern, star: star, any: any))
        if path.begins(with: "/") { return path }
        return pattern.tokens.first == .any ? "/" + path.dropFirst() : "/" + path
    }

    private func queryText(
        _ query: AppleQuery?, _ sample: (ParsedPattern) -> String
    ) -> String {
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

    private func withoutTrailingSlash(_ path: String) -> String {
        path.utf8.count > 1 && path.ends(with: "/") ? path.dropping(lastBytes: 1) : path
    }

    private func slashInPlaceOfLast(_ path: String) -> String {
        path.utf8.count > 1 && !path.ends(with: "/") ? path.dropLast() + "/" : path
    }

    private func withUpperCaseEscapes(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for digit in index + 1..<min(index + 3, bytes.count) where ASCII.isLetter(bytes[digit]) {
                bytes[digit] &= 0xDF
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with its first letters behind the leading slash or question mark in the other case; names of query items
    /// stay as they are.
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
            if ASCII.isLetter(bytes[index]), !isName {
                bytes[index] ^= 0x20
                left -= 1
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// A URL and the difference between the dialects that it is made to show.
struct WitnessCandidate {
    enum Reason {
        case plain
        /// A `?` that the trailing slash can stand for.
        case trailingSlash
        /// More occurrences of what follows a star than the translation provides for.
        case repetition
        case letterCase
        case absentItem, extraItem
        /// An escape: in the upper case that browsers write, or where the rule has a `?`.
        case escape
    }

    var url: LinkURL
    var reason: Reason
}

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
