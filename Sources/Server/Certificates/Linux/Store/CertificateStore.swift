// Finds the certificate for a name. Which folders exist is known from listings, so a name that none covers is refused in memory. Files
// are read when a client first asks for a name, so that a start with a hundred thousand hosts is as fast as with ten. Decoded
// certificates are cached, within limits.
//
// Workers use only memory (`resolve`). If a folder of a name has to be read, a reading thread searches all its places on disk at once
// (`read`), and the result is passed to the handshakes that wait for it.

public import Posix
import Synchronization
public import TLS
public import Tenancy

/// The certificates of all hosts. Shared by the workers; a look-up in memory takes a lock for about 100 ns and allocates nothing.
public final class CertificateStore: Sendable {
    let limits: CertificateLimits
    let loader: CertificateLoader
    /// Nil if nothing is kept for the next start.
    let kept: KeptCertificates?
    let development: DevelopmentAuthority?
    let serves: @Sendable (String) -> Bool
    let isOrdered: @Sendable (String) -> Bool
    private let tenantOfHost: @Sendable (String) -> TenantID
    /// The status of the certificates of served hosts.
    public let register: CertificateRegister
    let cache: Mutex<CertificateCache>
    private let listing = Mutex(ListedFolders())

    /// - Parameters:
    ///   - hostsPath: `config/hosts`; it need not exist yet.
    ///   - managedPath: the folder with the manager's certificates, for names without one in `config/hosts`.
    ///   - links: where links in a host's folder may lead, in addition to that folder and certbot's.
    ///   - keptPath: for copies of certificates whose files cannot be used any more, or are gone.
    ///   - lock: what writing them needs, if anything.
    ///   - development: issues certificates for configured hosts that have none.
    ///   - serves: whether a host is configured. Only then problems of its certificate are reported.
    ///   - isOrdered: whether the manager orders a certificate for a host.
    ///   - tenant: whose a host is.
    public init(
        hostsPath: String, managedPath: String? = nil, links: LinkTargets = .none, keptPath: String? = nil,
        lock: LateLock? = nil,
        limits: CertificateLimits = CertificateLimits(),
        development: DevelopmentAuthority? = nil,
        serves: @escaping @Sendable (String) -> Bool = { _ in true },
        isOrdered: @escaping @Sendable (String) -> Bool = { _ in false },
        tenant: @escaping @Sendable (String) -> TenantID = { TenantID(of: $0, folder: nil) }
    ) {
        (self.serves, self.isOrdered, self.limits, self.development) = (serves, isOrdered, limits, development)
        tenantOfHost = tenant
        let tree = CertificateTree(hostsPath, links: links, managedPath: managedPath)
        loader = CertificateLoader(tree)
        kept = keptPath.map {
            KeptCertificates($0, roomMax: limits.keptMax, lock: lock) { CertificateStore.tenant(of: $0, tenant) }
        }
        register = CertificateRegister { folder in
            CertificateFiles(CertificateFolder(name: folder), in: tree).path(0)
        }
        cache = Mutex(CertificateCache(limits))
    }

    /// The cache key of a name; all names that are not host names have the same one.
    static func key(for name: Span<UInt8>) -> [UInt8] {
        unsafe isKey(name) ? name.withUnsafeBytes { unsafe Array($0) } : notAName
    }

    private static func isKey(_ name: Span<UInt8>) -> Bool { name.isEmpty || HostName.isValid(name) }
    private static let notAName = Array("?".utf8)

    /// Looks up a name in memory, in the form of `CertificateSource.resolve`.
    func resolve(_ name: Span<UInt8>) -> KnownCertificate? {
        let now = Clock.monotonicMilliseconds()
        let known = cache.withLock { $0.find(name, now: now) { issued(for: name) } }
        guard let known else { return nil }
        if case .identity = known.lookup { return known }
        // Check the disk before refusing again.
        return known.isDue ? nil : known
    }

    private func issued(for name: Span<UInt8>) -> CertificateCache.Development {
        guard let development,
            isDevelopmentHost(unsafe name.withUnsafeBytes { unsafe String(decoding: $0, as: UTF8.self) })
        else { return .none }
        return development.known(name).map { .issued($0) } ?? .pending
    }

    /// Looks up a name on disk.
    func read(_ name: [UInt8]) -> CertificateLookup {
        lookAtFolders()
        let host = String(decoding: name, as: UTF8.self)
        switch search(CertificateOrder.candidates(for: host), for: host) {
        case .absent: return .missing
        case .folder(_, let found): return found
        case .development(let authority):
            do throws(TLSError) {
                return .identity(try authority.identity(for: name.span))
            } catch {
                return .broken(error.description)
            }
        }
    }

