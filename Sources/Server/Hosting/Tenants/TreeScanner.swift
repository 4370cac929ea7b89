// Reads what the decisions of a round need: changed app files, and the names in folders. Nothing is decided here, and no state
// changes; pages and well-known files are read when a host is rendered. If descriptors or memory run out it throws, and the whole
// round is repeated later.

import Association
import Posix
import Settings
import Tenancy

/// Reads the disk for one round.
struct TreeScanner {
    private let changes: TreeChanges
    private let memory: TenantMemory
    /// Knows where the folders are as soon as they are listed.
    private(set) var source: AppSource
    private let folders: HostFolders
    private let start: StateKeeper.Start?
    /// Nil if the app files cannot be read at a start that continues without them, and the finding about that.
    private let tree: AppTree?
    private let missing: Finding?

    /// How many waiting files are read in one round.
    static let waitingAtOnceMax = 16

    /// - Parameter start: what the previous process left; nil except in the first round.
    init(
        _ changes: TreeChanges, knowing memory: TenantMemory, _ source: AppSource, _ folders: HostFolders,
        _ start: StateKeeper.Start?
    ) throws(ConfigurationError) {
        (self.changes, self.memory, self.source) = (changes, memory, source)
        (self.folders, self.start) = (folders, start)
        do throws(AppTree.Failure) {
            tree = try AppTree(folders)
            missing = nil
        } catch {
            let (path, reason) = (error.path, error.reason)
            if reason.isShortage { throw ConfigurationError(path, reason) }
            let advice =
                reason.cause == .permission
                ? "let the server's user read it"
                : "pass the folder that contains apps/ with --config, or run `associated init`"
            let own = folders.roots("apps")[0]
            // If no published file is known, none can be lost. What the state directory lacks, others say.
            if path != own, let tree = try? AppTree(own, folders),
                memory.appFiles.records.keys.allSatisfy({ TenantID.folder(ofApp: $0) == nil || tree.isOperators($0) })
            {
                (self.tree, missing) = (tree, nil)
                return
            }
            guard start != nil, !memory.appFiles.records.isEmpty else {
                throw ConfigurationError(description: "cannot read \(path): \(reason.reason); \(advice)")
            }
            // Serving the remembered versions is better than not starting.
            tree = nil
            let count = Count.of(memory.appFiles.goodCount, "app file")
            missing = Finding(
                rule: .cfg005, severity: .error, file: path, range: nil,
                message: "cannot read the folder: \(reason.reason); the last good versions of \(count) are served",
                fix: advice)
        }
    }

    /// Finds the app files to read.
    mutating func list() throws(SystemError) -> Scan {
        var scan = Scan()
        scan.findings = [missing].compactMap { $0 }
        scan.unusableFolders = memory.openFindings.appFolders
        scan.publishedFolders = source.publishedFolders
        scan.hostsFolderFinding = try folders.refusal()
        if changes.everything || changes.retired { scan.retiredFiles = try retiredFiles() }
        let isReadableAgain = memory.openFindings.hostsFolder != nil && scan.hostsFolderFinding == nil
        if changes.everything || isReadableAgain { scan.listedHosts = try listedHosts(&scan.findings) }
        // Files that cannot be read do not count as deleted.
        guard let tree else { return scan }
        let appFiles = memory.appFiles
        var paths = changes.appFiles.union(try changedFiles(tree, &scan))
        scan.changed = paths
        if changes.repeatsFindings { paths.formUnion(appFiles.notInService) }
        scan.filesToReport.formUnion(changes.repeatsFindings ? paths : changes.appFiles)
        if changes.everything {
            paths.formUnion(appFiles.notInService.filter { appFiles[$0]?.state != .broken })
        } else if changes.retired {
            paths.formUnion(
                appFiles.notInService.filter { appFiles[$0]?.state == .held || appFiles[$0]?.state == .gone })
        }
        scan.awaitedHosts = Set(scan.changed.union(scan.candidates.keys).flatMap { appFiles[$0]?.awaitedHosts ?? [] })
        let waiting = changes.waiting.filter { appFiles[$0].map { !$0.awaitedHosts.isEmpty } ?? false }.sorted()
        paths.formUnion(waiting.prefix(TreeScanner.waitingAtOnceMax))
        scan.later.waiting.formUnion(waiting.dropFirst(TreeScanner.waitingAtOnceMax))
        scan.examined = paths.filter { !scan.unusableFolders.isOverQuota($0) }
        scan.paths = scan.examined.filter { scan.candidates[$0] == nil }.sorted()
        return scan
    }

