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

    static func asciiLabel(_ label: Substring) -> Result<String, Fault> {
        if label.isEmpty { return .failure(.emptyLabel) }
        if label.utf8.allSatisfy({ $0 < 0x80 }) { return checked(label.lowercased()) }
        let lowered = Array(label.lowercased().unicodeScalars)
        for scalar in lowered {
            guard isLetterOrDigit(scalar) else { return .failure(.character(scalar)) }
            guard isCertainlyNormal(scalar) else { return .failure(.unsureCharacter(scalar)) }
        }
        guard let encoded = Punycode.encode(lowered) else { return .failure(.labelTooLong(String(label))) }
        let ascii = "xn--" + encoded
        return ascii.utf8.count > 63 ? .failure(.labelTooLong(String(label))) : .success(ascii)
    }

    /// Checks a label in lower-case ASCII: letters, digits and inner hyphens (RFC 1123 §2.1), 63 bytes at most.
    private static func checked(_ label: String) -> Result<String, Fault> {
        for scalar in label.unicodeScalars {
            switch scalar {
            case "a"..."z", "0"..."9", "-": continue
            default: return .failure(.character(scalar))
            }
        }
        if label.utf8.count > 63 { return .failure(.labelTooLong(label)) }
        if label.begins(with: "-") || label.ends(with: "-") { return .failure(.hyphenAtEdge(label)) }
        guard label.begins(with: "xn--") else { return .success(label) }
        // A label that does not come back the same is one that no browser will ever ask for.
        let encoded = label.dropFirst(4)
        guard let decoded = Punycode.decode(encoded), decoded.contains(where: { !$0.isASCII }),
            decoded.allSatisfy(isVisible), let again = Punycode.encode(decoded), again == encoded
        else { return .failure(.notPunycode(label)) }
        return .success(label)
    }

    /// IDNA 2008 allows letters, marks, digits and the hyphen, and little else (RFC 5892).
    private static func isLetterOrDigit(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .modifierLetter, .nonspacingMark, .spacingMark, .decimalNumber: true
        default: scalar == "-"
        }
    }

    /// Whether a registry could have sold it: there are names with symbols, but none with controls or capitals.
    private static func isVisible(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .unassigned, .privateUse, .surrogate, .uppercaseLetter, .titlecaseLetter, .spaceSeparator,
            .lineSeparator, .paragraphSeparator:
            false
        default: true
        }
    }

    /// Whether the scalar stays itself, whatever stands beside it: it is its own compatibility folding, and it cannot
    /// join its neighbour as combining marks and the parts of Hangul syllables can.
    private static func isCertainlyNormal(_ scalar: Unicode.Scalar) -> Bool {
        let properties = scalar.properties
        if properties.changesWhenNFKCCaseFolded { return false }
        switch properties.generalCategory {
        case .nonspacingMark, .spacingMark: return false
        default: break
        }
        return !(0x1100...0x11FF).contains(scalar.value) && !(0xA960...0xA97F).contains(scalar.value)
            && !(0xD7B0...0xD7FF).contains(scalar.value)
    }

    /// `text` with the host that it begins with, or that stands behind its scheme, in ASCII: a name, a name and its port,
    /// or a URL. What is ASCII already stays as it is, and so does what is no host, for whoever reads it to refuse.
    public static func inASCII(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let bytes = Array(text.utf8)
        let range = hostRange(in: bytes)
        let written = String(decoding: bytes[range], as: UTF8.self)
        guard !written.utf8.allSatisfy({ $0 < 0x80 }), case .success(let host) = parse(written) else { return text }
        return String(
            decoding: bytes[..<range.lowerBound] + Array(host.text.utf8) + bytes[range.upperBound...], as: UTF8.self)
    }

    /// Where the host stands: behind `://` and any user, up to a port or a path.
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

extension HostPattern.Fault: Error {}

extension HostPattern: CustomStringConvertible {
    public var description: String { text }
}

extension HostPattern.Fault {
    /// Why it is no host, and what to write.
    public var explained: (reason: String, fix: String) {
        switch self {
        case .empty: ("it is empty", "remove it")
        case .hasScheme: ("it has a scheme", "leave out https:// and anything after the name")
        case .hasPort: ("it has a port, and the files are only ever fetched from port 443", "leave out the port")
        case .hasPath: ("it has a path", "leave out everything from the first slash")
        case .isAddress: ("it is an address, and phones verify names only", "use a domain name")
        case .bareWildcard: ("it would be every name there is", "name a domain, such as *.example.com")
        case .wildcardInside: ("a * stands only at the front, before a dot", "write *.example.com, or list the names")
        case .emptyLabel: ("there is nothing between two of its dots", "remove the extra dot")
        case .labelTooLong(let label): ("\(label.quoted) is longer than the 63 bytes of a label", "shorten it")
        case .tooLong: ("it is longer than the 253 bytes of a name", "shorten it")
        case .hyphenAtEdge(let label): ("\"\(label)\" begins or ends with a hyphen", "remove the hyphen")
        case .character(let scalar): ("\(scalar.spokenName) cannot stand in a name", "use letters, digits and hyphens")
        case .unsureCharacter(let scalar):
            (
                "\(scalar.spokenName) can be normalised in more than one way",
                "write the label in its Punycode form, xn--…"
            )
        case .notPunycode(let label): ("\"\(label)\" is not proper Punycode", "encode the label again")
        }
    }
}

extension Unicode.Scalar {
    /// The character and its code point, visible even when the character is not.
    package var spokenName: String {
        let hex = String(value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        let isVisible = value > 0x20 && properties.generalCategory != .control && properties.generalCategory != .format
        return isVisible ? "\"\(self)\" (\(code))" : code
    }
}
