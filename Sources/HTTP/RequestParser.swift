// Reads a request's head, however it is cut into pieces. Each byte is looked for a line end once and each line is read
// once, when it is whole, so a client that sends one byte at a time costs no more than one that sends all at once.
//
// Strict: whatever a proxy in front could read in another way is refused (RFC 9112 §11.2), with one answer per reason.

/// The state of reading one head. The bytes stay with the caller, who passes everything from the head's first byte on
/// each time.
public struct RequestParser: Sendable {
    var head = RequestHead()
    /// Where the line that is being read begins.
    private var lineStart = 0
    /// Up to where it has been searched for its end.
    private var searched = 0
    private var hasRequestLine = false
    private var emptyLines: UInt8 = 0
    private var fieldCount = 0
    var fields = FieldState()

    /// What came of the bytes so far.
    public enum Outcome: Sendable {
        /// Well so far; more bytes are needed.
        case incomplete
        /// A whole head; its body, if any, begins after so many bytes.
        case complete(RequestHead, bytes: Int)
        case rejected(Rejection)
    }

    public init() {}

    /// What has been understood so far, of a head that is refused or never comes to its end. For records; nothing may be
    /// answered from it.
    public var headSoFar: RequestHead {
        var head = head
        head.host = fields.authority.isPresent ? fields.authority : fields.host
        return head
    }

    /// Whether some bytes of a head have been seen.
    public var hasBegun: Bool { searched > 0 }

    public mutating func parse(_ bytes: Span<UInt8>, limits: HeadLimits) -> Outcome {
        while true {
            guard let lineFeed = bytes.firstIndex(of: Octet.lineFeed, from: searched) else {
                searched = bytes.count
                if let reason = objection(toUnfinished: bytes, bytes.count, limits) { return .rejected(reason) }
                return .incomplete
            }
            let start = lineStart
            // What would have been refused before its end had come is refused for the same reason.
            if let reason = objection(toUnfinished: bytes, lineFeed, limits) { return .rejected(reason) }
            searched = lineFeed + 1
            if searched > limits.headBytesMax { return .rejected(tooLong(bytes, start, limits)) }
            guard lineFeed > start, bytes[lineFeed - 1] == Octet.carriageReturn else {
                return .rejected(.malformedLineEnd)
            }
            let end = lineFeed - 1
            lineStart = lineFeed + 1

            if !hasRequestLine {
                if start == end {
                    // RFC 9112 §2.2: an empty line before a request is ignored; a flood of them is not a client.
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

    /// A line without an end may already be beyond repair. Asked of every line, so that a client is answered the
    /// same however its bytes are cut into pieces.
    private func objection(toUnfinished bytes: Span<UInt8>, _ seen: Int, _ limits: HeadLimits) -> Rejection? {
        guard seen > lineStart else { return nil }
        if !hasRequestLine {
            let first = bytes[lineStart]
            if first != Octet.carriageReturn, !Octet.isToken(first) { return .notHTTP }
            // A carriage return may be half of the end.
            let end = bytes[seen - 1] == Octet.carriageReturn ? seen - 1 : seen
            if end - lineStart > limits.requestLineBytesMax { return tooLong(bytes, lineStart, limits) }
        }
        return seen > limits.headBytesMax ? tooLong(bytes, lineStart, limits) : nil
    }

    /// RFC 9112 §3: a method longer than any is 501, a target longer than is read 414.
    private func tooLong(_ bytes: Span<UInt8>, _ start: Int, _ limits: HeadLimits) -> Rejection {
        if hasRequestLine { return .headTooLong }
        // The same bytes are looked at however many have come.
        let end = start + min(limits.requestLineBytesMax, limits.headBytesMax - start)
        for index in start..<end where !Octet.isToken(bytes[index]) { return .targetTooLong }
        return .methodTooLong
    }
}
