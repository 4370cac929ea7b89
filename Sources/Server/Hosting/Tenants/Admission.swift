// Decides which new versions of app files replace the last good ones. An entry that is live is never removed silently, because
// phones have cached it. Nothing here reads the disk.

import Association
import TLS

/// The decisions of one round about app files, and which hosts they affect.
struct Admission {
    /// The state before the round.
    let memory: TenantMemory
    let source: AppSource
    let scan: Scan
    /// The contents of versions, as far as they are in memory.
    private(set) var versions: [AppVersion: LoadedAppFile]
    /// The candidates that do not come into service, with the reason.
    private(set) var verdicts: [String: Verdict] = [:]
    /// What has been decided about candidates, as findings.
    private var findings: [String: [Finding]] = [:]
    /// Hosts that cannot be rendered although no candidate caused it; they stay unchanged.
    private(set) var unrenderable: Set<String> = []

    /// Why a candidate is not admitted.
    struct Verdict: Sendable {
        var state: AppRecord.State
        /// How many live entries it would have removed.
        var guardedCount: Int?
        /// The hosts whose changes can change the verdict.
        var awaitedHosts: Set<String> = []
    }

    init(_ scan: Scan, knowing memory: TenantMemory, source: AppSource) {
        (self.scan, self.memory, self.source, versions) = (scan, memory, source, scan.versions)
    }

    /// Whether the version on disk, or the deletion, takes effect.
    func isAdmitted(_ path: String) -> Bool {
        guard let candidate = scan.candidates[path] else { return false }
        return !candidate.isBroken && verdicts[path] == nil
    }

    private func verdict(on path: String) -> Verdict? {
        verdicts[path] ?? (scan.candidates[path]?.isBroken == true ? Verdict(state: .broken) : nil)
    }

    /// Holds candidates that remove live entries. A verdict brings the old version back, which can only increase what is held; so
    /// the loop ends.
    mutating func guardRemovals() {
        let paths = scan.candidates.filter { !$0.value.removed.isEmpty }.keys.sorted()
        var isSettled = false
        while !isSettled {
            isSettled = true
            for path in paths where isAdmitted(path) {
                let removed = entriesRemoved(by: path)
                guard !removed.isEmpty, let candidate = scan.candidates[path] else { continue }
                let finding = finding(about: removed, at: path, candidate)
                if !candidate.findings.contains(finding), findings[path]?.contains(finding) != true {
                    findings[path, default: []].append(finding)
                }
                guard candidate.removalGuard == .block else { continue }
                verdicts[path] = Verdict(
                    state: candidate.isGone ? .gone : .held, guardedCount: removed.count,
                    awaitedHosts: Set(removed.map(\.host)))
                isSettled = false
            }
        }
    }

    /// The live entries that a candidate removes, without those that another file has or retires.
    private mutating func entriesRemoved(by path: String) -> Set<LiveIdentity> {
        guard let candidate = scan.candidates[path] else { return [] }
        var removed = candidate.removed
        for other in Set(removed.map(\.host)).flatMap({ paths(naming: $0) }) where other != path {
            guard let app = app(version(of: other))?.appFile else { continue }
            removed.subtract(keptOrRetiredBy: app)
        }
        if candidate.isGone, scan.retired.files[path] != nil { return [] }
        return removed.subtracting(scan.retired.identities)
    }

    private func finding(about removed: Set<LiveIdentity>, at path: String, _ candidate: Scan.Candidate) -> Finding {
        let file = source.file(path)
        let isBlocked = candidate.removalGuard == .block
        let subject =
            candidate.isGone ? "the app file was deleted while it was live" : "this version removes live entries"
        let outcome =
            switch (isBlocked, candidate.isGone) {
            case (false, _): "phones may use the cached version for up to a week"
            case (true, true): "its last good version is still served"
            case (true, false): "none of the change is published, and the last good version is still served"
            }
        let retirement = LiveIdentity.retirement(of: removed, keeping: Set(candidate.hosts))
        let removal =
            source.isPublished(path)
            ? "publish it again, or publish its removal with `retire`"
            : "restore it, or run `associated retire \(file)`"
        let fix =
            candidate.isGone
            ? removal
            : "restore the entries, or add `\(retirement)` to the file"
        return Finding(
            rule: .app042, severity: isBlocked ? .error : .warning, file: file, range: nil,
            message: "\(subject) (\(LiveIdentity.summary(removed))); \(outcome)", fix: isBlocked ? fix : nil)
    }

    /// Rejects the candidates that cause live hosts to fail: a file is published completely or not at all. Returns whether any
    /// was rejected, so that the hosts are rendered again without it.
    /// - Parameter failures: the hosts that cannot be rendered, with the findings.
    mutating func reject(_ failures: [String: [Finding]]) -> Bool {
        var isAgain = false
        unrenderable = []
        for (host, reasons) in failures.sorted(by: { $0.key < $1.key }) {
            let names = Set([host] + HostName.wildcards(over: host))
            let culprits = scan.candidates.keys.filter { path in
                isAdmitted(path)
                    && !(names.isDisjoint(with: scan.candidates[path]?.hosts ?? [])
                        && names.isDisjoint(with: memory.appFiles[path]?.good?.hosts ?? []))
            }
            if culprits.isEmpty { unrenderable.insert(host) }
            // A file that was already held or refused must not cause another file's change to be rejected.
            let waiting = culprits.filter { !scan.changed.contains($0) }
            for path in waiting.isEmpty ? culprits : waiting {
                verdicts[path] = Verdict(state: .refused, awaitedHosts: names)
                findings[path, default: []] += reasons
                isAgain = true
            }
        }
        return isAgain
    }

