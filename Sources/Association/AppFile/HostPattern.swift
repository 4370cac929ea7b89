// The names a site answers to: one host, or every host below a suffix. The reading is strict, because a name that is
// not quite a DNS name is a site that no verifier ever reaches.

/// A host name, or `*.` and a suffix; always ASCII and in lower case.
public struct HostPattern: Hashable, Sendable {
    /// Whether it stands for every name below `name`, at any depth, and never for `name` itself.
    public let isWildcard: Bool
    /// The host, or what follows `*.`.
    public let name: String

    /// What could not be accepted, as the end of a sentence about the host.
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
        /// A character whose normal form cannot be told from a look at it alone.
        case unsureCharacter(Unicode.Scalar)
        case notPunycode(String)
    }

    /// The pattern as it would be written in a file.
    public var text: String { isWildcard ? "*.\(name)" : name }

    /// Whether a request for `host` belongs here. The host may have upper case and one trailing dot.
    public func matches(_ host: some StringProtocol) -> Bool {
        var asked = Substring(host).utf8[...]
        if asked.last == UInt8(ascii: ".") { asked = asked.dropLast() }
        let own = name.utf8
        guard isWildcard else { return asked.elementsEqual(own, by: Self.isSameIgnoringCase) }
        guard asked.count > own.count + 1 else { return false }
        let suffix = asked.suffix(own.count)
        return suffix.elementsEqual(own, by: Self.isSameIgnoringCase)
            && asked.dropLast(own.count).last == UInt8(ascii: ".")
    }

    /// `lowered` is known to be in lower case.
    private static func isSameIgnoringCase(_ byte: UInt8, _ lowered: UInt8) -> Bool {
        byte == lowered || (byte &+ 0x20 == lowered && (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte))
    }

    private init(isWildcard: Bool, name: String) {
        self.isWildcard = isWildcard
        self.name = name
    }

    /// Reads a name as a person writes it: any case, in any script, perhaps with a trailing dot.
    public static func parse(_ text: String) -> Result<HostPattern, Fault> {
        var rest = text[...]
        let isWildcard = rest.begins(with: "*.")
        if isWildcard { rest = rest.dropFirst(2) }
        if isPlain(rest) { return .success(HostPattern(isWildcard: isWildcard, name: String(rest))) }
        if rest.ends(with: "."), rest.count > 1 { rest = rest.dropLast() }
        if let fault = shapeFault(of: rest) { return .failure(fault) }
        var labels: [String] = []
        for label in rest.split(separator: ".", omittingEmptySubsequences: false) {
            switch asciiLabel(label) {
            case .success(let ascii): labels.append(ascii)
            case .failure(let fault): return .failure(fault)
            }
        }
        // No top-level domain is made of digits only, so this was meant as an address (RFC 3696 §2).
        if let last = labels.last, last.utf8.allSatisfy({ (0x30...0x39).contains($0) }) { return .failure(.isAddress) }
        let name = labels.joined(separator: ".")
        // RFC 1035 §2.3.4: 255 bytes on the wire are 253 characters.
        return name.utf8.count > 253 ? .failure(.tooLong) : .success(HostPattern(isWildcard: isWildcard, name: name))
    }

    /// Whether it is a name in its final form already, which nearly every name is: labels in lower case, none of them
    /// Punycode, the last not of digits alone.
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

    /// Mistakes about what a host is, which deserve more than "bad character".
    private static func shapeFault(of text: Substring) -> Fault? {
        if text.isEmpty { return .empty }
        let bytes = text.utf8
        if text == "*" { return .bareWildcard }
        if bytes.first == UInt8(ascii: "[") { return .isAddress }
        let colons = bytes.count { $0 == UInt8(ascii: ":") }
        if colons > 0, Array(bytes).contains(run: Array("://".utf8)) { return .hasScheme }
        if bytes.contains(UInt8(ascii: "/")) { return .hasPath }
        if colons > 0 { return colons > 1 ? .isAddress : .hasPort }
        return bytes.contains(UInt8(ascii: "*")) ? .wildcardInside : nil
    }
}

extension HostPattern.Fault: Error {}

extension HostPattern: CustomStringConvertible {
    public var description: String { text }
}
