// The last part of a round: the new catalogue, what is remembered, and what there is to say.

public import Association
import Catalogue
import Posix
import TLS

extension Tenants {
    func commit(_ rendered: [String: RenderedSite], _ round: Round, rendersAllSigned: Bool) -> RoundReport {
        var report = RoundReport()
        let waiting = waiting(behind: round)
        report.findings = round.findings + findings(round)
        report.findings += round.firstFindings.sorted { $0.key < $1.key }.flatMap(\.value)
        remember(round)
        var sites: [PreparedSite] = []
        var removed: [String] = []
        var closed: [String] = []
        let isFirst = shelf.isEmpty
        signed.formUnion(round.firstSigned)
        for (host, findings) in round.firstFindings { note(findings, on: host) }
        keeping?.changedApps.formUnion(round.candidates.keys)
        keeping?.changedApps.formUnion(round.forgotten)
        // New marks alone are found by every start, but a base that is being made must not take them back.
        if isTidying { keeping?.changedApps.formUnion(round.unchanged.keys) }
        keeping?.changedFolders.formUnion(round.hosts)
        if !round.candidates.isEmpty || !rendered.isEmpty { keeping?.isDirty = true }
        let relanded = hostsWithOtherLandings(round)
        for host in rendered.keys.sorted() {
            guard let outcome = rendered[host] else { continue }
            if !outcome.isFileToBlame { report.findings += outcome.findings }
            report.hostFilesRead += outcome.readCount
            if outcome.isSigned { signed.insert(host) } else { signed.remove(host) }
            if round.stale.contains(host) {
                stale.insert(host)
                hostTroubles[host] = outcome.isFileToBlame ? nil : outcome.reasons
                continue
            }
            stale.remove(host)
            note(outcome.findings, on: host)
            // The first time all of them would be too much to remember, and most are never made again.
            if !isFirst { knownFiles[host] = outcome.known.isEmpty ? nil : outcome.known }
            let before = isFirst ? nil : shelf.tags(of: host)
            if let site = outcome.site {
                // The first ones have been put away as they were made.
                if !isFirst { sites.append(site) }
            } else if outcome.isClosed {
                closed.append(host)
                if isFirst, ledger.isNamed(host) { report.findings.append(finding(aboutUnreadable: host)) }
            } else if shelf.hasEntry(for: host) {
                removed.append(host)
                if before != nil, let finding = finding(aboutLossOf: host, round) { report.findings.append(finding) }
            }
            // At the start all of them would be new.
            if isFirst { continue }
            let change = HostChange(host: host, from: before, to: outcome.site)
            if change.isOfAnswers || relanded.contains(host) { report.changes.append(change) }
        }
        shelf.replace(
            sites, removing: removed, closing: closed, keeping: isFirst ? former?.layer(of: round.stale) : nil)
        former = nil
        if let look = round.unread { shelf.unread = UnreadHosts { look.hasFiles(ofHost: $0) } }
        if round.hasListedHosts { shelf.unread = nil }
        signer.endRound(isComplete: rendersAllSigned || isFirst)
        report.catalogue = shelf.catalogue
        report.readCount = round.read.count
        report.appCount = servedFileCount
        report.hostCount = shelf.catalogue.siteCount
        report.later = round.later
        report.later.waiting.formUnion(waiting)
        report.postponed = round.postponed
        report.keptFiles = ledger.troubled.count(where: isServed)
        report.standing = summary(keptHosts: keptHosts.count)
        report.keptHosts = report.standing.keptHosts
        let troubledFiles = allTroubledFiles
        report.mendedFiles = self.troubledFiles.subtracting(troubledFiles).sorted()
        self.troubledFiles = troubledFiles
        return report
    }

    /// What keeps something from being served at this moment, app files first, each in the order of their names: what was
    /// reported and is still so.
    public var standingFindings: [Finding] {
        var seen: Set<Finding> = []
        var (files, tree) = (AppFindings(), AppFindings())
        for (path, findings) in troubles.sorted(by: { $0.key < $1.key }) {
            for finding in findings { files.append(finding, at: path) }
        }
        for (path, finding) in treeTroubles.sorted(by: { $0.key < $1.key }) { tree.append(finding, at: path) }
        let label = "\(configPath)/apps"
        let all =
            files.all(in: label) + hostTroubles.sorted { $0.key < $1.key }.flatMap(\.value)
            + tree.all(in: label) + [hostsTrouble].compactMap { $0 }
        // The files of a wildcard are those of hosts below it too.
        return all.filter { seen.insert($0).inserted }
    }

    /// The files that these are about, those that are only counted among them.
    private var allTroubledFiles: Set<String> {
        var files: Set<String> = []
        for findings in [troubles, hostTroubles].flatMap(\.values) {
            for (index, finding) in findings.enumerated() where index == 0 || findings[index - 1].file != finding.file {
                files.insert(finding.file)
            }
        }
        files.formUnion(treeTroubles.values.map(\.file))
        if let hostsTrouble { files.insert(hostsTrouble.file) }
        return files
    }

    /// Remembers what is wrong with a host that is made of what there is: something of it is not served, or by something
    /// else.
    private func note(_ findings: [Finding], on host: String) {
        let errors = findings.filter { $0.severity == .error }
        hostTroubles[host] = errors.isEmpty ? nil : errors
        let lesser = AppRecord.LesserCounts(findings)
        hostLesser[host] = lesser == .init() ? nil : lesser
    }

