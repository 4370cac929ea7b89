// The certificates in memory, in two bounded tables: the folders that were read, and the answers for names without a folder of their
// own. So a look-up takes one or two steps, however many folders were searched on disk.

/// Both tables; one lock protects them.
struct CertificateCache {
    var folders: HostCache<CertificateRecord>
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
        folders = HostCache(capacity: limits.identitiesMax, weightMax: limits.identityBytesMax)
        names = HostCache(capacity: limits.namesMax)
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

    /// Stores the source of a name's certificate; nil for its own folder.
    mutating func note(_ source: Source?, for name: Span<UInt8>, now: Int64) {
        if let source { names.insert(name, (source, now)) } else { names.remove(name) }
    }

    /// Makes everything be compared with the disk at its next look-up.
    mutating func invalidate() {
        for place in 0..<folders.count { folders[place].checkedMilliseconds = .min / 2 }
        for place in 0..<names.count { names[place].checkedMilliseconds = .min / 2 }
    }
}
