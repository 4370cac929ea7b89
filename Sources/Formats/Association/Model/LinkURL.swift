// A URL as a phone matches it: split into its parts, but otherwise unchanged. Dot segments, escapes and the case of the path are
// kept. Only the host is normalised, because hosts are compared without case.

import SourceJSON

/// An http or https URL, split into the parts that rules compare.
///
/// The parts are ASCII: a character that a URL must not have (a space, `é`) is escaped first, as in every browser.
public struct LinkURL: Hashable, Sendable {
    /// The whole URL as it was written, with illegal characters escaped.
    public let text: String
    /// `http` or `https`.
    public let scheme: String
    /// In lower case, without port, user information and one trailing dot.
    public let host: String
    /// The port after the host; rules do not compare it.
    public let port: UInt16?
    /// Empty or beginning with `/`.
    public let path: String
    /// The text between `?` and `#`; nil without a `?`.
    public let query: String?
    /// The text after `#`; nil without one.
    public let fragment: String?

    /// The same parts as bytes, made once for all decisions.
    package let pathBytes: [UInt8]
    package let queryBytes: [UInt8]?
    package let fragmentBytes: [UInt8]?

    /// The URL in `text`, or nil if it is not valid; `parse` returns the reason.
    public init?(_ text: String) {
        guard case .success(let url) = Self.parse(text) else { return nil }
        self = url
    }

    package init(
        scheme: String, host: String, port: UInt16?, text: [UInt8], path: Range<Int>, query: Range<Int>?,
        fragment: Range<Int>?
    ) {
        self.text = String(decoding: text, as: UTF8.self)
        (self.scheme, self.host, self.port) = (scheme, host, port)
        pathBytes = Array(text[path])
        queryBytes = query.map { Array(text[$0]) }
        fragmentBytes = fragment.map { Array(text[$0]) }
        self.path = String(decoding: pathBytes, as: UTF8.self)
        self.query = queryBytes.map { String(decoding: $0, as: UTF8.self) }
        self.fragment = fragmentBytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Splits `text` into the parts of a URL, or returns why it is not one.
    public static func parse(_ text: String) -> Result<LinkURL, LinkURLProblem> {
        guard !text.isEmpty else { return .failure(.empty) }
        if let offset = strayCharacter(in: Array(text.utf8)) { return .failure(.strayCharacter(offset: offset)) }
        let written = Array(HostPattern.inASCII(text).utf8)
        guard let colon = written.firstIndex(of: UInt8(ascii: ":")), isScheme(written[..<colon]),
            written.count >= colon + 3, written[colon + 1] == UInt8(ascii: "/"), written[colon + 2] == UInt8(ascii: "/")
        else { return .failure(.missingScheme) }
        let scheme = String(decoding: written[..<colon].map(\.lowercasedASCII), as: UTF8.self)
        guard scheme == "http" || scheme == "https" else { return .failure(.otherScheme(scheme)) }

        let bytes = Percent.escapingIllegalBytes(written)
        let authority = (colon + 3)..<(firstIndex(of: "/?#", in: bytes, from: colon + 3) ?? bytes.count)
        let (host, port): (String, UInt16?)
        switch readHost(bytes[authority]) {
        case .success(let read): (host, port) = read
        // For the message: a name in another script as it was written, not as it was escaped.
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

    /// The offset of a control character, or of a space at either end, which was probably pasted with the URL.
    private static func strayCharacter(in bytes: [UInt8]) -> Int? {
        if let offset = bytes.firstIndex(where: { $0 < 0x20 || $0 == 0x7F }) { return offset }
        if bytes.first == 0x20 { return 0 }
        return bytes.last == 0x20 ? bytes.count - 1 : nil
    }

    private static func isScheme(_ bytes: ArraySlice<UInt8>) -> Bool {
        guard let first = bytes.first, first.isLetter else { return false }
        return bytes.allSatisfy { byte in
            byte.isLetter || byte.isDigit || byte == UInt8(ascii: "+") || byte == UInt8(ascii: "-")
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
            number = port.allSatisfy(\.isDigit) ? UInt16(text) : nil
            guard port.isEmpty || number != nil else { return .failure(.illegalPort(text)) }
            host = host[..<colon]
        }
        if host.last == UInt8(ascii: ".") { host = host.dropLast() }
        let name = String(decoding: host.map(\.lowercasedASCII), as: UTF8.self)
        guard !host.isEmpty else { return .failure(.missingHost) }
        guard isLiteral ? host.last == UInt8(ascii: "]") : host.allSatisfy(isHostByte) else {
            return .failure(.illegalHost(name))
        }
        return .success((name, number))
    }

    /// Letters, digits, `-`, `.` and `_`, which the DNS allows and some hosts have.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") || byte == UInt8(ascii: ".")
            || byte == UInt8(ascii: "_")
    }

    /// The URL without its dot segments; nil if it has none.
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
    /// The path without them; nil if it has none.
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

/// Why a text is not a `LinkURL`.
public enum LinkURLProblem: Error, Hashable, Sendable {
    case empty
    case missingScheme
    case otherScheme(String)
    case missingHost
    case illegalHost(String)
    /// It has only characters of host names, but is none.
    case notAHost(String, HostPattern.Fault)
    case illegalPort(String)
    /// A control character, or white space around the URL; the offset counts UTF-8 bytes.
    case strayCharacter(offset: Int)

    public var message: String {
        switch self {
        case .empty: "the URL is empty"
        case .missingScheme: "it does not begin with https://"
        case .otherScheme(let scheme): "the scheme is `\(scheme)`, not http or https"
        case .missingHost: "the URL has no host"
        case .illegalHost(let host): "`\(host)` is not a host name"
        case .notAHost(let host, let fault): "`\(host)` is not a host name: \(fault.explained.reason)"
        case .illegalPort(let port): "`\(port)` is not a port"
        case .strayCharacter(let offset): "there is a control character or white space at byte \(offset)"
        }
    }

    /// What to write instead.
    public var fix: String {
        switch self {
        case .illegalHost: "write a name in another script in its xn-- form"
        case .notAHost(_, let fault): fault.explained.fix
        case .illegalPort: "write a port from 1 to 65535, or none"
        default: "write https://host/path"
        }
    }
}
