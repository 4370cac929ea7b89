// Parses an HTTP/1 response as its bytes arrive (RFC 9112), and decodes gzip bodies. It is as tolerant as the clients that
// fetch these files, and reports an error where they would give up. Each byte is looked at once, in pieces of any size, and every
// part has a limit, so that time is not the only one.

import CZlib

/// Reads one response. Bytes after its end are ignored.
struct ResponseReader {
    private let limits: FetchLimits
    private let hasBody: Bool
    private var buffer: [UInt8] = []
    /// Where the bytes begin that are not read yet, and where those begin that were not searched for a line end.
    private var position = 0
    private var searched = 0
    /// Line ends in sequence, at the end of what was searched of the head.
    private var lineEnds = 0
    private var interimAnswers = 0
    /// Bytes of the body that are no content: sizes of chunks, and trailers.
    private var framingBytes = 0
    private var status = 0
    private var statusLine = ""
    private var fields: [FetchedResponse.Field] = []
    private var body: [UInt8] = []
    private var isTruncated = false
    private var isEndKnown = true
    private var state = State.head

    private enum State {
        case head
        case counted(left: Int)
        case chunkSize
        case chunk(left: Int)
        case trailers
        case untilEnd
        case complete
    }

    init(limits: FetchLimits, hasBody: Bool) {
        self.limits = limits
        self.hasBody = hasBody
    }

    var isComplete: Bool {
        if case .complete = state { return true }
        return false
    }

    var isReadingHead: Bool {
        if case .head = state { return true }
        return false
    }

    /// Whether the connection can be used again after the response (RFC 9112 §9.3). Not if two fields specify the end of the body.
    var leavesConnection: Bool {
        guard isComplete, isEndKnown, !isTruncated, buffer.isEmpty, statusLine.hasPrefix("HTTP/1.1") else {
            return false
        }
        let codings = fields.contains { $0.name == "transfer-encoding" }
        if codings, fields.contains(where: { $0.name == "content-length" }) { return false }
        return !fields.contains { $0.name == "connection" && $0.value.lowercased().contains("close") }
    }

    /// The part that is being read, for messages.
    var part: String {
        switch state {
        case .head: "the answer"
        case .counted, .chunkSize, .chunk, .trailers, .untilEnd, .complete: "the body"
        }
    }

    mutating func take(_ bytes: [UInt8]) throws(FetchError) {
        buffer += bytes
        while try step() {}
        buffer.removeFirst(position)
        searched -= position
        position = 0
    }

    private var unread: Int { buffer.count - position }

    /// The connection has ended.
    mutating func end() throws(FetchError) {
        switch state {
        case .untilEnd, .complete: state = .complete
        case .head where buffer.isEmpty: throw .connectionEnded("the answer, before its first byte")
        case .head: throw .connectionEnded("the head of the answer")
        case .counted(let left):
            throw .connectionEnded("the body, \(left) bytes before the end that content-length gives")
        case .chunkSize, .chunk, .trailers: throw .connectionEnded("the body, before its last chunk")
        }
    }

    func response(firstByte: Int, total: Int) -> FetchedResponse {
        FetchedResponse(
            status: status, statusLine: statusLine, fields: fields, body: body, isTruncated: isTruncated,
            firstByteMilliseconds: firstByte,
            totalMilliseconds: total, peer: nil, handshakeMilliseconds: 0)
    }

    /// One step; false if more bytes are needed, or if the response is complete.
    private mutating func step() throws(FetchError) -> Bool {
        switch state {
        case .head: return try readHead()
        case .counted(let left): return take(upTo: left) { .counted(left: $0) }
        case .chunkSize: return try readChunkSize()
        case .chunk(let left): return take(upTo: left) { $0 == 0 ? .chunkSize : .chunk(left: $0) }
        case .trailers:
            guard let line = try nextLine() else {
                if unread > limits.headBytesMax {
                    throw .malformed("a line after the body has more than \(limits.headBytesMax) bytes")
                }
                return false
            }
            if line.isEmpty { state = .complete }
            return true
        case .untilEnd:
            _ = take(upTo: Int.max) { _ in .untilEnd }
            return false
        case .complete: return false
        }
    }

    private mutating func readHead() throws(FetchError) -> Bool {
        guard buffer[position...].starts(with: Array("HTTP/".utf8).prefix(unread)) else {
            let start = String(
                decoding: buffer[position...].prefix(40).filter { $0 >= 0x20 && $0 < 0x7F }, as: UTF8.self)
            throw .malformed(
                start.isEmpty ? "it begins with bytes that are not text" : "it begins with \"\(start)\"", line: start)
        }
        let end = findHeadEnd()
        if (end ?? buffer.count) - position > limits.headBytesMax {
            throw .malformed("the head has more than \(limits.headBytesMax) bytes")
        }
        guard let end else { return false }
        let lines = buffer[position..<end].split(separator: UInt8(ascii: "\n")).map { line in
            String(decoding: line.last == UInt8(ascii: "\r") ? line.dropLast() : line, as: UTF8.self)
        }
        (position, lineEnds) = (end, 0)
        let words = (lines.first ?? "").split(separator: " ", maxSplits: 2)
        guard words.count >= 2, words[1].utf8.count == 3, let status = Int(words[1]), status >= 100,
            words[0].hasPrefix("HTTP/1.")
        else {
            let line = ResponseReader.text(lines.first ?? "", countMax: 80)
            throw .malformed("its first line is \"\(line)\"", line: line)
        }
        statusLine = ResponseReader.text(lines.first ?? "", countMax: 256)
        fields = lines.dropFirst().filter { !$0.isEmpty }.map { line in
            let colon = line.firstIndex(of: ":") ?? line.endIndex
            let value = line[colon...].dropFirst()
            return FetchedResponse.Field(
                name: line[..<colon].lowercased(), value: String(value.trimmed(of: [" ", "\t"])))
        }
        self.status = status
        // An interim response is followed by the final one (RFC 9110 §15.2).
        if status < 200 {
            interimAnswers += 1
            guard interimAnswers <= limits.interimAnswersMax else {
                throw .malformed("there are more than \(limits.interimAnswersMax) interim answers", line: statusLine)
            }
            return true
        }
        state = try framing()
        return true
    }

