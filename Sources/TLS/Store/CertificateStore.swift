// Finds the certificate for the name a client asks for. Files are read when a name is first asked for, and never listed, so
// that a hundred thousand hosts start as fast as ten. What was decoded is kept, within limits.
//
// The order of look-up for `a.shop.example.com`:
//   1. hosts/a.shop.example.com
//   2. hosts/_wildcard.shop.example.com, then hosts/_wildcard.example.com, then hosts/_wildcard.com
//   3. where a development authority is given: a certificate of its making
//   4. hosts/_default
// The first folder with a `fullchain.pem` answers, even if its files turn out to be broken: another host's certificate in
// its place would hide the fault.

import Posix
import Synchronization

/// All hosts' certificates. Shared by the workers; a warm look-up takes a lock for about 100 ns and allocates nothing.
public final class CertificateStore: Sendable {
    /// What there is for a name.
    public enum Lookup: Sendable {
        case identity(ServerIdentity)
        /// No certificate for the name: the alert is `unrecognized_name`.
        case none
        /// There are files, but they cannot be used, and there is no earlier state of them.
        case broken(String)
    }

    /// What is known of one folder, and since when.
    struct Entry {
        var content: Content
        /// By the monotonic clock.
        var checkedMilliseconds: Int64

        enum Content {
            case identity(ServerIdentity)
            case broken(String)
        }

        /// The state of the files that the content was made from.
        var stamp: Int
        /// A state of the files seen since that did not lead to a better content; believed when it is still so at the
        /// next look, because files are replaced one after the other.
        var pendingStamp: Int?
        /// Whether `pendingStamp` has been reported.
        var isPendingReported = false
        /// The last problem of time that was reported, so that it is said once.
        var reportedExpiry: CertificateProblem.Kind?
    }

    struct Tables {
        var entries: HostCache<Entry>
        /// Names without a certificate, with the time they were looked for.
        var absent: HostCache<Int64>
    }

    let hostsPath: String
    let limits: CertificateLimits
    let passphrase: Passphrase?
    private let development: DevelopmentAuthority?
    private let wantsDevelopment: @Sendable (String) -> Bool
    let pool = ChainPool()
    let problems: ProblemQueue
    let tables: Mutex<Tables>

    /// - Parameters:
    ///   - hostsPath: `config/hosts`; it need not exist yet.
    ///   - development: makes certificates for hosts that have none.
    ///   - wantsDevelopment: whether it shall do so for a host: the configured ones.
    public init(
        hostsPath: String, limits: CertificateLimits = CertificateLimits(), passphrase: Passphrase? = nil,
        development: DevelopmentAuthority? = nil, wantsDevelopment: @escaping @Sendable (String) -> Bool = { _ in true }
    ) {
        self.hostsPath = hostsPath
        self.limits = limits
        self.passphrase = passphrase
        self.development = development
        self.wantsDevelopment = wantsDevelopment
        problems = ProblemQueue(countMax: limits.problemsMax)
        tables = Mutex(
            Tables(
                entries: HostCache(capacity: limits.identitiesMax), absent: HostCache(capacity: limits.absentNamesMax)))
    }

    /// The identity for a name in lower case without a trailing dot. Any bytes are welcome; what is no host name finds the
    /// one for everybody else.
    public func identity(for host: Span<UInt8>) -> Lookup {
        // Where it may read, nothing is left unread.
        (try? find(host, reads: true)) ?? .none
    }

    public func identity(for host: String) -> Lookup {
        var host = host
        return host.withUTF8 { identity(for: Span(_unsafeElements: $0)) }
    }

    /// The identity for clients that name no host.
    public func identityWithoutName() -> Lookup { (try? findWithoutName(reads: true)) ?? .none }

    /// Whether a look-up of the name would be answered from memory, without a look at the disk. The empty name stands for
    /// clients that name no host.
    public func isReady(for host: Span<UInt8>) -> Bool {
        (try? host.isEmpty ? findWithoutName(reads: false) : find(host, reads: false)) != nil
    }

    /// The problems found since the last call, for the log. Each is reported once for each state of the files.
    public func drainProblems() -> [CertificateProblem] { problems.drain() }

