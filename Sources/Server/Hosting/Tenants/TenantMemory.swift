// What the control plane remembers between rounds: app files, folders and open findings. It changes only at the end of a round, but for new owners.

import Association
import Posix

struct TenantMemory: Sendable {
    var appFiles = AppFileIndex()
    /// By host, if it has folders.
    var folders: [String: FolderRecord] = [:]
    /// Marks of the pages for all hosts.
    var defaultsMark: UInt64?
    /// By host, the files that it was rendered from since the start, so that unchanged ones need not be read again.
    var knownFiles: [String: KnownFiles] = [:]
    /// Hosts that keep their last good version because the present one cannot be rendered.
    var unrenderable: Set<String> = []
    /// Hosts with a signed document.
    var signed: Set<String> = []
    /// Warnings and notes about what hosts with several app files, or files of their own, are served.
    var hostWarnings: [String: AppRecord.WarningCounts] = [:]
    var openFindings = OpenFindings()
    private var retired = RetiredFiles()
    /// The entries that the removal guard does not protect yet.
    var recent = RecentIdentities()
    /// Whether a verifier has fetched a host since a time, in seconds since 1970. If unknown, it counts as fetched.
    var wasFetched: (@Sendable (_ host: String, _ sinceSeconds: Int64) -> Bool)?

    /// Hosts with errors; rendered again when findings are to be repeated, and at each start.
    var hostsWithFindings: Set<String> { unrenderable.union(openFindings.hosts.keys) }

    /// Whether the guard allows a file to remove a live entry.
    func mayRemove(_ identity: LiveIdentity, from path: String, at now: Int64) -> Bool {
        recent.mayRemove(identity, from: path, at: now) { wasFetched?($0, $1) ?? true }
    }

    /// Loads the records of a previous process.
    mutating func restore(_ records: TenantRecords) {
        appFiles.reserve(records.apps.count)
        for (path, record) in records.apps { appFiles.put(record, at: path) }
        for (host, record) in records.folders { folders[host] = record }
        (unrenderable, signed, hostWarnings) = (records.hostsToRender, records.signed, records.hostWarnings)
    }

    /// Removes last good versions and returns the hosts that they named.
    mutating func forgetGood(where isWrong: (_ path: String, AppRecord.GoodVersion) -> Bool) -> Set<String> {
        var hosts: Set<String> = []
        for (path, record) in appFiles.records {
            guard let good = record.good, isWrong(path, good) else { continue }
            hosts.formUnion(good.hosts + good.otherHosts)
            appFiles.put(AppRecord(mark: nil, state: .broken, good: nil), at: path)
        }
        return hosts
    }

    /// Removes everything except the last good versions: another program version may judge the rest differently.
    mutating func keepOnlyTexts() {
        var texts = AppFileIndex()
        texts.reserve(appFiles.records.count)
        for (path, record) in appFiles.records where record.good != nil {
            texts.put(AppRecord(mark: nil, state: record.state, good: record.good), at: path)
        }
        let fetched = wasFetched
        self = TenantMemory()
        (appFiles, wasFetched) = (texts, fetched)
    }

    /// Applies what was read and decided about app files and folders.
    mutating func apply(_ decision: Decision) {
        let scan = decision.scan
        let now = Clock.wallSeconds()
        for (path, added) in decision.added { recent.note(added, of: path, at: now) }
        for path in scan.forgotten { put(nil, at: path) }
        for (path, mark) in scan.unchanged {
            guard var record = appFiles[path] else { continue }
            (record.mark, record.state, record.awaitedHosts) = (mark, .current, [])
            put(record, at: path)
        }
        appFiles.reserve(scan.candidates.count)
        for (path, candidate) in scan.candidates {
            guard let verdict = decision.verdicts[path] else {
                let warningCounts = AppRecord.WarningCounts(candidate.findings)
                put(
                    candidate.good.map {
                        AppRecord(mark: candidate.mark, state: .current, good: $0, warningCounts: warningCounts)
                    }, at: path)
                continue
            }
            let mark = verdict.state == .gone ? nil : candidate.mark
            let known = appFiles[path]
            put(
                AppRecord(
                    mark: mark, state: verdict.state, good: known?.good, awaitedHosts: verdict.awaitedHosts,
                    warningCounts: known?.warningCounts ?? .init()), at: path)
            openFindings.files[path] = Array(candidate.findings.prefix(AppFindings.ofFileMax))
            openFindings.guarded[path] = verdict.guardedCount
            openFindings.publishedDigests[path] = candidate.publishedDigest
            let named = candidate.brokenHosts + candidate.hosts
            openFindings.namedHosts[path] = named.isEmpty ? nil : named
        }
        for (host, record) in scan.folders { folders[host] = record.isEmpty ? nil : record }
        (openFindings.appFolders, openFindings.hostsFolder) = (scan.unusableFolders, scan.hostsFolderFinding)
        defaultsMark = scan.defaultsMark
        retired = scan.retiredFiles ?? retired
    }

    /// Notes the retired files that permit the removal of a live app file in advance.
    mutating func noteUnguarded(in source: AppSource) {
        let known = openFindings.unguarded
        // The manager leaves there what a release has replaced, after a guard of its own.
        let files = retired.files.filter { path, _ in
            !source.isPublished(path) && appFiles[path].map { $0.state != .gone } ?? false
        }
        openFindings.unguarded = Dictionary(
            uniqueKeysWithValues: files.compactMap { path, file in
                let finding =
                    known[path]
                    ?? Finding(
                        rule: .cfg012, severity: .warning, file: file, range: nil,
                        message: "a live app file has the same name, so the removal guard does not protect it",
                        fix: "remove \(file)")
                return source.lint.apply(to: [finding], alsoIgnoring: [], keepsErrors: true).first.map { (path, $0) }
            })
    }

    private mutating func put(_ record: AppRecord?, at path: String) {
        appFiles.put(record, at: path)
        (openFindings.files[path], openFindings.guarded[path], openFindings.namedHosts[path]) = (nil, nil, nil)
        openFindings.publishedDigests[path] = nil
    }

    mutating func apply(_ outcome: RenderedSite, of host: String, isUnrenderable: Bool) {
        if outcome.isSigned { signed.insert(host) } else { signed.remove(host) }
        if isUnrenderable {
            unrenderable.insert(host)
            openFindings.hosts[host] = outcome.reasons
            return
        }
        unrenderable.remove(host)
        // An error means that a file is not served, or another answer is served instead.
        let errors = outcome.findings.filter { $0.severity == .error }
        openFindings.hosts[host] = errors.isEmpty ? nil : errors
        let warningCounts = AppRecord.WarningCounts(outcome.findings)
        hostWarnings[host] = warningCounts == .init() ? nil : warningCounts
        knownFiles[host] = outcome.known.isEmpty ? nil : outcome.known
    }
}
