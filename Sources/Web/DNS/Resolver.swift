// Looks up records at the name servers of this machine, or at given ones. The servers are asked one after the other, and the whole
// lookup has a time limit.

import CResolver
public import Posix

/// The name servers to ask, and time limits.
public struct Resolver: Sendable {
    /// Empty for those of /etc/resolv.conf, which is read for each lookup.
    public var servers: [SocketAddress] = []
    /// How often to ask a server that does not answer.
    public var attempts = 2
    public var attemptMilliseconds = 3_000
    /// The limit for the whole lookup.
    public var totalMilliseconds = 10_000

    public init() {}

    /// The records of a type that a name has, directly or through aliases.
    /// - Parameter latestEnd: when several lookups together must end, by the monotonic clock.
    public func lookUp(_ type: DNSRecordType, of name: DomainName, endingBy latestEnd: Int64 = .max) -> DNSOutcome {
        let end = min(latestEnd, Clock.monotonicMilliseconds() + Int64(totalMilliseconds))
        let question = DNSQuestion(type: type, name: name)
        do throws(DNSFailure.Kind) {
            let state = try ResolverState()
            var aliases: [DomainName] = []
            while true {
                let current = DNSQuestion(type: type, name: aliases.last ?? name)
                let message = try ask(current, state, until: end)
                let found = try message.records(of: current, from: current.name)
                aliases += found.aliases
                if !found.records.isEmpty { return .found(found.records, aliases: aliases) }
                if message.code == DNSCode.noSuchName { return .noSuchName(aliases: aliases) }
                // With a record that proves absence, the server has followed the aliases to their end.
                if found.aliases.isEmpty || message.provesAbsence { return .noData(aliases: aliases) }
                if aliases.count > DNSLimits.aliasesMax { throw .tooManyAliases }
            }
        } catch {
            return .failed(DNSFailure(error, question))
        }
    }

    /// The first valid answer. Only servers that did not answer are asked again.
    private func ask(
        _ question: DNSQuestion, _ state: borrowing ResolverState, until end: Int64
    ) throws(DNSFailure.Kind) -> DNSMessage {
        var (remaining, failure) = (servers.isEmpty ? state.servers : servers, DNSFailure.Kind?.none)
        for _ in 0..<attempts {
            var silent: [SocketAddress] = []
            for server in remaining {
                let exchange = NameServerExchange(
                    server: server, question: question, phaseMilliseconds: attemptMilliseconds, endMilliseconds: end)
                do throws(DNSFailure.Kind) {
                    return try exchange.answer(state)
                } catch {
                    if error == .timedOut { silent.append(server) } else { failure = failure ?? error }
                }
            }
            remaining = silent
        }
        throw failure ?? .timedOut
    }
}

/// The owner of a `res_state`. The corresponding C functions are `res_ninit`, `res_nmkquery` and `res_nclose`.
@safe struct ResolverState: ~Copyable {
    private let pointer: UnsafeMutableRawPointer

    init() throws(DNSFailure.Kind) {
        guard let pointer = unsafe associated_resolver_open() else { throw .unprepared(.exhausted("res_ninit")) }
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

/// The result of searching from a name up to its top-level domain.
public enum CAASearch: Hashable, Sendable {
    case found([CAARecord], at: DomainName)
    /// Neither the name nor a parent has a CAA record, so every certificate authority may issue.
    case none
    /// A lookup failed, so the records are unknown and no certificate authority may issue.
    case failed(DNSFailure, at: DomainName)

    /// - Parameter lookUp: the outcome for CAA records of one name.
    public static func climb(from name: DomainName, lookUp: (DomainName) -> DNSOutcome) -> CAASearch {
        // The records of a wildcard are those of its parent.
        var next = name.isWildcard ? name.parent : name
        while let name = next {
            switch lookUp(name) {
            case .failed(let failure): return .failed(failure, at: name)
            case .noData, .noSuchName: break
            case .found(let records, _):
                let authorizations = records.compactMap { record in
                    if case .authorization(let authorization) = record { authorization } else { nil }
                }
                if !authorizations.isEmpty { return .found(authorizations, at: name) }
            }
            next = name.parent
        }
        return .none
    }
}