    /// Lists folders and returns the files whose marks have changed, and the deleted ones.
    private mutating func changedFiles(_ tree: AppTree, _ scan: inout Scan) throws(SystemError) -> Set<String> {
        var roots = changes.everything ? [""] : foldersToList(tree)
        if roots.isEmpty { return [] }
        var listing = start?.listing ?? AppTree.Listing()
        if start?.listing == nil { roots = try tree.list(roots, into: &listing) }
        var paths: Set<String> = []
        var knownCount = 0
        for (path, status) in listing.files {
            let known = memory.appFiles[path]
            knownCount += known == nil ? 0 : 1
            if let known, known.mark == status { continue }
            paths.insert(path)
            // A file without stored marks has not necessarily changed.
            if known?.mark != nil { scan.filesToReport.insert(path) }
        }
        for (path, finding) in listing.problems {
            scan.add(Scan.Candidate(content: .broken, findings: [finding]), at: path)
        }
        // One that is no longer anywhere stays what it was.
        let missing = roots.contains("") ? scan.publishedFolders : scan.publishedFolders.intersection(roots)
        scan.publishedFolders.subtract(missing.subtracting(listing.published).filter(tree.isOperators))
        scan.publishedFolders.formUnion(listing.published)
        source.publishedFolders = scan.publishedFolders
        listing.overruled = listing.overruled.compactMapValues { [lint = source.lint] in
            lint.apply(to: [$0], alsoIgnoring: [], keepsErrors: true).first
        }
        let new = scan.unusableFolders.update(listing, below: roots)
        scan.appFindings += (changes.repeatsFindings ? scan.unusableFolders.all : new).sorted { $0.path < $1.path }
        // Usually no file was deleted.
        if knownCount < memory.appFiles.records.count { paths.formUnion(goneFiles(listing, roots, &scan)) }
        return paths
    }

    /// The folders to list: those that may have changed; those where an app file is new or large, because the folder may now
    /// exceed its quota; and those above their quota, because they may no longer be.
    private func foldersToList(_ tree: AppTree) -> Set<String> {
        let arrived = changes.appFiles.filter { path in
            memory.appFiles[path] == nil || memory.openFindings.appFolders.isOverQuota(path) || tree.isLarge(path)
        }
        return changes.appFolders.union(arrived.compactMap(TenantID.folder(ofApp:)))
    }

    /// Known files that were not found.
    private func goneFiles(_ listing: AppTree.Listing, _ roots: Set<String>, _ scan: inout Scan) -> Set<String> {
        var paths: Set<String> = []
        let appFiles = memory.appFiles
        let places = roots.map { $0.isEmpty ? "" : "\($0)/" }
        // This loops over every known file, so the cheap test comes first.
        for path in appFiles.records.keys where places.contains(where: path.hasPrefix) {
            if listing.files[path] != nil || listing.problems[path] != nil { continue }
            if !AppTree.isAppFile(path.split(separator: "/").last ?? "") {
                // A folder that an earlier version took for an app file.
                scan.forgotten.insert(path)
                continue
            }
            // Files already known to be gone are read together with the other waiting files.
            if appFiles[path]?.state == .gone { continue }
            // Files in unreadable folders do not count as deleted.
            if listing.unlisted.contains(where: { AppTree.isPath(path, below: $0) }) { continue }
            paths.insert(path)
        }
        return paths
    }

    /// Reads app files on all processors; `take` gets one batch while the next one is read.
    func read(
        _ paths: [String], take: ([FileReading]) throws(SystemError) -> Void
    ) throws(SystemError) {
        guard let tree else { return }
        let (appFiles, costs) = (memory.appFiles, source.costs)
        // Loading the last good version is already measured with the file.
        var source = source
        source.costs = RoundCosts(isCounting: false)
        let hasOnlyTexts = start?.found == .texts
        let notesAdded = start.map { $0.found == .sites } ?? true
        // The first round must be complete.
        let waitsForText = start == nil
        try Parallel.forEach(paths, atOnce: RoundSites.batchCount) { [source] path in
            let folder = RoundCosts.folder(ofApp: path)
            if costs.isSpent(folder) { return FileReading(postponed: path) }
            let known = appFiles[path]
            let reading = costs.measure(folder) {
                var reading = FileReading(
                    path, tree.read(path), known: hasOnlyTexts ? nil : known, source, waitsForText: waitsForText)
                reading.compare(with: known?.good, source, notesAdded: notesAdded)
                return reading
            }
            costs.add(RoundCosts.microsecondsOfHost * Int64(reading.hosts.count), to: folder)
            return reading
        } take: { readings throws(SystemError) in
            try take(readings)
        }
    }

    /// Reads deleted files that are still served and whose hosts other files name now, and then, if any entry is removed,
    /// `config/retired`. Deleted files are decided together with the files that may replace them; otherwise both would be served
    /// for a moment.
    func addRest(to scan: inout Scan) throws(SystemError) {
        scan.postponeGone()
        let gone = memory.appFiles.paths(awaiting: Set(scan.pathsByHost.keys)).filter {
            memory.appFiles[$0]?.state == .gone && !scan.examined.contains($0)
        }
        scan.examined.formUnion(gone)
        var found: [FileReading] = []
        try read(gone.sorted()) { found += $0 }
        try scan.add(found, knowing: memory)
        if scan.candidates.contains(where: { !$0.value.removed.isEmpty }) {
            scan.retired = try retiredFiles { path, tree throws(SystemError) in try retiredIdentities(path, tree) }
        }
    }

