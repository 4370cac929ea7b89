// Parses a request's head that arrives in pieces. Each byte is searched for a line end once, and each line is parsed once, when
// it is complete. So a client that sends one byte at a time costs no more than one that sends everything at once.
//
// Strict: a head that a proxy in front could read in another way is refused (RFC 9112 §11.2), with one answer for each reason.

/// The state of parsing one head. The caller keeps the bytes and passes all of them, from the head's first byte on, each time.
public struct RequestParser: Sendable {
    var head = RequestHead()
    /// Where the line that is being read begins.
    private var lineStart = 0
    /// The bytes before this position have been searched for a line end.
    private var searched = 0
    private var hasRequestLine = false
    private var emptyLines: UInt8 = 0
    private var fieldCount = 0
    var fields = FieldState()

    /// The result for the bytes so far.
    public enum Outcome: Sendable {
        /// Valid so far; more bytes are needed.
        case incomplete
        /// A complete head of this many bytes; its body, if any, follows.
        case complete(RequestHead, bytes: Int)
        case rejected(Rejection)
    }

    public init() {}

    /// The parsed part of a head that is refused or never completed. For the access log; no answer may depend on it.
    public var headSoFar: RequestHead {
        var head = head
        head.host = fields.authority.isPresent ? fields.authority : fields.host
        return head
    }

    /// Whether some bytes of a head have arrived.
    public var hasBegun: Bool { searched > 0 }

    public mutating func parse(_ bytes: Span<UInt8>, limits: HeadLimits) -> Outcome {
        while true {
            guard let lineFeed = bytes.firstIndex(of: Octet.lineFeed, from: searched) else {
                searched = bytes.count
                if let reason = rejection(ofUnfinished: bytes, bytes.count, limits) { return .rejected(reason) }
                return .incomplete
            }
            let start = lineStart
            // The reason must be the same as if the line's end had not arrived yet.
            if let reason = rejection(ofUnfinished: bytes, lineFeed, limits) { return .rejected(reason) }
            searched = lineFeed + 1
            if searched > limits.headBytesMax { return .rejected(tooLong(bytes, start, limits)) }
            guard lineFeed > start, bytes[lineFeed - 1] == Octet.carriageReturn else {
                return .rejected(.malformedLineEnd)
            }
            let end = lineFeed - 1
            lineStart = lineFeed + 1

            if !hasRequestLine {
                if start == end {
                    // RFC 9112 §2.2: empty lines before a request are ignored; no honest client sends more than four.
                    emptyLines += 1
                    if emptyLines > 4 { return .rejected(.malformedRequestLine) }
                    continue
                }
                if let reason = readRequestLine(bytes, start, end) { return .rejected(reason) }
                hasRequestLine = true
            } else if start == end {
                if let reason = finish(bytes) { return .rejected(reason) }
                return .complete(head, bytes: searched)
            } else {
                fieldCount += 1
                if fieldCount > limits.fieldCountMax { return .rejected(.tooManyFields) }
                if let reason = readField(bytes, start, end) { return .rejected(reason) }
            }
        }
    }

    /// Why a line is invalid already, although its end has not arrived. Checked for every line, so that the answer does not depend
    /// on how the bytes are split.
    private func rejection(ofUnfinished bytes: Span<UInt8>, _ seen: Int, _ limits: HeadLimits) -> Rejection? {
        guard seen > lineStart else { return nil }
        if !hasRequestLine {
            let first = bytes[lineStart]
            if first != Octet.carriageReturn, !Octet.isToken(first) { return .notHTTP }
            // A carriage return may be the first half of the line end.
            let end = bytes[seen - 1] == Octet.carriageReturn ? seen - 1 : seen
            if end - lineStart > limits.requestLineBytesMax { return tooLong(bytes, lineStart, limits) }
        }
        return seen > limits.headBytesMax ? tooLong(bytes, lineStart, limits) : nil
    }

    /// RFC 9112 §3: too long a method is answered 501, too long a target 414.
    private func tooLong(_ bytes: Span<UInt8>, _ start: Int, _ limits: HeadLimits) -> Rejection {
        if hasRequestLine { return .headTooLong }
        // Always the same bytes, however many have arrived.
        let end = start + min(limits.requestLineBytesMax, limits.headBytesMax - start)
        for index in start..<end where !Octet.isToken(bytes[index]) { return .targetTooLong }
        return .methodTooLong
    }

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

