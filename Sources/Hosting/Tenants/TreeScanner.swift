// Everything that a round reads: which app files and folders are others than they were, and what they say now. Here is all the
// input and no decision, and nothing that is remembered is changed. For want of descriptors or memory it throws: then nothing is
// known, and the whole round is to be done again.

import Association
import Posix

/// Looks at the disk for one round.
struct TreeScanner {
    private let changes: TreeChanges
    private let memory: TenantMemory
    private let source: AppSource
    private let folders: HostFolders
    private let start: StateKeeper.Start?
    private let tree: AppTree
    /// One look at all folders of hosts; nil when only some are looked at.
    private let look: FolderLook?
    /// Why the folder of app files cannot be read, at a start that does without.
    private let missing: Finding?

    /// Files that are held back and are looked at in one round.
    static let waitingAtOnceMax = 16

    /// - Parameter start: what the last process has left, in the first round.
    init(
        _ changes: TreeChanges, knowing memory: TenantMemory, _ source: AppSource, _ folders: HostFolders,
        _ start: StateKeeper.Start?
    ) throws(ConfigurationError) {
        (self.changes, self.memory, self.source) = (changes, memory, source)
        (self.folders, self.start) = (folders, start)
        do throws(SystemError) {
            look = changes.everything ? try FolderLook(folders) : nil
        } catch {
            throw ConfigurationError("all of \(folders.configPath)", error)
        }
        do throws(SystemError) {
            tree = try AppTree(
                configPath: folders.configPath, "apps", links: folders.linkTargets, limits: folders.limits)
            missing = nil
        } catch {
            if error.isShortage { throw ConfigurationError("\(folders.configPath)/apps", error) }
            let advice =
                error.cause == .permission
                ? "let the server's user read it" : "name the folder that holds apps/ with --config"
            guard start != nil, !memory.ledger.records.isEmpty else {
                throw ConfigurationError(
                    description: "cannot read \(folders.configPath)/apps: \(error.reason); \(advice)")
            }
            // What is remembered is better than no server.
            tree = AppTree(missing: folders.configPath)
            let count = Count.of(memory.ledger.goodCount, "app file")
            missing = Finding(
                rule: .cfg005, severity: .error, file: tree.label, range: nil,
                message: "cannot read the folder: \(error.reason); the last good versions of \(count) are served",
                fix: advice)
        }
    }

    /// Finds the app files to be read.
    func list() throws(SystemError) -> Scan {
        var scan = Scan()
        scan.hostsTrouble = try folders.refusal()
        scan.findings = [missing].compactMap { $0 }
        scan.treeTroubles = memory.troubles.tree
        // What cannot be looked at is not gone.
        if missing != nil { return scan }
        let ledger = memory.ledger
        var paths = changes.appFiles.union(try changedFiles(&scan))
        scan.changed = paths
        if changes.again { paths.formUnion(ledger.troubled) }
        scan.touched.formUnion(changes.again ? paths : changes.appFiles)
        if changes.everything {
            paths.formUnion(ledger.troubled.filter { ledger[$0]?.standing != .broken })
        } else if changes.retired {
            paths.formUnion(ledger.troubled.filter { ledger[$0]?.standing == .held || ledger[$0]?.standing == .gone })
        }
        scan.awaited = Set(scan.changed.union(scan.candidates.keys).flatMap { ledger[$0]?.awaited ?? [] })
        let waiting = changes.waiting.filter { ledger[$0].map { !$0.awaited.isEmpty } ?? false }.sorted()
        paths.formUnion(waiting.prefix(TreeScanner.waitingAtOnceMax))
        scan.later.waiting.formUnion(waiting.dropFirst(TreeScanner.waitingAtOnceMax))
        scan.read = paths.filter { !scan.treeTroubles.isOverShare($0) }
        scan.paths = scan.read.filter { scan.candidates[$0] == nil }.sorted()
        return scan
    }

    /// Lists what has to be listed: files of other marks than they had, and those that are gone.
    private func changedFiles(_ scan: inout Scan) throws(SystemError) -> Set<String> {
        var roots = changes.everything ? [""] : foldersToList
        if roots.isEmpty { return [] }
        var listing = start?.listing ?? AppTree.Listing()
        if start?.listing == nil { roots = try tree.list(roots, into: &listing) }
        var paths: Set<String> = []
        var knownCount = 0
        for (path, status) in listing.files {
            let known = memory.ledger[path]
            knownCount += known == nil ? 0 : 1
            if let known, known.mark == status { continue }
            paths.insert(path)
            // Without marks it is only not known to be the same.
            if known?.mark != nil { scan.touched.insert(path) }
        }
        for (path, finding) in listing.problems {
            scan.add(Scan.Candidate(content: .broken, findings: [finding]), at: path)
        }
        let former = scan.treeTroubles
        scan.treeTroubles.update(listing.folderProblems, below: roots)
        for (folder, finding) in listing.folderProblems.sorted(by: { $0.key < $1.key })
        where changes.again || former.findings[folder] != finding {
            scan.appFindings.append(finding, at: folder)
        }
        // As a rule, all that is known was found.
        if knownCount < memory.ledger.records.count { paths.formUnion(goneFiles(listing, roots, &scan)) }
        return paths
    }

