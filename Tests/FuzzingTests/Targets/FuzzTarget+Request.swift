// Requests as a connection sees them: heads and bodies one after the other, cut into pieces in any way. However they are
// cut, the same bytes are the same requests, refused for the same reason; and what a head says lies within it.

import HTTP

extension FuzzTarget {
    static let request = FuzzTarget(
        name: "request",
        summary: "request heads and bodies: the same however the bytes are cut, and every range within them"
    ) { bytes in
        var choices = Choices(bytes)
        let limits = RequestReading.limits[choices.number(below: RequestReading.limits.count)]
        let step = 1 + choices.number(below: 16)
        let input = Array(choices.rest)
        let whole = try RequestReading(input, pieces: [input.count], limits)
        let single = try RequestReading(input, pieces: Array(repeating: 1, count: input.count), limits)
        let uneven = try RequestReading(input, pieces: RequestReading.pieces(of: input, step), limits)
        for other in [single, uneven] {
            // A line without an end may be refused sooner by one who sees it grow, never differently later.
            try demand(whole.events == other.events, "\(whole.events)\nin one piece, and cut\n\(other.events)")
        }
    }
}

/// What comes of the bytes of one connection.
private struct RequestReading {
    static let limits = [HeadLimits(), HeadLimits(headBytesMax: 256, requestLineBytesMax: 64, fieldCountMax: 4)]
    private static let bodyBytesMax: UInt64 = 300

    private(set) var events: [String] = []

    /// Sizes that depend on the bytes themselves, so that cuts fall everywhere.
    static func pieces(of input: [UInt8], _ step: Int) -> [Int] {
        var pieces: [Int] = []
        var place = 0
        while place < input.count {
            let size = min(1 + (Int(input[place]) * step) % 23, input.count - place)
            pieces.append(size)
            place += size
        }
        return pieces
    }

    init(_ input: [UInt8], pieces: [Int], _ limits: HeadLimits) throws(Complaint) {
        var parser = RequestParser()
        var body: BodyReader?
        /// Where the current head or the rest of the current body begins.
        var start = 0
        var seen = 0
        for piece in pieces {
            seen += piece
            reading: while start < seen {
                let bytes = input[start..<seen]
                if var drain = body {
                    let outcome = Array(bytes).withUnsafeBufferPointer { drain.drain($0.span) }
                    switch outcome {
                    case .incomplete:
                        body = drain
                        start = seen
                    case .complete(let count):
                        try demand(count >= 0 && count <= bytes.count, "a body took \(count) of \(bytes.count) bytes")
                        events.append("body until \(start + count)")
                        body = nil
                        start += count
                        continue reading
                    case .rejected(let reason):
                        events.append("body refused: \(reason)")
                        return
                    }
                } else {
                    let head = Array(bytes)
                    switch parser.parse(head.span, limits: limits) {
                    case .incomplete: break reading
                    case .rejected(let reason):
                        events.append("refused: \(reason)")
                        return
                    case .complete(let found, let count):
                        try RequestReading.check(found, count, head)
                        events.append("head until \(start + count): \(found)")
                        start += count
                        parser = RequestParser()
                        body = BodyReader(found.body, bytesMax: RequestReading.bodyBytesMax)
                        if let body, body.isTooLong {
                            events.append("a body that is too long")
                            return
                        }
                        continue reading
                    }
                }
            }
        }
    }

    /// Ranges lie within the head, and hold nothing that ends a line or a word.
    private static func check(_ head: RequestHead, _ count: Int, _ bytes: [UInt8]) throws(Complaint) {
        try demand(count > 0 && count <= bytes.count, "a head of \(count) bytes in \(bytes.count)")
        try demand(head.path.isPresent || head.isAboutServer, "a head without a path")
        let words = [head.path, head.query, head.host]
        let values = [
            head.acceptEncoding, head.ifMatch, head.ifNoneMatch, head.ifModifiedSince, head.ifUnmodifiedSince,
            head.range, head.ifRange, head.userAgent,
        ]
        for range in words + values.map(\.range) where range.isPresent {
            try demand(range.range.upperBound <= count, "a range ends at \(range.end) of \(count)")
        }
        for word in words where word.isPresent {
            try demand(bytes[word.range].allSatisfy { $0 > 0x20 && $0 != 0x7F }, "a word with a gap in it")
        }
        for value in values where value.range.isPresent && !value.isRepeated {
            let text = bytes[value.range.range]
            try demand(text.allSatisfy { $0 != 0 && $0 != 0x0A && $0 != 0x0D }, "a value with a line end in it")
        }
        // The parts that are read later, if a caller asks for them.
        let tag = Array("\"tag\"".utf8)
        _ = AcceptEncoding.choose(head.acceptEncoding, in: bytes.span)
        _ = EntityTagList.matches(head.ifMatch, named: "if-match", in: bytes.span, tag: tag.span, .strong)
        _ = EntityTagList.matches(head.ifNoneMatch, named: "if-none-match", in: bytes.span, tag: tag.span, .weak)
        if head.range.range.isPresent {
            _ = RequestedRange(bytes.span.extracting(head.range.range.range), bodyCount: 1_000)
        }
        if head.ifModifiedSince.range.isPresent {
            _ = HTTPDate.read(bytes.span.extracting(head.ifModifiedSince.range.range), now: 1_800_000_000)
        }
        var decoded = [UInt8](repeating: 0, count: head.path.count)
        let length = decoded.withUnsafeMutableBytes {
            PercentEncoding.decode(bytes.span.extracting(head.path.range), into: $0)
        }
        try demand((length ?? 0) <= decoded.count, "a decoded path is longer than the path")
    }
}
