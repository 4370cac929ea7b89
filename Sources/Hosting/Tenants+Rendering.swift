// The third part of a round: the hosts that it concerns, made again. A host that is live and cannot be made keeps what it
// has, and the reading that is to blame is rejected for all of its hosts: a file is in service as a whole or not at all.

import Association
import Catalogue

/// What a thread needs to make one host.
struct SiteJob: Sendable {
    var host: String
    var apps: [LoadedAppFile]
    /// The names whose folders it is made of; what a later one has wins.
    var folders: [(host: String, record: FolderRecord)]
    /// What is known of the files in them.
    var known = KnownFiles.none
}

extension Tenants {
    static let renderedAtOnce = 2_048

    /// Renders the hosts that this round concerns and that have not been rendered yet.
    func render(_ rendered: inout [String: RenderedSite], _ round: inout Round) {
        round.elsewhereChanges = elsewhereChanges(round)
        let hosts = concerned(round).sorted().filter { rendered[$0] == nil }
        let renderer = SiteRenderer(signer: signer)
        let folders = folders
        // Some thousand at a time, so that what is prepared need not all be in memory at once.
        for start in stride(from: 0, to: hosts.count, by: Tenants.renderedAtOnce) {
            var jobs: [SiteJob] = []
            let hosts = hosts[start..<min(hosts.count, start + Tenants.renderedAtOnce)]
            readLastGood(of: hosts, &round)
            for host in hosts {
                if let path = unreadable(on: host, &round), liveTags(of: host) != nil {
                    rendered[host] = RenderedSite(unreadable: "\(configPath)/apps/\(path)")
                } else if let job = job(for: host, &round) {
                    jobs.append(job)
                } else {
                    // A host that would be there but for its file is nothing for a wildcard to answer for.
                    let isUnreadable = unreadable(on: host, &round) != nil
                    rendered[host] = RenderedSite(isClosed: isUnreadable || isElsewhere(host, round))
                }
            }
            let outcomes = Parallel.map(jobs) { job in Tenants.make(job, renderer, folders) }
            for (job, outcome) in zip(jobs, outcomes) { rendered[job.host] = staged(outcome, host: job.host) }
            // In the first round that may be any number.
            if shelf.isEmpty { round.lastGood = [:] }
        }
    }

    /// While nothing is live, nothing can be said against a site that was made: it is put away at once.
    private func staged(_ outcome: RenderedSite, host: String) -> RenderedSite {
        guard shelf.isEmpty else { return outcome }
        guard let site = outcome.site else {
            shelf.unstage(host)
            return outcome
        }
        shelf.stage(site)
        // It is weighed against what another program made.
        if !outcome.withheld.isEmpty { return outcome }
        var rest = outcome
        rest.site = nil
        return rest
    }

    /// Reads the last good versions that hosts are made of, on all processors when they are many.
    private func readLastGood(of hosts: ArraySlice<String>, _ round: inout Round) {
        var wanted: Set<String> = []
        for host in hosts {
            for path in namers(of: host, round) where round.lastGood[path] == nil && !round.unreadable.contains(path) {
                if round.candidates[path]?.accepted == nil { wanted.insert(path) }
            }
        }
        if wanted.count < 2 { return }
        let ledger = ledger
        let outcomes = Parallel.map(Array(wanted)) { [self] path in
            (path, ledger[path]?.good.map { good in loaded(good, at: path).app })
        }
        for (path, outcome) in outcomes {
            guard let outcome else { continue }
            if let app = outcome { round.lastGood[path] = app } else { round.unreadable.insert(path) }
        }
    }

    /// The hosts that this round concerns, as it stands.
    func concerned(_ round: Round) -> Set<String> {
        var hosts = round.hosts
        for (path, candidate) in round.candidates where candidate.rejection == nil {
            let old = ledger[path]?.good
            hosts.formUnion(candidate.hosts)
            hosts.formUnion(old?.hosts ?? [])
            hosts.formUnion(candidate.otherHosts)
            hosts.formUnion(old?.otherHosts ?? [])
        }
        // Hosts with nothing but files of their own have beside them what the wildcard above them has.
        if hosts.contains(where: { $0.hasPrefix("*.") }) {
            for (host, record) in folderRecords where record.wellKnown != nil && namers(of: host, round).isEmpty {
                if HostNames.wildcards(over: host).contains(where: hosts.contains) { hosts.insert(host) }
            }
        }
        return hosts.subtracting(round.postponedHosts)
    }

    /// What a host is made of; nil when there is nothing to serve on it. A host with files of its own needs no app; below a
    /// wildcard it has those files beside everything that the wildcard has, or a stray file would end the association of
    /// a host.
    private func job(for host: String, _ round: inout Round) -> SiteJob? {
        var apps = apps(on: host, &round)
        var names = [host]
        if apps.isEmpty {
            guard folderRecords[host]?.wellKnown != nil, !isElsewhere(host, round) else { return nil }
            if let wildcard = namedWildcard(over: host, round) {
                apps = self.apps(on: wildcard, &round)
                names.insert(wildcard, at: 0)
            }
        }
        var known = knownFiles[host] ?? .none
        if !known.isEmpty { known.answers = shelf.catalogue.keptAnswers(of: host) }
        return SiteJob(
            host: host, apps: apps, folders: names.map { ($0, folderRecords[$0] ?? FolderRecord()) }, known: known)
    }

