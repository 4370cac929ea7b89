// URLs worth asking about when one rule is said in two dialects: those on which the dialects are known to part. They
// are only questions; whether the platforms really differ on one is found by asking both matchers.

/// Makes candidates from one rule.
struct WitnessCandidates {
    let host: String
    let table: SubstitutionTable

    /// More than any translation repeats.
    private static let repetitions = 6

    func candidates(for link: AppleComponent, isEncoded: Bool, folds: Bool) -> [WitnessCandidate] {
        let tokens = AppleSlashes.normalised(ParsedPattern(link.path ?? "/"))
        let sampler = PatternSampler(table: table, isEncoded: isEncoded)
        let shortest = sampledPath(tokens, sampler, .shortest)
        let path = shortest.contains("//") ? sampledPath(tokens, sampler, .word) : shortest
        let query = queryText(link.query) { sampler.sample($0, star: .word) }
        let fragment = link.fragment.map { "#" + sampler.sample(ParsedPattern($0), star: .word) } ?? ""
        var texts: [(String, WitnessCandidate.Reason)] = [
            (path + query + fragment, .plain),
            (path + (path.hasSuffix("/") ? "" : "/") + query + fragment, .plain),
            (sampledPath(tokens, sampler, .word) + query + fragment, .plain),
            (path + fragment, .absentItem),
            (path + query + (query.isEmpty ? "?" : "&") + "utm_source=mail" + fragment, .extraItem),
            (slashInPlaceOfLast(path) + query + fragment, .trailingSlash),
        ]
        if path == "/" { texts.append((query + fragment, .bareHost)) }
        let far = PatternSampler.Star.repetitions(Self.repetitions)
        texts.append((sampledPath(tokens, sampler, far) + query + fragment, .repetition))
        texts.append((path + queryText(link.query) { sampler.sample($0, star: far) } + fragment, .repetition))
        if folds {
            texts.append((swappedCase(path) + query + fragment, .letterCase))
            texts.append((path + swappedCase(query) + fragment, .letterCase))
            texts.append((path + query + swappedCase(fragment), .letterCase))
        }
        texts.append((escapes(in: path + query + fragment, inUpperCase: true), .escapeCase))
        texts.append((escapes(in: path + query + fragment, inUpperCase: false), .escapeCase))
        return texts.compactMap { text, reason in
            guard let url = url(text) else { return nil }
            return WitnessCandidate(url: url, reason: reason)
        }
    }

    /// URLs of a rule with one of its items twice, first without a value.
    func repeatingItems(of link: AppleComponent, isEncoded: Bool) -> [LinkURL] {
        guard case .items(let items) = link.query else { return [] }
        let sampler = PatternSampler(table: table, isEncoded: isEncoded)
        let path = sampledPath(AppleSlashes.normalised(ParsedPattern(link.path ?? "/")), sampler, .word)
        let query = queryText(link.query) { sampler.sample($0, star: .word) }
        let fragment = link.fragment.map { "#" + sampler.sample(ParsedPattern($0), star: .word) } ?? ""
        guard !query.isEmpty else { return [] }
        return items.compactMap { url(path + "?\($0.name)=&" + query.dropFirst() + fragment) }
    }

    /// Nil where it would be none that a link has: with a doubled slash, or on another host.
    private func url(_ text: String) -> LinkURL? {
        guard text.isEmpty || text.hasPrefix("/") || text.hasPrefix("?") || text.hasPrefix("#"),
            let url = LinkURL("https://\(host)\(text)"), !url.path.contains("//")
        else { return nil }
        return url
    }

    /// Every path begins with a slash, whatever the pattern has there.
    private func sampledPath(_ pattern: ParsedPattern, _ sampler: PatternSampler, _ star: PatternSampler.Star) -> String
    {
        let path = withoutTrailingSlash(sampler.sample(pattern, star: star))
        if path.hasPrefix("/") { return path }
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
        path.utf8.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
    }

    private func slashInPlaceOfLast(_ path: String) -> String {
        path.utf8.count > 1 && !path.hasSuffix("/") ? path.dropLast() + "/" : path
    }

    private func escapes(in text: String, inUpperCase isUpper: Bool) -> String {
        var bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for digit in index + 1..<min(index + 3, bytes.count) where ASCII.isLetter(bytes[digit]) {
                bytes[digit] = isUpper ? bytes[digit] & 0xDF : bytes[digit] | 0x20
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text with its first letter behind the leading slash or question mark in the other case; names of query items
    /// stay as they are.
    private func swappedCase(_ text: String) -> String {
        var bytes = Array(text.utf8)
        let start = text.hasPrefix("?") ? (bytes.firstIndex(of: UInt8(ascii: "=")) ?? 0) : 0
        var index = start
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                index += 3
                continue
            }
            if ASCII.isLetter(bytes[index]) {
                bytes[index] ^= 0x20
                break
            }
            index += 1
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
