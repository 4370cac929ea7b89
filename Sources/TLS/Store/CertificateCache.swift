// The certificates in memory, in two bounded tables: the folders that were read, and the names without a folder of their own with
// the folder that answers for them. So a look-up takes one or two steps, however many folders were searched on disk.

/// Both tables; one lock protects them.
struct CertificateCache {
    var folders: HostCache<CertificateRecord>
    private var names: HostCache<Answer>

    /// The source of the certificate for a name without a folder of its own.
    enum Source {
        /// The name of another folder.
        case folder([UInt8])
        case development
        case nothing
    }

    private struct Answer {
        var source: Source
        var checkedMilliseconds: Int64
    }

    /// The result for a name. `isDue` if it has to be compared with the disk.
    enum Hit {
        case lookup(CertificateStore.Lookup, isDue: Bool)
        /// A development certificate, which its authority stores.
        case development(isDue: Bool)
        case unknown
    }

    private let recheckMilliseconds: Int64

    init(_ limits: CertificateLimits) {
        folders = HostCache(capacity: limits.identitiesMax)
        names = HostCache(capacity: limits.namesMax)
        recheckMilliseconds = limits.recheckMilliseconds
    }

    var nameCount: Int { names.count }

    func isDue(_ checkedMilliseconds: Int64, _ now: Int64) -> Bool {
        now &- checkedMilliseconds >= recheckMilliseconds
    }

    /// - Parameter hash: the name's hash, computed before the lock was taken.
    mutating func find(_ name: Span<UInt8>, hash: Int, now: Int64) -> Hit {
        if let place = folders.place(name, hash: hash) { return hit(place, now) }
        guard let place = names.place(name, hash: hash) else { return .unknown }
        let isDue = isDue(names[place].checkedMilliseconds, now)
        switch names[place].source {
        case .nothing: return .lookup(.missing, isDue: isDue)
        case .development: return .development(isDue: isDue)
        case .folder(let folder):
            guard let found = folders.place(folder.span, hash: HostKey.hash(folder.span)) else { return .unknown }
            guard case .lookup(let lookup, let isFolderDue) = hit(found, now) else { return .unknown }
            return .lookup(lookup, isDue: isDue || isFolderDue)
        }
    }

    private func hit(_ place: Int, _ now: Int64) -> Hit {
        .lookup(folders[place].content.lookup, isDue: isDue(folders[place].checkedMilliseconds, now))
    }

    /// A folder's record, and whether the caller has to compare it with the files.
    mutating func claim(_ folder: Span<UInt8>, hash: Int, now: Int64) -> (record: CertificateRecord, isDue: Bool)? {
        guard let place = folders.place(folder, hash: hash) else { return nil }
        let record = folders[place]
        let isDue = isDue(record.checkedMilliseconds, now)
        // Other threads need not compare it at the same time.
        if isDue { folders[place].checkedMilliseconds = now }
        return (record, isDue)
    }

    /// Stores the source of a name's certificate; nil for its own folder.
    mutating func note(_ source: Source?, for name: Span<UInt8>, now: Int64) {
        let hash = HostKey.hash(name)
        if let source {
            names.insert(name, hash: hash, Answer(source: source, checkedMilliseconds: now))
        } else {
            names.remove(name, hash: hash)
        }
    }

    /// A folder's record. Does not count as a use of it.
    func record(_ folder: Span<UInt8>) -> CertificateRecord? {
        folders.find(folder, hash: HostKey.hash(folder)).map { folders[$0] }
    }

    /// Makes a folder be compared with the disk at its next look-up.
    mutating func invalidate(_ folder: Span<UInt8>) {
        guard let place = folders.find(folder, hash: HostKey.hash(folder)) else { return }
        folders[place].checkedMilliseconds = .min / 2
    }

    /// Makes everything be compared with the disk at its next look-up.
    mutating func invalidate() {
        for place in 0..<folders.count { folders[place].checkedMilliseconds = .min / 2 }
        for place in 0..<names.count { names[place].checkedMilliseconds = .min / 2 }
    }
}
