// The first part of a round: what has really changed, and what it says now.

import Association
import Posix

extension Tenants {
    /// Files that are held back and are looked at in one round.
    static let waitingAtOnceMax = 16

    func look(_ changes: TreeChanges, _ round: inout Round) throws(ConfigurationError) {
        let tree: AppTree
        do {
            tree = try AppTree(configPath: configPath, "apps", links: folders.linkTargets, limits: folders.limits)
        } catch {
            if error.isShortage {
                if shelf.isEmpty { throw ConfigurationError("\(configPath)/apps", error) }
                return round.postpone(error) { $0 = changes }
            }
            let advice =
                error.cause == .permission
                ? "let the server's user read it" : "name the folder that holds apps/ with --config"
            guard round.isStart, !ledger.records.isEmpty else {
                throw ConfigurationError(description: "cannot read \(configPath)/apps: \(error.reason); \(advice)")
            }
            // What is remembered is better than no server. Each file is held as one that is gone.
            tree = AppTree(missing: configPath)
            round.findings.append(
                Finding(
                    rule: "CFG-005", severity: .error, file: tree.label, range: nil,
                    message: "cannot read the folder: \(error.reason); its last good versions are served", fix: advice))
        }
        var paths = changes.appFiles.union(changed(in: tree, changes, &round))
        round.changed = paths
        if changes.again { paths.formUnion(ledger.troubled) }
        round.touched.formUnion(changes.again ? paths : changes.appFiles)
        if changes.everything {
            paths.formUnion(ledger.troubled.filter { ledger[$0]?.standing != .broken })
        } else if changes.retired {
            paths.formUnion(ledger.troubled.filter { ledger[$0]?.standing == .held || ledger[$0]?.standing == .gone })
        }
        round.awaited = Set(round.changed.union(round.candidates.keys).flatMap { ledger[$0]?.awaited ?? [] })
        let waiting = changes.waiting.filter { ledger[$0].map { !$0.awaited.isEmpty } ?? false }.sorted()
        paths.formUnion(waiting.prefix(Tenants.waitingAtOnceMax))
        round.later.waiting.formUnion(waiting.dropFirst(Tenants.waitingAtOnceMax))
        if !treeTroubles.isEmpty { paths = paths.filter { !isOverShare($0) } }
        round.read = paths
        var folderLook: FolderLook?
        do throws(SystemError) {
            folderLook = changes.everything ? try FolderLook(folders) : nil
        } catch {
            // Without it each host that is known is looked at by itself, and no other is found.
            round.postpone(error) { $0.everything = true }
        }
        if let folderLook, shelf.isEmpty, ledger.records.isEmpty {
            readAndRender(paths.sorted(), in: tree, folderLook, &round)
        } else {
            read(paths.sorted(), in: tree, &round)
            readGone(in: tree, &round)
        }
        lookAtFolders(changes, folderLook, &round)
        round.hosts.formUnion(changes.hosts)
        if changes.records { keeping?.isDirty = true }
        renderKept(&round)
        if changes.again { round.hosts.formUnion(troubledHosts) }
        if changes.again || changes.signatures { round.hosts.formUnion(signed) }
    }

    /// The files that are held back and that this round may set free: those that wait for a host whose files, folders or apps
    /// are others now, or for a host that a file waited for which is another one now. They are looked at in rounds of their
    /// own, so that no change waits for them. All others cost nothing, however many and however large they are.
    func waiting(behind round: Round) -> Set<String> {
        ledger.paths(awaiting: round.awaited.union(concerned(round))).subtracting(round.read)
    }

    /// Files that are gone and are still served, of hosts that files of this round name. To look for them costs next to nothing, and
    /// they are decided together with the files that may have taken their place: otherwise both would be served for a moment.
    private func readGone(in tree: AppTree, _ round: inout Round) {
        let gone = ledger.paths(awaiting: Set(round.newNamers.keys)).filter {
            ledger[$0]?.standing == .gone && !round.read.contains($0)
        }
        round.read.formUnion(gone)
        read(gone.sorted(), in: tree, &round)
    }

