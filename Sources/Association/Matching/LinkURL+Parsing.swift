// Cuts a text into the pieces of a URL by RFC 3986 appendix B: each piece ends where the next one's delimiter stands.
// Nothing is resolved, decoded or re-encoded, except that characters no URL may hold are escaped.

extension LinkURL {
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
}
