// The certificate survey checks the certificates of all served hosts, whether clients ask for them or not, with the same search
// order as a handshake. It reads files that have changed since the last survey. Decoded certificates stay in memory for the first
// thousand hosts, and for those that handshakes use. The disk may be slow, so it has a thread of its own.

import Posix
import Synchronization
import TLS

/// What has to be surveyed again.
public struct SurveyOutcome: Sendable {
    /// Folders whose files may be in the process of being replaced.
    public internal(set) var unsettled: [String] = []
    /// Whether a complete survey is needed, because no host may need a shared certificate any more.
    public internal(set) var wantsEverything = false
}

extension CertificateStore {
    /// Checks the certificates of all configured hosts (`*.example.com` for a wildcard), and drops those that no host needs.
    /// - Parameters:
    ///   - repeats: whether open problems are reported again.
    ///   - between: called between two hosts, for what is more urgent.
    public func survey(
        _ hosts: some Sequence<String>, repeats: Bool = false, between: () -> Void = {}
    ) -> SurveyOutcome {
        var round = SurveyRound()
        listFolders()
        register.begin()
        for host in hosts {
            between()
            survey(host, &round)
        }
        // The certificate for clients that send no name is optional, so it is not a problem if it is missing.
        let fallback = CertificateFolder.fallback
        if register.entry(fallback.name) != nil || loader.exists(fallback) { _ = look(fallback, &round) }
        for name in register.unreached() {
            let folder = CertificateFolder(name: name)
            // A name below a served wildcard may have a folder of its own.
            if isServed(folder), look(folder, &round) != .absent { continue }
            forget(name)
        }
        dropUnreached()
        kept?.removeAll { register.entry($0) != nil }
        register.note(overriding: loader.overriding().filter(isServed).map(\.name), repeats: repeats)
        register.end(repeats: repeats)
        return round.outcome
    }

    /// The same for some hosts or folders.
    /// - Parameter isConfigured: whether this is the configured name of a host.
    public func survey(only names: some Sequence<String>, isConfigured: (String) -> Bool) -> SurveyOutcome {
        var round = SurveyRound()
        for name in names {
            let folder = CertificateFolder(host: name)
            if let host = folder.host, isConfigured(host) {
                survey(host, &round)
                continue
            }
            // Folders that other hosts use, and those of names below a wildcard.
            if isNeeded(folder), look(folder, &round) != .absent { continue }
            let isShared = CertificateOrder.candidates(for: folder.host ?? "").contains { candidate in
                guard case .folder(let shared) = candidate else { return false }
                return register.entry(shared.name)?.names != nil
            }
            if isShared { round.outcome.wantsEverything = true }
            forget(folder.name)
        }
        return round.outcome
    }

    private func forget(_ name: String) {
        register.drop(name)
        kept?.remove(CertificateFolder(name: name))
        let key = Array(name.utf8)
        cache.withLock { $0.remove(key.span) }
    }

    /// Drops the certificates in memory that no served host needs. Workers need the same lock, so it is released in between.
    private func dropUnreached() {
        for name in cache.withLock({ $0.names }) {
            if register.entry(String(decoding: name, as: UTF8.self)) != nil { continue }
            cache.withLock { $0.remove(name.span) }
        }
    }
}

/// The state of one survey.
struct SurveyRound {
    var outcome = SurveyOutcome()
    /// The results for shared folders in this round.
    var shared: [String: SurveyLook] = [:]

    /// How many results are kept; further shared folders are checked again for each host.
    static let sharedMax = 4_096
}

enum SurveyLook {
    case absent
    case present
    /// The files may be in the process of being replaced.
    case unsettled
}

extension CertificateStore {
    private func survey(_ host: String, _ round: inout SurveyRound) {
        let candidates = CertificateOrder.candidates(for: host)
        let own = CertificateFolder(host: host)
        for candidate in candidates {
            switch candidate {
            case .development: if isDevelopmentHost(host) { return register.remove(own.name) }
            case .folder(let folder):
                switch look(folder, &round) {
                case .absent: continue
                case .unsettled: return
                case .present:
                    if folder != own { noteCoverage(of: host, own, by: folder) }
                    return
                }
            }
        }
        let file = loader.path(of: own)
        note(.missing, CertificateCoverage.missing(host: host, file: file, isOrdered: isOrdered(host)), own)
    }