    /// The folders to be listed: beside those that may have changed, those where an app file has come or is large, because it may
    /// be too much, and those that have too much, because there may be less.
    private var foldersToList: Set<String> {
        let arrived = changes.appFiles.filter { path in
            memory.ledger[path] == nil || memory.troubles.tree.isOverShare(path) || tree.isLarge(path)
        }
        return changes.appFolders.union(arrived.compactMap(AppTree.topFolder))
    }

    /// Files that are known and were not found where they should be.
    private func goneFiles(
        _ listing: AppTree.Listing, _ roots: Set<String>, _ scan: inout Scan
    ) -> Set<String> {
        var paths: Set<String> = []
        let ledger = memory.ledger
        let places = roots.map { $0.isEmpty ? "" : "\($0)/" }
        // Comes past every known file, so what most of them have in common is asked first, and cheaply.
        for path in ledger.records.keys where places.contains(where: path.hasPrefix) {
            if listing.files[path] != nil || listing.problems[path] != nil { continue }
            if !AppTree.isAppFile(path.split(separator: "/").last ?? "") {
                // A folder that an earlier version took for an app file.
                scan.forgotten.insert(path)
                continue
            }
            // Files already known to be gone are looked at with everything else that is held back.
            if ledger[path]?.standing == .gone { continue }
            // What cannot be looked at is not gone.
            if listing.unlisted.contains(where: { AppTree.isPath(path, below: $0) }) { continue }
            paths.insert(path)
        }
        return paths
    }

    /// Reads app files on all processors, many at a time: `take` gets what some of them gave while the next ones are read.
    func read(_ paths: [String], take: ([FileReading]) -> Void) {
        let (tree, ledger, costs) = (tree, memory.ledger, source.costs)
        // What is loaded in between is not counted twice.
        var source = source
        source.costs = RoundCosts(isCounting: false)
        let isForeign = start?.isForeign == true
        let notesAdded = start?.hasSites != false
        // A first round has no next one to leave it to.
        let waitsForText = start == nil
        Parallel.forEach(paths, atOnce: Draft.batchCount) { [source] path in
            let folder = RoundCosts.folder(ofApp: path)
            if costs.isSpent(folder) { return FileReading(postponed: path) }
            let known = ledger[path]
            let reading = costs.measure(folder) {
                var reading = FileReading(
                    path, tree.read(path), known: isForeign ? nil : known, source, waitsForText: waitsForText)
                reading.compare(with: known?.good, source, notesAdded: notesAdded)
                return reading
            }
            costs.add(RoundCosts.microsecondsOfHost * Int64(reading.hosts.count), to: folder)
            return reading
        } take: {
            take($0)
        }
    }

    /// Reads what only shows behind the app files: files that are gone and are still served, of hosts that others name now. To
    /// look for them costs next to nothing, and they are decided together with the files that may have taken their place:
    /// otherwise both would be served for a moment. Then what was retired, if anything is dropped.
    func addRest(to scan: inout Scan) throws(SystemError) {
        scan.postponeGone()
        let gone = memory.ledger.paths(awaiting: Set(scan.namers.keys)).filter {
            memory.ledger[$0]?.standing == .gone && !scan.read.contains($0)
        }
        scan.read.formUnion(gone)
        var found: [FileReading] = []
        read(gone.sorted()) { found += $0 }
        scan.add(found, knowing: memory)
        if scan.candidates.contains(where: { !$0.value.removed.isEmpty }) { scan.retired = try retiredFiles() }
        if let shortage = scan.shortage { throw shortage }
    }

    private func retiredFiles() throws(SystemError) -> RetiredFiles {
        var retired = RetiredFiles()
        let tree: AppTree
        do throws(SystemError) {
            tree = try AppTree(
                configPath: folders.configPath, "retired", links: folders.linkTargets, limits: folders.limits)
        } catch {
            if error.isShortage { throw error }
            return retired
        }
        var listing = AppTree.Listing()
        _ = try tree.list([""], into: &listing)
        retired.paths = Set(listing.files.keys)
        for path in listing.files.keys.sorted() {
            switch tree.read(path) {
            case .contents(let contents):
                let reading = AppFile.read(
                    contents.bytes, file: "\(tree.label)/\(path)", environment: source.environment)
                if let app = reading.appFile { retired.identities.formUnion(LiveIdentity.all(of: app)) }
            case .starved(let reason): throw reason
            case .gone, .changing, .unreadable: continue
            }
        }
        return retired
    }