    /// The files in both folders of retired files.
    /// - Parameter read: what to read of them.
    private func retiredFiles(
        reading read: (String, AppTree) throws(SystemError) -> Set<LiveIdentity> = { _, _ in [] }
    ) throws(SystemError) -> RetiredFiles {
        var retired = RetiredFiles()
        for (index, root) in folders.roots("retired").enumerated() {
            let opened = try nilUnlessShortage { () throws(SystemError) in try AppTree(root, folders) }
            guard let opened else { continue }
            var listing = AppTree.Listing()
            _ = try opened.list([""], into: &listing)
            // What a tenant publishes does not count where the operator has its folder.
            for path in listing.files.keys.sorted() {
                guard index == 0 || TenantID.folder(ofApp: path) != nil && tree?.isOperators(path) == false else {
                    continue
                }
                retired.files[path] = "\(root)/\(path)"
                retired.identities.formUnion(try read(path, opened))
            }
        }
        return retired
    }

    private func retiredIdentities(_ path: String, _ tree: AppTree) throws(SystemError) -> Set<LiveIdentity> {
        switch tree.read(path) {
        case .contents(let contents):
            let reading = AppFile.read(contents.bytes, file: tree.file(path), environment: source.environment)
            return reading.appFile.map(LiveIdentity.all)?.filter { source.owners.allows($0.host, at: path) } ?? []
        case .starved(let reason): throw reason
        case .gone, .changing, .unreadable: return []
        }
    }

    /// Checks the folders of hosts that may have changed.
    func addFolders(to scan: inout Scan) throws(SystemError) {
        if let trouble = scan.hostsFolderFinding, changes.repeatsFindings || trouble != memory.openFindings.hostsFolder
        {
            scan.findings.append(trouble)
        }
        var hosts = Set(changes.hostFolders.union(changes.pageFolders).compactMap(HostFolders.host)).union(
            changes.hosts)
        if let listed = scan.listedHosts { hosts.formUnion(listed.union(memory.folders.keys)) }
        try addFolders(of: hosts, to: &scan)
        scan.hosts.formUnion(scan.folders.keys)
        scan.defaultsMark = memory.defaultsMark
        if changes.everything || changes.pageFolders.contains("_default") { try addDefaults(to: &scan) }
        scan.hosts.formUnion(changes.hosts)
        scan.hosts.formUnion(start?.hosts ?? [])
        if changes.repeatsFindings { scan.hosts.formUnion(memory.hostsWithFindings) }
        if changes.repeatsFindings || changes.signatures { scan.hosts.formUnion(memory.signed) }
    }

    /// Notes the hosts whose folders have changed.
    func addFolders(of hosts: Set<String>, to scan: inout Scan) throws(SystemError) {
        let (folders, memory, listed) = (folders, memory, scan.listedHosts)
        let isRefused = scan.hostsFolderFinding != nil
        // `subtracting` would iterate over all checked hosts in each batch of a start.
        let records = Parallel.map(Array(hosts.filter { !scan.lookedAt.contains($0) })) { host in
            let record = Result { () throws(SystemError) in
                if isRefused {
                    // An unreadable folder counts as unchanged.
                    return FolderRecord(
                        wellKnown: memory.folders[host]?.wellKnown,
                        pages: try folders.mark(of: .pages(HostFolders.name(of: host))))
                }
                return listed?.contains(host) == false ? FolderRecord() : try folders.record(of: host)
            }
            return (host, record)
        }
        for (host, result) in records {
            let record = try result.get()
            scan.lookedAt.insert(host)
            if record != memory.folders[host] ?? FolderRecord() { scan.folders[host] = record }
        }
    }

    /// The hosts with files or pages of their own.
    private func listedHosts(_ findings: inout [Finding]) throws(SystemError) -> Set<String> {
        var hosts = Set(try folders.pageFolders().compactMap(HostFolders.host))
        for folder in try folders.wellKnownFolders() {
            if let host = HostFolders.host(of: folder) {
                hosts.insert(host)
                continue
            }
            findings.append(
                folders.problem(
                    "\(folders.hostsPath)/\(folder)/well-known",
                    "the folder name is not a host name, so its files are not served",
                    fix: "name it like the host in app files: in lower case, without a trailing dot"))
        }
        return hosts
    }

    private func addDefaults(to scan: inout Scan) throws(SystemError) {
        let mark = try folders.mark(of: .pages("_default"))
        if mark == scan.defaultsMark { return }
        var quota = HostQuota(folders.limits)
        quota.compression = .unlimited
        let pages = try PageSet(of: "_default", in: folders, quota: &quota, findings: &scan.findings)
        // A file is being written: read it again soon.
        if !pages.beingWritten.isEmpty { scan.later.pageFolders.insert("_default") }
        // A later full scan may find room for all files.
        let isWhole = pages.beingWritten.isEmpty && pages.overOpenFileLimit.isEmpty && !pages.isOverQuota
        scan.defaultsMark = isWhole ? mark : nil
        // Until then the previous pages are better than some of the new ones.
        if !isWhole, start == nil { return }
        if let template = pages.landingTemplate {
            scan.findings.append(LandingTemplate.finding(template.file, "a template must be in the folder of one host"))
        }
        scan.defaults = pages
    }
}