    /// Records whether the certificate of another folder covers a host.
    private func noteCoverage(of host: String, _ own: CertificateFolder, by folder: CertificateFolder) {
        if let names = register.entry(folder.name)?.names, !names.isEmpty,
            let problem = CertificateCoverage.problem(host: host, names: names, file: loader.path(of: folder))
        {
            note(.broken, problem, own)
        } else {
            register.remove(own.name)
        }
    }

    private func note(_ state: CertificateState, _ problem: CertificateProblem, _ own: CertificateFolder) {
        register.note(own, CertificateStatus(state, problem), stamp: nil, now: Clock.wallSeconds())
    }

    private func look(_ folder: CertificateFolder, _ round: inout SurveyRound) -> SurveyLook {
        let isShared = folder.host?.hasPrefix("*.") ?? true
        if isShared, let known = round.shared[folder.name] { return known }
        let found = lookIfChanged(folder)
        if found == .unsettled { round.outcome.unsettled.append(folder.name) }
        if isShared, round.shared.count < SurveyRound.sharedMax { round.shared[folder.name] = found }
        return found
    }

    private func lookIfChanged(_ folder: CertificateFolder) -> SurveyLook {
        let key = Array(folder.name.utf8)
        let milliseconds = Clock.monotonicMilliseconds()
        // A certificate in memory is compared as for a handshake.
        if let (record, isDue) = cache.withLock({ $0.record(key.span, now: milliseconds) }) {
            // Unsettled files that have not changed are checked again only after the same time as for handshakes.
            if !isDue, record.isUnsettled, record.refused?.stamp == loader.stamp(of: folder) {
                register.keep(folder.name)
                return .unsettled
            }
            guard case .present(let record) = check(folder, forSurvey: true) else { return .absent }
            return note(record, of: folder)
        }
        let known = register.entry(folder.name)
        func isSettled(_ stamp: Int?) -> Bool {
            register.isSettled(folder.name, stamp: stamp, milliseconds: milliseconds, after: limits.recheckMilliseconds)
        }
        let stamp = loader.stamp(of: folder)
        if let stamp, let known, isStillTrue(known, stamp, folder) {
            register.keep(folder.name)
            return .present
        }
        // Keep it in memory, so that it remains in service after a bad renewal, even if no client has needed it.
        let isNew = stamp != nil && known?.hasFiles != true
        if kept?.has(folder) == true || isNew && admitsSurveyed(key, folder),
            case .present(let record) = check(folder, forSurvey: true)
        {
            return note(record, of: folder)
        }
        if stamp != nil, case .found(let stamp, let content) = loader.compare(folder, with: nil) {
            let status = CertificateStatus(content, host: folder.host)
            // Files are replaced one after the other.
            if status.state == .broken, let known, known.stamp != stamp, !isSettled(stamp) { return .unsettled }
            register.note(folder, status, stamp: stamp, now: Clock.wallSeconds())
            return .present
        }
        // The folder may be in the process of being replaced.
        return known?.hasFiles == true && !isSettled(nil) ? .unsettled : .absent
    }

    private func admitsSurveyed(_ key: [UInt8], _ folder: CertificateFolder) -> Bool {
        guard limits.surveyedMax > 0 else { return false }
        let tenant = tenant(of: folder)
        return cache.withLock { $0.admitSurveyed(key.span, tenant) }
    }

    private func note(_ record: CertificateRecord, of folder: CertificateFolder) -> SurveyLook {
        updateRegister(record, of: folder)
        if record.isUnsettled { return .unsettled }
        // Only here, because the disk may be slow, and clients must not wait for it.
        if let good = record.lastGood {
            kept?.keep(good, of: folder)
            let hash = HostName.hash(Array(folder.name.utf8).span)
            cache.withLock { $0.presence.note(hash, exists: true) }
        } else {
            kept?.remove(folder)
        }
        return .present
    }

    /// Whether unchanged files need not be read again.
    private func isStillTrue(_ known: CertificateRegister.Entry, _ stamp: Int, _ folder: CertificateFolder) -> Bool {
        guard known.stamp == stamp, known.base != .lastGood else { return false }
        return known.base == .usable
            || !register.problems(of: folder.name).contains { $0.problem.isWorthAnotherReading }
    }
}