    /// `HTTP/1.0` and `HTTP/1.1`; a higher minor version can be read as 1.1 (RFC 9110 §2.5).
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
            // Authority-form, which is not a path. It is not parsed, because this server makes no tunnels.
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

    /// `http://host/path`: its authority replaces the Host field, which must not contradict it (RFC 9112 §3.2.2).
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

    mutating func readField(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        if bytes[start] == Octet.space || bytes[start] == Octet.tab { return .foldedField }
        var colon = start
        while colon < end, Octet.isToken(bytes[colon]) { colon += 1 }
        guard colon < end, colon > start, bytes[colon] == UInt8(ascii: ":") else { return .malformedField }
        guard bytes.isFieldText(colon + 1, end) else { return .malformedField }
        let value = bytes.trimmed(colon + 1, end)
        return storeField(bytes.extracting(start..<colon), value, bytes)
    }

    /// Compares the name's length first: most fields that browsers send are not used, and so cost one comparison.
    private mutating func storeField(_ name: Span<UInt8>, _ value: ByteRange, _ bytes: Span<UInt8>) -> Rejection? {
        switch name.count {
        case 4: if name.equalsIgnoringCase("host") { return noteHost(value, bytes) }
        case 5: if name.equalsIgnoringCase("range") { head.range.note(value) }
        case 6: if name.equalsIgnoringCase("expect") { return noteExpectation(bytes.extracting(value.range)) }
        case 7: if name.equalsIgnoringCase("referer") { head.referer.note(value) }
        case 8:
            if name.equalsIgnoringCase("if-match") {
                head.ifMatch.note(value)
            } else if name.equalsIgnoringCase("if-range") {
                head.ifRange.note(value)
            }
        case 9: if name.equalsIgnoringCase("forwarded") { head.forwarded.note(value) }
        case 10:
            if name.equalsIgnoringCase("connection") {
                noteConnection(bytes.extracting(value.range))
            } else if name.equalsIgnoringCase("user-agent") {
                head.userAgent.note(value)
            }
        case 11: if name.equalsIgnoringCase("traceparent") { head.traceParent.note(value) }
        case 12: if name.equalsIgnoringCase("x-request-id") { head.requestID.note(value) }
        case 13:
            if name.equalsIgnoringCase("if-none-match") {
                head.ifNoneMatch.note(value)
            } else if name.equalsIgnoringCase("authorization") {
                head.authorization.note(value)
            }
        case 14:
            if name.equalsIgnoringCase("content-length") { return noteContentLength(bytes.extracting(value.range)) }
        case 15:
            if name.equalsIgnoringCase("accept-encoding") {
                head.acceptEncoding.note(value)
            } else if name.equalsIgnoringCase("x-forwarded-for") {
                head.forwardedFor.note(value)
            }
        case 16: if name.equalsIgnoringCase("x-forwarded-host") { head.forwardedHost.note(value) }
        case 17:
            if name.equalsIgnoringCase("transfer-encoding") {
                return noteTransferCoding(bytes.extracting(value.range))
            } else if name.equalsIgnoringCase("if-modified-since") {
                head.ifModifiedSince.note(value)
            } else if name.equalsIgnoringCase("x-forwarded-proto") {
                head.forwardedProto.note(value)
            }
        case 19: if name.equalsIgnoringCase("if-unmodified-since") { head.ifUnmodifiedSince.note(value) }
        default: break
        }
        return nil
    }

    private mutating func noteHost(_ value: ByteRange, _ bytes: Span<UInt8>) -> Rejection? {
        if fields.host.isPresent { return .repeatedHost }
        guard let host = HostField.read(bytes, Int(value.start), Int(value.end)) else { return .malformedHost }
        fields.host = host
        return nil
    }

    private mutating func noteExpectation(_ value: Span<UInt8>) -> Rejection? {
        // RFC 9110 §10.1.1: an expectation in HTTP/1.0 is ignored.
        if head.minorVersion == 0 { return nil }
        guard value.equalsIgnoringCase("100-continue") else { return .unknownExpectation }
        head.expectsContinue = true
        return nil
    }

    private mutating func noteConnection(_ value: Span<UInt8>) {
        var members = ListMembers(ByteRange(0, value.count))
        while let member = members.next(value) {
            let option = value.extracting(member.range)
            if option.equalsIgnoringCase("close") { fields.saysClose = true }
            if option.equalsIgnoringCase("keep-alive") { fields.saysKeepAlive = true }
        }
    }

