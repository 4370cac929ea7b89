// Reads a request's body to its end, where the next request on the connection begins. The public server skips bodies: none of its
// resources accepts one, but a client may send one anyway (RFC 9110 §9.3.1).

/// The state of reading one body that arrives in pieces.
public struct BodyReader: Sendable {
    private var phase: Phase
    /// Bytes left of the current chunk or of the whole body.
    private var remaining: UInt64
    /// Bytes that may still arrive before the body is too long, framing included.
    private var allowance: UInt64
    private var lineBytes = 0

    private enum Phase: Equatable, Sendable {
        case length
        case chunkSize
        case chunkExtension(ChunkExtension)
        case chunkSizeEnd
        case chunkData
        case chunkDataReturn
        case chunkDataFeed
        case trailerStart
        case trailerName
        case trailerValue
        case trailerFeed
        case lastFeed
    }

    public enum Outcome: Equatable, Sendable {
        case incomplete
        /// The body has ended after this many of the bytes.
        case complete(bytes: Int)
        case rejected(Rejection)
    }

    /// The longest line of framing; no honest chunk extension or trailer is longer.
    private static let lineBytesMax = 4_096

    /// Nil when there is no body. Chunked bodies are counted with their framing.
    public init?(_ body: RequestHead.Body, bytesMax: UInt64) {
        switch body {
        case .none: return nil
        case .length(let length):
            phase = .length
            remaining = length
        case .chunked:
            phase = .chunkSize
            remaining = 0
        }
        allowance = bytesMax
    }

    /// Whether the announced length is already more than is allowed.
    public var isTooLong: Bool { phase == .length && remaining > allowance }

    /// Skips what has arrived.
    public mutating func drain(_ bytes: Span<UInt8>) -> Outcome { read(bytes) { _ in } }

    /// Appends what has arrived to `body`, without its framing.
    public mutating func read(_ bytes: Span<UInt8>, into body: inout [UInt8]) -> Outcome {
        read(bytes) { range in
            unsafe bytes.extracting(range).withUnsafeBufferPointer { unsafe body.append(contentsOf: $0) }
        }
    }

    @inline(__always)
    private mutating func read(_ bytes: Span<UInt8>, _ take: (Range<Int>) -> Void) -> Outcome {
        var index = 0
        while index < bytes.count {
            if phase == .length || phase == .chunkData {
                let step = Int(min(remaining, UInt64(bytes.count - index)))
                if UInt64(step) > allowance { return .rejected(.bodyTooLong) }
                allowance -= UInt64(step)
                remaining -= UInt64(step)
                take(index..<index + step)
                index += step
                if remaining > 0 { return .incomplete }
                if phase == .length { return .complete(bytes: index) }
                phase = .chunkDataReturn
                continue
            }
            if allowance == 0 { return .rejected(.bodyTooLong) }
            allowance -= 1
            let byte = bytes[index]
            index += 1
            if phase == .lastFeed {
                return byte == Octet.lineFeed ? .complete(bytes: index) : .rejected(.malformedChunk)
            }
            guard advance(byte) else { return .rejected(.malformedChunk) }
        }
        return .incomplete
    }

