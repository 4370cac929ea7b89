// The header with which a load balancer begins a connection, to name the client (the PROXY protocol of HAProxy, versions 1
// and 2). Its sender can name any client. So a listener either requires it, from trusted proxies, or does not read it at all:
// a connection that begins without the required header is refused.
//
// The whole header is parsed again each time more bytes arrive; it is too short for that to matter.

/// A parsed header.
public struct ProxyHeader: Equatable, Sendable {
    /// Nil for a connection of the proxy itself (a health check), and for a client without an address.
    public var client: ClientAddress?
    /// Bytes of the header; the client's bytes follow.
    public var byteCount: Int

    public enum Outcome: Equatable, Sendable {
        /// Valid so far; more bytes are needed.
        case incomplete
        case complete(ProxyHeader)
        /// Not a header.
        case rejected
    }

    /// The longest header that is accepted. Version 1 has at most 107 bytes. In version 2 this leaves room for the fields that
    /// cloud providers add, but not for a certificate.
    public static let bytesMax = 4_096
    static let lineBytesMax = 107

    /// Parses the bytes that a connection has begun with.
    public static func read(_ bytes: Span<UInt8>) -> Outcome {
        if bytes.count == 0 { return .incomplete }
        switch bytes[0] {
        case UInt8(ascii: "P"): return readLine(bytes)
        case Octet.carriageReturn: return readBinary(bytes)
        default: return .rejected
        }
    }

    /// Version 1: `PROXY TCP4 192.0.2.1 198.51.100.1 56324 443`, CR and LF.
    private static func readLine(_ bytes: Span<UInt8>) -> Outcome {
        let word: StaticString = "PROXY "
        let begun = min(bytes.count, word.utf8CodeUnitCount)
        for index in 0..<begun where unsafe bytes[index] != word.utf8Start[index] { return .rejected }
        let searched = min(bytes.count, lineBytesMax)
        guard let lineFeed = bytes.firstIndex(of: Octet.lineFeed, to: searched) else {
            return bytes.count >= lineBytesMax ? .rejected : .incomplete
        }
        guard lineFeed > begun, bytes[lineFeed - 1] == Octet.carriageReturn else { return .rejected }
        let line = bytes.extracting(begun..<lineFeed - 1)
        var position = 0
        let family = nextWord(line, &position) ?? 0..<0
        // The specification says to ignore the rest of the line.
        if line.extracting(family).equals("UNKNOWN") {
            return .complete(ProxyHeader(client: nil, byteCount: lineFeed + 1))
        }
        let isIPv6 = line.extracting(family).equals("TCP6")
        guard isIPv6 || line.extracting(family).equals("TCP4"), let source = nextWord(line, &position),
            let destination = nextWord(line, &position), let sourcePort = nextWord(line, &position),
            let destinationPort = nextWord(line, &position), nextWord(line, &position) == nil,
            var client = address(line.extracting(source), isIPv6),
            address(line.extracting(destination), isIPv6) != nil, let port = port(line.extracting(sourcePort)),
            Self.port(line.extracting(destinationPort)) != nil
        else { return .rejected }
        client.port = port
        return .complete(ProxyHeader(client: client, byteCount: lineFeed + 1))
    }

    /// The next word of those between single spaces.
    private static func nextWord(_ line: Span<UInt8>, _ position: inout Int) -> Range<Int>? {
        if position > line.count { return nil }
        let start = position
        let end = line.firstIndex(of: Octet.space, from: start) ?? line.count
        position = end + 1
        return start..<end
    }

    private static func address(_ text: Span<UInt8>, _ isIPv6: Bool) -> ClientAddress? {
        isIPv6 ? ClientAddress(ipv6Text: text) : ClientAddress.ipv4(text).map { ClientAddress(ipv4: $0) }
    }

    /// A number up to 65535 without leading zeros.
    private static func port(_ text: Span<UInt8>) -> UInt16? {
        if text.count > 1, text[0] == 0x30 { return nil }
        return text.decimal().flatMap { UInt16(exactly: $0) }
    }

