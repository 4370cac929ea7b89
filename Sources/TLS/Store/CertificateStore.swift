// Finds the certificate for a name. Files are read when a client first asks for a name, and folders are never listed, so that a
// start with a hundred thousand hosts is as fast as with ten. Decoded certificates are cached, within limits.
//
// Workers use only memory (`resolve`). If a name is not in memory, a reading thread searches all its places on disk at once (`read`),
// and the result is passed to the handshakes that wait for it.

public import Posix
import Synchronization
public import Tenancy

/// The certificates of all hosts. Shared by the workers; a look-up in memory takes a lock for about 100 ns and allocates nothing.
public final class CertificateStore: Sendable {
    /// The result for a name.
    public enum Lookup: Sendable {
        case identity(ServerIdentity)
        /// There is no certificate for the name: the alert is `unrecognized_name`.
        case missing
        /// The files cannot be used, and there is no earlier version of them.
        case broken(String)
    }

    /// A result in memory, and whether it should be compared with the disk in the background.
    typealias Known = (lookup: Lookup, isDue: Bool)

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

    /// - Parameters:
    ///   - hostsPath: `config/hosts`; it need not exist yet.
    ///   - managedPath: the folder with the manager's certificates, for names without one in `config/hosts`.
    ///   - links: where links in a host's folder may lead, in addition to that folder and certbot's.
    ///   - keptPath: for copies of certificates whose files cannot be used any more, or are gone.
    ///   - development: issues certificates for configured hosts that have none.
    ///   - serves: whether a host is configured. Only then problems of its certificate are reported.
    ///   - isOrdered: whether the manager orders a certificate for a host.
    ///   - tenant: whose a host is.
    public init(
        hostsPath: String, managedPath: String? = nil, links: LinkTargets = .none, keptPath: String? = nil,
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
            KeptCertificates($0, roomMax: limits.keptMax) { CertificateStore.tenant(of: $0, tenant) }
        }
        register = CertificateRegister { folder, isOfSecondPair in
            CertificateFiles(CertificateFolder(name: folder), in: tree).path(isOfSecondPair ? 2 : 0)
        }
        cache = Mutex(CertificateCache(limits))
    }

    /// The cache key of a name; all names that are not host names have the same one.
    static func key(for name: Span<UInt8>) -> [UInt8] {
        unsafe isKey(name) ? name.withUnsafeBytes { unsafe Array($0) } : notAName
    }

    private static func isKey(_ name: Span<UInt8>) -> Bool { name.isEmpty || HostName.isValid(name) }
    private static let notAName = Array("?".utf8)

    /// Looks up a name in memory: in lower case, without a trailing dot. It may have any bytes; the empty name is for clients that
    /// send none. Nil if it has to be read first.
    func resolve(_ name: Span<UInt8>) -> Known? {
        let (isKey, now) = (CertificateStore.isKey(name), Clock.monotonicMilliseconds())
        let known = cache.withLock { $0.find(isKey ? name : CertificateStore.notAName.span, now: now) }
        guard let known else { return nil }
        if case .identity = known.lookup { return known }
        // Check the disk before refusing again.
        return known.isDue ? nil : known
    }

    /// Looks up a name on disk, and stores which place has the certificate.
    func read(_ name: [UInt8]) -> Lookup {
        let host = String(decoding: name, as: UTF8.self)
        let (lookup, source): (Lookup, CertificateCache.Source?)
        switch search(CertificateOrder.candidates(for: host), for: host) {
        case .absent: (lookup, source) = (.missing, .lookup(.missing))
        case .folder(let folder, let found):
            (lookup, source) = (found, folder.name == host ? nil : .folder(Array(folder.name.utf8)))
        case .development(let authority):
            do throws(TLSError) {
                lookup = .identity(try authority.identity(for: name.span))
            } catch {
                lookup = .broken(error.description)
            }
            source = .lookup(lookup)
        }
        let now = Clock.monotonicMilliseconds()
        cache.withLock { $0.note(source, for: name.span, now: now) }
        return lookup
    }

    /// The first place that has a certificate for a host.
    private enum Place {
        case folder(CertificateFolder, Lookup)
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
    /// - Parameter isDue: whether it is due in any case.
    func check(_ folder: CertificateFolder, isDue: Bool = false) -> FolderCheck {
        let key = Array(folder.name.utf8)
        let known = cache.withLock { $0.record(key.span, now: Clock.monotonicMilliseconds()) }
        if let known, !known.isDue, !isDue { return .present(known.record) }
        let comparison = loader.compare(folder, with: known?.record)
        guard var record = updated(known?.record, by: comparison, of: folder) else {
            cache.withLock { $0.remove(key.span) }
            // A survey finds out whether a served host has no certificate now.
            if !isServed(folder) { register.drop(folder.name) }
            return .absent
        }
        // Only folders that served hosts are known to need are registered.
        if register.entry(folder.name) != nil || isServed(folder) { updateRegister(record, of: folder) }
        // The time is that of the end, because reading may take longer than the recheck interval.
        record.checkedMilliseconds = Clock.monotonicMilliseconds()
        let tenant = tenant(of: folder)
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
            identity.first.certificate.covers(host)
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
    public var identityCount: Int { cache.withLock { $0.folders.count } }

    /// The number of cached names without a folder of their own.
    var nameCount: Int { cache.withLock { $0.nameCount } }
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
