// The slow side of the store: reading a folder for the first time, and noticing that its files have changed. Nothing here
// holds the lock while it reads; if two threads read the same folder at once, the later one's result stays.

import Posix
import Synchronization

extension CertificateStore {
    /// The next look-up of a host compares its files at once instead of after `recheckMilliseconds`.
    public func invalidate(host: String) {
        let folder: (HostScope, [UInt8]) =
            host == "_default"
            ? (.unnamed, [])
            : host.hasPrefix("_wildcard.")
                ? (.wildcard, Array(host.utf8.dropFirst("_wildcard.".utf8.count))) : (.exact, Array(host.utf8))
        let (scope, name) = folder
        let hash = HostCache<Entry>.hash(scope, name.span)
        tables.withLock { tables in
            if let place = tables.entries.place(scope, name.span, hash: hash) {
                tables.entries[place].checkedMilliseconds = .min / 2
            }
            tables.absent.remove(scope, name.span, hash: hash)
        }
    }

    /// The next look-up of each host compares its files at once.
    public func invalidateAll() {
        tables.withLock { tables in
            for place in 0..<tables.entries.count { tables.entries[place].checkedMilliseconds = .min / 2 }
            tables.absent.removeAll()
        }
    }

    /// Reads a folder that nothing is known of.
    func load(_ scope: HostScope, _ name: Span<UInt8>, _ hash: Int) -> Lookup? {
        let files = CertificateFiles(folder: folder(scope, name))
        guard var stamp = files.stamp() else {
            remember(absent: scope, name, hash)
            return nil
        }
        var outcome = files.load(passphrase: passphrase, pool: pool)
        if case .failed = outcome, let later = files.stamp(), later != stamp {
            // One file was read before it was replaced and the other after.
            stamp = later
            outcome = files.load(passphrase: passphrase, pool: pool)
        }
        let content: Entry.Content
        var reportedExpiry: CertificateProblem.Kind?
        switch outcome {
        case .absent:
            remember(absent: scope, name, hash)
            return nil
        case .failed(let problem):
            problems.add([problem])
            content = .broken(problem.description)
        case .identity(let identity):
            reportedExpiry = report(identity, scope, name)
            content = .identity(identity)
        }
        let entry = Entry(
            content: content, checkedMilliseconds: Clock.monotonicMilliseconds(), stamp: stamp,
            reportedExpiry: reportedExpiry)
        remember(entry, scope, name, hash)
        return content.lookup
    }

    /// Compares a folder with the state it was read in. Files that have changed for the better replace what is in service;
    /// files that have changed for the worse are left alone until the next look, and then reported.
    func recheck(_ entry: Entry, _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int) -> Lookup? {
        let files = CertificateFiles(folder: folder(scope, name))
        var entry = entry
        let stamp = files.stamp()
        if stamp != nil { forgetLoss(scope, name) }
        if stamp == entry.stamp {
            entry.pendingStamp = nil
            if case .broken = entry.content,
                case .identity(let identity) = files.load(passphrase: passphrase, pool: pool)
            {
                // It was not the files: the process had no descriptors left, or the disk did not answer.
                entry.content = .identity(identity)
                entry.reportedExpiry = report(identity, scope, name)
            }
            reportExpiry(&entry)
            remember(entry, scope, name, hash)
            return entry.content.lookup
        }
        let isSettled = entry.pendingStamp == (stamp ?? 0)
        if !isSettled { entry.isPendingReported = false }
        entry.pendingStamp = stamp ?? 0
        guard let stamp else { return removed(entry, isSettled, scope, name, hash) }

        switch files.load(passphrase: passphrase, pool: pool) {
        case .identity(let identity) where isBetter(identity, than: entry.content, scope, name):
            entry = Entry(
                content: .identity(identity), checkedMilliseconds: entry.checkedMilliseconds, stamp: stamp,
                reportedExpiry: report(identity, scope, name))
        case .identity(let identity):
            // What is said once may change all the same: a certificate becomes valid, a passphrase is put right.
            if isSettled, !entry.isPendingReported {
                report(identity, scope, name)
                entry.isPendingReported = true
            }
        case .failed(let problem):
            if isSettled, !entry.isPendingReported {
                problems.add([problem])
                entry.isPendingReported = true
                if case .broken = entry.content { entry.content = .broken(problem.description) }
            }
        case .absent:
            return removed(entry, isSettled, scope, name, hash)
        }
        remember(entry, scope, name, hash)
        return entry.content.lookup
    }

