// What is in memory of certificates, within bounds: folders with what was read of them, and names that no folder of their own
// answers for. A look-up takes one or two steps in it, however many folders were looked into on the disk.

import Posix

/// Two tables that one lock guards.
struct CertificateCache {
    var folders: HostCache<CertificateRecord>
    private var names: HostCache<Answer>

    /// What answers for a name without a folder of its own.
    enum Source {
        /// Another folder, by its name.
        case folder([UInt8])
        case development
        case nothing
    }

    private struct Answer {
        var source: Source
        var checkedMilliseconds: Int64
    }

    /// What memory says about a name.
    enum Finding {
        case lookup(CertificateStore.Lookup, isDue: Bool)
        /// A development certificate, which its authority remembers.
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

    /// - Parameter hash: of the name, made before the lock was taken.
    mutating func find(_ name: Span<UInt8>, hash: Int, now: Int64) -> Finding {
        if let place = folders.place(name, hash: hash) { return finding(place, now) }
        guard let place = names.place(name, hash: hash) else { return .unknown }
        let isDue = isDue(names[place].checkedMilliseconds, now)
        switch names[place].source {
        case .nothing: return .lookup(.none, isDue: isDue)
        case .development: return .development(isDue: isDue)
        case .folder(let folder):
            guard let found = folders.place(folder.span, hash: HostKey.hash(folder.span)) else { return .unknown }
            guard case .lookup(let lookup, let isFolderDue) = finding(found, now) else { return .unknown }
            return .lookup(lookup, isDue: isDue || isFolderDue)
        }
    }

    private func finding(_ place: Int, _ now: Int64) -> Finding {
        .lookup(folders[place].content.lookup, isDue: isDue(folders[place].checkedMilliseconds, now))
    }

    /// A folder's record, to be compared with its files; where that is not due, whether there is one.
    mutating func claim(_ folder: Span<UInt8>, hash: Int, now: Int64) -> (record: CertificateRecord, isDue: Bool)? {
        guard let place = folders.place(folder, hash: hash) else { return nil }
        let record = folders[place]
        let isDue = isDue(record.checkedMilliseconds, now)
        // Others need not compare it at the same time.
        if isDue { folders[place].checkedMilliseconds = now }
        return (record, isDue)
    }

    /// Notes what answers for a name; nil where its own folder does.
    mutating func note(_ source: Source?, for name: Span<UInt8>, now: Int64) {
        let hash = HostKey.hash(name)
        if let source {
            names.insert(name, hash: hash, Answer(source: source, checkedMilliseconds: now))
        } else {
            names.remove(name, hash: hash)
        }
    }

    /// What is known of a folder. That somebody asks is no use of it.
    func record(_ folder: Span<UInt8>) -> CertificateRecord? {
        folders.find(folder, hash: HostKey.hash(folder)).map { folders[$0] }
    }

    /// Has a folder compared with the disk at its next look-up.
    mutating func invalidate(_ folder: Span<UInt8>) {
        guard let place = folders.find(folder, hash: HostKey.hash(folder)) else { return }
        folders[place].checkedMilliseconds = .min / 2
    }

    /// Has everything compared with the disk at its next look-up.
    mutating func invalidate() {
        for place in 0..<folders.count { folders[place].checkedMilliseconds = .min / 2 }
        for place in 0..<names.count { names[place].checkedMilliseconds = .min / 2 }
    }
}
