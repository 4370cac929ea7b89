// Socket addresses (IPv4, IPv6 or a Unix-domain path) from and to text.

import CPosix
import Libc

/// A socket address. Parsed from `127.0.0.1:8080`, `[::1]:8080` or `unix:/run/associated.sock`.
public struct SocketAddress: Sendable {
    var storage = sockaddr_storage()
    var length: socklen_t = 0
    /// Whether a listener on `[::]` accepts IPv4 too. Other IPv6 listeners accept IPv6 only.
    public private(set) var servesBothFamilies = false

    init(storage: sockaddr_storage, length: socklen_t) { (self.storage, self.length) = (storage, length) }

    /// The address in a `sockaddr_in` or `sockaddr_in6`. Nil for other families.
    public init?(copying address: UnsafeRawPointer) {
        switch Int32(unsafe address.loadUnaligned(as: sockaddr.self).sa_family) {
        case AF_INET: fill(with: unsafe address.loadUnaligned(as: sockaddr_in.self))
        case AF_INET6: fill(with: unsafe address.loadUnaligned(as: sockaddr_in6.self))
        default: return nil
        }
    }

    /// No address yet: one for `Listener.accept` to fill.
    public static var unknown: SocketAddress { SocketAddress(storage: sockaddr_storage(), length: 0) }

    /// Nil when the text is not an address in one of the three forms. Names are not resolved.
    public init?(_ text: String) {
        if text.hasPrefix("unix:") {
            self.init(path: String(text.dropFirst(5)))
            return
        }
        guard let colon = text.lastIndex(of: ":"), let port = UInt16(text[text.index(after: colon)...]) else {
            return nil
        }
        let host = text[..<colon]
        if host.hasPrefix("["), host.hasSuffix("]") {
            self.init(ipv6: String(host.dropFirst().dropLast()), port: port)
        } else {
            self.init(ipv4: String(host), port: port)
        }
    }

    /// An address to listen on: also `8080` and `localhost:8080` for loopback, and `:8080` and `*:8080` for all addresses.
    public init?(listening text: String) {
        if let port = UInt16(text) {
            self.init(ipv4: "127.0.0.1", port: port)
            return
        }
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 2, let port = UInt16(parts[1]) else {
            self.init(text)
            return
        }
        switch parts[0] {
        case "", "*": self.init(ipv6: "::", port: port)
        case "localhost": self.init(ipv4: "127.0.0.1", port: port)
        default: self.init(text)
        }
    }

    /// A numeric address of either family without brackets, and a port.
    public init?(ip text: String, port: UInt16) {
        if text.contains(":") { self.init(ipv6: text, port: port) } else { self.init(ipv4: text, port: port) }
    }

    init?(ipv4 host: String, port: UInt16) {
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        guard unsafe inet_pton(AF_INET, host, &address.sin_addr) == 1 else { return nil }
        fill(with: address)
    }

    init?(ipv6 host: String, port: UInt16) {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        guard unsafe inet_pton(AF_INET6, host, &address.sin6_addr) == 1 else { return nil }
        fill(with: address)
    }

    public init?(path: String) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let bytes = Array(path.utf8)
        // One byte is needed for the terminating zero (unix(7)).
        guard !bytes.isEmpty, bytes.count < MemoryLayout.size(ofValue: address.sun_path), !bytes.contains(0) else {
            return nil
        }
        unsafe withUnsafeMutableBytes(of: &address.sun_path) { unsafe $0.copyBytes(from: bytes) }
        fill(with: address)
    }

    public var isUnix: Bool { storage.ss_family == sa_family_t(AF_UNIX) }
    public var isIPv6: Bool { storage.ss_family == sa_family_t(AF_INET6) }
    public var family: Int32 { Int32(storage.ss_family) }

    /// The port in host order; 0 for a Unix-domain path.
    public var port: UInt16 {
        unsafe withUnsafeBytes(of: storage) { raw in
            unsafe isUnix ? 0 : UInt16(bigEndian: raw.loadUnaligned(fromByteOffset: 2, as: UInt16.self))
        }
    }

    /// The file system path of a Unix-domain address.
    public var path: String? {
        guard isUnix else { return nil }
        return unsafe withUnsafeBytes(of: storage) { raw in
            // Family and, on macOS, length take two bytes.
            unsafe String(decoding: raw[2...].prefix { $0 != 0 }, as: UTF8.self)
        }
    }

    /// The numeric host without port or brackets.
    public var host: String {
        if let path { return path }
        var text = [CChar](repeating: 0, count: Int(INET6_ADDRSTRLEN))
        let isIPv6 = isIPv6
        let found = unsafe withUnsafeBytes(of: storage) { raw in
            // The address follows family and port, and in IPv6 the flow label (ip(7), ipv6(7)).
            unsafe inet_ntop(family, raw.baseAddress! + (isIPv6 ? 8 : 4), &text, socklen_t(text.count))
        }
        unsafe precondition(found != nil, "a socket address has a numeric form")
        return String(decoding: text.prefix { $0 != 0 }.map(UInt8.init(bitPattern:)), as: UTF8.self)
    }

    /// The address at which a listener can be reached: itself, or loopback when it listens on all addresses.
    public var reachable: SocketAddress {
        switch host {
        case "0.0.0.0": SocketAddress(ipv4: "127.0.0.1", port: port)!
        case "::": SocketAddress(ipv6: "::1", port: port)!
        default: self
        }
    }

    /// Makes each `[::]` accept IPv4 too, unless another address has the same port for IPv4. On a system without IPv6 it
    /// accepts only IPv4.
    public static func sharingFamilies(_ addresses: [SocketAddress]) -> [SocketAddress] {
        addresses.map { address in
            guard address.isIPv6, address.host == "::",
                !addresses.contains(where: { !$0.isUnix && !$0.isIPv6 && $0.port == address.port && address.port != 0 })
            else { return address }
            var both = address
            both.servesBothFamilies = true
            return both
        }
    }

    /// The address for IPv4 alone, if it stands for both families.
    var ofIPv4: SocketAddress? { servesBothFamilies ? SocketAddress(ipv4: "0.0.0.0", port: port) : nil }

    /// Whether only this machine can reach a listener there.
    public var isLocal: Bool {
        let remote = RemoteAddress(self)
        // IPv4-mapped loopback does not count: it is hardly ever meant.
        return remote.networkKey == nil && (remote.family != .ipv4 || !isIPv6)
    }

    /// Lends the address for a C call.
    func withPointer<Result>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result {
        unsafe withUnsafeBytes(of: storage) {
            unsafe body($0.baseAddress!.assumingMemoryBound(to: sockaddr.self), length)
        }
    }

    private mutating func fill<Address>(with address: Address) {
        unsafe withUnsafeMutableBytes(of: &storage) { raw in
            unsafe withUnsafeBytes(of: address) { unsafe raw.copyMemory(from: $0) }
        }
        length = socklen_t(MemoryLayout<Address>.size)
    }
}

extension SocketAddress: Equatable {
    public static func == (left: SocketAddress, right: SocketAddress) -> Bool {
        left.description == right.description && left.servesBothFamilies == right.servesBothFamilies
    }
}

extension SocketAddress: CustomStringConvertible {
    public var description: String {
        isUnix ? "unix:\(host)" : isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)"
    }
}