    /// A folder whose certificate has gone: believed at the second look. Where a served host would be without any, it stays.
    private func removed(
        _ entry: Entry, _ isSettled: Bool, _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int
    ) -> Lookup? {
        var entry = entry
        if isSettled, keeps(entry.content, scope, name) {
            reportExpiry(&entry)
        } else if isSettled {
            forgetLoss(scope, name)
            tables.withLock { $0.entries.remove(scope, name, hash: hash) }
            remember(absent: scope, name, hash)
            return nil
        }
        remember(entry, scope, name, hash)
        return entry.content.lookup
    }

    /// Whether new files may take over: unless clients would refuse them and not what they have now.
    private func isBetter(
        _ identity: ServerIdentity, than content: Entry.Content, _ scope: HostScope, _ name: Span<UInt8>
    ) -> Bool {
        guard case .identity(let current) = content else { return true }
        // Half of what is in service already is no progress.
        if identity.isPartial, !current.isPartial, identity.facts.first == current.facts.first { return false }
        return !isRefused(identity, scope, name) || isRefused(current, scope, name)
    }

    private func isRefused(_ identity: ServerIdentity, _ scope: HostScope, _ name: Span<UInt8>) -> Bool {
        CertificateChecks.problems(of: identity, host: host(scope, name), now: Clock.wallSeconds())
            .contains { $0.kind.isRefusedByClients }
    }

    /// Queues what there is to say about a newly read identity; returns what of it is about time.
    @discardableResult
    private func report(_ identity: ServerIdentity, _ scope: HostScope, _ name: Span<UInt8>) -> CertificateProblem.Kind?
    {
        let now = Clock.wallSeconds()
        problems.add(CertificateChecks.problems(of: identity, host: host(scope, name), now: now))
        return CertificateChecks.expiry(of: identity, now)?.kind
    }

    private func reportExpiry(_ entry: inout Entry) {
        guard case .identity(let identity) = entry.content else { return }
        let problem = CertificateChecks.expiry(of: identity, Clock.wallSeconds())
        if problem?.kind == entry.reportedExpiry { return }
        entry.reportedExpiry = problem?.kind
        if let problem { problems.add([problem]) }
    }

    /// The time is that of the end: a reading may take longer than its result is believed.
    private func remember(_ entry: Entry, _ scope: HostScope, _ name: Span<UInt8>, _ hash: Int) {
        var entry = entry
        entry.checkedMilliseconds = Clock.monotonicMilliseconds()
        tables.withLock { tables in
            tables.absent.remove(scope, name, hash: hash)
            tables.entries.insert(scope, name, hash: hash, entry)
        }
    }

    private func remember(absent scope: HostScope, _ name: Span<UInt8>, _ hash: Int) {
        tables.withLock { $0.absent.insert(scope, name, hash: hash, Clock.monotonicMilliseconds()) }
    }

    func folder(_ scope: HostScope, _ name: Span<UInt8>) -> String {
        let text = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return switch scope {
        case .exact: "\(hostsPath)/\(text)"
        case .wildcard: "\(hostsPath)/_wildcard.\(text)"
        case .unnamed: "\(hostsPath)/_default"
        }
    }

    /// The name that the certificate in a folder must cover.
    func host(_ scope: HostScope, _ name: Span<UInt8>) -> String? {
        let text = name.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
        return switch scope {
        case .exact: text
        case .wildcard: "*.\(text)"
        case .unnamed: nil
        }
    }
}