    /// What handshakes use of it.
    public var source: CertificateSource {
        CertificateSource(
            resolve: { self.resolve($0) }, key: { CertificateStore.key(for: $0) }, read: { self.read($0) },
            isDevelopmentHost: { self.isDevelopmentHost($0) })
    }

    /// Lists the folders if their directories have changed, or in any case.
    private func lookAtFolders(isNeeded: Bool = false) {
        listing.withLock { listing in
            let now = Clock.monotonicMilliseconds()
            guard isNeeded || cache.withLock({ $0.isListingDue(now) }) else { return }
            switch listing.look(at: loader.roots, isNeeded: isNeeded) {
            case .same: cache.withLock { $0.presence.confirm(now: now) }
            case .listed(let hashes):
                // The copy of a certificate counts, because the folder may be gone.
                let hashes = hashes.map { $0 + (kept?.names ?? []).map { HostName.hash(Array($0.utf8).span) } }
                cache.withLock { $0.presence.list(hashes, now: now) }
            }
        }
    }

    /// Lists all folders again, as where changes may have been missed.
    public func listFolders() { lookAtFolders(isNeeded: true) }

    /// To be called for folders of `config/hosts` and of the manager's certificates that have come, changed or gone: so a handshake
    /// knows of them before the next listing.
    public func noteFolders(_ names: some Sequence<String>) {
        // Not during a listing, which could undo it.
        listing.withLock { _ in
            for name in names {
                let folder = CertificateFolder(name: name)
                let exists = loader.mayExist(folder) || kept?.has(folder) == true
                cache.withLock { $0.presence.note(HostName.hash(Array(name.utf8).span), exists: exists) }
            }
        }
    }

    /// The first place that has a certificate for a host.
    private enum Place {
        case folder(CertificateFolder, CertificateLookup)
        case development(DevelopmentAuthority)
        case absent
    }

    private func search(_ candidates: some Sequence<CertificateCandidate>, for host: String) -> Place {
        for candidate in candidates {
            switch candidate {
            case .development:
                if isDevelopmentHost(host), let development { return .development(development) }
            case .folder(let folder):
                switch check(folder) {
                case .absent: continue
                case .present(let record): return .folder(folder, record.content.lookup)
                }
            }
        }
        return .absent
    }

    /// The result of a check of one folder.
    enum FolderCheck {
        case present(CertificateRecord)
        case absent
    }

    /// Compares a folder's record with its files, if that is due. If two threads do it at once, the later result stays. Where the files
    /// of a host have gone, this also checks the folders that would answer in their place.
    /// - Parameter isSurvey: whether it is due in any case, and for a served host.
    func check(_ folder: CertificateFolder, forSurvey isSurvey: Bool = false) -> FolderCheck {
        let (key, now) = (Array(folder.name.utf8), Clock.monotonicMilliseconds())
        let hash = HostName.hash(key.span)
        let (known, mayExist) = cache.withLock { ($0.record(key.span, now: now), $0.mayHaveCertificate(hash, now)) }
        if let known, !known.isDue, !isSurvey { return .present(known.record) }
        if known == nil, !mayExist, !isSurvey { return .absent }
        let comparison = loader.compare(folder, with: known?.record)
        guard var record = updated(known?.record, by: comparison, of: folder) else {
            cache.withLock { cache in
                cache.remove(key.span)
                cache.presence.noteEmpty(hash, now: Clock.monotonicMilliseconds())
            }
            // A survey finds out whether a served host has no certificate now.
            if !isServed(folder) { register.drop(folder.name) }
            return .absent
        }
        // Only folders that served hosts are known to need are registered.
        if register.entry(folder.name) != nil || isServed(folder) { updateRegister(record, of: folder) }
        // The time is that of the end, because reading may take longer than the recheck interval.
        record.checkedMilliseconds = Clock.monotonicMilliseconds()
        let tenant = isSurvey || isNeeded(folder) ? tenant(of: folder) : nil
        cache.withLock { $0.insert(record, of: key.span, tenant) }
        return .present(record)
    }

    /// The record of a folder after a check; nil if it has no certificate.
    private func updated(
        _ known: CertificateRecord?, by comparison: CertificateRecord.Comparison, of folder: CertificateFolder
    ) -> CertificateRecord? {
        let copy = known == nil ? kept?.identity(of: folder) : nil
        guard var record = known ?? copy.map({ CertificateRecord(.identity($0), stamp: 0) }) else {
            guard case .found(let stamp, let content) = comparison else { return nil }
            return CertificateRecord(content, stamp: stamp)
        }
        let now = Clock.wallSeconds()
        record.apply(comparison, host: folder.host, now: now)
        // The server that made the copy had checked the files before.
        if copy != nil { record.apply(comparison, host: folder.host, now: now) }
        // If a served host would have no certificate, the last one stays.
        return record.isGone && !keeps(record.content, folder) ? nil : record
    }

