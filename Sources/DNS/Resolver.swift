// Looks up records at the name servers of this machine, or at those it is given. They are asked in turn, and a look-up as a
// whole has a time limit.

public import Posix

/// Whom to ask, and for how long.
public struct ResolverSettings: Sendable {
    /// Empty for those of /etc/resolv.conf.
    public var servers: [SocketAddress] = []
    /// How often a server is asked that says nothing.
    public var attempts = 2
    public var attemptMilliseconds = 3_000
    /// For everything together.
    public var totalMilliseconds = 10_000

    public init() {}
}

/// Looks up records. It belongs to one thread, as the state of the C library does.
public struct Resolver: ~Copyable {
    private let state: ResolverState
    private let settings: ResolverSettings
    private let servers: [SocketAddress]

    /// Reads /etc/resolv.conf; who wants to see changes of it makes a new one.
    public init(_ settings: ResolverSettings = ResolverSettings()) throws(SystemError) {
        state = try ResolverState()
        self.settings = settings
        servers = settings.servers.isEmpty ? state.servers : settings.servers
    }

    /// The records of a type that a name has, by way of its aliases.
    public func lookUp(_ type: DNSRecordType, of name: DomainName) -> DNSOutcome {
        let end = Clock.monotonicMilliseconds() + Int64(settings.totalMilliseconds)
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
                // A server that follows aliases says so by the record that proves the absence of others.
                if found.aliases.isEmpty || message.provesAbsence { return .noData(aliases: aliases) }
                if aliases.count > DNSLimits.aliasesMax { throw .tooManyAliases }
            }
        } catch {
            return .failed(DNSFailure(error, question))
        }
    }

    /// The first answer that can be relied on. Only servers that said nothing are asked again.
    private func ask(_ question: DNSQuestion, until end: Int64) throws(DNSFailure.Kind) -> DNSMessage {
        var (silent, failure) = (servers, DNSFailure.Kind?.none)
        for _ in 0..<settings.attempts {
            var unheard: [SocketAddress] = []
            for server in silent {
                let exchange = NameServerExchange(
                    server: server, question: question, phaseMilliseconds: settings.attemptMilliseconds,
                    endMilliseconds: end)
                do throws(DNSFailure.Kind) {
                    return try exchange.answer(state)
                } catch {
                    if error == .timedOut { unheard.append(server) } else { failure = failure ?? error }
                }
            }
            silent = unheard
        }
        throw failure ?? .timedOut
    }
}
