// Which of the new versions of app files take the place of the last good ones. What is live is not dropped in silence: phones
// have cached it and cannot be told. Nothing here looks at the disk.

import Association
import Posix

/// What is decided about the app files of a round, and what follows from it for hosts.
struct Admission {
    /// As it was before the round.
    let memory: TenantMemory
    let source: AppSource
    var scan: Scan
    /// The candidates that do not become the version in service.
    private(set) var verdicts: [String: Verdict] = [:]
    /// Hosts that stay as they are because they cannot be made and no candidate is to blame.
    private(set) var stale: Set<String> = []

    /// Why a candidate is not admitted.
    struct Verdict: Sendable {
        var standing: AppRecord.Standing
        /// How many live facts it would have dropped.
        var guardedCount: Int?
        /// The hosts that decided about it.
        var awaited: Set<String> = []
    }

    init(_ scan: Scan, knowing memory: TenantMemory, source: AppSource) {
        (self.scan, self.memory, self.source) = (scan, memory, source)
    }

    /// Whether the version on disk is the one in service from now on, or its end.
    func isAdmitted(_ path: String) -> Bool {
        guard let candidate = scan.candidates[path] else { return false }
        return !candidate.isBroken && verdicts[path] == nil
    }

    private func verdict(on path: String) -> Verdict? {
        verdicts[path] ?? (scan.candidates[path]?.isBroken == true ? Verdict(standing: .broken) : nil)
    }

    /// Holds candidates that drop what is live. What another file has taken over is not dropped, so a verdict, which brings
    /// back what was there, may lead to another one, and never to fewer.
    mutating func guardRemovals() {
        let paths = scan.candidates.filter { !$0.value.removed.isEmpty }.keys.sorted()
        var isSettled = false
        while !isSettled {
            isSettled = true
            for path in paths where isAdmitted(path) {
                let removed = entriesRemoved(by: path)
                guard !removed.isEmpty, let candidate = scan.candidates[path] else { continue }
                let finding = finding(about: removed, at: path, candidate)
                if !candidate.findings.contains(finding) { scan.note([finding], about: path) }
                guard candidate.removalGuard == .block else { continue }
                verdicts[path] = Verdict(
                    standing: candidate.isGone ? .gone : .held, guardedCount: lost.count,
                    awaited: Set(lost.map(\.host)))
                isSettled = false
            }
        }
    }

    /// What a candidate drops and no other file has or has retired.
    private mutating func lost(with path: String) -> Set<LiveIdentity> {
        guard let candidate = scan.candidates[path] else { return [] }
        var lost = candidate.dropped
        for other in Set(lost.map(\.host)).flatMap({ namers(of: $0) }) where other != path {
            guard let app = app(version(of: other))?.appFile else { continue }
            lost.subtract(LiveIdentity.all(of: app))
            // Whoever has the host now may say as well that something on it is gone on purpose.
            let hosts = Set(app.hosts.map(\.text))
            removed = removed.filter { !hosts.contains($0.host) || !$0.isRetired(by: app.retired) }
        }
        if candidate.isGone, scan.retired.paths.contains(path) { return [] }
        return removed.subtracting(scan.retired.identities)
    }

    private func finding(about removed: Set<LiveIdentity>, at path: String, _ candidate: Scan.Candidate) -> Finding {
        let file = source.file(path)
        let isBlocked = candidate.removalGuard == .block
        let subject =
            candidate.isGone ? "the app file was removed while it is live" : "this version drops what is live"
        let outcome =
            isBlocked
            ? "none of the change is published, and the last good version is still served"
            : "phones may use what they have cached for a week"
        let fix =
            candidate.isGone
            ? "restore it, or run `associated retire \(file)`"
            : "restore it, or add `\(LiveIdentity.retirement(of: removed, keeping: Set(candidate.hosts)))` to the file"
        return Finding(
            rule: .app042, severity: isBlocked ? .error : .warning, file: file, range: nil,
            message: "\(subject) (\(LiveIdentity.summary(removed))); \(outcome)", fix: isBlocked ? fix : nil)
    }

    /// Rejects the candidates that are to blame for live hosts which cannot be made: a file is in service as a whole or not
    /// at all. True when there were any, so that hosts are to be made of something else.
    /// - Parameter failures: the hosts, with what is wrong.
    mutating func reject(_ failures: [String: [Finding]]) -> Bool {
        var isAgain = false
        stale = []
        for (host, reasons) in failures.sorted(by: { $0.key < $1.key }) {
            let names = Set([host] + HostNames.wildcards(over: host))
            let culprits = scan.candidates.keys.filter { path in
                isAdmitted(path)
                    && !(names.isDisjoint(with: scan.candidates[path]?.hosts ?? [])
                        && names.isDisjoint(with: memory.ledger[path]?.good?.hosts ?? []))
            }
            if culprits.isEmpty { stale.insert(host) }
            // A file that was held back before does not take the change of another one with it.
            let waiting = culprits.filter { !scan.changed.contains($0) }
            for path in waiting.isEmpty ? culprits : waiting {
                verdicts[path] = Verdict(standing: .refused, awaited: names)
                scan.note(reasons, about: path)
                isAgain = true
            }
        }
        return isAgain
    }

