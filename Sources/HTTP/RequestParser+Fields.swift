// The field lines (RFC 9112 §5): every one is checked for its form, few are understood. What several fields decide
// together (how long the body is, which host is meant) is decided at the end of the head.

/// What has been learnt from field lines and is not settled until all are read.
struct FieldState: Sendable {
    var host: ByteRange = .absent
    var authority: ByteRange = .absent
    var contentLength: UInt64?
    var hasTransferCoding = false
    var saysClose = false
    var saysKeepAlive = false
}

extension RequestParser {
    mutating func readField(_ bytes: Span<UInt8>, _ start: Int, _ end: Int) -> Rejection? {
        if bytes[start] == Octet.space || bytes[start] == Octet.tab { return .foldedField }
        var colon = start
        while colon < end, Octet.isToken(bytes[colon]) { colon += 1 }
        guard colon < end, colon > start, bytes[colon] == UInt8(ascii: ":") else { return .malformedField }
        guard bytes.isFieldText(colon + 1, end) else { return .malformedField }
        let value = bytes.trimmed(colon + 1, end)
        return note(bytes.extracting(start..<colon), value, bytes)
    }

    /// Fields are told apart by length first: most that browsers send are of no interest and cost one comparison.
    private mutating func note(_ name: Span<UInt8>, _ value: ByteRange, _ bytes: Span<UInt8>) -> Rejection? {
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
        var start = 0
        while start <= value.count {
            let end = value.firstIndex(of: UInt8(ascii: ","), from: start) ?? value.count
            let option = value.extracting(value.trimmed(start, end).range)
            if option.equalsIgnoringCase("close") { fields.saysClose = true }
            if option.equalsIgnoringCase("keep-alive") { fields.saysKeepAlive = true }
            start = end + 1
        }
    }

    /// RFC 9112 §6.3: digits, once. A list of equal numbers could be accepted; nobody who is honest sends one.
    private mutating func noteContentLength(_ value: Span<UInt8>) -> Rejection? {
        if fields.contentLength != nil { return .ambiguousBodyLength }
        guard value.count > 0 else { return .malformedContentLength }
        var length: UInt64 = 0
        for index in 0..<value.count {
            guard Octet.isDigit(value[index]) else { return .malformedContentLength }
            let (tens, overflows) = length.multipliedReportingOverflow(by: 10)
            let (sum, overflowsToo) = tens.addingReportingOverflow(UInt64(value[index] - 0x30))
            if overflows || overflowsToo { return .bodyTooLong }
            length = sum
        }
        fields.contentLength = length
        return nil
    }

    /// RFC 9112 §6.1: `chunked` alone is understood. Anything else leaves the body's length unknown, whatever its form.
    private mutating func noteTransferCoding(_ value: Span<UInt8>) -> Rejection? {
        if fields.hasTransferCoding || head.minorVersion == 0 { return .ambiguousBodyLength }
        fields.hasTransferCoding = true
        return value.equalsIgnoringCase("chunked") ? nil : .unsupportedTransferCoding
    }

    /// Decides what several fields say together.
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
            head.body = .chunked
        } else if let length = fields.contentLength, length > 0 {
            head.body = .length(length)
        }
        if fields.saysKeepAlive { head.wantsKeepAlive = true }
        if fields.saysClose { head.wantsKeepAlive = false }
        return nil
    }
}
