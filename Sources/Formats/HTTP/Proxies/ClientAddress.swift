// A client's address as a trusted proxy states it: a number, read from text without a `String`. Strict: a text that two readers
// could read differently (leading zeros, short forms of IPv4, zones) is rejected.

/// An IPv4 or IPv6 address with its port.
public struct ClientAddress: Hashable, Sendable {
    /// The address as a number, IPv4 in the lowest 32 bits.
    public var high: UInt64
    public var low: UInt64
    /// 0 if it is unknown.
    public var port: UInt16
    public var isIPv6: Bool

    public init(ipv4 number: UInt32, port: UInt16 = 0) {
        (high, low, self.port, isIPv6) = (0, UInt64(number), port, false)
    }

    /// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes the IPv4 address.
    public init(ipv6 high: UInt64, _ low: UInt64, port: UInt16 = 0) {
        let isMapped = high == 0 && low >> 32 == 0xFFFF
        self.high = high
        self.low = isMapped ? low & 0xFFFF_FFFF : low
        self.port = port
        isIPv6 = !isMapped
    }

    /// Reads a text that is an address and nothing else: no brackets, no port.
    public init?(_ text: Span<UInt8>) {
        if let number = ClientAddress.ipv4(text) {
            self.init(ipv4: number)
        } else {
            self.init(ipv6Text: text)
        }
    }

    init?(ipv6Text text: Span<UInt8>) {
        guard let (high, low) = ClientAddress.ipv6(text) else { return nil }
        self.init(ipv6: high, low)
    }

    /// Four decimal numbers up to 255, without leading zeros.
    static func ipv4(_ text: Span<UInt8>) -> UInt32? {
        var number: UInt32 = 0
        var index = 0
        for part in 0..<4 {
            if part > 0 {
                guard index < text.count, text[index] == UInt8(ascii: ".") else { return nil }
                index += 1
            }
            let start = index
            var value: UInt32 = 0
            while index < text.count, index - start < 3, Octet.isDigit(text[index]) {
                value = value * 10 + UInt32(text[index] - 0x30)
                index += 1
            }
            if index == start || value > 255 || index - start > 1 && text[start] == 0x30 { return nil }
            number = number << 8 | value
        }
        return index == text.count ? number : nil
    }

    /// RFC 4291 §2.2: eight groups, a run of zeros once as `::`, and perhaps an IPv4 address at the end.
    static func ipv6(_ text: Span<UInt8>) -> (high: UInt64, low: UInt64)? {
        var groups = InlineArray<8, UInt16>(repeating: 0)
        var count = 0
        var gap: Int?
        var index = 0
        if text.count >= 2, text[0] == UInt8(ascii: ":") {
            guard text[1] == UInt8(ascii: ":") else { return nil }
            gap = 0
            index = 2
        }
        while index < text.count {
            if count == 8 { return nil }
            let start = index
            var value: UInt32 = 0
            while index < text.count, index - start < 5, let digit = Octet.hexValue(text[index]) {
                value = value << 4 | UInt32(digit)
                index += 1
            }
            if index < text.count, text[index] == UInt8(ascii: ".") {
                guard count <= 6, let number = ipv4(text.extracting(start..<text.count)) else { return nil }
                groups[count] = UInt16(number >> 16)
                groups[count + 1] = UInt16(number & 0xFFFF)
                count += 2
                index = text.count
                break
            }
            guard index > start, index - start <= 4 else { return nil }
            groups[count] = UInt16(value)
            count += 1
            if index == text.count { break }
            guard text[index] == UInt8(ascii: ":") else { return nil }
            index += 1
            // A single colon must be followed by a group.
            guard index < text.count else { return nil }
            if text[index] == UInt8(ascii: ":") {
                if gap != nil { return nil }
                gap = count
                index += 1
            }
        }
        return joined(groups, count, gap)
    }

    private static func joined(
        _ groups: InlineArray<8, UInt16>, _ count: Int, _ gap: Int?
    ) -> (high: UInt64, low: UInt64)? {
        guard count == 8 && gap == nil || count < 8 && gap != nil else { return nil }
        let gap = gap ?? 8
        var halves: (high: UInt64, low: UInt64) = (0, 0)
        for place in 0..<8 {
            // The groups after the gap move to the end.
            let source = place < gap ? place : place - (8 - count)
            let value = source < gap && place >= gap ? 0 : UInt64(groups[source])
            if place < 4 { halves.high = halves.high << 16 | value } else { halves.low = halves.low << 16 | value }
        }
        return halves
    }
}
