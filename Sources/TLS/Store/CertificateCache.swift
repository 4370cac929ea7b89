// The certificates in memory, in two bounded tables: the folders that were read, and the answers for names without a folder of their
// own. So a look-up takes one or two steps, however many folders were searched on disk.

import Tenancy

/// Both tables; one lock protects them.
struct CertificateCache {
    private(set) var folders: HostCache<CertificateRecord>
    /// The folders that are in memory although no client has needed them.
    private var surveyed: HostCache<Void>
    private var names: HostCache<(source: Source, checkedMilliseconds: Int64)>
    private let recheckMilliseconds: Int64

    /// What answers for a name without a folder of its own.
    enum Source {
        /// The certificate in a folder of this name.
        case folder([UInt8])
        /// A development certificate, or none.
        case lookup(CertificateStore.Lookup)
    }

    init(_ limits: CertificateLimits) {
        folders = HostCache(room: max(1, limits.cachedBytesMax / CertificateLimits.identityUnitBytes))
        surveyed = HostCache(room: max(1, limits.surveyedMax), losing: .newest)
        names = HostCache(room: limits.namesMax)
        recheckMilliseconds = limits.recheckMilliseconds
    }

    var nameCount: Int { names.count }

    /// The answer for a name, and whether it has to be compared with the disk; nil if it is not in memory.
    mutating func find(_ name: Span<UInt8>, now: Int64) -> CertificateStore.Known? {
        if let place = folders.place(name) { return known(place, now) }
        guard let place = names.place(name) else { return nil }
        let (source, checkedMilliseconds) = names[place]
        let isDue = isDue(checkedMilliseconds, now)
        switch source {
        case .lookup(let lookup): return (lookup, isDue)
        case .folder(let folder):
            guard let known = folders.place(folder.span).map({ known($0, now) }) else { return nil }
            return (known.lookup, isDue || known.isDue)
        }
    }

    private func known(_ place: Int, _ now: Int64) -> CertificateStore.Known {
        (folders[place].content.lookup, isDue(folders[place].checkedMilliseconds, now))
    }

    private func isDue(_ checkedMilliseconds: Int64, _ now: Int64) -> Bool {
        now &- checkedMilliseconds >= recheckMilliseconds
    }

    /// A folder's record, and whether it has to be compared with the files. Does not count as a use of it.
    func record(_ folder: Span<UInt8>, now: Int64) -> (record: CertificateRecord, isDue: Bool)? {
        folders.find(folder).map { (folders[$0], isDue(folders[$0].checkedMilliseconds, now)) }
    }

    /// Stores a folder's record, unless its tenant has more than its share.
    mutating func insert(_ record: CertificateRecord, of folder: Span<UInt8>, _ tenant: TenantID) {
        let units = 1 + (record.byteCount - 1) / CertificateLimits.identityUnitBytes
        let (isIn, lost) = folders.insert(folder, record, of: tenant, size: units)
        for name in lost { surveyed.remove(name.span) }
        if !isIn { surveyed.remove(folder) }
    }

    mutating func remove(_ folder: Span<UInt8>) {
        folders.remove(folder)
        surveyed.remove(folder)
    }

    /// Whether a survey may keep a folder in memory that no client has needed. A tenant with too many loses the newest for it.
    mutating func admitSurveyed(_ folder: Span<UInt8>, _ tenant: TenantID) -> Bool {
        let (isIn, lost) = surveyed.insert(folder, (), of: tenant)
        for name in lost { folders.remove(name.span) }
        return isIn
    }

    /// Stores the source of a name's certificate; nil for its own folder.
    mutating func note(_ source: Source?, for name: Span<UInt8>, now: Int64) {
        if let source { names.insert(name, (source, now)) } else { names.remove(name) }
    }

    /// Makes everything be compared with the disk at its next look-up.
    mutating func invalidate() {
        folders.changeAll { $0.checkedMilliseconds = .min / 2 }
        names.changeAll { $0.checkedMilliseconds = .min / 2 }
    }
}
