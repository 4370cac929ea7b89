// Resolves host names with the system's resolver. It may wait for the network, so only commands use it.

import CPosix
import Libc

/// Why a name could not be resolved.
public struct NameLookupError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String
    /// Whether the name does not exist, as opposed to a failed look-up.
    public let isUnknownName: Bool
}

public enum NameLookup {
    /// Has the C library send the queries for a host one after the other. It sends both at once with `sendmmsg`, whose addresses are in
    /// memory that a filter of system calls cannot see, so the sandbox refuses that call. Called before any thread is started.
    public static func sendSingleQueries() {
        let options = [environment("RES_OPTIONS"), "single-request"].compactMap(\.self).joined(separator: " ")
        unsafe setenv("RES_OPTIONS", options, 1)
    }

    /// The addresses of a host, each once, in the order in which they should be tried (RFC 6724). The host may be numeric. The
    /// corresponding C function is `getaddrinfo`.
    public static func addresses(of host: String, port: UInt16) throws(NameLookupError) -> [SocketAddress] {
        var hints = unsafe addrinfo()
        unsafe hints.ai_family = AF_UNSPEC
        unsafe hints.ai_socktype = streamSocket
        var list: UnsafeMutablePointer<addrinfo>?
        let result = unsafe getaddrinfo(host, "\(port)", &hints, &list)
        guard result == 0 else {
            let reason =
                unsafe result == EAI_SYSTEM ? String(cString: strerror(errno)) : String(cString: gai_strerror(result))
            throw NameLookupError(
                description: "cannot look up \(host): \(SystemError.lowered(reason))",
                isUnknownName: result == EAI_NONAME || result == -5)
        }
        defer { unsafe freeaddrinfo(list) }
        var addresses: [SocketAddress] = []
        var next = unsafe list
        while let entry = unsafe next?.pointee {
            unsafe next = entry.ai_next
            guard let source = unsafe entry.ai_addr, unsafe entry.ai_addrlen <= MemoryLayout<sockaddr_storage>.size
            else { continue }
            var storage = sockaddr_storage()
            unsafe withUnsafeMutableBytes(of: &storage) {
                unsafe $0.copyMemory(from: UnsafeRawBufferPointer(start: source, count: Int(entry.ai_addrlen)))
            }
            let address = unsafe SocketAddress(storage: storage, length: entry.ai_addrlen)
            if !addresses.contains(where: { $0.description == address.description }) { addresses.append(address) }
        }
        return addresses
    }

    /// The same with a time limit. The C library's own limits add up over name servers and attempts to half a minute; a thread
    /// that takes longer than `milliseconds` is abandoned.
    public static func addresses(
        of host: String, port: UInt16, milliseconds: Int32
    ) throws(NameLookupError) -> [SocketAddress] {
        try within(milliseconds, host) { () throws(NameLookupError) in try addresses(of: host, port: port) }
    }

    /// The result of a look-up, if it is finished in time.
    static func within(
        _ milliseconds: Int32, _ host: String,
        _ lookUp: @escaping @Sendable () throws(NameLookupError) -> [SocketAddress]
    ) throws(NameLookupError) -> [SocketAddress] {
        let finished: Mailbox<Result<[SocketAddress], NameLookupError>?>
        do throws(SystemError) {
            finished = try Mailbox(nil)
            try Thread(name: "name lookup") {
                let result = Result(catching: lookUp)
                finished.leave { $0 = result }
            }.detach()
        } catch {
            throw NameLookupError(description: "cannot look up \(host): \(error.reason)", isUnknownName: false)
        }
        finished.wait(milliseconds: milliseconds)
        guard let result = finished.take() else {
            throw NameLookupError(
                description: "cannot look up \(host): no name server answered within \(milliseconds) ms",
                isUnknownName: false)
        }
        return try result.get()
    }
}

extension SocketAddress {
    /// Whether the address cannot be reached from the internet: private, link-local, loopback, shared, for documentation
    /// or reserved (RFC 6890).
    public var isPrivate: Bool {
        let address = RemoteAddress(self)
        switch address.family {
        // Also an IPv4-mapped address.
        case .ipv4: return SocketAddress.isPrivate(UInt32(truncatingIfNeeded: address.low))
        // Only 2000::/3 is assigned, except the part for documentation.
        case .ipv6: return address.high >> 61 != 1 || address.high >> 32 == 0x2001_0DB8
        case .local, .unknown: return true
        }
    }

    private static func isPrivate(_ address: UInt32) -> Bool {
        let ranges: [(prefix: UInt32, bits: UInt32)] = [
            (0x0000_0000, 8), (0x0A00_0000, 8), (0x6440_0000, 10), (0x7F00_0000, 8), (0xA9FE_0000, 16),
            (0xAC10_0000, 12), (0xC000_0000, 24), (0xC000_0200, 24), (0xC0A8_0000, 16), (0xC612_0000, 15),
            (0xC633_6400, 24), (0xCB00_7100, 24), (0xE000_0000, 3),
        ]
        return ranges.contains { address >> (32 - $0.bits) == $0.prefix >> (32 - $0.bits) }
    }

    /// The same address with another port.
    public func with(port: UInt16) -> SocketAddress {
        var copy = self
        guard !isUnix else { return copy }
        unsafe withUnsafeMutableBytes(of: &copy.storage) {
            unsafe $0.storeBytes(of: port.bigEndian, toByteOffset: 2, as: UInt16.self)
        }
        return copy
    }
}

extension RemoteAddress {
    /// Whether the address is one of the internet.
    public var isPublic: Bool { SocketAddress(ip: "\(self)", port: 443).map { !$0.isPrivate } ?? false }
}
