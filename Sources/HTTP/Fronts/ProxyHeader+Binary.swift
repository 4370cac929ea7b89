// Version 2 of the PROXY protocol: twelve bytes that no other protocol begins with, what it is about, a length, addresses,
// and further facts as type, length and value.

extension ProxyHeader {
    private static let signature: StaticString = "\r\n\r\n\0\r\nQUIT\n"
    private static let fixedByteCount = 16

    /// The numbers of the specification.
    private enum Family: UInt8 {
        case unspecified = 0
        case ipv4 = 1
        case ipv6 = 2
        case unix = 3

        /// What the addresses take, and ports.
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
        for index in 0..<begun where bytes[index] != signature.utf8Start[index] { return .rejected }
        // Version 2, and one of the two commands: on behalf of a client, or of the front itself.
        if bytes.count > 12, bytes[12] != 0x20, bytes[12] != 0x21 { return .rejected }
        guard bytes.count >= fixedByteCount else { return .incomplete }
        let count = fixedByteCount + (Int(bytes[14]) << 8 | Int(bytes[15]))
        guard count <= bytesMax, let family = Family(rawValue: bytes[13] >> 4), bytes[13] & 0xF <= 2,
            count >= fixedByteCount + family.byteCount || isLocal(bytes)
        else { return .rejected }
        guard bytes.count >= count else { return .incomplete }
        let header = bytes.extracting(0..<count)
        if isLocal(bytes) { return .complete(ProxyHeader(client: nil, byteCount: count)) }
        guard areFactsWellFormed(header, from: fixedByteCount + family.byteCount) else { return .rejected }
        return .complete(ProxyHeader(client: client(header, family), byteCount: count))
    }

    private static func isLocal(_ bytes: Span<UInt8>) -> Bool { bytes[12] == 0x20 }

    private static func client(_ header: Span<UInt8>, _ family: Family) -> ClientAddress? {
        switch family {
        // A client behind a socket file of the front's machine has no address that would mean anything here.
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

    /// Further facts are of no use here and are passed over; but they have to fill the header exactly, and a checksum among
    /// them has to be right.
    private static func areFactsWellFormed(_ header: Span<UInt8>, from start: Int) -> Bool {
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

    /// CRC-32C (RFC 9260 Appendix A) of the header with zeros in the place of the sum itself. Bit by bit: it is asked for
    /// once in a connection's life, by few.
    private static func checksum(_ header: Span<UInt8>, at place: Int) -> UInt64 {
        var sum: UInt32 = .max
        for index in 0..<header.count {
            sum ^= (place..<place + 4).contains(index) ? 0 : UInt32(header[index])
            for _ in 0..<8 { sum = sum & 1 == 1 ? sum >> 1 ^ 0x82F6_3B78 : sum >> 1 }
        }
        return UInt64(~sum)
    }
}
