// What is known of certificates without a look at the disk: which folders exist, and the certificates of those that were read. For
// the name of any client, both say at once which certificate it gets, or that there is none.

import Posix
import TLS
import Tenancy

/// One lock protects it.
struct CertificateCache {
    /// Of the folders that served hosts need, shared by their tenants.
    private(set) var folders: HostCache<CertificateRecord>
    /// Of other folders. They are apart, so that clients that ask for them displace no certificate of a served host.
    private var others: HostCache<CertificateRecord>
    /// The folders that are in memory although no client has needed them.
    private var surveyed: HostCache<Void>
    var presence = FolderPresence()
    private let recheckMilliseconds: Int64

    /// What the development authority has for a name.
    enum Development {
        case none
        case issued(ServerIdentity)
        /// A certificate has to be issued.
        case pending
    }

    init(_ limits: CertificateLimits) {
        folders = HostCache(room: max(1, limits.cachedBytesMax / CertificateLimits.identityUnitBytes))
        others = HostCache(room: max(1, limits.othersMax))
        surveyed = HostCache(room: max(1, limits.surveyedMax), losing: .newest)
        recheckMilliseconds = limits.recheckMilliseconds
    }

    /// The answer for a name, and whether it has to be compared with the disk; nil if the disk has to be asked first.
    mutating func find(
        _ name: Span<UInt8>, now: Int64, development: () -> Development
    ) -> KnownCertificate? {
        let isListed = !isListingDue(now)
        var known: KnownCertificate? = isListed ? (.missing, false) : nil
        CertificateOrder.visit(name) { folder in
            guard let folder else {
                switch development() {
                case .none: return false
                case .issued(let identity): known = (.identity(identity), !isListed)
                case .pending: known = nil
                }
                return true
            }
            if let record = use(folder) {
                known = (record.content.lookup, !isListed || isDue(record.checkedMilliseconds, now))
                return true
            }
            if mayHaveCertificate(HostName.hash(folder), now) {
                known = nil
                return true
            }
            return false
        }
        return known
    }

    /// The record of a folder, which becomes the most recently used one.
    private mutating func use(_ folder: Span<UInt8>) -> CertificateRecord? {
        if let place = folders.place(folder) { return folders[place] }
        return others.place(folder).map { others[$0] }
    }

    /// Whether the disk has to be asked about a folder that is not in memory.
    func mayHaveCertificate(_ hash: Int, _ now: Int64) -> Bool {
        switch presence.state(of: hash) {
        case .absent: false
        case .empty(let checkedMilliseconds): isDue(checkedMilliseconds, now)
        case .mayHaveCertificate: true
        }
    }

    func isListingDue(_ now: Int64) -> Bool { isDue(presence.listedMilliseconds, now) }

    private func isDue(_ checkedMilliseconds: Int64, _ now: Int64) -> Bool {
        now &- checkedMilliseconds >= recheckMilliseconds
    }

    var count: Int { folders.count + others.count }

    var names: [[UInt8]] { folders.names + others.names }

    /// A folder's record, and whether it has to be compared with the files. Does not count as a use of it.
    func record(_ folder: Span<UInt8>, now: Int64) -> (record: CertificateRecord, isDue: Bool)? {
        let record = folders.find(folder).map { folders[$0] } ?? others.find(folder).map { others[$0] }
        return record.map { ($0, isDue($0.checkedMilliseconds, now)) }
    }

    /// Stores a folder's record, unless its tenant has more than its share.
    /// - Parameter tenant: whose it is; nil if no served host needs it.
    mutating func insert(_ record: CertificateRecord, of folder: Span<UInt8>, _ tenant: TenantID?) {
        presence.note(HostName.hash(folder), exists: true)
        let units = 1 + (record.byteCount - 1) / CertificateLimits.identityUnitBytes
        guard let tenant else {
            remove(folder)
            others.insert(folder, record, size: units)
            return
        }
        others.remove(folder)
        let (isIn, lost) = folders.insert(folder, record, of: tenant, size: units)
        for name in lost { surveyed.remove(name.span) }
        if !isIn { surveyed.remove(folder) }
    }

    mutating func remove(_ folder: Span<UInt8>) {
        folders.remove(folder)
        others.remove(folder)
        surveyed.remove(folder)
    }

    /// Whether a survey may keep a folder in memory that no client has needed. A tenant with too many loses the newest for it.
    mutating func admitSurveyed(_ folder: Span<UInt8>, _ tenant: TenantID) -> Bool {
        let (isIn, lost) = surveyed.insert(folder, (), of: tenant)
        for name in lost { folders.remove(name.span) }
        return isIn
    }

    /// Makes everything be compared with the disk at its next look-up.
    mutating func invalidate() {
        folders.changeAll { $0.checkedMilliseconds = .min / 2 }
        others.changeAll { $0.checkedMilliseconds = .min / 2 }
        presence.invalidate()
    }
}
