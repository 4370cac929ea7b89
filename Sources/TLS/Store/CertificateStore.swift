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
        var due: CertificateReading?
        // Where it may read, nothing is left unread.
        return (try? find(host, .disk, &due)) ?? .none
    }

    public func identity(for host: String) -> Lookup {
        var host = host
        return host.withUTF8 { identity(for: Span(_unsafeElements: $0)) }
    }

    /// The identity for clients that name no host.
    public func identityWithoutName() -> Lookup { identity(for: nobody.span) }

    /// Whether a look-up of the name would be answered from memory, without a look at the disk. The empty name stands for
    /// clients that name no host.
    public func isReady(for host: Span<UInt8>) -> Bool {
        if case .found(_, due: nil) = recollect(host, isPatient: true) { return true }
        return false
    }

    /// The problems found since the last call, for the log. Each is reported once for each state of the files.
    public func drainProblems() -> [CertificateProblem] { problems.drain() }

    /// The identities that are decoded at the moment.
    public var identityCount: Int { tables.withLock { $0.entries.count } }

    /// The names that are remembered to have no certificate.
    var absentNameCount: Int { tables.withLock { $0.absent.count } }

    /// The name of those who name no host.
    var nobody: [UInt8] { [] }

    /// How far a look-up goes.
    private enum Effort {
        /// To the disk.
        case disk
        /// Memory only; what has to be compared with the files again, and is no certificate, does not count.
        case fresh
        /// Memory only, however old.
        case remembered
    }

    /// What memory says of a name.
    enum Recollection {
        /// With what should be read before long, though nobody waits for it.
        case found(Lookup, due: CertificateReading?)
        case unread(CertificateReading)
    }

    /// The look-up of a name as far as memory goes. The empty name stands for clients that name no host.
    /// - Parameter isPatient: whether it is better to wait for a reading than to take what may be out of date.
    func recollect(_ host: Span<UInt8>, isPatient: Bool) -> Recollection {
        var due: CertificateReading?
        do throws(CertificateReading) {
            return .found(try find(host, isPatient ? .fresh : .remembered, &due), due: due)
        } catch {
            return .unread(error)
        }
    }

    /// Does what a recollection asked for.
    func read(_ reading: CertificateReading) {
        var due: CertificateReading?
        switch reading {
        case .folder(let scope, let name): _ = try? look(scope, name.span, .disk, &due)
        case .development(let name): _ = try? developmentIdentity(for: name.span, .disk)
        }
    }

    private func find(
        _ host: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup {
        if host.isEmpty {
            if let found = try look(.unnamed, host, effort, &due) { return found }
            return try developmentIdentity(for: host, effort) ?? .none
        }
        if let found = try look(.exact, host, effort, &due) { return found }
        if HostName.isValid(host) {
            if let found = try wildcardIdentity(for: host, effort, &due) { return found }
            if let found = try developmentIdentity(for: host, effort) { return found }
        }
        return try look(.unnamed, nobody.span, effort, &due) ?? .none
    }

    private func developmentIdentity(
        for host: Span<UInt8>, _ effort: Effort
    ) throws(CertificateReading) -> Lookup? {
        guard let development else { return nil }
        // Making one is no look at the disk, but takes as long; and so may asking whether it is wanted.
        guard effort == .disk else {
            guard let known = development.knownAnswer(for: host) else {
                throw .development(host.withUnsafeBytes { Array($0) })
            }
            return known.map { .identity($0) }
        }
        guard isDevelopmentHost(host) else {
            development.remember(unwanted: host)
            return nil
        }
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

    private func wildcardIdentity(
        for host: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup? {
        var parents = 0
        for index in host.indices where host[index] == UInt8(ascii: ".") {
            parents += 1
            if parents >= CertificateLimits.labelsMax { return nil }
            if let found = try look(.wildcard, host.extracting((index + 1)...), effort, &due) { return found }
        }
        return nil
    }

    /// What one folder has; nil if it has no certificate.
    private func look(
        _ scope: HostScope, _ name: Span<UInt8>, _ effort: Effort, _ due: inout CertificateReading?
    ) throws(CertificateReading) -> Lookup? {
        if name.count > HostName.bytesMax { return nil }
        let hash = HostCache<Entry>.hash(scope, name)
        let now = Clock.monotonicMilliseconds()
        switch remembered(scope, name, hash, now, effort) {
        case .known(let lookup): return lookup
        case .absent: return nil
        case .due(let entry):
            switch (effort, entry.content) {
            case (.disk, _): return recheck(entry, scope, name, hash)
            case (.fresh, .broken): throw reading(scope, name)
            case (.fresh, .identity), (.remembered, _):
                due = reading(scope, name)
                return entry.content.lookup
            }
        case .unknown:
            guard scope == .unnamed || HostName.isValid(name) else { return nil }
            guard effort == .disk else { throw reading(scope, name) }
            return load(scope, name, hash)
        }
    }

    private func reading(_ scope: HostScope, _ name: Span<UInt8>) -> CertificateReading {
        .folder(scope, name.withUnsafeBytes { Array($0) })
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
        _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int, _ now: Int64, _ effort: Effort
    ) -> Memory {
        tables.withLock { tables in
            if let place = tables.entries.place(scope, name, hash: hash) {
                if isFresh(tables.entries[place].checkedMilliseconds, now) {
                    return .known(tables.entries[place].content.lookup)
                }
                if effort == .disk { tables.entries[place].checkedMilliseconds = now }
                return .due(tables.entries[place])
            }
            guard let place = tables.absent.place(scope, name, hash: hash) else { return .unknown }
            return effort == .remembered || isFresh(tables.absent[place], now) ? .absent : .unknown
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

/// Something that has to be read, or made, before a name's certificate is known. Thrown where a look-up must not do so.
enum CertificateReading: Error, Hashable {
    case folder(HostScope, [UInt8])
    case development([UInt8])
}