    /// The files that name a host, in the order of their paths.
    func namers(of host: String) -> [String] {
        var paths = memory.ledger.paths(naming: host).filter { path in
            !isAdmitted(path) || scan.candidates[path]?.hosts.contains(host) == true
        }
        guard let new = scan.namers[host] else { return paths }
        for path in new where !paths.contains(path) && isAdmitted(path) { paths.append(path) }
        return paths.count > 1 ? paths.sorted() : paths
    }

    /// The version of a file that decides what is served.
    func version(of path: String) -> AppVersion { AppVersion(path: path, isNew: isAdmitted(path)) }

    func good(_ version: AppVersion) -> AppRecord.GoodVersion? {
        version.isNew ? scan.candidates[version.path]?.good : memory.ledger[version.path]?.good
    }

    /// What a version says; nil when it is none, or cannot be read.
    private mutating func app(_ version: AppVersion) -> LoadedAppFile? {
        if let known = scan.versions[version] { return known }
        let app = good(version).flatMap { source.load($0, at: version.path) }
        scan.versions[version] = app
        return app
    }

    func folder(of host: String) -> FolderRecord { scan.folders[host] ?? memory.folders[host] ?? FolderRecord() }

    /// The hosts that the round concerns.
    var concerned: Set<String> {
        var hosts = scan.hosts
        for (path, candidate) in scan.candidates where isAdmitted(path) {
            let old = memory.ledger[path]?.good
            for names in [candidate.hosts, candidate.otherHosts, old?.hosts ?? [], old?.otherHosts ?? []] {
                hosts.formUnion(names)
            }
        }
        // Hosts with nothing but files of their own have beside them what the wildcard above them has.
        if hosts.contains(where: { $0.hasPrefix("*.") }) {
            for host in Set(memory.folders.keys).union(scan.folders.keys)
            where folder(of: host).wellKnown != nil && namers(of: host).isEmpty {
                if HostNames.wildcards(over: host).contains(where: hosts.contains) { hosts.insert(host) }
            }
        }
        return hosts
    }

    /// The files that are held back and that this round may set free: those that wait for a host whose files, folders or apps
    /// are others now, or for a host that a file waited for which is another one now. They are looked at in rounds of their
    /// own, so that no change waits for them. All others cost nothing, however many and however large they are.
    var waiting: Set<String> {
        memory.ledger.paths(awaiting: scan.awaited.union(concerned)).subtracting(scan.read)
    }

    /// What is to be done. It holds nothing of what was known, which is about to change.
    mutating func decision() -> Decision {
        var decision = Decision(stale: stale, waiting: waiting)
        for path in scan.candidates.keys {
            decision.verdicts[path] = verdict(on: path)
            let added = added(by: path)
            if !added.isEmpty { decision.added[path] = added }
            if scan.candidates[path]?.isRelanded == true, isAdmitted(path) {
                decision.relanded.formUnion(scan.candidates[path]?.hosts ?? [])
            }
        }
        decision.scan = scan
        return decision
    }

    /// What goes live by a candidate, and was not live before by any file.
    private mutating func added(by path: String) -> Set<LiveIdentity> {
        guard isAdmitted(path), var added = scan.candidates[path]?.added else { return [] }
        for other in Set(added.map(\.host)).flatMap({ memory.ledger.paths(naming: $0) }) where other != path {
            if added.isEmpty { break }
            if let known = app(AppVersion(path: other, isNew: false)) {
                added.subtract(LiveIdentity.all(of: known.appFile))
            }
        }
        return added
    }
}

/// What a round does about what it has read.
struct Decision {
    var scan = Scan()
    /// The candidates that do not become the version in service.
    var verdicts: [String: Admission.Verdict] = [:]
    /// Hosts that stay as they are because they cannot be made.
    var stale: Set<String>
    /// Files to be looked at in another round.
    var waiting: Set<String>
    /// What goes live by each file, and was not live before.
    var added: [String: Set<LiveIdentity>] = [:]
    /// Hosts of files whose landing page is another one than before.
    var relanded: Set<String> = []

    /// What there is to say about app files, in the order of their paths. What was said of a file that stands as it stood
    /// is not said again because something else has changed.
    func appFindings(knowing troubles: TroubleBook, label: String) -> [Finding] {
        var findings = scan.appFindings
        let telling = scan.candidates.filter { !$0.value.findings.isEmpty }
        for (path, candidate) in telling.sorted(by: { $0.key < $1.key }) {
            let kept = candidate.findings.prefix(AppFindings.ofFileMax)
            if !scan.touched.contains(path), let known = troubles.files[path], known.elementsEqual(kept) { continue }
            for finding in candidate.findings { findings.append(finding, at: path) }
        }
        return findings.all(in: label)
    }
}