    func updateRegister(_ record: CertificateRecord, of folder: CertificateFolder) {
        let known = register.entry(folder.name)
        // The status does not change until the next check has confirmed it.
        if known != nil, record.isUnsettled || isRegistered(record, known) { return register.keep(folder.name) }
        let now = Clock.wallSeconds()
        var status = record.status(host: folder.host, now: now)
        if record.isGone { status.problems.append(CertificateCoverage.gone(folder, file: loader.path(of: folder))) }
        register.note(folder, status, stamp: record.stamp, now: now)
    }

    /// Whether the entry of a record is up to date.
    private func isRegistered(_ record: CertificateRecord, _ known: CertificateRegister.Entry?) -> Bool {
        guard let known, case .identity = record.content, record.refused == nil else { return false }
        return known.base == .usable && known.stamp == record.stamp
    }

    func tenant(of folder: CertificateFolder) -> TenantID { CertificateStore.tenant(of: folder, tenantOfHost) }

    private static func tenant(of folder: CertificateFolder, _ ofHost: (String) -> TenantID) -> TenantID {
        folder == .fallback ? .operator : ofHost(folder.host ?? folder.name)
    }

    /// Whether this is the own folder of a served host.
    func isServed(_ folder: CertificateFolder) -> Bool {
        guard let host = folder.host else { return false }
        return serves(host)
    }

    /// Whether a served host needs this folder: it is its own, or a survey has found that it uses it.
    func isNeeded(_ folder: CertificateFolder) -> Bool {
        isServed(folder) || register.entry(folder.name)?.names != nil
    }

    /// Whether the development authority answers for a name.
    func isDevelopmentHost(_ host: String) -> Bool {
        development != nil && (host.isEmpty || serves(host))
    }

    /// Whether a certificate stays in service although its files are gone.
    func keeps(_ content: CertificateRecord.Content, _ folder: CertificateFolder) -> Bool {
        guard case .identity = content, let host = folder.host else { return false }
        return isNeeded(folder) && !isCoveredElsewhere(host)
    }

    /// Whether another folder has a certificate that covers a host.
    private func isCoveredElsewhere(_ host: String) -> Bool {
        switch search(CertificateOrder.candidates(for: host).dropFirst(), for: host) {
        case .development: true
        case .folder(_, .identity(let identity)):
            identity.certificate.covers(host)
        case .folder, .absent: false
        }
    }

    /// The certificate of a configured host (`*.example.com` for a wildcard), and all its problems. Nil before the first survey,
    /// and for a development certificate.
    public func certificate(of host: String) -> HostCertificate? {
        var found: HostCertificate?
        for candidate in CertificateOrder.candidates(for: host) {
            switch candidate {
            case .development: if found == nil, isDevelopmentHost(host) { return nil }
            case .folder(let folder):
                guard let entry = register.entry(folder.name) else { continue }
                var here = HostCertificate(
                    folder: folder.name, state: entry.state, summary: entry.summary,
                    problems: register.problems(of: folder.name))
                // The entry of the host's own folder without files has the problem of the folder that is used instead.
                if let found { (here.state, here.problems) = (found.state, found.problems + here.problems) }
                if entry.hasFiles { return here }
                found = here
            }
        }
        return found
    }

    /// Why a last good certificate would be lost when this process ends; nil if none would.
    public var keptProblem: SystemError? { kept?.problem }

    /// Makes everything be compared with the disk at its next look-up.
    public func invalidateAll() { cache.withLock { $0.invalidate() } }

    /// The number of decoded identities.
    public var identityCount: Int { cache.withLock { $0.count } }
}

extension CertificateCoverage {
    static func gone(_ folder: CertificateFolder, file: String) -> CertificateProblem {
        CertificateProblem(
            .filesGone, file: file,
            "the certificate's files are gone, and there is no other certificate for \(folder.host ?? folder.name); the server "
                + "keeps serving the last one",
            fix: "put both files back, or a certificate for the host into a wildcard's folder")
    }
}

/// The status of one host's certificate.
public struct HostCertificate: Sendable {
    /// The folder below `config/hosts` in which it is, or should be.
    public var folder: String
    public var state: CertificateState
    /// Nil if none is in service.
    public var summary: CertificateSummary?
    public var problems: [OpenProblem]
}

extension SecureSettings {
    public init(certificates: CertificateStore, tickets: TicketKeys) {
        self.init(certificates: certificates.source, tickets: tickets)
    }
}