    /// Lists what has to be listed; files of other marks than they had are to be read, and those that are gone.
    private func changed(in tree: AppTree, _ changes: TreeChanges, _ round: inout Round) -> Set<String> {
        var roots = changes.everything ? [""] : foldersToList(changes)
        if roots.isEmpty { return [] }
        var listing = round.listing ?? AppTree.Listing()
        if round.listing == nil { roots = tree.list(roots, into: &listing) }
        round.listing = nil
        var paths: Set<String> = []
        var knownCount = 0
        for (path, status) in listing.files {
            let known = ledger[path]
            knownCount += known == nil ? 0 : 1
            if let known, known.mark == status { continue }
            paths.insert(path)
            // Without marks it is only not known to be the same.
            if known?.mark != nil { round.touched.insert(path) }
        }
        for (path, finding) in listing.problems {
            round.candidates[path] = Round.Candidate(reading: .broken, findings: [finding], rejection: .broken)
        }
        noteFolders(of: listing, below: roots, changes, &round)
        if let shortage = listing.shortage { round.postpone(shortage) { $0.appFolders.formUnion(listing.starved) } }
        // As a rule, all that is known was found.
        if knownCount < ledger.records.count { paths.formUnion(gone(from: listing, below: roots, &round)) }
        return paths
    }

    /// Files that are known and were not found where they should be.
    private func gone(
        from listing: AppTree.Listing, below roots: some Collection<String>, _ round: inout Round
    ) -> Set<String> {
        var paths: Set<String> = []
        for (path, record) in ledger.records where listing.files[path] == nil && listing.problems[path] == nil {
            // What is known to be gone is looked at with everything else that is held back.
            if !AppTree.isAppFile(path.split(separator: "/").last ?? "") {
                // A folder that an earlier version took for an app file.
                ledger.put(nil, at: path)
                round.forgotten.insert(path)
                troubles[path] = nil
                continue
            }
            guard record.standing != .gone, roots.contains(where: { isPath(path, below: $0) }) else { continue }
            // What cannot be looked at is not gone.
            if listing.unlisted.contains(where: { isPath(path, below: $0) }) { continue }
            paths.insert(path)
        }
        return paths
    }

    func isPath(_ path: String, below folder: String) -> Bool {
        folder.isEmpty || path.hasPrefix("\(folder)/")
    }

    private func read(_ paths: [String], in tree: AppTree, _ round: inout Round) {
        let ledger = ledger
        let environment = environment
        let paths = paths.filter { round.candidates[$0] == nil }
        round.candidates.reserveCapacity(round.candidates.count + paths.count)
        let outcomes = Parallel.map(paths) { path in
            FileReading(path, in: tree, known: ledger[path], environment: environment)
        }
        for (path, outcome) in zip(paths, outcomes) {
            switch outcome {
            case .changing: round.later.appFiles.insert(path)
            case .starved(let reason): round.postpone(reason) { $0.appFiles.insert(path) }
            case .same(let mark): round.unchanged[path] = .some(mark)
            case .candidate(let candidate):
                if case .gone = candidate.reading, ledger[path]?.good == nil {
                    // Nothing is served by a file that was never good.
                    self.ledger.put(nil, at: path)
                    round.forgotten.insert(path)
                    (troubles[path], guarded[path]) = (nil, nil)
                } else {
                    round.candidates[path] = candidate
                    for host in candidate.hosts { round.newNamers[host, default: []].append(path) }
                }
            }
        }
    }

