// The same link in other spellings: one unusual thing at a time, in each place where it could make a difference. These
// are only questions; what the platforms make of them is found by asking both matchers.

/// Writes a URL in an unusual way.
struct Respelling {
    private let url: LinkURL
    private let start: String
    private let path: String
    private let query: String?
    private let fragment: String?

    /// In how many places of a path, and of a query, each thing is tried.
    private static let placesMax = 8

    init(_ url: LinkURL) {
        self.url = url
        start = "\(url.scheme)://\(url.host)"
        path = url.path
        query = url.query
        fragment = url.fragment
    }

    /// URLs with the spelling and no other that the given one has not.
    func urls(with spelling: LinkSpelling) -> [LinkURL] {
        let texts: [String]
        switch spelling {
        case .doubledSlash:
            texts =
                paths(replacing: ["/"], by: ["//"]) + [with(path: path + "//")] + withoutSegments
                + paths(replacing: ["x"], by: ["/"])
        case .noPath: texts = path == "/" ? [start + rest()] : []
        case .star:
            // In place of the last segment, too: a star spares iOS the slash that it would have added.
            let parent = path.prefix(upTo: path.lastIndex(of: "/") ?? path.startIndex)
            texts = [path.dropLast() + "*", path + "*", path + "**", parent + "*"].map { with(path: $0) }
        case .escapedSlash:
            texts =
                paths(replacing: ["/"], by: ["%2F"]).dropFirst() + paths(replacing: ["x"], by: ["x%2Fx", "%2F"])
                + [with(path: path + "%2F"), with(path: path + "%2Fx")]
        case .needlessEscape: texts = needlesslyEscaped
        case .lowerCaseEscape: texts = [start + lowerCased(path) + rest(lowerCased)]
        case .escapedSeparator: texts = queries(cutBy: "%26") + queries(replacing: "=", by: "%3D")
        case .semicolon: texts = queries(cutBy: ";")
        }
        let own = LinkSpelling.of(url)
        return texts.compactMap(LinkURL.init).filter { LinkSpelling.of($0).subtracting(own) == [spelling] }
    }

    private func rest(_ change: (String) -> String = { $0 }) -> String {
        (query.map { "?" + change($0) } ?? "") + (fragment.map { "#" + change($0) } ?? "")
    }

    private func with(path: some StringProtocol) -> String { start + path + rest() }

    private func with(query: String) -> String { "\(start)\(path)?\(query)" + (fragment.map { "#" + $0 } ?? "") }

    /// The path with one of its characters in another spelling.
    private func paths(replacing wanted: Set<Character>, by texts: [String]) -> [String] {
        path.indices.filter { wanted.contains(path[$0]) }.prefix(Self.placesMax).flatMap { index in
            texts.map { with(path: path[..<index] + $0 + path[path.index(after: index)...]) }
        }
    }

    /// Each segment left out that only stands for a star.
    private var withoutSegments: [String] {
        let segments = path.split(separator: "/", omittingEmptySubsequences: false)
        return segments.indices.dropFirst().filter { segments[$0] == "x" }.prefix(Self.placesMax).map { index in
            var changed = segments
            changed[index] = ""
            return with(path: changed.joined(separator: "/"))
        }
    }

    private var needlesslyEscaped: [String] {
        let inPath = places(in: path).map { with(path: Self.escaping(path, at: $0)) }
        let inQuery = (query.map(places) ?? []).map { with(query: Self.escaping(query ?? "", at: $0)) }
        let inFragment = (fragment.map(places) ?? []).map {
            "\(start)\(path)" + (query.map { "?" + $0 } ?? "") + "#" + Self.escaping(fragment ?? "", at: $0)
        }
        return [inPath, inQuery, inFragment].inTurns()
    }

    /// Where letters and digits stand that belong to no escape, the first of each word first.
    private func places(in text: String) -> [Int] {
        let bytes = Array(text.utf8)
        var first: [Int] = []
        var others: [Int] = []
        var index = 0
        while index < bytes.count {
            if bytes[index] == UInt8(ascii: "%") {
                index += 3
                continue
            }
            if ASCII.isLetter(bytes[index]) || ASCII.isDigit(bytes[index]) {
                let isFirst = index == 0 || Array("/=&".utf8).contains(bytes[index - 1])
                if isFirst { first.append(index) } else { others.append(index) }
            }
            index += 1
        }
        return Array((first + others).prefix(Self.placesMax))
    }

    private static func escaping(_ text: String, at place: Int) -> String {
        var bytes = Array(text.utf8)
        bytes.replaceSubrange(place...place, with: Percent.escape(bytes[place]))
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Its escapes with their letters in lower case.
    private func lowerCased(_ text: String) -> String {
        var bytes = Array(text.utf8)
        for index in bytes.indices where bytes[index] == UInt8(ascii: "%") {
            for digit in index + 1..<min(index + 3, bytes.count) { bytes[digit] = ASCII.lowercased(bytes[digit]) }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The query with something else in front, behind, in the place of its own separators and in each of its values.
    private func queries(cutBy separator: String) -> [String] {
        guard let query, !query.isEmpty else { return [] }
        let items = query.split(separator: "&", omittingEmptySubsequences: false)
        let cut = items.indices.prefix(Self.placesMax).flatMap { index -> [String] in
            guard let equals = items[index].firstIndex(of: "=") else { return [] }
            let value = items[index].index(after: equals)
            let forms = [items[index][..<value] + separator + items[index][value...], items[index] + separator]
            return forms.map { form in
                var changed = items
                changed[index] = form[...]
                return changed.joined(separator: "&")
            }
        }
        return [
            query + separator + "x=1", "x=1" + separator + query, items.joined(separator: separator),
        ].map(with(query:)) + cut.map(with(query:))
    }

    private func queries(replacing wanted: Character, by text: String) -> [String] {
        guard let query else { return [] }
        return query.indices.filter { query[$0] == wanted }.prefix(Self.placesMax).map { index in
            with(query: query[..<index] + text + query[query.index(after: index)...])
        }
    }
}
