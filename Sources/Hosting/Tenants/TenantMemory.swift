// What the control plane knows from one round to the next: the app files, the folders, and what is wrong with them. Changed only
// at the end of a round, from what that has decided.

import Association
import Posix

struct TenantMemory: Sendable {
    var ledger = Ledger()
    /// By host, where there is any folder.
    var folders: [String: FolderRecord] = [:]
    /// Marks of the pages that every host has.
    var defaultsSignature: UInt64?
    /// What came of the files of hosts that were made again since the start, by host: what the catalogue has of these files.
    var knownFiles: [String: KnownFiles] = [:]
    /// Hosts that keep an earlier version because the present one cannot be rendered.
    var stale: Set<String> = []
    /// Hosts with a signed document.
    var signed: Set<String> = []
    /// What there is of less than errors about what hosts of several files, or of their own, answer.
    var hostLesser: [String: AppRecord.LesserCounts] = [:]
    var troubles = TroubleBook()
    /// What the removal guard lets go of.
    var recent = RecentIdentities()
    /// Whether a verifier fetched a host since some time, in seconds since 1970. Without an answer it may have.
    var wasFetched: (@Sendable (_ host: String, _ sinceSeconds: Int64) -> Bool)?

    /// Hosts to be made again for whoever asks what is wrong, and at each start.
    var troubledHosts: Set<String> { stale.union(troubles.hosts.keys) }

    /// Whether a file may drop a live fact without asking.
    func mayDrop(_ identity: LiveIdentity, from path: String, at now: Int64) -> Bool {
        recent.mayDrop(identity, from: path, at: now) { wasFetched?($0, $1) ?? true }
    }

    /// Takes up what another process has kept.
    mutating func take(_ records: TenantRecords) {
        ledger.reserve(records.apps.count)
        for (path, record) in records.apps { ledger.put(record, at: path) }
        for (host, record) in records.folders { folders[host] = record }
        (stale, signed, hostLesser) = (records.stale, records.signed, records.hostLesser)
    }

    /// Forgets last good versions; the hosts that they named.
    mutating func forgetGood(where isWrong: (_ path: String, AppRecord.GoodVersion) -> Bool) -> Set<String> {
        var hosts: Set<String> = []
        for (path, record) in ledger.records {
            guard let good = record.good, isWrong(path, good) else { continue }
            hosts.formUnion(good.hosts + good.otherHosts)
            ledger.put(AppRecord(mark: nil, standing: .broken, good: nil), at: path)
        }
        return hosts
    }

    /// Forgets all but the last good versions: another program has looked at the rest with other eyes.
    mutating func keepOnlyTexts() {
        var texts = Ledger()
        texts.reserve(ledger.records.count)
        for (path, record) in ledger.records where record.good != nil {
            texts.put(AppRecord(mark: nil, standing: record.standing, good: record.good), at: path)
        }
        let fetched = wasFetched
        self = TenantMemory()
        (ledger, wasFetched) = (texts, fetched)
    }

    /// Takes up what was read and decided about app files and folders.
    mutating func take(_ decision: Decision) {
        let scan = decision.scan
        let now = Clock.wallSeconds()
        for (path, added) in decision.added { recent.note(added, of: path, at: now) }
        for path in scan.forgotten { put(nil, at: path) }
        for (path, mark) in scan.unchanged {
            guard var record = ledger[path] else { continue }
            (record.mark, record.standing, record.awaited) = (mark, .current, [])
            put(record, at: path)
        }
        ledger.reserve(scan.candidates.count)
        for (path, candidate) in scan.candidates {
            guard let verdict = decision.verdicts[path] else {
                let lesser = AppRecord.LesserCounts(candidate.findings)
                put(
                    candidate.good.map {
                        AppRecord(mark: candidate.mark, standing: .current, good: $0, lesser: lesser)
                    }, at: path)
                continue
            }
            let mark = verdict.standing == .gone ? nil : candidate.mark
            let good = ledger[path]?.good
            put(AppRecord(mark: mark, standing: verdict.standing, good: good, awaited: verdict.awaited), at: path)
            troubles.files[path] = Array(candidate.findings.prefix(AppFindings.ofFileMax))
            troubles.guarded[path] = verdict.guardedCount
        }
        for (host, record) in scan.folders { folders[host] = record.isEmpty ? nil : record }
        (troubles.tree, troubles.hostsFolder) = (scan.treeTroubles, scan.hostsTrouble)
        defaultsSignature = scan.defaultsSignature
    }

    private mutating func put(_ record: AppRecord?, at path: String) {
        ledger.put(record, at: path)
        (troubles.files[path], troubles.guarded[path]) = (nil, nil)
    }

    /// Takes up what came of a host.
    mutating func take(_ outcome: RenderedSite, of host: String, isStale: Bool) {
        if outcome.isSigned { signed.insert(host) } else { signed.remove(host) }
        if isStale {
            stale.insert(host)
            troubles.hosts[host] = outcome.reasons
            return
        }
        stale.remove(host)
        // Something of what there is, is not served, or by something else.
        let errors = outcome.findings.filter { $0.severity == .error }
        troubles.hosts[host] = errors.isEmpty ? nil : errors
        let lesser = AppRecord.LesserCounts(outcome.findings)
        hostLesser[host] = lesser == .init() ? nil : lesser
        knownFiles[host] = outcome.known.isEmpty ? nil : outcome.known
    }
}