    private func lookAtFolders(_ changes: TreeChanges, _ look: FolderLook?, _ round: inout Round) {
        var hosts = Set(changes.hostFolders.union(changes.pageFolders).compactMap(HostFolders.host)).union(
            changes.hosts)
        let isReadableAgain = lookForRefusal(changes, &round)
        if changes.everything || isReadableAgain { hosts.formUnion(folderRecords.keys) }
        if let look { hosts.formUnion(look.pageHosts) }
        if changes.hostList || isReadableAgain
            || changes.everything && (!changes.isStart || look == nil || mustListHosts(round))
        {
            do throws(SystemError) {
                hosts.formUnion(try listedHosts(&round))
                round.hasListedHosts = true
            } catch {
                round.postpone(error) { $0.hostList = true }
            }
        } else if let look {
            // The others, which no app file names, are found as soon as the server answers.
            hosts.formUnion(namedHosts(with: look, round))
            round.later.hostList = true
            round.unread = look
        }
        let (folders, folderRecords, isRefused) = (folders, folderRecords, hostsTrouble != nil)
        let records = Parallel.map(Array(hosts)) { host in
            let outcome = Result { () throws(SystemError) in
                guard isRefused else { return try folders.record(of: host, look) }
                // What cannot be looked at is as it was.
                return FolderRecord(
                    wellKnown: folderRecords[host]?.wellKnown, pages: try folders.pagesSignature(of: host))
            }
            return (host, outcome)
        }
        for (host, outcome) in records {
            let known = folderRecords[host] ?? FolderRecord()
            switch outcome {
            case .failure(let reason): round.postpone(reason) { $0.hosts.insert(host) }
            case .success(known): continue
            case .success(let record):
                round.formerRecords[host] = known
                self.folderRecords[host] = record.isEmpty ? nil : record
                round.hosts.insert(host)
            }
        }
        if changes.everything || changes.pageFolders.contains("_default") { lookAtDefaults(&round) }
    }

    /// Notes whether anything in `config/hosts` can be looked at; true when it can again.
    private func lookForRefusal(_ changes: TreeChanges, _ round: inout Round) -> Bool {
        let former = hostsTrouble
        do throws(SystemError) {
            hostsTrouble = try folders.refusal()
        } catch {
            round.postpone(error) { $0.hostList = true }
            return false
        }
        if let hostsTrouble, changes.again || hostsTrouble != former { round.findings.append(hostsTrouble) }
        return former != nil && hostsTrouble == nil
    }

    /// Without any app, the folders are all there is to say which hosts are served, and whether any is.
    private func mustListHosts(_ round: Round) -> Bool { ledger.hosts.isEmpty && round.newNamers.isEmpty }

    /// The hosts that have files of their own. Takes a while when there are very many folders, whatever is in them.
    private func listedHosts(_ round: inout Round) throws(SystemError) -> [String] {
        try folders.wellKnownFolders().compactMap { folder in
            if let host = HostFolders.host(of: folder) { return host }
            round.findings.append(
                folders.problem(
                    "\(folders.hostsPath)/\(folder)/well-known",
                    "the folder's name is no host, so nobody can ask for its files",
                    fix: "name it as the host is written in app files: in lower case, without a trailing dot"))
            return nil
        }
    }

    /// Of the hosts that app files name, those that have a folder. Those that were made when their file was read have been
    /// looked at.
    private func namedHosts(with look: FolderLook, _ round: Round) -> [String] {
        let named = knowsFolders ? Array(ledger.hosts) + round.newNamers.keys : Array(round.hosts)
        let hasFolder = Parallel.map(named) { look.mayHaveFolder($0) }
        return zip(named, hasFolder).compactMap { $1 ? $0 : nil }
    }

    private func lookAtDefaults(_ round: inout Round) {
        let signature: UInt64?
        do throws(SystemError) {
            signature = try folders.signature(of: .pages("_default"))
        } catch {
            return round.postpone(error) { $0.pageFolders.insert("_default") }
        }
        if signature == defaultsSignature { return }
        defaultsSignature = signature
        var share = HostShare(folders.limits)
        let pages = PageSet(of: "_default", in: folders, share: &share, findings: &round.findings)
        if let shortage = pages.shortage {
            defaultsSignature = nil
            round.postpone(shortage) { $0.pageFolders.insert("_default") }
            if !shelf.isEmpty { return }
        }
        if !pages.refused.isEmpty {
            // To be looked at soon; until then what was there is better than a part of it.
            defaultsSignature = nil
            round.later.pageFolders.insert("_default")
            if !shelf.isEmpty { return }
        }
        if !pages.crowdedOut.isEmpty || pages.isOverShare {
            // There may be room when everything is looked at again.
            defaultsSignature = nil
            if !shelf.isEmpty { return }
        }
        if let template = pages.landingTemplate {
            round.findings.append(
                LandingTemplate.finding(
                    template.file, "a template is for one host, and belongs into a folder with the host's name"))
        }
        shelf.share(pages)
    }
}
