// Why a text is no host, in words.

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
    var spokenName: String {
        let hex = String(value, radix: 16, uppercase: true)
        let code = "U+" + String(repeating: "0", count: max(0, 4 - hex.count)) + hex
        let isVisible = value > 0x20 && properties.generalCategory != .control && properties.generalCategory != .format
        return isVisible ? "\"\(self)\" (\(code))" : code
    }
}