    /// RFC 9112 §6.3: digits, and only one such field. A list of equal numbers could be accepted, but no honest client sends one.
    private mutating func noteContentLength(_ value: Span<UInt8>) -> Rejection? {
        if fields.contentLength != nil { return .ambiguousBodyLength }
        guard let length = value.decimal() else { return .malformedContentLength }
        fields.contentLength = length
        return length == .max ? .bodyTooLong : nil
    }

    /// RFC 9112 §6.1: a list of codings, of which the last is `chunked`. Only `chunked` alone is supported. Parameters are malformed
    /// here, because no registered coding has any.
    private mutating func noteTransferCoding(_ value: Span<UInt8>) -> Rejection? {
        if fields.hasTransferCoding || head.minorVersion == 0 { return .ambiguousBodyLength }
        fields.hasTransferCoding = true
        var start = 0
        while let comma = value.firstIndex(of: UInt8(ascii: ","), from: start, to: value.count) {
            let coding = value.trimmed(start, comma)
            for index in coding.range where !Octet.isToken(value[index]) { return .malformedTransferCoding }
            if coding.count == 0 || value.extracting(coding.range).equalsIgnoringCase("chunked") {
                return .malformedTransferCoding
            }
            fields.hasOtherCodings = true
            start = comma + 1
        }
        let last = value.extracting(value.trimmed(start, value.count).range)
        return last.equalsIgnoringCase("chunked") ? nil : .malformedTransferCoding
    }

    /// Checks and combines what several fields say together.
    mutating func finish(_ bytes: Span<UInt8>) -> Rejection? {
        if head.minorVersion == 1, !fields.host.isPresent { return .missingHost }
        head.host = fields.host
        if fields.authority.isPresent {
            if fields.host.isPresent,
                !bytes.extracting(fields.host.range).equalsIgnoringCase(bytes.extracting(fields.authority.range))
            {
                return .contradictingHost
            }
            head.host = fields.authority
        }
        if fields.hasTransferCoding {
            if fields.contentLength != nil { return .ambiguousBodyLength }
            if fields.hasOtherCodings { return .unsupportedTransferCoding }
            head.body = .chunked
        } else if let length = fields.contentLength, length > 0 {
            head.body = .length(length)
        }
        if fields.saysKeepAlive { head.wantsKeepAlive = true }
        if fields.saysClose { head.wantsKeepAlive = false }
        return nil
    }
}

/// Values of field lines that are evaluated together at the end of the head.
struct FieldState: Sendable {
    var host: ByteRange = .absent
    var authority: ByteRange = .absent
    var contentLength: UInt64?
    var hasTransferCoding = false
    /// Whether it has codings besides `chunked`.
    var hasOtherCodings = false
    var saysClose = false
    var saysKeepAlive = false
}

enum HostField {
    /// The host in `bytes[start..<end]` without port and one trailing dot, or nil when it is malformed. An empty one is allowed:
    /// RFC 9112 §3.2 wants it for a target without an authority.
    static func read(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> ByteRange? {
        if start == end { return ByteRange(start, end) }
        if bytes[start] == UInt8(ascii: "[") { return readAddress(bytes, start, end) }
        var index = start
        while index < end, Octet.isHost(bytes[index]) { index += 1 }
        guard index > start, isPort(bytes, index, end) else { return nil }
        let isDotted = index - start > 1 && bytes[index - 1] == UInt8(ascii: ".")
        return ByteRange(start, isDotted ? index - 1 : index)
    }

    /// An IPv6 address in brackets. Only its characters are checked, because no site has such a name.
    private static func readAddress(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> ByteRange? {
        guard let close = bytes.firstIndex(of: UInt8(ascii: "]"), from: start, to: end), close - start > 2 else {
            return nil
        }
        for index in start + 1..<close {
            let byte = bytes[index]
            guard Octet.hexValue(byte) != nil || byte == UInt8(ascii: ":") || byte == UInt8(ascii: ".") else {
                return nil
            }
        }
        return isPort(bytes, close + 1, end) ? ByteRange(start, close + 1) : nil
    }

    /// Nothing, a lone colon, or a colon and a number up to 65535.
    private static func isPort(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Bool {
        if start == end { return true }
        guard bytes[start] == UInt8(ascii: ":"), end - start <= 6 else { return false }
        if end - start == 1 { return true }
        guard let port = bytes.extracting(start + 1..<end).decimal() else { return false }
        return port <= 65_535
    }
}