    /// The identities that are decoded at the moment.
    public var identityCount: Int { tables.withLock { $0.entries.count } }

    /// The names that are remembered to have no certificate.
    var absentNameCount: Int { tables.withLock { $0.absent.count } }

    /// The name of those who name no host.
    var nobody: [UInt8] { [] }

    /// A look-up would have had to look at the disk, and must not.
    private struct Unread: Error {}

    private func find(_ host: Span<UInt8>, reads: Bool) throws(Unread) -> Lookup {
        if let found = try look(.exact, host, reads) { return found }
        if HostName.isValid(host) {
            if let found = try wildcardIdentity(for: host, reads) { return found }
            if let found = try developmentIdentity(for: host, reads) { return found }
        }
        return try look(.unnamed, nobody.span, reads) ?? .none
    }

    private func findWithoutName(reads: Bool) throws(Unread) -> Lookup {
        if let found = try look(.unnamed, nobody.span, reads) { return found }
        return try developmentIdentity(for: nobody.span, reads) ?? .none
    }

    private func developmentIdentity(for host: Span<UInt8>, _ reads: Bool) throws(Unread) -> Lookup? {
        guard let development else { return nil }
        // Making one is no look at the disk, but takes as long; and so may asking whether it is wanted.
        guard reads else {
            guard let known = development.knownIdentity(for: host) else { throw Unread() }
            return .identity(known)
        }
        guard isDevelopmentHost(host) else { return nil }
        do throws(TLSError) {
            return .identity(try development.identity(for: host))
        } catch {
            return .broken(error.description)
        }
    }

    /// Whether a development authority answers for a name.
    func isDevelopmentHost(_ host: Span<UInt8>) -> Bool {
        guard development != nil else { return false }
        return host.isEmpty || wantsDevelopment(host.withUnsafeBytes { String(decoding: $0, as: UTF8.self) })
    }

    private func wildcardIdentity(for host: Span<UInt8>, _ reads: Bool) throws(Unread) -> Lookup? {
        var parents = 0
        for index in host.indices where host[index] == UInt8(ascii: ".") {
            parents += 1
            if parents >= CertificateLimits.labelsMax { return nil }
            if let found = try look(.wildcard, host.extracting((index + 1)...), reads) { return found }
        }
        return nil
    }

    /// What one folder has; nil if it has no certificate.
    private func look(_ scope: HostScope, _ name: Span<UInt8>, _ reads: Bool) throws(Unread) -> Lookup? {
        if name.count > HostName.bytesMax { return nil }
        let hash = HostCache<Entry>.hash(scope, name)
        let now = Clock.monotonicMilliseconds()
        switch remembered(scope, name, hash, now, claims: reads) {
        case .known(let lookup): return lookup
        case .absent: return nil
        case .due(let entry):
            guard reads else { throw Unread() }
            return recheck(entry, scope, name, hash)
        case .unknown:
            guard scope == .unnamed || HostName.isValid(name) else { return nil }
            guard reads else { throw Unread() }
            return load(scope, name, hash, now)
        }
    }

    /// What the tables say about a folder.
    private enum Memory {
        case known(Lookup)
        case absent
        /// To be compared with the files again, by this caller and no other if it claims to do so.
        case due(Entry)
        case unknown
    }

    private func remembered(
        _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int, _ now: Int64, claims: Bool
    ) -> Memory {
        tables.withLock { tables in
            if let place = tables.entries.place(scope, name, hash: hash) {
                if !isFresh(tables.entries[place].checkedMilliseconds, now) {
                    if claims { tables.entries[place].checkedMilliseconds = now }
                    return .due(tables.entries[place])
                }
                return .known(tables.entries[place].content.lookup)
            }
            guard let place = tables.absent.place(scope, name, hash: hash) else { return .unknown }
            return isFresh(tables.absent[place], now) ? .absent : .unknown
        }
    }

    func isFresh(_ checkedMilliseconds: Int64, _ now: Int64) -> Bool {
        now &- checkedMilliseconds < limits.recheckMilliseconds
    }
}

extension CertificateStore.Entry.Content {
    var lookup: CertificateStore.Lookup {
        switch self {
        case .identity(let identity): .identity(identity)
        case .broken(let message): .broken(message)
        }
    }
}