    private func summary(keptHosts: Int) -> TenantsSummary {
        var summary = TenantsSummary(appFiles: servedFileCount, hosts: shelf.catalogue.siteCount)
        summary.keptHosts = keptHosts
        for path in ledger.troubled {
            guard let record = ledger[path] else { continue }
            summary.count(record.standing, isServed: isServed(path))
        }
        for finding in standingFindings { summary.count(finding.severity) }
        for counts in hostLesser.values {
            summary.standingWarnings += Int(counts.warnings)
            summary.standingNotes += Int(counts.notes)
        }
        summary.standingWarnings += ledger.lesser.warnings
        summary.standingNotes += ledger.lesser.notes
        summary.guardedEntries = guarded.values.reduce(0, +)
        return summary
    }

    /// The hosts that are served by an earlier version of something than there is on disk.
    public var keptHosts: [String] {
        Set(ledger.troubled.filter(isServed).flatMap { ledger[$0]?.good?.hosts ?? [] }).union(stale)
            .union(unreadHosts).union(unreadFiles.flatMap { ledger[$0]?.good?.hosts ?? [] }).sorted()
    }

    /// The hosts of which files of their own are live, while nobody can look at any of them.
    var unreadHosts: [String] {
        guard hostsTrouble != nil else { return [] }
        return folderRecords.filter { $0.value.wellKnown != nil }.map(\.key)
    }

    /// Whether anything is served by a file that is not what is served. A last good version may be of another program, and
    /// of no use to this one.
    private func isServed(_ path: String) -> Bool {
        guard let good = ledger[path]?.good else { return false }
        return good.hosts.isEmpty || good.hosts.contains { shelf.tags(of: $0) != nil }
    }

    private var servedFileCount: Int {
        ledger.goodCount - ledger.troubled.count { ledger[$0]?.good != nil && !isServed($0) }
    }

    /// What there is to say about app files, in the order of their paths. What was said of a file that stands as it stood
    /// is not said again because something else has changed.
    private func findings(_ round: Round) -> [Finding] {
        var findings = round.appFindings
        let telling = round.candidates.filter { !$0.value.findings.isEmpty }
        for (path, candidate) in telling.sorted(by: { $0.key < $1.key }) {
            let kept = candidate.findings.prefix(AppFindings.ofFileMax)
            if !round.touched.contains(path), let known = troubles[path], known.elementsEqual(kept) { continue }
            for finding in candidate.findings { findings.append(finding, at: path) }
        }
        return findings.all(in: "\(configPath)/apps")
    }

    /// Hosts of files whose landing page is another one than before.
    private func hostsWithOtherLandings(_ round: Round) -> Set<String> {
        var hosts: Set<String> = []
        for (path, candidate) in round.candidates {
            guard let app = candidate.accepted, let old = round.lastGood[path] else { continue }
            let isSame = app.landing?.rules == old.landing?.rules && app.landing?.segments == old.landing?.segments
            if !isSame { hosts.formUnion(candidate.hosts) }
        }
        return hosts
    }

    /// What goes live with this round, and was not live before by any file. What is there at a first start may have been live
    /// for years.
    private func noteRecent(_ given: Round) {
        if shelf.isEmpty { return }
        var round = given
        for (path, candidate) in given.candidates where candidate.rejection == nil {
            guard let app = candidate.accepted?.appFile else { continue }
            var added = LiveIdentity.all(of: app)
            for other in [path] + Set(added.map(\.host)).flatMap({ ledger.paths(naming: $0) }) {
                if added.isEmpty { break }
                if let known = lastGood(other, &round) { added.subtract(LiveIdentity.all(of: known.appFile)) }
            }
            if !added.isEmpty { recent.note(added, of: path, at: Clock.wallSeconds()) }
        }
    }

    private func remember(_ round: Round) {
        noteRecent(round)
        for (path, mark) in round.unchanged {
            guard var record = ledger[path] else { continue }
            (record.mark, record.standing, record.awaited) = (mark, .current, [])
            (troubles[path], guarded[path]) = (nil, nil)
            ledger.put(record, at: path)
        }
        for (path, candidate) in round.candidates {
            let old = ledger[path]
            troubles[path] = candidate.rejection == nil ? nil : Array(candidate.findings.prefix(AppFindings.ofFileMax))
            guarded[path] = candidate.rejection == nil ? nil : candidate.guardedCount
            if let standing = candidate.rejection {
                let mark = standing == .gone ? nil : candidate.mark
                ledger.put(
                    AppRecord(mark: mark, standing: standing, good: old?.good, awaited: candidate.awaited), at: path)
            } else if case .good(_, let good) = candidate.reading {
                var record = AppRecord(mark: candidate.mark, standing: .current, good: good)
                record.lesser = .init(candidate.findings)
                ledger.put(record, at: path)
            } else {
                ledger.put(nil, at: path)
            }
        }
    }

    /// What another program served, and this one can neither make nor keep.
    private func finding(aboutUnreadable host: String) -> Finding {
        let path = ledger.paths(naming: host).first ?? ""
        return Finding(
            rule: "APP-042", severity: .error, file: "\(configPath)/apps/\(path)", range: nil,
            message:
                "this version of the server cannot read the last good version of the app file, nor use what was made "
                + "of it, so \(host) is no longer served",
            fix: "mend the app file, or go back to the version that could")
    }

    /// A host that had only files of its own has no app file that could guard it, but its end is not silent either.
    private func finding(aboutLossOf host: String, _ round: Round) -> Finding? {
        guard round.hosts.contains(host), !ledger.isElsewhere(host) else { return nil }
        return Finding(
            rule: "APP-042", severity: .warning, file: folders.wellKnownPath(of: host), range: nil,
            message: "the files of \(host) are gone, so the host is no longer served", fix: nil)
    }
}
