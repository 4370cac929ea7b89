// Spellings that few links have and that the platforms read differently whatever the rules are: Apple compares what is
// written, but for slashes; Android compares what it stands for, but for slashes. A link with none of them is an ordinary
// one. This is the one place that knows what ordinary means.

/// An unusual way to write a part of a URL.
enum LinkSpelling: CaseIterable {
    /// `https://host`, to which browsers put a slash.
    case noPath
    /// `//` in the path.
    case doubledSlash
    /// A bare `*` in the path; Apple brings runs of them into one form, and adds no slash behind one.
    case star
    /// `%2F` in the path.
    case escapedSlash
    /// `%61` for `a`.
    case needlessEscape
    /// `%c3` for `%C3`.
    case lowerCaseEscape
    /// `%26`, `%3D` or `%3B` in the query.
    case escapedSeparator
    /// A bare `;` in the query.
    case semicolon

    /// In messages, behind a URL that has it.
    var words: String {
        switch self {
        case .noPath: "no slash behind the host"
        case .doubledSlash: "a doubled slash"
        case .star: "a bare star in the path"
        case .escapedSlash: "an escaped slash"
        case .needlessEscape: "an escape where none is needed"
        case .lowerCaseEscape: "an escape in lower case"
        case .escapedSeparator: "an escaped separator in the query"
        case .semicolon: "a semicolon in the query"
        }
    }

    /// Whether it is one of paths alone, or of paths too.
    var isOfPaths: Bool { self != .noPath && self != .escapedSeparator && self != .semicolon }

    /// The letters that show it, in paths of otherwise ordinary letters.
    func letters(beside ordinary: [Letter]) -> [Letter] {
        switch self {
        case .noPath, .doubledSlash, .escapedSeparator, .semicolon: []
        case .star: [Letter(UInt8(ascii: "*"))]
        case .escapedSlash: [Letter(escaped: "/")]
        case .needlessEscape:
            ordinary.filter { $0.spelling.count == 1 && !$0.isSlash }
                .compactMap { Unicode.Scalar($0.value).map(Letter.init(escaped:)) }
        case .lowerCaseEscape:
            ordinary.filter { $0.spelling.first == UInt8(ascii: "%") }
                .map { Letter(spelling: $0.spelling.map(ASCII.lowercased), value: $0.value) }
                .filter { $0.spelling.contains(where: ASCII.isLetter) }
        }
    }
}

extension LinkSpelling {
    /// The unusual spellings in a URL.
    static func of(_ url: LinkURL) -> Set<LinkSpelling> { Self.read(url).spellings }

    /// The URL as most would write it: slashes, stars and separators for themselves, other escapes in upper case and
    /// only where they are needed. Nil where that is no URL.
    static func ordinary(_ url: LinkURL) -> LinkURL? { LinkURL(Self.read(url).ordinary) }

    private static func read(_ url: LinkURL) -> (spellings: Set<LinkSpelling>, ordinary: String) {
        var spellings: Set<LinkSpelling> = []
        if url.pathBytes.isEmpty { spellings.insert(.noPath) }
        var path: [UInt8] = url.pathBytes.isEmpty ? [UInt8(ascii: "/")] : []
        for byte in unescaped(url.pathBytes, .path, &spellings) {
            if byte == UInt8(ascii: "/"), path.last == byte {
                // An escaped slash beside one is a doubled one only to Android.
                continue
            }
            if byte == UInt8(ascii: "*") { spellings.insert(.star) }
            path.append(byte == UInt8(ascii: "*") ? UInt8(ascii: "x") : byte)
        }
        if url.pathBytes.contains(run: Array("//".utf8)) { spellings.insert(.doubledSlash) }
        var text = Array("\(url.scheme)://\(url.host)".utf8) + path
        if let query = url.queryBytes {
            if query.contains(UInt8(ascii: ";")) { spellings.insert(.semicolon) }
            let items = unescaped(query, .query, &spellings)
            text += [UInt8(ascii: "?")] + items.map { $0 == UInt8(ascii: ";") ? UInt8(ascii: "&") : $0 }
        }
        if let fragment = url.fragmentBytes {
            text += [UInt8(ascii: "#")] + unescaped(fragment, .fragment, &spellings)
        }
        return (spellings, String(decoding: text, as: UTF8.self))
    }

    /// The piece without the escapes that an ordinary one would not have.
    private static func unescaped(
        _ bytes: [UInt8], _ piece: Piece, _ spellings: inout Set<LinkSpelling>
    ) -> [UInt8] {
        var result: [UInt8] = []
        var index = 0
        while index < bytes.count {
            guard bytes[index] == UInt8(ascii: "%"), index + 2 < bytes.count,
                let high = ASCII.hexValue(bytes[index + 1]), let low = ASCII.hexValue(bytes[index + 2])
            else {
                result.append(bytes[index])
                index += 1
                continue
            }
            let byte = high << 4 | low
            let upper = Percent.escape(byte)
            if upper != Array(bytes[index...index + 2]) { spellings.insert(.lowerCaseEscape) }
            if let spelling = spelling(ofEscaped: byte, in: piece) {
                spellings.insert(spelling)
                result.append(byte)
            } else {
                result += upper
            }
            index += 3
        }
        return result
    }

    /// What it is to escape `byte`; nil where that is ordinary.
    private static func spelling(ofEscaped byte: UInt8, in piece: Piece) -> LinkSpelling? {
        if piece == .path, byte == UInt8(ascii: "/") { return .escapedSlash }
        if piece == .query, Array("&=;".utf8).contains(byte) { return .escapedSeparator }
        return Alphabet.standsForItself(byte, in: piece) ? .needlessEscape : nil
    }
}
