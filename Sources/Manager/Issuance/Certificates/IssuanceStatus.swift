// What the threads of one manager know of issuance together: which hosts are wanted, what keeps orders from being made, and counts.

import Posix
public import Store
import Synchronization

/// Shared by the threads that order certificates, and by those that ask about their work.
public final class IssuanceStatus: Sendable {
    private struct State {
        /// Nil until the server has been asked once: then all hosts with work are.
        var served: ServedNames?
        /// Why nothing can be written for the server, and since when.
        var files: (problem: String, since: Int64)?
        var outcomes: [IssuanceState: Int] = [:]
        /// Certificates that the store lacked, since the last line about them.
        var recoveredCount = 0
        /// The looks at hosts in a row for which no name server has answered.
        var silentLooks = 0
    }

    private let state = Mutex(State())
    private let suffixes: PublicSuffixes
    let control: WorkControl
    let silences = AuthoritySilences()

    public init(_ control: WorkControl, suffixes: PublicSuffixes = PublicSuffixes(text: "")) {
        (self.control, self.suffixes) = (control, suffixes)
    }

    func isWanted(_ host: String) -> Bool { state.withLock { $0.served?.isWanted(host) ?? true } }

    /// Notes which hosts are served, and whose they are.
    public func noteHosts(_ hosts: ServedNames) { state.withLock { $0.served = hosts } }

    /// The hosts of the last answer of the server; nil before the first.
    public var served: ServedNames? { state.withLock { $0.served } }

    /// Whose work on a host is: that of the folder of its app file. Without folders, it is that of the registered domain.
    public func tenant(of host: String) -> String {
        let folder = state.withLock { $0.served?.folder(of: host) }
        return folder.map { "\($0)/" } ?? suffixes.registeredDomain(of: host)
    }

    /// Notes that the certificate of a host in service was newer than that of the store.
    func noteRecovered() { state.withLock { $0.recoveredCount += 1 } }

    /// Says in one line that the store is older than certificates in service.
    func reportRecovered() {
        let count = state.withLock { state in
            defer { state.recoveredCount = 0 }
            return state.recoveredCount
        }
        if count == 0 { return }
        control.log(
            .warning,
            "the store is older than the certificates in service of \(count) \(count == 1 ? "host" : "hosts") and has taken them over; "
                + "if it was restored from a backup, repeat each `associated acme account` since then, and each `acme revoke` on other nodes"
        )
    }

    /// Notes why what each order needs cannot be written for the server.
    func noteFiles(_ problem: String?) {
        let now = Clock.monotonicMilliseconds()
        state.withLock { state in state.files = problem.map { ($0, state.files?.since ?? now) } }
    }

    /// Why no certificate can be ordered now; nil if that is possible.
    public var problem: String? { control.storeProblem ?? state.withLock { $0.files?.problem } }

    /// How long there has been a problem.
    public var problemSeconds: Int64 {
        let now = Clock.monotonicMilliseconds()
        return (now - (control.storeProblemSince ?? state.withLock { $0.files?.since } ?? now)) / 1_000
    }

    /// Counts how orders ended since the start.
    func count(_ outcome: IssuanceState) { state.withLock { $0.outcomes[outcome, default: 0] += 1 } }

    public var outcomes: [IssuanceState: Int] { state.withLock { $0.outcomes } }

    /// The name servers of one domain may be silent; those of this machine are if several hosts in a row get no answer.
    static let silentLooksMax = 3

    /// Notes whether a name server has answered about a host, and says so when none does for several.
    func noteNameServers(areSilent: Bool) {
        let (before, now) = state.withLock { state in
            defer { state.silentLooks = areSilent ? state.silentLooks + 1 : 0 }
            return (state.silentLooks, areSilent ? state.silentLooks + 1 : 0)
        }
        if now == IssuanceStatus.silentLooksMax {
            control.log(
                .error,
                "no name server of this machine answers, so no certificate can be ordered; check the network and /etc/resolv.conf; "
                    + "trying again")
        } else if now == 0, before >= IssuanceStatus.silentLooksMax {
            control.log(.info, "the name servers of this machine answer again")
        }
    }
}
