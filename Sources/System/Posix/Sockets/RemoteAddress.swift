// The address of a peer in 24 bytes, because a worker stores one for each connection; a `SocketAddress` is much larger. It can be
// written as text without an allocation.

import Libc

/// An IPv4 or IPv6 address with its port, or a Unix-domain peer, which has neither.
public struct RemoteAddress: Hashable, Sendable {
    /// The address as a number, IPv4 in the lowest 32 bits.
    public var high: UInt64
    public var low: UInt64
    public var port: UInt16
    public var family: Family

    public enum Family: UInt8, Sendable {
        case unknown
        case ipv4
        case ipv6
        /// A Unix-domain socket; its clients usually have no path.
        case local
    }

    public static let unknown = RemoteAddress(family: .unknown, high: 0, low: 0, port: 0)

    /// The longest text: eight groups of four digits.
    public static let textBytesMax = 39

    /// An IPv4-mapped IPv6 address (RFC 4291 §2.5.5.2) becomes the IPv4 address.
    public init(family: Family, high: UInt64, low: UInt64, port: UInt16) {
        let isMapped = family == .ipv6 && high == 0 && low >> 32 == 0xFFFF
        self.family = isMapped ? .ipv4 : family
        self.high = high
        self.low = isMapped ? low & 0xFFFF_FFFF : low
        self.port = port
    }

    public init(_ address: borrowing SocketAddress) {
        let (family, length) = (address.family, address.length)
        self = unsafe withUnsafeBytes(of: address.storage) { raw in
            func number<Number: FixedWidthInteger>(_ offset: Int, _: Number.Type) -> Number {
                unsafe Number(bigEndian: raw.loadUnaligned(fromByteOffset: offset, as: Number.self))
            }
            switch family {
            case AF_INET where length >= 8:
                return RemoteAddress(
                    family: .ipv4, high: 0, low: UInt64(number(4, UInt32.self)), port: number(2, UInt16.self))
            case AF_INET6 where length >= 24:
                return RemoteAddress(
                    family: .ipv6, high: number(8, UInt64.self), low: number(16, UInt64.self),
                    port: number(2, UInt16.self))
            case AF_UNIX: return RemoteAddress(family: .local, high: 0, low: 0, port: 0)
            default: return .unknown
            }
        }
    }

    /// A number for the client's network: the IPv4 address, or the IPv6 /64, which one customer usually has. Nil for loopback and
    /// Unix-domain peers, which are on this machine.
    public var networkKey: UInt64? {
        switch family {
        case .ipv4: low >> 24 == 127 ? nil : low
        case .ipv6: high == 0 && low == 1 ? nil : high
        case .unknown, .local: nil
        }
    }

    /// A number for the networks that take turns where clients wait: an IPv4 /24 or an IPv6 /48. All clients on this machine are one.
    public var networkGroup: UInt64 {
        guard let networkKey else { return 0 }
        return family == .ipv6 ? networkKey >> 16 | 1 << 63 : networkKey >> 8 | 1 << 62
    }

    /// Writes the address without its port, IPv6 in the form of RFC 5952, and returns the number of bytes. A Unix-domain peer is
    /// `unix:`, an unknown one `-`.
    public func write(into target: UnsafeMutableRawBufferPointer) -> Int {
        precondition(target.count >= RemoteAddress.textBytesMax, "there is room for every address")
        var text = unsafe AddressText(target: target)
        switch family {
        case .unknown: text.put(UInt8(ascii: "-"))
        case .local: for byte in "unix:".utf8 { text.put(byte) }
        case .ipv4:
            for index in 0..<4 {
                if index > 0 { text.put(UInt8(ascii: ".")) }
                text.put(decimal: UInt8(truncatingIfNeeded: low >> UInt64(24 - index * 8)))
            }
        case .ipv6: text.put(ipv6: high, low)
        }
        return text.count
    }
}

extension RemoteAddress: CustomStringConvertible {
    public var description: String {
        var bytes = [UInt8](repeating: 0, count: RemoteAddress.textBytesMax)
        let count = unsafe bytes.withUnsafeMutableBytes { unsafe write(into: $0) }
        return String(decoding: bytes.prefix(count), as: UTF8.self)
    }
}

/// Writes an address into memory.
@safe private struct AddressText {
    let target: UnsafeMutableRawBufferPointer
    var count = 0

    mutating func put(_ byte: UInt8) {
        unsafe target[count] = byte
        count += 1
    }

    mutating func put(decimal number: UInt8) {
        if number >= 100 { put(0x30 + number / 100) }
        if number >= 10 { put(0x30 + number / 10 % 10) }
        put(0x30 + number % 10)
    }

    /// RFC 5952 §4: no leading zeros, small letters, and `::` for the longest run of two or more zero groups; the first one if
    /// two are equally long.
    mutating func put(ipv6 high: UInt64, _ low: UInt64) {
        func group(_ index: Int) -> UInt16 {
            UInt16(truncatingIfNeeded: (index < 4 ? high : low) >> UInt64(48 - index % 4 * 16))
        }
        var (runStart, runCount) = (8, 1)
        var index = 0
        while index < 8 {
            let start = index
            while index < 8, group(index) == 0 { index += 1 }
            if index - start > runCount { (runStart, runCount) = (start, index - start) }
            index += 1
        }
        index = 0
        while index < 8 {
            if index == runStart {
                put(UInt8(ascii: ":"))
                if index == 0 { put(UInt8(ascii: ":")) }
                index += runCount
                continue
            }
            put(hexadecimal: group(index))
            index += 1
            if index < 8 { put(UInt8(ascii: ":")) }
        }
    }

    private mutating func put(hexadecimal number: UInt16) {
        var hasBegun = false
        for index in 0..<4 {
            let digit = UInt8(truncatingIfNeeded: number >> UInt16(12 - index * 4) & 0xF)
            if digit > 0 || hasBegun || index == 3 {
                put(digit < 10 ? 0x30 + digit : 0x57 + digit)
                hasBegun = true
            }
        }
    }
}