    // Version 2 of the PROXY protocol: twelve bytes that no other protocol begins with, the command and the address family, a
    // length, addresses, and further fields as type, length and value.

    private static let signature: StaticString = "\r\n\r\n\0\r\nQUIT\n"
    private static let fixedByteCount = 16

    /// The numbers of the specification.
    private enum Family: UInt8 {
        case unspecified = 0
        case ipv4 = 1
        case ipv6 = 2
        case unix = 3

        /// Bytes of both addresses and ports.
        var byteCount: Int {
            switch self {
            case .unspecified: 0
            case .ipv4: 12
            case .ipv6: 36
            case .unix: 216
            }
        }
    }

    static func readBinary(_ bytes: Span<UInt8>) -> Outcome {
        let begun = min(bytes.count, signature.utf8CodeUnitCount)
        for index in 0..<begun where unsafe bytes[index] != signature.utf8Start[index] { return .rejected }
        // Version 2 with one of the two commands: for a client (0x21), or for the proxy itself (0x20).
        if bytes.count > 12, bytes[12] != 0x20, bytes[12] != 0x21 { return .rejected }
        guard bytes.count >= fixedByteCount else { return .incomplete }
        let count = fixedByteCount + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard count <= bytesMax, let family = Family(rawValue: bytes[13] >> 4), bytes[13] & 0xF <= 2,
            count >= fixedByteCount + family.byteCount || isLocal(bytes)
        else { return .rejected }
        guard bytes.count >= count else { return .incomplete }
        let header = bytes.extracting(0..<count)
        if isLocal(bytes) { return .complete(ProxyHeader(client: nil, byteCount: count)) }
        guard areFieldsWellFormed(header, from: fixedByteCount + family.byteCount) else { return .rejected }
        return .complete(ProxyHeader(client: client(header, family), byteCount: count))
    }

    private static func isLocal(_ bytes: Span<UInt8>) -> Bool { bytes[12] == 0x20 }

    private static func client(_ header: Span<UInt8>, _ family: Family) -> ClientAddress? {
        switch family {
        // The path of a Unix-domain socket on the proxy's machine identifies no client here.
        case .unspecified, .unix: return nil
        case .ipv4:
            let number = UInt32(truncatingIfNeeded: self.number(header, 16, byteCount: 4))
            return ClientAddress(ipv4: number, port: UInt16(truncatingIfNeeded: self.number(header, 24, byteCount: 2)))
        case .ipv6:
            return ClientAddress(
                ipv6: number(header, 16, byteCount: 8), number(header, 24, byteCount: 8),
                port: UInt16(truncatingIfNeeded: number(header, 48, byteCount: 2)))
        }
    }

    private static func number(_ bytes: Span<UInt8>, _ start: Int, byteCount: Int) -> UInt64 {
        var number: UInt64 = 0
        for index in start..<start + byteCount { number = number << 8 | UInt64(bytes[index]) }
        return number
    }

    /// The further fields are ignored, but they must fill the header exactly, and a checksum among them must be right.
    private static func areFieldsWellFormed(_ header: Span<UInt8>, from start: Int) -> Bool {
        var index = start
        while index < header.count {
            guard header.count - index >= 3 else { return false }
            let count = Int(header[index + 1]) << 8 | Int(header[index + 2])
            guard count <= header.count - index - 3 else { return false }
            // PP2_TYPE_CRC32C
            if header[index] == 0x03 {
                guard count == 4, number(header, index + 3, byteCount: 4) == checksum(header, at: index + 3) else {
                    return false
                }
            }
            index += 3 + count
        }
        return true
    }

    /// CRC-32C (RFC 9260 Appendix A) of the header with zeros in place of the checksum itself. Bit by bit: few proxies send it,
    /// and only once for each connection.
    private static func checksum(_ header: Span<UInt8>, at place: Int) -> UInt64 {
        var sum: UInt32 = .max
        for index in 0..<header.count {
            sum ^= (place..<place + 4).contains(index) ? 0 : UInt32(header[index])
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return UInt64(~sum)
    }
}
