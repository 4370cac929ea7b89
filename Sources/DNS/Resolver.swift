// Looks up records at the name servers of this machine, or at given ones. The servers are asked one after the other, and the whole
// lookup has a time limit.

public import Posix

/// The name servers and time limits of a resolver.
public struct ResolverSettings: Sendable {
    /// Empty for those of /etc/resolv.conf.
    public var servers: [SocketAddress] = []
    /// How often to ask a server that does not answer.
    public var attempts = 2
    public var attemptMilliseconds = 3_000
    /// The limit for the whole lookup.
    public var totalMilliseconds = 10_000

    public init() {}
}

/// Looks up records. Used by one thread, like the state of the C library.
public struct Resolver: ~Copyable {
    private let state: ResolverState
    private let settings: ResolverSettings
    private let servers: [SocketAddress]

    /// Reads /etc/resolv.conf. To see later changes of that file, create another resolver.
    public init(_ settings: ResolverSettings = ResolverSettings()) throws(SystemError) {
        state = try ResolverState()
        self.settings = settings
        servers = settings.servers.isEmpty ? state.servers : settings.servers
    }

    /// The records of a type that a name has, directly or through aliases.
    /// - Parameter latestEnd: when several lookups together must end, by the monotonic clock.
    public func lookUp(
        _ type: DNSRecordType, of name: DomainName, endingBy latestEnd: Int64 = .max
    ) -> DNSOutcome {
        let end = min(latestEnd, Clock.monotonicMilliseconds() + Int64(settings.totalMilliseconds))
        let question = DNSQuestion(type: type, name: name)
        do throws(DNSFailure.Kind) {
            var aliases: [DomainName] = []
            while true {
                let current = DNSQuestion(type: type, name: aliases.last ?? name)
                let message = try ask(current, until: end)
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
    private func ask(_ question: DNSQuestion, until end: Int64) throws(DNSFailure.Kind) -> DNSMessage {
        var (remaining, failure) = (servers, DNSFailure.Kind?.none)
        for _ in 0..<settings.attempts {
            var silent: [SocketAddress] = []
            for server in remaining {
                let exchange = NameServerExchange(
                    server: server, question: question, phaseMilliseconds: settings.attemptMilliseconds,
                    endMilliseconds: end)
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
