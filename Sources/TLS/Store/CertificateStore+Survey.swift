// A look at the certificates of all served hosts, whether a client asks for them or not. It takes the same order as a handshake.
// Files are read where they are not those of the last survey; what was read is kept for the first thousand hosts, and where a
// handshake has brought it into memory. Takes as long as the disk does, so it has a thread of its own.

import Posix
import Synchronization

/// What a survey has left to be looked at again.
public struct SurveyOutcome: Sendable {
    /// Folders whose files were in the middle of being replaced, as far as one look can tell.
    public internal(set) var unsettled: [String] = []
    /// Whether a certificate for several hosts may have lost the last of them, which a survey of everything finds out.
    public internal(set) var wantsEverything = false
    /// Whether it came to its end.
    public internal(set) var isWhole = true

    public init() {}
}

extension CertificateStore {
    /// Looks at the certificates of all served hosts, wildcards with their asterisk. What none of them needs is forgotten.
    /// - Parameters:
    ///   - repeats: whether what goes on to stand is news again.
    ///   - isWanted: asked between two hosts; false ends the survey. What it has found until then stays.
    public func survey(
        _ hosts: some Sequence<String>, repeats: Bool = false, while isWanted: () -> Bool = { true }
    ) -> SurveyOutcome {
        var round = SurveyRound(number: register.begin())
        for host in hosts {
            if !isWanted() {
                round.outcome.isWhole = false
                return round.outcome
            }
            survey(host, &round)
        }
        // Clients that name no host are shown this one, and need not be: it is no fault while it cannot be looked for.
        let fallback = CertificateFolder.fallback
        if register.entry(fallback.name) != nil || loader.exists(fallback) { _ = look(fallback, &round) }
        for name in register.unreached() {
            let folder = CertificateFolder(name: name)
            // Names below a wildcard that is served may have a folder of their own.
            if isServed(folder), look(folder, &round) != .absent { continue }
            forget(name)
        }
        dropUnreached()
        register.end(repeats: repeats)
        return round.outcome
    }

