// A URL as a phone sees it before matching: cut into its pieces and otherwise left alone. Dot segments stay, escapes
// stay, the path keeps its case. Only the host is brought to one form, because hosts are compared without case.

/// An http or https URL, cut into the pieces that rules look at.
///
/// The pieces are ASCII: a character that may not stand in a URL (a space, `é`) is escaped on the way in, as every
/// browser does before it hands a URL over.
public struct LinkURL: Hashable, Sendable {
    /// The whole URL, with its illegal characters escaped and otherwise as it was written.
    public let text: String
    /// `http` or `https`.
    public let scheme: String
    /// In lower case, without port, user information and one trailing dot.
    public let host: String
    /// The port that is written behind the host; rules know nothing of it.
    public let port: UInt16?
    /// Empty or beginning with `/`.
    public let path: String
    /// What stands between `?` and `#`; nil without a `?`.
    public let query: String?
    /// What stands after `#`; nil without one.
    public let fragment: String?

    /// The same pieces as bytes, so that a decision need not make them again.
    package let pathBytes: [UInt8]
    package let queryBytes: [UInt8]?
    package let fragmentBytes: [UInt8]?

    /// The URL in `text`, or nil where `parse` would say what is wrong with it.
    public init?(_ text: String) {
        guard case .success(let url) = Self.parse(text) else { return nil }
        self = url
    }

    package init(
        scheme: String, host: String, port: UInt16?, text: [UInt8], path: Range<Int>, query: Range<Int>?,
        fragment: Range<Int>?
    ) {
        self.text = String(decoding: text, as: UTF8.self)
        self.scheme = scheme
        self.host = host
        self.port = port
        pathBytes = Array(text[path])
        queryBytes = query.map { Array(text[$0]) }
        fragmentBytes = fragment.map { Array(text[$0]) }
        self.path = String(decoding: pathBytes, as: UTF8.self)
        self.query = queryBytes.map { String(decoding: $0, as: UTF8.self) }
        self.fragment = fragmentBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Cuts `text` into a URL, or says why it is none.
    public static func parse(_ text: String) -> Result<LinkURL, LinkURLProblem> {
        guard !text.isEmpty else { return .failure(.empty) }
        if let offset = strayCharacter(in: Array(text.utf8)) { return .failure(.strayCharacter(offset: offset)) }
        let written = Array(HostPattern.inASCII(text).utf8)
        guard let colon = written.firstIndex(of: UInt8(ascii: ":")), isScheme(written[..<colon]),
            written.count >= colon + 3, written[colon + 1] == UInt8(ascii: "/"), written[colon + 2] == UInt8(ascii: "/")
        else { return .failure(.missingScheme) }
        let scheme = String(decoding: written[..<colon].map(ASCII.lowercased), as: UTF8.self)
        guard scheme == "http" || scheme == "https" else { return .failure(.otherScheme(scheme)) }

        let bytes = Percent.escapingIllegalBytes(written)
        let authority = (colon + 3)..<(firstIndex(of: "/?#", in: bytes, from: colon + 3) ?? bytes.count)
        let (host, port): (String, UInt16?)
        switch readHost(bytes[authority]) {
        case .success(let read): (host, port) = read
        // A name in another script as it was written, not as it was escaped.
        case .failure(.illegalHost(let name)) where !written.allSatisfy { $0 < 0x80 }:
            return .failure(.illegalHost(String(decoding: Percent.decode(Array(name.utf8)[...]), as: UTF8.self)))
        case .failure(let problem): return .failure(problem)
        }
        let path = authority.upperBound..<(firstIndex(of: "?#", in: bytes, from: authority.upperBound) ?? bytes.count)
        var query: Range<Int>?
        var fragment: Range<Int>?
        var rest = path.upperBound
        if rest < bytes.count, bytes[rest] == UInt8(ascii: "?") {
            let end = firstIndex(of: "#", in: bytes, from: rest) ?? bytes.count
            query = (rest + 1)..<end
            rest = end
        }
        if rest < bytes.count { fragment = (rest + 1)..<bytes.count }
        return .success(
            LinkURL(scheme: scheme, host: host, port: port, text: bytes, path: path, query: query, fragment: fragment))
    }

    /// Control characters never belong in a URL, and a space at either end is one that was pasted along.
    private static func strayCharacter(in bytes: [UInt8]) -> Int? {
        if let offset = bytes.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) { return offset }
        if bytes.first == 0x20 { return 0 }
        return bytes.last == 0x20 ? bytes.count - 1 : nil
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, ASCII.isLetter(first) else { return false }
        return bytes.allSatisfy { byte in
            ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
                || byte == UInt8(ascii: ".")
        }
    }

