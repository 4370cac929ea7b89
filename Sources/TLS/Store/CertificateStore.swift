// Finds the certificate for the name a client asks for. Files are read when a name is first asked for, and never listed, so
// that a hundred thousand hosts start as fast as ten. What was decoded is kept, within limits.
//
// Workers ask memory (`resolve`) and never the disk. What memory does not know, a thread of the control plane reads (`read`),
// for the whole name at once, and the answer goes back to the handshakes that wait for it.

public import Posix
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

    /// What memory says about a name.
    enum Resolution {
        /// - isDue: whether it should be compared with the disk before long, though nothing waits for that.
        case known(Lookup, isDue: Bool)
        /// It has to be read first.
        case pending
    }

    /// What came of going to the disk.
    enum Reading {
        case answer(Lookup)
        /// Opening a key takes long: to be read in the slow lane.
        case slow
    }

    let limits: CertificateLimits
    let loader: CertificateLoader
    let development: DevelopmentAuthority?
    private let wantsDevelopment: @Sendable (String) -> Bool
    let serves: @Sendable (String) -> Bool
    /// How the certificates of served hosts stand.
    let register: CertificateRegister
    let cache: Mutex<CertificateCache>

    /// - Parameters:
    ///   - hostsPath: `config/hosts`; it need not exist yet.
    ///   - links: where links in a host's folder may lead, beside that folder and certbot's.
    ///   - development: makes certificates for hosts that have none.
    ///   - wantsDevelopment: whether it shall do so for a host: the configured ones.
    ///   - serves: whether a host is configured, so that a certificate for others in its place is worth a word.
    public init(
        hostsPath: String, links: LinkTargets = .none, limits: CertificateLimits = CertificateLimits(),
        passphrase: Passphrase? = nil,
        development: DevelopmentAuthority? = nil,
        wantsDevelopment: @escaping @Sendable (String) -> Bool = { _ in true },
        serves: @escaping @Sendable (String) -> Bool = { _ in false }
    ) {
        self.serves = serves
        self.limits = limits
        self.development = development
        self.wantsDevelopment = wantsDevelopment
        loader = CertificateLoader(CertificateTree(hostsPath, links: links), passphrase: passphrase)
        let tree = CertificateTree(hostsPath, links: links)
        register = CertificateRegister { folder, isOfSecondPair in
            CertificateFiles(CertificateFolder(name: folder), in: tree).path(isOfSecondPair ? 2 : 0)
        }
        cache = Mutex(CertificateCache(limits))
    }

    /// The name under which a look-up is remembered: the same for everything that is no host name.
    static func key(for name: Span<UInt8>) -> [UInt8] {
        unsafe isKey(name) ? name.withUnsafeBytes { unsafe Array($0) } : notAName
    }

    private static func isKey(_ name: Span<UInt8>) -> Bool { name.isEmpty || HostName.isValid(name) }
    private static let notAName = Array("?".utf8)

    /// The look-up of a name in lower case without a trailing dot, as far as memory goes. Any bytes are welcome; the empty
    /// name stands for clients that name no host.
    func resolve(_ name: Span<UInt8>) -> Resolution {
        CertificateStore.isKey(name) ? resolve(key: name) : resolve(key: CertificateStore.notAName.span)
    }

    private func resolve(key name: Span<UInt8>) -> Resolution {
        let hash = HostKey.hash(name)
        let now = Clock.monotonicMilliseconds()
        switch cache.withLock({ $0.find(name, hash: hash, now: now) }) {
        case .unknown: return .pending
        case .lookup(.identity(let identity), let isDue): return .known(.identity(identity), isDue: isDue)
        // A refusal is worth another look at the disk before it is repeated.
        case .lookup(let lookup, let isDue): return isDue ? .pending : .known(lookup, isDue: false)
        case .development(let isDue):
            guard let identity = development?.knownIdentity(for: name) else { return .pending }
            return .known(.identity(identity), isDue: isDue)
        }
    }

    /// The same, going to the disk for what memory does not know or has not compared for a while. Takes the places in their
    /// order, and notes which of them has answered.
    func read(_ name: [UInt8], _ lane: ReadingLane) -> Reading {
        if case .known(let lookup, isDue: false) = resolve(key: name.span) { return .answer(lookup) }
        let host = String(decoding: name, as: UTF8.self)
        for candidate in CertificateOrder.candidates(for: host) {
            switch candidate {
            case .folder(let folder):
                switch look(into: folder, lane) {
                case .slow: return .slow
                case .absent: continue
                case .found(let lookup):
                    note(folder.name == host ? nil : .folder(Array(folder.name.utf8)), for: name)
                    return .answer(lookup)
                }
            case .development:
                guard isDevelopmentHost(host), let development else { continue }
                note(.development, for: name)
                do throws(TLSError) {
                    return .answer(.identity(try development.identity(for: name.span)))
                } catch {
                    return .answer(.broken(error.description))
                }
            }
        }
        note(.nothing, for: name)
        return .answer(.none)
    }

    private func note(_ source: CertificateCache.Source?, for name: [UInt8]) {
        let now = Clock.monotonicMilliseconds()
        cache.withLock { $0.note(source, for: name.span, now: now) }
    }

    /// What one folder has.
    enum FolderReading {
        case found(Lookup)
        case absent
        case slow
    }

    /// Compares a folder with its files if that is due. If two threads read the same folder at once, the later result stays.
    func look(into folder: CertificateFolder, _ lane: ReadingLane) -> FolderReading {
        let key = Array(folder.name.utf8)
        let hash = HostKey.hash(key.span)
        let claimed = cache.withLock { $0.claim(key.span, hash: hash, now: Clock.monotonicMilliseconds()) }
        if let claimed, !claimed.isDue { return .found(claimed.record.content.lookup) }
        let look: CertificateRecord.Look
        switch loader.look(into: folder, known: claimed?.record, lane) {
        case .look(let found): look = found
        case .slow:
            if let claimed { remember(claimed.record, key, hash, isChecked: false) }
            return .slow
        }
        guard let record = taken(look, claimed?.record, folder) else {
            cache.withLock { $0.folders.remove(key.span, hash: hash) }
            // Whether a served host is without one now, a survey finds out.
            if !isServed(folder) { register.drop(folder.name) }
            return .absent
        }
        // Others are none of the server's, until a survey finds that a host needs them.
        if register.entry(folder.name) != nil || isServed(folder) { note(record, folder) }
        // The time is that of the end: a reading may take longer than its result is believed.
        remember(record, key, hash, isChecked: true)
        return .found(record.content.lookup)
    }

    /// What is known of a folder after a look at it; nil if it has no certificate.
    private func taken(
        _ look: CertificateRecord.Look, _ known: CertificateRecord?, _ folder: CertificateFolder
    ) -> CertificateRecord? {
        guard var record = known else {
            guard case .found(let stamp, let content) = look else { return nil }
            return CertificateRecord(content, stamp: stamp)
        }
        record.take(look, host: folder.host, now: Clock.wallSeconds())
        // Where a served host would be without any, the last one stays.
        return record.isGone && !keeps(record.content, folder) ? nil : record
    }

    /// Registers how a folder stands.
    func note(_ record: CertificateRecord, _ folder: CertificateFolder) {
        let known = register.entry(folder.name)
        // What stands goes on standing until the next look has settled it.
        if known != nil, record.isUnsettled || isNoted(record, known) { return register.keep(folder.name) }
        let now = Clock.wallSeconds()
        var standing = record.standing(host: folder.host, now: now)
        if record.isGone { standing.problems.append(CertificateCoverage.gone(folder, file: loader.path(of: folder))) }
        register.note(folder, standing, stamp: record.stamp, now: now)
    }

    /// Whether an entry says all that there is to say about a record.
    private func isNoted(_ record: CertificateRecord, _ known: CertificateRegister.Entry?) -> Bool {
        guard let known, case .identity = record.content, record.refused == nil else { return false }
        return known.base == .usable && known.stamp == record.stamp
    }

    /// Whether a host is served that has this folder for its own.
    func isServed(_ folder: CertificateFolder) -> Bool {
        guard let host = folder.host else { return false }
        return serves(host)
    }

    /// Whether a served host has this folder for its own, or relies on it, as a survey has found.
    func isNeeded(_ folder: CertificateFolder) -> Bool {
        isServed(folder) || register.entry(folder.name)?.names != nil
    }

    private func remember(_ record: CertificateRecord, _ key: [UInt8], _ hash: Int, isChecked: Bool) {
        var record = record
        record.checkedMilliseconds = isChecked ? Clock.monotonicMilliseconds() : .min / 2
        cache.withLock { $0.folders.insert(key.span, hash: hash, record) }
    }

    /// Whether the development authority answers for a name.
    func isDevelopmentHost(_ host: String) -> Bool {
        development != nil && (host.isEmpty || wantsDevelopment(host))
    }

    /// Whether the certificate of a folder whose files are gone stays in service.
    func keeps(_ content: CertificateRecord.Content, _ folder: CertificateFolder) -> Bool {
        guard case .identity = content, let host = folder.host else { return false }
        return isNeeded(folder) && !isCoveredElsewhere(host)
    }

    /// Whether clients of a host without a folder of its own would be shown a certificate for it.
    private func isCoveredElsewhere(_ host: String) -> Bool {
        for candidate in CertificateOrder.candidates(for: host).dropFirst() {
            switch candidate {
            case .development: if isDevelopmentHost(host) { return true }
            case .folder(let folder):
                switch look(into: folder, .quick) {
                case .absent: continue
                case .slow, .found(.broken), .found(.none): return false
                case .found(.identity(let identity)):
                    return identity.facts.first?.names.contains { CertificateName.covers($0, host) } == true
                }
            }
        }
        return false
    }

    /// The result of all surveys, with what handshakes have found since.
    public func surveyed(now: Int64) -> CertificateSurvey { register.survey(now: now) }

    /// What is wrong with the certificates of served hosts, the errors first.
    public func problems(_ countMax: Int) -> [StandingProblem] { register.problems(countMax) }

    /// How many of these there are.
    public var standingCounts: ProblemCounts { register.state.withLock { $0.standing } }

    /// The certificates that end before a time, the first first.
    public func ending(before seconds: Int64) -> [CertificateSurvey.Expiry] { register.ending(before: seconds) }

    /// Some folders about which an error stands.
    public func foldersWithErrors(_ countMax: Int) -> [String] { register.foldersWithErrors(countMax) }

    /// What has changed since the last call.
    public func drainNews() -> CertificateNews { register.drain() }

    /// The certificate that answers for a host, `*.example.com` included, and everything that is wrong with that; nil where no
    /// survey has been yet or a certificate is made for development.
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
                // The entry of a host without files says what is wrong with its having none.
                if let found { (here.state, here.problems) = (found.state, found.problems + here.problems) }
                if entry.hasFiles { return here }
                found = here
            }
        }
        return found
    }

    /// For the rest of the program, which may wait for the disk.
    /// The identity for a name in lower case without a trailing dot.
    public func identity(for host: String) -> Lookup {
        guard case .answer(let lookup) = read(CertificateStore.key(for: Array(host.utf8).span), .slow) else {
            preconditionFailure("the slow lane reads every key")
        }
        return lookup
    }

    /// Has everything compared with the disk at its next look-up.
    public func invalidateAll() { cache.withLock { $0.invalidate() } }

    /// The identities that are decoded at the moment.
    public var identityCount: Int { cache.withLock { $0.folders.count } }

    /// The names that are remembered to have no folder of their own.
    var nameCount: Int { cache.withLock { $0.nameCount } }
}

extension CertificateCoverage {
    static func gone(_ folder: CertificateFolder, file: String) -> CertificateProblem {
        CertificateProblem(
            .filesGone, file: file,
            "the certificate's files are gone, and no other certificate is for \(folder.host ?? folder.name); the last one that "
                + "was read stays in service until the server ends",
            fix: "put both files back, or a certificate for it into the folder of a wildcard")
    }
}

/// How the certificate for one host stands.
public struct HostCertificate: Sendable {
    /// The folder below `config/hosts` that it is in, or should be.
    public var folder: String
    public var state: CertificateState
    /// Nil where there is none in service.
    public var summary: CertificateSummary?
    public var problems: [StandingProblem]
}