    /// A text of the other side for messages: shortened and without control characters.
    private static func text(_ text: String, countMax: Int) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.lazy.filter { $0.value >= 0x20 && $0.value != 0x7F }.prefix(countMax)))
    }

    /// Where the body ends (RFC 9112 §6.3).
    private mutating func framing() throws(FetchError) -> State {
        if !hasBody || status == 204 || status == 304 { return .complete }
        let codings = fields.filter { $0.name == "transfer-encoding" }.map(\.value).joined(separator: ",").lowercased()
        if codings.hasSuffix("chunked") { return .chunkSize }
        let lengths = Set(fields.filter { $0.name == "content-length" }.map(\.value))
        guard let length = lengths.first else {
            isEndKnown = false
            return .untilEnd
        }
        guard lengths.count == 1, let count = Int(length), count >= 0 else {
            throw .malformed("content-length is \(lengths.sorted().joined(separator: " and "))")
        }
        return count == 0 ? .complete : .counted(left: count)
    }

    private mutating func readChunkSize() throws(FetchError) -> Bool {
        guard let line = try nextLine() else {
            if unread > 1_024 { throw .malformed("a chunk has no size") }
            return false
        }
        // The end of the chunk before.
        if line.isEmpty { return true }
        let digits = line.prefix { $0 != UInt8(ascii: ";") && $0 != UInt8(ascii: " ") }
        guard let size = Int(String(decoding: digits, as: UTF8.self), radix: 16), size >= 0 else {
            throw .malformed("a chunk's size is \"\(String(decoding: digits.prefix(20), as: UTF8.self))\"")
        }
        state = size == 0 ? .trailers : .chunk(left: size)
        return true
    }

    /// Adds bytes to the body, and stops at the limit.
    private mutating func take(upTo left: Int, next: (Int) -> State) -> Bool {
        let count = min(left, unread)
        let room = limits.bodyBytesMax - body.count
        body += buffer[position...].prefix(min(count, room))
        position += count
        searched = position
        if count > room {
            isTruncated = true
            state = .complete
            return false
        }
        state = next(left - count)
        if case .counted(left: 0) = state { state = .complete }
        return count > 0
    }

    /// The end of the head, behind its empty line.
    private mutating func findHeadEnd() -> Int? {
        while searched < buffer.count {
            let byte = buffer[searched]
            searched += 1
            if byte == UInt8(ascii: "\n") { lineEnds += 1 } else if byte != UInt8(ascii: "\r") { lineEnds = 0 }
            if lineEnds == 2 { return searched }
        }
        return nil
    }

    /// The next line of the body's framing.
    private mutating func nextLine() throws(FetchError) -> ArraySlice<UInt8>? {
        guard let newline = buffer[searched...].firstIndex(of: UInt8(ascii: "\n")) else {
            searched = buffer.count
            return nil
        }
        let line = buffer[position..<newline]
        framingBytes += line.count + 1
        // A body of single bytes in chunks has five times as many, but no server sends a large one in this way.
        guard framingBytes <= limits.headBytesMax + limits.bodyBytesMax else {
            throw .malformed(
                "the chunks of the body have more than \(limits.headBytesMax + limits.bodyBytesMax) bytes of framing")
        }
        position = newline + 1
        searched = position
        return line.last == UInt8(ascii: "\r") ? line.dropLast() : line
    }
}

extension Substring {
    /// The text without these characters at both ends.
    public func trimmed(of characters: Set<Character>) -> Substring {
        var rest = drop(while: characters.contains)
        while let last = rest.last, characters.contains(last) { rest.removeLast() }
        return rest
    }
}

/// Decodes gzip bodies as a verifier would.
public enum Gunzip {
    /// The decoded bytes; nil if they are not gzip (RFC 1952) or would be more than `bytesMax`.
    public static func expand(_ bytes: [UInt8], bytesMax: Int) -> [UInt8]? {
        var stream = unsafe z_stream()
        // A window of 15 bits; adding 16 accepts only the gzip format.
        guard unsafe associated_inflateInit2(&stream, 15 + 16) == Z_OK else { return nil }
        defer { unsafe inflateEnd(&stream) }
        var plain: [UInt8] = []
        var room = [UInt8](repeating: 0, count: 65_536)
        var input = bytes
        let isWhole = unsafe input.withUnsafeMutableBufferPointer { source in
            unsafe stream.next_in = source.baseAddress
            unsafe stream.avail_in = UInt32(source.count)
            while plain.count <= bytesMax {
                let result = unsafe room.withUnsafeMutableBufferPointer { target in
                    unsafe stream.next_out = target.baseAddress
                    unsafe stream.avail_out = UInt32(target.count)
                    return unsafe inflate(&stream, Z_NO_FLUSH)
                }
                unsafe plain += room[..<(room.count - Int(stream.avail_out))]
                if result == Z_STREAM_END { return true }
                if unsafe result != Z_OK || stream.avail_in == 0 && stream.avail_out > 0 { return false }
            }
            return false
        }
        return isWhole && plain.count <= bytesMax ? plain : nil
    }
}