    private static func firstIndex(of delimiters: StaticString, in bytes: [UInt8], from start: Int) -> Int? {
        let wanted = Array("\(delimiters)".utf8)
        return bytes[start...].firstIndex { wanted.contains($0) }
    }

    /// The host of `user@host:port`, in lower case and without one trailing dot, and its port.
    private static func readHost(_ authority: ArraySlice<UInt8>) -> Result<(String, UInt16?), LinkURLProblem> {
        var host = authority
        var number: UInt16?
        if let at = host.lastIndex(of: UInt8(ascii: "@")) { host = host[(at + 1)...] }
        let isLiteral = host.first == UInt8(ascii: "[")
        let bracket = host.lastIndex(of: UInt8(ascii: "]"))
        let portSearch = isLiteral ? host[(bracket ?? host.endIndex)...] : host
        if let colon = portSearch.firstIndex(of: UInt8(ascii: ":")) {
            let port = host[(colon + 1)...]
            let text = String(decoding: port, as: UTF8.self)
            number = port.allSatisfy(ASCII.isDigit) ? UInt16(text) : nil
            guard port.isEmpty || number != nil else { return .failure(.illegalPort(text)) }
            host = host[..<colon]
        }
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        let name = String(decoding: host.map(ASCII.lowercased), as: UTF8.self)
        guard !host.isEmpty else { return .failure(.missingHost) }
        guard isLiteral ? host.last == UInt8(ascii: "]") : host.allSatisfy(isHostByte) else {
            return .failure(.illegalHost(name))
        }
        return .success((name, number))
    }

    /// Letters, digits, `-`, `.` and `_`, which the DNS allows and some hosts carry.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        ASCII.isLetter(byte) || ASCII.isDigit(byte) || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    /// The URL with its dot segments removed; nil where it has none.
    package var withoutDotSegments: LinkURL? {
        guard let path = DotSegments.removed(from: path) else { return nil }
        var text = "\(scheme)://\(host)" + path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return LinkURL(text)
    }
}

extension LinkURL: CustomStringConvertible {
    public var description: String { text }
}

/// `.` and `..` between the slashes of a path.
enum DotSegments {
    /// The path without them; nil where it has none.
    static func removed(from path: String) -> String? {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return nil }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        var kept: [Substring] = []
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}

/// What keeps a text from being a `LinkURL`.
public enum LinkURLProblem: Error, Hashable, Sendable {
    case empty
    case missingScheme
    case otherScheme(String)
    case missingHost
    case illegalHost(String)
    case illegalPort(String)
    /// A control character, or white space around the URL; the offset counts UTF-8 bytes.
    case strayCharacter(offset: Int)

    /// The problem in words, to follow the name of the URL.
    public var message: String {
        switch self {
        case .empty: "the URL is empty"
        case .missingScheme: "the URL has no scheme"
        case .otherScheme(let scheme):
            "the scheme is `\(scheme)`, and only http and https URLs can open an app this way"
        case .missingHost: "the URL has no host"
        case .illegalHost(let host): "`\(host)` is not a host name"
        case .illegalPort(let port): "`\(port)` is not a port"
        case .strayCharacter(let offset): "a control character or white space stands at byte \(offset)"
        }
    }

    /// What to write instead.
    public var fix: String {
        if case .illegalHost = self { return "write an international name in its xn-- form" }
        return "write it as https://host/path"
    }
}