    /// The same for some hosts, or folders that are named instead of them.
    /// - Parameter isConfigured: whether a host is served under just this name.
    public func survey(only names: some Sequence<String>, isConfigured: (String) -> Bool) -> SurveyOutcome {
        var round = SurveyRound()
        for name in names {
            let folder =
                name.hasPrefix("*.")
                ? CertificateFolder(wildcardOver: String(name.dropFirst(2))) : CertificateFolder(name: name)
            if let host = folder.host, isConfigured(host) {
                survey(host, &round)
                continue
            }
            // Those that others rely on, and those of names below a wildcard.
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

    /// Has time judge all certificates, without a look at any file.
    public func judge(now: Int64) { register.judge(now) }

    private func forget(_ name: String) {
        register.drop(name)
        let key = Array(name.utf8)
        cache.withLock { $0.folders.remove(key.span, hash: HostKey.hash(key.span)) }
    }

    /// Drops the certificates in memory that no served host needs. Workers wait for the lock meanwhile, so it is let go every now
    /// and then; an entry that moves at such a moment stays until the next survey.
    private func dropUnreached() {
        var place = 0
        while true {
            let names = cache.withLock { cache in
                let count = cache.folders.count
                return place < count ? (place..<min(place + 256, count)).map { cache.folders.name($0) } : []
            }
            if names.isEmpty { return }
            let dropped = names.filter { register.entry(String(decoding: $0, as: UTF8.self)) == nil }
            for name in dropped {
                cache.withLock { $0.folders.remove(name.span, hash: HostKey.hash(name.span)) }
            }
            place += names.count - dropped.count
        }
    }
}

/// What one survey carries from host to host.
struct SurveyRound {
    /// Nil where it is not one of everything.
    var number: Int32?
    var outcome = SurveyOutcome()
    /// Folders that several hosts share, and what was found in them in this round.
    var shared: [String: SurveyLook] = [:]

    /// Names below very many different parents are looked at again and again instead of being kept.
    static let sharedMax = 4_096
}

enum SurveyLook {
    case absent
    case present
    /// In the middle of being replaced.
    case unsettled
}

extension CertificateStore {
    private func survey(_ host: String, _ round: inout SurveyRound) {
        let candidates = CertificateOrder.candidates(for: host)
        guard case .folder(let own)? = candidates.first else { return }
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
        noteMissing(own, CertificateCoverage.missing(host: host, file: loader.path(of: own)))
    }

    /// Whether the certificate of another folder is for a host at all.
    private func noteCoverage(of host: String, _ own: CertificateFolder, by folder: CertificateFolder) {
        if let names = register.entry(folder.name)?.names, !names.isEmpty,
            let problem = CertificateCoverage.problem(host: host, names: names, file: loader.path(of: folder))
        {
            register.note(own, CertificateStanding(.broken, problem), stamp: nil, now: Clock.wallSeconds())
        } else {
            register.remove(own.name)
        }
    }

    private func noteMissing(_ own: CertificateFolder, _ problem: CertificateProblem) {
        register.note(own, CertificateStanding(.missing, problem), stamp: nil, now: Clock.wallSeconds())
    }

    private func look(_ folder: CertificateFolder, _ round: inout SurveyRound) -> SurveyLook {
        let isShared = folder.host?.hasPrefix("*.") ?? true
        if isShared, let known = round.shared[folder.name] { return known }
        let found = lookAgain(folder)
        if found == .unsettled { round.outcome.unsettled.append(folder.name) }
        if isShared, round.shared.count < SurveyRound.sharedMax { round.shared[folder.name] = found }
        return found
    }

    private func lookAgain(_ folder: CertificateFolder) -> SurveyLook {
        let key = Array(folder.name.utf8)
        let milliseconds = Clock.monotonicMilliseconds()
        // Whatever handshakes use is compared as for a handshake.
        if let record = cache.withLock({ $0.record(key.span) }) {
            // Files that were seen being replaced, and are the same, are given the time that they are given by handshakes.
            let isEarly = milliseconds - record.checkedMilliseconds < limits.recheckMilliseconds
            if isEarly, record.isUnsettled, record.refused?.stamp == loader.stamp(of: folder) {
                register.keep(folder.name)
                return .unsettled
            }
            cache.withLock { $0.invalidate(key.span) }
            // Not in service any more: that was settled.
            if case .absent = look(into: folder, .slow) { return .absent }
            if let record = cache.withLock({ $0.record(key.span) }) {
                note(record, folder)
                return record.isUnsettled ? .unsettled : .present
            }
        }
        let known = register.entry(folder.name)
        func isSettled(_ stamp: Int?) -> Bool {
            register.isSettled(
                folder.name, stamp: stamp, milliseconds: milliseconds, after: limits.recheckMilliseconds)
        }
        if let stamp = loader.stamp(of: folder) {
            if let known, isStillTrue(known, stamp, folder) {
                register.keep(folder.name)
                return .present
            }
            // So that a bad renewal has a last good version to fall back on, whether a client has asked or not.
            let hasRoom = cache.withLock { $0.folders.count < limits.surveyedMax }
            if known == nil, hasRoom, case .found = look(into: folder, .slow),
                let record = cache.withLock({ $0.record(key.span) })
            {
                note(record, folder)
                return .present
            }
            if case .look(.found(let stamp, let content)) = loader.look(into: folder, known: nil, .slow) {
                let standing = CertificateStanding(content, host: folder.host)
                // Files are put in place one after the other.
                if standing.state == .broken, let known, known.stamp != stamp, !isSettled(stamp) { return .unsettled }
                register.note(folder, standing, stamp: stamp, now: Clock.wallSeconds())
                return .present
            }
        }
        // Folders are moved away and others put in their place.
        return known?.hasFiles == true && !isSettled(nil) ? .unsettled : .absent
    }

    /// Whether files in the same state need not be read again.
    private func isStillTrue(_ known: CertificateRegister.Entry, _ stamp: Int, _ folder: CertificateFolder) -> Bool {
        guard known.stamp == stamp, known.base != .lastGood else { return false }
        return known.base == .usable
            || !register.problems(of: folder.name).contains { $0.problem.isWorthAnotherReading }
    }
}