    /// Looks at the folders of hosts that may have changed, those of hosts among them that app files name now.
    func addFolders(to scan: inout Scan) throws(SystemError) {
        let isReadableAgain = memory.troubles.hostsFolder != nil && scan.hostsTrouble == nil
        if let trouble = scan.hostsTrouble, changes.again || trouble != memory.troubles.hostsFolder {
            scan.findings.append(trouble)
        }
        var hosts = Set(changes.hostFolders.union(changes.pageFolders).compactMap(HostFolders.host)).union(
            changes.hosts)
        if changes.everything || isReadableAgain { hosts.formUnion(memory.folders.keys) }
        if let look { hosts.formUnion(look.pageHosts) }
        // Without any app, the folders are all there is to say which hosts are served, and whether any is.
        let mustList = memory.ledger.hosts.isEmpty && scan.namers.isEmpty
        if changes.hostList || isReadableAgain || changes.everything && (!changes.isStart || mustList) {
            hosts.formUnion(try listedHosts(&scan))
            scan.hasListedHosts = true
        } else if let look {
            // The others, which no app file names, are found as soon as the server answers.
            let named = Array(
                Set(memory.ledger.hosts).union(scan.namers.keys).filter { !scan.lookedAt.contains($0) })
            let hasFolder = Parallel.map(named) { look.mayHaveFolder($0) }
            hosts.formUnion(zip(named, hasFolder).lazy.compactMap { $1 ? $0 : nil })
            scan.later.hostList = true
            scan.unread = look
        }
        addFolders(of: hosts, to: &scan)
        scan.hosts.formUnion(scan.folders.keys)
        scan.defaultsSignature = memory.defaultsSignature
        if changes.everything || changes.pageFolders.contains("_default") { try addDefaults(to: &scan) }
        scan.hosts.formUnion(changes.hosts)
        scan.hosts.formUnion(start?.hosts ?? [])
        if changes.again { scan.hosts.formUnion(memory.troubledHosts) }
        if changes.again || changes.signatures { scan.hosts.formUnion(memory.signed) }
        if let shortage = scan.shortage { throw shortage }
    }

    /// Notes those of some hosts whose folders look otherwise.
    func addFolders(of hosts: Set<String>, to scan: inout Scan) {
        let (folders, look, memory) = (folders, look, memory)
        let isRefused = scan.hostsTrouble != nil
        // `subtracting` would go through all that were looked at, for each batch of a start.
        let records = Parallel.map(Array(hosts.filter { !scan.lookedAt.contains($0) })) { host in
            let record = Result { () throws(SystemError) in
                guard isRefused else { return try folders.record(of: host, look) }
                // What cannot be looked at is as it was.
                return FolderRecord(
                    wellKnown: memory.folders[host]?.wellKnown, pages: try folders.pagesSignature(of: host))
            }
            return (host, record)
        }
        for (host, record) in records {
            scan.lookedAt.insert(host)
            switch record {
            case .failure(let reason): scan.shortage = scan.shortage ?? reason
            case .success(let record):
                if record != memory.folders[host] ?? FolderRecord() { scan.folders[host] = record }
            }
        }
    }

    /// The hosts that have files of their own. Takes a while when there are very many folders, whatever is in them.
    private func listedHosts(_ scan: inout Scan) throws(SystemError) -> [String] {
        try folders.wellKnownFolders().compactMap { folder in
            if let host = HostFolders.host(of: folder) { return host }
            scan.findings.append(
                folders.problem(
                    "\(folders.hostsPath)/\(folder)/well-known",
                    "the folder's name is no host, so nobody can ask for its files",
                    fix: "name it as the host is written in app files: in lower case, without a trailing dot"))
            return nil
        }
    }

    private func addDefaults(to scan: inout Scan) throws(SystemError) {
        let signature = try folders.signature(of: .pages("_default"))
        if signature == scan.defaultsSignature { return }
        var share = HostShare(folders.limits)
        share.packing = .unlimited
        let pages = try PageSet(of: "_default", in: folders, share: &share, findings: &scan.findings)
        // To be looked at soon.
        if !pages.refused.isEmpty { scan.later.pageFolders.insert("_default") }
        // There may be room when everything is looked at again.
        let isWhole = pages.refused.isEmpty && pages.crowdedOut.isEmpty && !pages.isOverShare
        scan.defaultsSignature = isWhole ? signature : nil
        // Until then what was there is better than a part of it.
        if !isWhole, start == nil { return }
        if let template = pages.landingTemplate {
            scan.findings.append(
                LandingTemplate.finding(
                    template.file, "a template is for one host, and belongs into a folder with the host's name"))
        }
        scan.defaults = pages
    }
}
