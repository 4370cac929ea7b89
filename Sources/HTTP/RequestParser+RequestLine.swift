// The first line: method, target, version (RFC 9112 §3), one space between each, nothing around them.

extension RequestParser {
    mutating func readRequestLine(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        guard let afterMethod = bytes.firstIndex(of: Octet.space, from: start, to: end), afterMethod > start else {
            return Octet.isToken(bytes[start]) ? .malformedRequestLine : .notHTTP
        }
        for index in start..<afterMethod where !Octet.isToken(bytes[index]) { return .malformedRequestLine }
        head.method = Method(bytes.extracting(start..<afterMethod))
        head.methodName = ByteRange(start, afterMethod)

        let targetStart = afterMethod + 1
        guard let afterTarget = bytes.firstIndex(of: Octet.space, from: targetStart, to: end), afterTarget > targetStart
        else {
            return .malformedRequestLine
        }
        if let reason = readVersion(bytes, afterTarget + 1, end) { return reason }
        return readTarget(bytes, targetStart, afterTarget)
    }

    /// `HTTP/1.0` and `HTTP/1.1`; a higher minor version is one that promises to be understood as 1.1 (RFC 9110 §2.5).
    private mutating func readVersion(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        guard end - start == 8, bytes.extracting(start..<start + 5).equals("HTTP/"),
            Octet.isDigit(bytes[start + 5]), bytes[start + 6] == UInt8(ascii: "."), Octet.isDigit(bytes[start + 7])
        else { return .malformedRequestLine }
        guard bytes[start + 5] == UInt8(ascii: "1") else { return .unsupportedVersion }
        head.minorVersion = bytes[start + 7] == UInt8(ascii: "0") ? 0 : 1
        head.wantsKeepAlive = head.minorVersion == 1
        return nil
    }

    /// The four forms of RFC 9112 §3.2.
    private mutating func readTarget(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        for index in start..<end where !Octet.isTarget(bytes[index]) { return .malformedTarget }
        if head.method == .connect {
            // Authority-form; there is no tunnel here, so nothing of it matters but that it is not a path.
            head.path = ByteRange(start, start)
            return nil
        }
        if bytes[start] == UInt8(ascii: "/") {
            return readPath(bytes, start, end)
        }
        if end - start == 1, bytes[start] == UInt8(ascii: "*"), head.method == .options {
            head.isAboutServer = true
            head.path = ByteRange(start, start)
            return nil
        }
        return readAbsolute(bytes, start, end)
    }

    private mutating func readPath(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        let mark = bytes.firstIndex(of: UInt8(ascii: "?"), from: start, to: end)
        let pathEnd = mark ?? end
        head.path = ByteRange(start, pathEnd)
        if let mark { head.query = ByteRange(mark + 1, end) }
        var index = start
        while let percent = bytes.firstIndex(of: UInt8(ascii: "%"), from: index, to: pathEnd) {
            guard percent + 2 < pathEnd, Octet.hexValue(bytes[percent + 1]) != nil,
                Octet.hexValue(bytes[percent + 2]) != nil
            else { return .malformedTarget }
            index = percent + 3
        }
        return nil
    }

    /// `http://host/path`: its authority stands above the Host field, which must not disagree (RFC 9112 §3.2.2).
    private mutating func readAbsolute(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        var authority = start
        if end - start > 7, bytes.extracting(start..<start + 7).equalsIgnoringCase("http://") {
            authority = start + 7
        } else if end - start > 8, bytes.extracting(start..<start + 8).equalsIgnoringCase("https://") {
            authority = start + 8
        } else {
            return .malformedTarget
        }
        var authorityEnd = authority
        while authorityEnd < end, bytes[authorityEnd] != UInt8(ascii: "/"), bytes[authorityEnd] != UInt8(ascii: "?") {
            authorityEnd += 1
        }
        guard let host = HostField.read(bytes, authority, authorityEnd), host.count > 0 else { return .malformedTarget }
        fields.authority = host
        if authorityEnd < end, bytes[authorityEnd] == UInt8(ascii: "/") { return readPath(bytes, authorityEnd, end) }
        head.path = ByteRange(authorityEnd, authorityEnd)
        if authorityEnd < end { head.query = ByteRange(authorityEnd + 1, end) }
        return nil
    }
}
