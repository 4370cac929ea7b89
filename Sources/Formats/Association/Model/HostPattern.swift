// The names of a site: one host, or every host below a suffix. Parsing is strict, because verifiers never reach a site whose name
// is not a valid DNS name.

package import SourceJSON

/// A host name, or `*.` and a suffix; always ASCII and in lower case.
public struct HostPattern: Hashable, Sendable {
    /// Whether it matches every name below `name`, at any depth, but not `name` itself.
    public let isWildcard: Bool
    /// The host, or what follows `*.`.
    public let name: String

    /// Why a text is not a host.
    public enum Fault: Hashable, Sendable {
        case empty
        case hasScheme, hasPort, hasPath
        case isAddress
        case bareWildcard, wildcardInside
        case emptyLabel
        case labelTooLong(String)
        case tooLong
        case hyphenAtEdge(String)
        case character(Unicode.Scalar)
        /// A character whose normal form depends on the characters around it.
        case ambiguousCharacter(Unicode.Scalar)
        /// A label that begins with `xn--`, and why no client requests it.
        case notEncoded(String, HostLabel.Flaw)
    }

    public var text: String { isWildcard ? "*.\(name)" : name }

    /// What every text that can be parsed looks like.
    package static let schema = JSONSchema.text(pattern: #"^(\*\.)?[^*/:\s]+$"#)

    /// A host that the text of a pattern matches.
    package static func example(of text: String) -> String { text.begins(with: "*.") ? "www" + text.dropFirst() : text }

    /// Whether it matches `host`, which may have upper-case letters and one trailing dot.
    public func matches(_ host: some StringProtocol) -> Bool {
        var asked = Substring(host).utf8[...]
        if asked.last == UInt8(ascii: ".") { asked = asked.dropLast() }
        let own = name.utf8
        let isSame = { (byte: UInt8, lowered: UInt8) in byte.lowercasedASCII == lowered }
        guard isWildcard else { return asked.elementsEqual(own, by: isSame) }
        guard asked.count > own.count + 1 else { return false }
        return asked.suffix(own.count).elementsEqual(own, by: isSame)
            && asked.dropLast(own.count).last == UInt8(ascii: ".")
    }

    private init(isWildcard: Bool, name: String) {
        (self.isWildcard, self.name) = (isWildcard, name)
    }

    /// Parses a name in any case and script, perhaps with a trailing dot.
    public static func parse(_ text: String) -> Result<HostPattern, Fault> {
        var rest = text[...]
        let isWildcard = rest.begins(with: "*.")
        if isWildcard { rest = rest.dropFirst(2) }
        if isPlain(rest) { return .success(HostPattern(isWildcard: isWildcard, name: String(rest))) }
        if rest.ends(with: "."), rest.count > 1 { rest = rest.dropLast() }
        if let fault = shapeFault(of: rest) { return .failure(fault) }
        var labels: [String] = []
        for label in rest.split(separator: ".", omittingEmptySubsequences: false) {
            switch HostLabel.ascii(label) {
            case .success(let ascii): labels.append(ascii)
            case .failure(let fault): return .failure(fault)
            }
        }
        // No top-level domain has only digits, so this was meant as an address (RFC 3696 §2).
        if let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .failure(.isAddress) }
        let name = labels.joined(separator: ".")
        // RFC 1035 §2.3.4: 255 bytes in a message are 253 characters.
        return name.utf8.count > 253 ? .failure(.tooLong) : .success(HostPattern(isWildcard: isWildcard, name: name))
    }

