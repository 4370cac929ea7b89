// The C library's state for one resolver: it reads the name servers of /etc/resolv.conf and encodes queries.

import CResolver
import Posix

/// The owner of a `res_state`. The corresponding C functions are `res_ninit`, `res_nmkquery` and `res_nclose`.
@safe struct ResolverState: ~Copyable {
    private let pointer: UnsafeMutableRawPointer

    init() throws(SystemError) {
        guard let pointer = unsafe associated_resolver_open() else { throw .exhausted("res_ninit") }
        unsafe self.pointer = pointer
    }

    deinit { unsafe associated_resolver_close(pointer) }

    var servers: [SocketAddress] {
        unsafe (0..<associated_resolver_server_count(pointer)).compactMap { index in
            unsafe associated_resolver_server(pointer, index).flatMap { unsafe SocketAddress(copying: $0) }
        }
    }

    /// The bytes of a query for exactly this name, without search domains. Nil if the name, which may come from an answer,
    /// cannot be encoded.
    func query(_ question: DNSQuestion, id: UInt16, withEDNS: Bool) -> [UInt8]? {
        var query = [UInt8](repeating: 0, count: 512)
        let count = unsafe associated_resolver_query(
            pointer, question.name.text, Int32(question.type.rawValue), &query, Int32(query.count))
        guard count > 0 else { return nil }
        query.removeSubrange(Int(count)...)
        query.replaceSubrange(0..<2, with: ResolverState.bytes(id))
        if withEDNS {
            // Owner: the root; type: OPT; class: the size; no flags and no data (RFC 6891 §6.1.2).
            query += [0, 0, 41] + ResolverState.bytes(DNSLimits.datagramBytesMax) + [0, 0, 0, 0, 0, 0]
            // The number of additional records.
            query[11] = 1
        }
        return query
    }

    static func bytes(_ number: UInt16) -> [UInt8] {
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number)]
    }
}
