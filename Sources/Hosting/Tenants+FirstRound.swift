// The first round of a server that knows nothing, or nothing of use: each file is read, and the hosts that it alone names
// are made at once, so that what a file says need not stay in memory until all the others have been read. What turns out to
// be named by several files is left to the common way, and so is what was wrong.

import Association
import Catalogue
import Posix

extension Tenants {
    /// A file with more hosts leaves them to the common way, where all processors share them.
    private static let hostsAtOnceMax = 64

    /// Reads files of which nothing is known, and makes their hosts.
    func readAndRender(_ paths: [String], in tree: AppTree, _ look: FolderLook, _ round: inout Round) {
        let (environment, folders, renderer) = (environment, folders, SiteRenderer(signer: signer))
        ledger.reserve(paths.count)
        let wanted = paths.filter { round.candidates[$0] == nil }
        Parallel.forEach(wanted, atOnce: Tenants.renderedAtOnce) { path in
            let reading = FileReading(path, in: tree, known: nil, environment: environment)
            guard case .candidate(var candidate) = reading, case .good(let app, let good) = candidate.reading else {
                return FirstReading(path: path, reading: reading)
            }
            candidate.reading = .broken
            var first = FirstReading(path: path, reading: .candidate(candidate), good: good)
            if good.hosts.count <= Tenants.hostsAtOnceMax {
                first.sites = good.hosts.map { host in
                    FirstSite(
                        host, of: app, Result { () throws(SystemError) in try folders.record(of: host, look) },
                        renderer, folders)
                }
            }
            return first
        } take: { first in
            take(first, &round)
        }
    }

    private func take(_ first: FirstReading, _ round: inout Round) {
        switch first.reading {
        case .same: break
        case .changing: round.later.appFiles.insert(first.path)
        case .starved(let reason): round.postpone(reason) { $0.appFiles.insert(first.path) }
        case .candidate(let candidate):
            guard let good = first.good else {
                // What came and went between the listing and the reading leaves nothing to remember.
                if !candidate.isGone { round.candidates[first.path] = candidate }
                return
            }
            for finding in candidate.findings { round.appFindings.append(finding, at: first.path) }
            ledger.put(AppRecord(mark: candidate.mark, standing: .current, good: good), at: first.path)
            round.hosts.formUnion(good.otherHosts)
            if first.sites.isEmpty { round.hosts.formUnion(good.hosts) }
            for site in first.sites { take(site, &round) }
        }
    }

    private func take(_ site: FirstSite, _ round: inout Round) {
        if let shortage = site.rendered.shortage {
            // What could be made is served, and its folder is to look like another one.
            folderRecords[site.host] = nil
            round.postpone(shortage) { $0.hosts.insert(site.host) }
        } else {
            folderRecords[site.host] = site.folder.isEmpty ? nil : site.folder
        }
        guard ledger.paths(naming: site.host).count == 1 else {
            // What was made of the first of them is thrown away when the host is made of all.
            round.hosts.insert(site.host)
            round.firstFindings[site.host] = nil
            round.firstSigned.remove(site.host)
            return
        }
        if let prepared = site.rendered.site { shelf.stage(prepared) }
        if !site.rendered.findings.isEmpty { round.firstFindings[site.host] = site.rendered.findings }
        if site.rendered.isSigned { round.firstSigned.insert(site.host) }
    }

    /// Makes what is to be made although its files are known: nothing of what was made of them before is of use.
    func renderKept(_ round: inout Round) {
        guard shelf.isEmpty, !unrendered.isEmpty else {
            round.hosts.formUnion(unrendered)
            unrendered = []
            return
        }
        let others = concerned(round)
        var wanted: [(path: String, hosts: [String])] = []
        for (path, record) in ledger.records {
            guard let hosts = record.good?.hosts, round.candidates[path] == nil else { continue }
            let isAtOnce = hosts.count <= Tenants.hostsAtOnceMax
            let alone = hosts.filter { isAtOnce && !others.contains($0) && ledger.paths(naming: $0).count == 1 }
            // The others are read too: another program may have found good what this one does not.
            wanted.append((path, alone))
        }
        let (known, folders, renderer) = (ledger, folders, SiteRenderer(signer: signer))
        let records = folderRecords
        Parallel.forEach(wanted, atOnce: Tenants.renderedAtOnce) { [self] file -> KeptReading in
            guard let good = known[file.path]?.good else { return KeptReading(path: file.path) }
            let (app, findings) = loaded(good, at: file.path)
            guard let app else { return KeptReading(path: file.path, findings: findings) }
            let sites = file.hosts.map { host in
                FirstSite(host, of: app, .success(records[host] ?? FolderRecord()), renderer, folders)
            }
            return KeptReading(path: file.path, sites: sites)
        } take: { kept in
            if let findings = kept.findings { reject(kept.path, findings, &round) }
            // What is not whole is weighed against what there was, in the common way.
            for site in kept.sites where site.rendered.isWhole {
                unrendered.remove(site.host)
                take(site, &round)
            }
        }
        round.hosts.formUnion(unrendered)
        unrendered = []
    }

    /// A version that was good for another program and is not for this one is as broken as if it had come just now.
    private func reject(_ path: String, _ findings: [Finding], _ round: inout Round) {
        let mark = round.unchanged.removeValue(forKey: path) ?? ledger[path]?.mark
        round.candidates[path] = Round.Candidate(reading: .broken, mark: mark, findings: findings, rejection: .broken)
        round.touched.insert(path)
        round.unreadable.insert(path)
    }
}

/// What one file gave in the first round.
private struct FirstReading: Sendable {
    var path: String
    /// Without what the file says, when that was good.
    var reading: FileReading
    var good: AppRecord.GoodVersion?
    var sites: [FirstSite] = []
}

/// What a last good version gave that another program has kept.
private struct KeptReading: Sendable {
    var path: String
    var sites: [FirstSite] = []
    /// What is wrong with it; nil when it is as good as it was.
    var findings: [Finding]?
}

/// A host made of the only file that names it, as far as is known.
private struct FirstSite: Sendable {
    var host: String
    var folder: FolderRecord
    var rendered: RenderedSite

    init(
        _ host: String, of app: LoadedAppFile, _ folder: Result<FolderRecord, SystemError>, _ renderer: SiteRenderer,
        _ folders: HostFolders
    ) {
        var shortage: SystemError?
        if case .failure(let reason) = folder { shortage = reason }
        self.host = host
        self.folder = (try? folder.get()) ?? FolderRecord()
        rendered = Tenants.make(SiteJob(host: host, apps: [app], folders: [(host, self.folder)]), renderer, folders)
        rendered.shortage = rendered.shortage ?? shortage
    }
}
