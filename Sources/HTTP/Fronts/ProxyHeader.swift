// The header that a load balancer puts in front of a connection to say whose it is (the PROXY protocol of HAProxy, versions 1
// and 2). Whoever sends one speaks for the client, so it is asked for only where such a front is, and then it must be
// there: a connection that begins otherwise is refused, and nothing is guessed.
//
// Both versions are read from their first byte each time more has come; they are too short for that to matter.

/// What the header says.
public struct ProxyHeader: Equatable, Sendable {
    /// Nil when the front speaks for itself (a health check), or for a client without an address.
    public var client: ClientAddress?
    /// Bytes of the header; what follows is the client's.
    public var byteCount: Int

    public enum Outcome: Equatable, Sendable {
        /// Well so far; more bytes are needed.
        case incomplete
        case complete(ProxyHeader)
        /// Not a header.
        case rejected
    }

    /// The longest header that is read. Version 1 has 107 bytes at most; in version 2 this leaves room for what cloud
    /// providers add about the connection, and not for a certificate.
    public static let bytesMax = 4_096
    static let lineBytesMax = 107

    /// Reads what has come of a connection from its first byte on.
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
        for index in 0..<begun where bytes[index] != word.utf8Start[index] { return .rejected }
        let searched = min(bytes.count, lineBytesMax)
        guard let lineFeed = bytes.firstIndex(of: Octet.lineFeed, to: searched) else {
            return bytes.count >= lineBytesMax ? .rejected : .incomplete
        }
        guard lineFeed > begun, bytes[lineFeed - 1] == Octet.carriageReturn else { return .rejected }
        let line = bytes.extracting(begun..<lineFeed - 1)
        var words = WordList(line)
        let family = words.next() ?? 0..<0
        // Whatever follows, it is not to be looked at.
        if line.extracting(family).equals("UNKNOWN") {
            return .complete(ProxyHeader(client: nil, byteCount: lineFeed + 1))
        }
        let isIPv6 = line.extracting(family).equals("TCP6")
        guard isIPv6 || line.extracting(family).equals("TCP4"), let source = words.next(),
            let destination = words.next(), let sourcePort = words.next(), let destinationPort = words.next(),
            words.next() == nil, var client = address(line.extracting(source), isIPv6),
            address(line.extracting(destination), isIPv6) != nil, let port = port(line.extracting(sourcePort)),
            Self.port(line.extracting(destinationPort)) != nil
        else { return .rejected }
        client.port = port
        return .complete(ProxyHeader(client: client, byteCount: lineFeed + 1))
    }

    private static func address(_ text: Span<UInt8>, _ isIPv6: Bool) -> ClientAddress? {
        if !isIPv6 { return ClientAddress.ipv4(text).map { ClientAddress(ipv4: $0) } }
        return ClientAddress.ipv6(text).map { ClientAddress(ipv6: $0.high, $0.low) }
    }

    /// A number up to 65535 without leading zeros.
    private static func port(_ text: Span<UInt8>) -> UInt16? {
        guard (1...5).contains(text.count), text.count == 1 || text[0] != 0x30 else { return nil }
        var number: UInt32 = 0
        for index in 0..<text.count {
            guard Octet.isDigit(text[index]) else { return nil }
            number = number * 10 + UInt32(text[index] - 0x30)
        }
        return UInt16(exactly: number)
    }
}

/// Words between single spaces.
private struct WordList {
    private let end: Int
    private var ends: InlineArray<8, Int> = InlineArray(repeating: 0)
    private var count = 0
    private var given = 0

    /// More words than there is room for are one too many in any case.
    init(_ line: Span<UInt8>) {
        end = line.count
        var start = 0
        while count < 8, start <= line.count {
            let space = line.firstIndex(of: Octet.space, from: start) ?? line.count
            ends[count] = space
            count += 1
            start = space + 1
        }
    }

    mutating func next() -> Range<Int>? {
        guard given < count else { return nil }
        let start = given == 0 ? 0 : ends[given - 1] + 1
        given += 1
        return start..<ends[given - 1]
    }
}