    /// Reads one byte of framing (RFC 9112 §7.1); false if it is invalid. One switch, because it is one grammar.
    private mutating func advance(_ byte: UInt8) -> Bool {
        lineBytes += 1
        if lineBytes > BodyReader.lineBytesMax { return false }
        switch phase {
        case .chunkSize:
            if let digit = Octet.hexValue(byte) {
                if remaining >> 60 != 0 { return false }
                remaining = remaining << 4 | UInt64(digit)
                return true
            }
            guard lineBytes > 1 else { return false }
            if byte == Octet.carriageReturn {
                phase = .chunkSizeEnd
            } else if byte == UInt8(ascii: ";") {
                phase = .chunkExtension(ChunkExtension())
            } else {
                return false
            }
        case .chunkExtension(var parts):
            if byte == Octet.carriageReturn, parts.mayEnd {
                phase = .chunkSizeEnd
            } else {
                guard parts.advance(byte) else { return false }
                phase = .chunkExtension(parts)
            }
        case .chunkSizeEnd:
            guard byte == Octet.lineFeed else { return false }
            lineBytes = 0
            phase = remaining == 0 ? .trailerStart : .chunkData
        case .chunkDataReturn:
            guard byte == Octet.carriageReturn else { return false }
            phase = .chunkDataFeed
        case .chunkDataFeed:
            guard byte == Octet.lineFeed else { return false }
            lineBytes = 0
            phase = .chunkSize
        case .trailerStart:
            if byte == Octet.carriageReturn {
                phase = .lastFeed
            } else if Octet.isToken(byte) {
                phase = .trailerName
            } else {
                return false
            }
        case .trailerName:
            if byte == UInt8(ascii: ":") { phase = .trailerValue } else { return Octet.isToken(byte) }
        case .trailerValue:
            if byte == Octet.carriageReturn { phase = .trailerFeed } else { return Octet.isText(byte) }
        case .trailerFeed:
            guard byte == Octet.lineFeed else { return false }
            lineBytes = 0
            phase = .trailerStart
        case .length, .chunkData, .lastFeed:
            preconditionFailure("these bytes are not framing")
        }
        return true
    }
}

// The extensions after a chunk's size (RFC 9112 §7.1.1): `;name`, `;name=token`, `;name="quoted"`, any number of them. They are
// ignored, but must be well-formed: a malformed one can hide a request from one of two parsers. For the same reason the blank
// that the grammar tolerates right after the size is rejected.

/// The state of skipping one chunk's extensions, from after the first semicolon.
struct ChunkExtension: Equatable, Sendable {
    private var place = Place.beforeName

    private enum Place: UInt8 {
        case beforeName, name, afterName, beforeValue, value, quoted, escaped, closed, afterValue
    }

    /// Whether the line may end here.
    var mayEnd: Bool {
        switch place {
        case .name, .value, .closed: true
        case .beforeName, .afterName, .beforeValue, .quoted, .escaped, .afterValue: false
        }
    }

    /// False if the byte is invalid.
    mutating func advance(_ byte: UInt8) -> Bool {
        let isBlank = byte == Octet.space || byte == Octet.tab
        switch place {
        case .beforeName:
            if Octet.isToken(byte) { place = .name } else { return isBlank }
        case .name:
            if !Octet.isToken(byte) { return leaveName(byte, isBlank) }
        case .afterName:
            return leaveName(byte, isBlank)
        case .beforeValue:
            if byte == UInt8(ascii: "\"") {
                place = .quoted
            } else if Octet.isToken(byte) {
                place = .value
            } else {
                return isBlank
            }
        case .value:
            if !Octet.isToken(byte) { return leaveValue(byte, isBlank) }
        case .quoted:
            if byte == UInt8(ascii: "\"") {
                place = .closed
            } else if byte == UInt8(ascii: "\\") {
                place = .escaped
            } else {
                return Octet.isText(byte)
            }
        case .escaped:
            place = .quoted
            return Octet.isText(byte)
        case .closed, .afterValue:
            return leaveValue(byte, isBlank)
        }
        return true
    }

    private mutating func leaveName(_ byte: UInt8, _ isBlank: Bool) -> Bool {
        switch byte {
        case UInt8(ascii: "="): place = .beforeValue
        case UInt8(ascii: ";"): place = .beforeName
        default: place = .afterName
        }
        return isBlank || place != .afterName
    }

    private mutating func leaveValue(_ byte: UInt8, _ isBlank: Bool) -> Bool {
        place = byte == UInt8(ascii: ";") ? .beforeName : .afterValue
        return isBlank || place == .beforeName
    }
}