    private func namedWildcard(over host: String, _ round: Round) -> String? {
        HostNames.wildcards(over: host).first { !namers(of: $0, round).isEmpty }
    }

    /// A file that a host is made of and whose last good version this program cannot read, if there is one.
    private func unreadable(on host: String, _ round: inout Round) -> String? {
        var paths = namers(of: host, round)
        if paths.isEmpty, folderRecords[host]?.wellKnown != nil, let wildcard = namedWildcard(over: host, round) {
            paths = namers(of: wildcard, round)
        }
        return paths.first { effective($0, &round) == nil }
    }

    private func apps(on host: String, _ round: inout Round) -> [LoadedAppFile] {
        namers(of: host, round).compactMap { effective($0, &round) }
    }

    /// Whether a host belongs to another environment, as the round stands.
    private func isElsewhere(_ host: String, _ round: Round) -> Bool {
        ledger.countNamingElsewhere(host) + (round.elsewhereChanges[host] ?? 0) > 0
    }

    /// How many files more, or less, name a host in another environment only.
    private func elsewhereChanges(_ round: Round) -> [String: Int] {
        var changes: [String: Int] = [:]
        for (path, candidate) in round.candidates where candidate.rejection == nil {
            for host in ledger[path]?.good?.otherHosts ?? [] { changes[host, default: 0] -= 1 }
            for host in candidate.otherHosts { changes[host, default: 0] += 1 }
        }
        return changes
    }

    static func make(_ job: SiteJob, _ renderer: SiteRenderer, _ folders: HostFolders) -> RenderedSite {
        var findings: [Finding] = []
        var own: [SiteFolder] = []
        for (host, record) in job.folders {
            var folder = SiteFolder()
            var share = HostShare(folders.limits)
            let name = HostFolders.name(of: host)
            if host == job.host, let finding = folders.hiddenWellKnown(name) { findings.append(finding) }
            if record.wellKnown != nil {
                folder.wellKnown = WellKnownFiles(
                    of: name, in: folders, known: job.known, share: &share, findings: &findings)
            }
            if record.pages != nil {
                folder.pages = PageSet(
                    of: name, in: folders, known: job.known, share: &share, findings: &findings)
            }
            own.append(folder)
        }
        var rendered = RenderedSite()
        let files = own.last?.wellKnown
        // Without an app that names it, a host is there for the sake of its own files.
        if job.folders.count == 1 && !job.apps.isEmpty || files?.answers.isEmpty == false {
            rendered = renderer.render(SiteSource(host: job.host, apps: job.apps, folders: own))
        } else {
            rendered.withheld = files?.withheld ?? WithheldPaths()
            rendered.remember(own, in: [:])
        }
        rendered.findings = findings + rendered.findings
        for folder in own {
            rendered.shortage = rendered.shortage ?? folder.pages.shortage ?? folder.wellKnown?.shortage
            rendered.readCount += folder.pages.readCount + (folder.wellKnown?.readCount ?? 0)
        }
        return rendered
    }

    /// Keeps live hosts live. True when readings were rejected for that, and there is to be another pass.
    func rejectFailures(of rendered: inout [String: RenderedSite], _ round: inout Round) -> Bool {
        var isAgain = false
        round.stale = []
        if shelf.isEmpty, former == nil { return false }
        let failures = rendered.filter { !$0.value.isWhole }
        for (host, site) in failures.sorted(by: { $0.key < $1.key }) {
            guard let live = liveTags(of: host) else { continue }
            let isLess = !site.missing.isDisjoint(with: live.keys) || withholds(site, live, of: host, &round)
            if !site.isRefused, !isLess { continue }
            let names = Set([host] + HostNames.wildcards(over: host))
            let culprits = round.candidates.filter { path, candidate in
                candidate.rejection == nil
                    && !(names.isDisjoint(with: candidate.hosts)
                        && names.isDisjoint(with: ledger[path]?.good?.hosts ?? []))
            }
            if culprits.isEmpty { round.stale.insert(host) }
            // A file that was held back before does not take the change of another one with it.
            let waiting = culprits.keys.filter { !round.changed.contains($0) }
            for path in waiting.isEmpty ? Array(culprits.keys) : waiting {
                round.candidates[path]?.rejection = .refused
                round.candidates[path]?.awaited = names
                round.candidates[path]?.findings += site.reasons
                isAgain = true
            }
        }
        if isAgain {
            // What a rejected reading named is not always made again.
            if shelf.isEmpty { rendered.keys.forEach { shelf.unstage($0) } }
            rendered.removeAll()
        }
        return isAgain
    }

    /// Whether a file of the host's own is live and is not in what was made. What stands in for one that was never live, a
    /// generated document as a rule, may be there and may change.
    private func withholds(_ site: RenderedSite, _ live: [String: String], of host: String, _ round: inout Round)
        -> Bool
    {
        let paths = live.keys.filter { site.withheld.contains($0) && site.tag(of: $0) != live[$0] }
        if paths.isEmpty { return false }
        let namers = ([host] + HostNames.wildcards(over: host)).lazy.map { self.ledger.paths(naming: $0) }
        let apps = (namers.first { !$0.isEmpty } ?? []).compactMap { lastGood($0, &round) }
        let former = SiteRenderer(signer: signer).render(SiteSource(host: host, apps: apps, folders: []))
        return paths.contains { site.tag(of: $0) == nil || former.tag(of: $0) != live[$0] }
    }
}