    /// The app files that name a host, sorted.
    func paths(naming host: String) -> [String] {
        var paths = memory.appFiles.paths(naming: host).filter { path in
            !isAdmitted(path) || scan.candidates[path]?.hosts.contains(host) == true
        }
        guard let new = scan.pathsByHost[host] else { return paths }
        for path in new where !paths.contains(path) && isAdmitted(path) { paths.append(path) }
        return paths.count > 1 ? paths.sorted() : paths
    }

    /// The version of a file that takes effect in this round.
    func version(of path: String) -> AppVersion { AppVersion(path: path, isNew: isAdmitted(path)) }

    func good(_ version: AppVersion) -> AppRecord.GoodVersion? {
        version.isNew ? scan.candidates[version.path]?.good : memory.appFiles[version.path]?.good
    }

    /// The content of a version; nil if there is none or this program cannot read it.
    private mutating func app(_ version: AppVersion) -> LoadedAppFile? {
        if let known = versions[version] { return known }
        let app = good(version).flatMap { source.load($0, at: version.path) }
        versions[version] = app
        return app
    }

    func folder(of host: String) -> FolderRecord { scan.folders[host] ?? memory.folders[host] ?? FolderRecord() }

    /// The hosts to be rendered in this round.
    var concernedHosts: Set<String> {
        var hosts = scan.hosts
        for (path, candidate) in scan.candidates where isAdmitted(path) {
            let old = memory.appFiles[path]?.good
            for names in [candidate.hosts, candidate.otherHosts, old?.hosts ?? [], old?.otherHosts ?? []] {
                hosts.formUnion(names)
            }
        }
        // A host that has only files of its own is served them in addition to the site of the wildcard above it.
        if hosts.contains(where: { $0.hasPrefix("*.") }) {
            for host in Set(memory.folders.keys).union(scan.folders.keys)
            where folder(of: host).wellKnown != nil && paths(naming: host).isEmpty {
                if HostName.wildcards(over: host).contains(where: hosts.contains) { hosts.insert(host) }
            }
        }
        return hosts
    }

    /// Held and refused files that this round may release: those that wait for a host whose files, folder or apps have changed,
    /// or for a host that a changed file waited for. They are read in later rounds, so no change waits for them. All other
    /// waiting files cost nothing.
    var waiting: Set<String> {
        memory.appFiles.paths(awaiting: scan.awaitedHosts.union(concernedHosts)).subtracting(scan.examined)
    }

    /// The decisions as a value that holds no reference to the old state, which is about to change.
    mutating func decision() -> Decision {
        var decision = Decision(scan: scan, unrenderable: unrenderable, waiting: waiting)
        for path in scan.candidates.keys {
            decision.scan.note(findings[path] ?? [], about: path)
            decision.verdicts[path] = verdict(on: path)
            let added = added(by: path)
            if !added.isEmpty { decision.added[path] = added }
            if scan.candidates[path]?.hasNewLanding == true, isAdmitted(path) {
                decision.hostsWithNewLanding.formUnion(scan.candidates[path]?.hosts ?? [])
            }
        }
        return decision
    }

    /// The entries that a candidate makes live and that no file had live before.
    private mutating func added(by path: String) -> Set<LiveIdentity> {
        guard isAdmitted(path), var added = scan.candidates[path]?.added else { return [] }
        for other in Set(added.map(\.host)).flatMap({ memory.appFiles.paths(naming: $0) }) where other != path {
            if added.isEmpty { break }
            if let known = app(AppVersion(path: other, isNew: false)) {
                added.subtract(LiveIdentity.all(of: known.appFile))
            }
        }
        return added
    }
}

/// The outcome of a round before anything is changed: what was read, and what was decided about it. The commit applies it.
struct Decision {
    var scan: Scan
    /// The candidates that do not come into service.
    var verdicts: [String: Admission.Verdict] = [:]
    /// Hosts that stay unchanged because they cannot be rendered.
    var unrenderable: Set<String>
    /// Files to read in a later round.
    var waiting: Set<String>
    /// The entries that each file makes live and that were not live before.
    var added: [String: Set<LiveIdentity>] = [:]
    /// Hosts of files whose landing page has changed.
    var hostsWithNewLanding: Set<String> = []

    /// The findings on app files, sorted by path. Those on an unchanged file are not repeated because something else has changed.
    func appFindings(knowing openFindings: OpenFindings, in source: AppSource) -> [Finding] {
        var findings = scan.appFindings
        let telling = scan.candidates.filter { !$0.value.findings.isEmpty }
        for (path, candidate) in telling.sorted(by: { $0.key < $1.key }) {
            let kept = candidate.findings.prefix(AppFindings.ofFileMax)
            if !scan.filesToReport.contains(path), let known = openFindings.files[path], known.elementsEqual(kept) {
                continue
            }
            findings += candidate.findings.map { (path, $0) }
        }
        return AppFindings.shortened(findings, in: source)
    }
}