    /// Whether it is already in its final form, as nearly every name is: labels in lower case, none of them Punycode, the last
    /// not only digits.
    private static func isPlain(_ text: Substring) -> Bool {
        var length = 0
        var (hasLetter, isEncoded) = (false, 0)
        var last = UInt8(ascii: ".")
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "."):
                guard length > 0, last != UInt8(ascii: "-") else { return false }
                (length, hasLetter, isEncoded) = (-1, false, 0)
            case UInt8(ascii: "-"):
                guard length > 0 else { return false }
                // The fourth character of `xn--`, and of any other label of that form.
                isEncoded += length == 2 || length == 3 ? 1 : 0
                if isEncoded == 2 { return false }
                hasLetter = true
            case UInt8(ascii: "a")...UInt8(ascii: "z"): hasLetter = true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): break
            default: return false
            }
            length += 1
            guard length <= 63 else { return false }
            last = byte
        }
        return length > 0 && hasLetter && last != UInt8(ascii: "-") && text.utf8.count <= 253
    }

    /// Mistakes that need a better message than "bad character".
    private static func shapeFault(of text: Substring) -> Fault? {
        if text.isEmpty { return .empty }
        let bytes = text.utf8
        if text == "*" { return .bareWildcard }
        if bytes.first == UInt8(ascii: "[") { return .isAddress }
        let colons = bytes.count { $0 == UInt8(ascii: ":") }
        if colons > 0, text.contains(run: "://") { return .hasScheme }
        if bytes.contains(UInt8(ascii: "/")) { return .hasPath }
        if colons > 0 { return colons > 1 ? .isAddress : .hasPort }
        return bytes.contains(UInt8(ascii: "*")) ? .wildcardInside : nil
    }

    /// `text` with its host in ASCII: a name, a name and a port, or a URL. A text that is ASCII already or has no valid host is
    /// not changed; its reader rejects it.
    public static func inASCII(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let bytes = Array(text.utf8)
        let range = hostRange(in: bytes)
        let written = String(decoding: bytes[range], as: UTF8.self)
        guard !written.utf8.allSatisfy({ $0 < 0x80 }), case .success(let host) = parse(written) else { return text }
        return String(
            decoding: bytes[..<range.lowerBound] + Array(host.text.utf8) + bytes[range.upperBound...], as: UTF8.self)
    }

    /// The range of the host: after `://` and any user, up to a port or a path.
    private static func hostRange(in bytes: [UInt8]) -> Range<Int> {
        var start = 0
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) {
            start = colon + 3
        }
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        return start..<(bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) ?? end)
    }
}

extension HostPattern: CustomStringConvertible {
    public var description: String { text }
}

extension HostPattern.Fault: Error {
    /// Why it is not a host, and what to write.
    public var explained: (reason: String, fix: String) {
        switch self {
        case .empty: ("it is empty", "remove it")
        case .hasScheme: ("it has a scheme", "leave out https:// and anything after the name")
        case .hasPort: ("it has a port, but verifiers use only port 443", "leave out the port")
        case .hasPath: ("it has a path", "leave out everything from the first slash")
        case .isAddress: ("it is an address, but phones verify only names", "use a domain name")
        case .bareWildcard: ("it would match every name", "write a domain, such as *.example.com")
        case .wildcardInside:
            ("* is allowed only at the beginning, before a dot", "write *.example.com, or list the names")
        case .emptyLabel: ("it has an empty label between two dots", "remove the extra dot")
        case .labelTooLong(let label): ("\(label.quoted) is longer than the 63 bytes of a label", "shorten it")
        case .tooLong: ("it is longer than 253 bytes", "shorten it")
        case .hyphenAtEdge(let label): ("\(label.quoted) begins or ends with a hyphen", "remove the hyphen")
        case .character(let scalar):
            ("\(scalar.visibleName) is not allowed in a name", "between dots, use only letters, digits and hyphens")
        case .ambiguousCharacter(let scalar):
            (
                "\(scalar.visibleName) can be normalised in more than one way",
                "write the label in its Punycode form, xn--…"
            )
        case .notEncoded(let label, let flaw):
            ("\(label.quoted) \(flaw.reason), so browsers refuse links with it", "encode the label again")
        }
    }
}

extension Unicode.Scalar {
    /// The code point, with the character if it is visible; `a space` for a space.
    package var visibleName: String {
        if self == " " { return "a space" }
        let isVisible = value > 0x20 && properties.generalCategory != .control && properties.generalCategory != .format
        return isVisible ? "\"\(self)\" (\(codePoint))" : codePoint
    }
}
