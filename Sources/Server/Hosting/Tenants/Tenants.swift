// The control plane: from changed files to the next catalogue. A round scans what may have changed, decides for each app file
// whether it replaces its last good version, renders the hosts concerned and leaves all others unchanged. What is served, and what is
// remembered of it, changes only in the last step, the commit; before it, versions that new owners do not allow are forgotten.
//
// One thread at a time runs rounds (`turn`). What is published is immutable, so readers never wait.

public import Association
public import Catalogue
public import Certificates
public import HTTP
public import Posix
public import Settings
public import Synchronization
import TLS
import Tenancy

/// Everything that is hosted.
public final class Tenants: @unchecked Sendable {
    var source: AppSource
    let folders: HostFolders
    private let signer: DocumentSigner

    var memory = TenantMemory()
    private(set) var shelf = SiteShelf()
    /// Saves the state; nil if nothing is saved.
    private var keeper: StateKeeper?
    private let stateFolder: StateFolder?
    /// The owners from the next round on; nil without a change.
    private let nextOwners = Mutex<HostOwners?>(nil)
    /// Held while a round runs or a new base is put into service, until the result is published.
    public let turn = Mutex(())
    /// Whether the state of the previous process is only compared with.
    var onlyReadsState = false
    /// Whether a round has completed.
    private var hasBegun = false

    /// - Parameters:
    ///   - publishedPath: where the manager puts what tenants publish, beside `configPath`.
    ///   - signer: signs documents; if nil, each host's own certificate does.
    ///   - state: the state directory, and an identifier of the program; sites of another program are rendered again.
    ///   - lock: what writing to the state directory needs, if anything.
    ///   - openFilesMax: how many files, such as large pages, may be kept open.
    ///   - linkTargets: folders that links may lead into, in addition to the host's own.
    ///   - limits: quotas of hosts and folders.
    ///   - owners: which hosts the app files of a folder may name.
    ///   - lint: the rules whose findings are not reported, except errors.
    ///   - holdsRemovals: whether a version that removes live entries is held; otherwise that is a warning.
    public init(
        configPath: String, publicPath: String, publishedPath: String? = nil, environment: String?,
        signer: DocumentSigner? = nil,
        state: (path: String, program: String)? = nil, lock: LateLock? = nil, openFilesMax: Int = .max,
        linkTargets: LinkTargets = .none, limits: Limits = Limits(), owners: HostOwners = HostOwners(),
        lint: LintPreferences = LintPreferences(), holdsRemovals: Bool = true
    ) {
        stateFolder = state.map { StateFolder($0.path, environment: environment, lock: lock) }
        if let state, let stateFolder {
            // Saved records count findings.
            let rendering = "\(state.program), \(configPath), \(publicPath), \(lint.ignoredText)"
            keeper = StateKeeper(folder: stateFolder, rendering: rendering)
        }
        source = AppSource(
            configPath: configPath, environment: environment, owners: owners, holdsRemovals: holdsRemovals, lint: lint,
            publishedPath: publishedPath)
        self.signer = signer ?? DocumentSigner(hostsPath: "\(configPath)/hosts")
        folders = HostFolders(
            configPath: configPath, publicPath: publicPath, publishedPath: publishedPath, linkTargets: linkTargets,
            limits: limits, openFilesMax: openFilesMax)
    }

    /// What is served since the last round.
    public var catalogue: Catalogue { shelf.catalogue }

    /// Why the state could not be saved; nil if it was, or if nothing is saved.
    public var stateProblem: SystemError? { keeper?.failure }

    /// What to do about that, if the server's user could not read the state at the start.
    public var stateRemedy: String? {
        guard let keeper, let (file, isOfOther) = keeper.protected else { return nil }
        if isOfOther {
            return
                "\(file) is of another configuration or environment; move it away, or use another --state, and restart"
        }
        return
            "\(file) could not be read at the start, and is kept as it is; give it to the server's user (chown -R USER "
            + "\(keeper.folder.path)) and restart"
    }

    /// Whether a verifier has fetched a host since a time, in seconds since 1970. If unknown, it counts as fetched.
    public var wasFetched: (@Sendable (_ host: String, _ sinceSeconds: Int64) -> Bool)? {
        get { memory.wasFetched }
        set { memory.wasFetched = newValue }
    }

    /// Whether a certificate that signs documents has changed since it was loaded. Called every second.
    public func needsSigning() -> Bool { signer.hasChanges() }

    /// Reads what may have changed and applies it. Throws if `config/apps` cannot be read or descriptors or memory run out; what is
    /// served is unchanged then.
    public func round(_ given: TreeChanges) throws(ConfigurationError) -> RoundReport {
        takeOwners()
        var changes = given
        // Also those of a round that failed.
        if hasBegun { changes.hosts.formUnion(shelf.revoked) }
        let start = try hasBegun ? nil : begin()
        source.costs = RoundCosts(isCounting: hasBegun)
        let sites = RoundSites(SiteRenderer(signer: signer), folders, above: shelf, isStart: !hasBegun && shelf.isEmpty)
        let decision = try decide(changes, start, sites)
        hasBegun = true
        return commit(decision, sites, changes, start)
    }

    /// Uses these owners from the next full round on: versions that they do not allow are forgotten, as at a start.
    public func use(_ owners: HostOwners) { nextOwners.withLock { $0 = owners } }

    private func takeOwners() {
        guard let owners = nextOwners.withLock({ $0.take() }), owners != source.owners else { return }
        source.owners = owners
        shelf.revoked.formUnion(memory.forgetGood { !owners.allows($1, at: $0) })
    }

    /// Loads the state of the previous process.
    private func begin() throws(ConfigurationError) -> StateKeeper.Start {
        var known = TenantMemory()
        known.wasFetched = memory.wasFetched
        (memory, shelf) = (known, SiteShelf())
        defer { if onlyReadsState { keeper = nil } }
        let start = try keeper?.begin(folders, source.owners, &memory, &shelf) ?? StateKeeper.Start()
        if start.found == .other, !onlyReadsState { keeper?.setAside() }
        return start
    }

    /// Scans, decides and renders. Errors here leave the state unchanged.
    private func decide(
        _ changes: TreeChanges, _ start: StateKeeper.Start?, _ sites: RoundSites
    ) throws(ConfigurationError) -> Decision {
        var scanner = try TreeScanner(changes, knowing: memory, source, folders, start)
        do throws(SystemError) {
            var scan = try scanner.list()
            var restCount = scan.paths.count
            try scanner.read(scan.paths) { some throws(SystemError) in
                try scan.add(some, knowing: memory)
                restCount -= some.count
                if restCount > 0 { try renderEarly(some.flatMap(\.hosts), &scan, scanner, sites) }
            }
            try scanner.addRest(to: &scan)
            try scanner.addFolders(to: &scan)
            var admission = Admission(scan, knowing: memory, source: scanner.source)
            repeat {
                admission.guardRemovals()
                let hosts = admission.concernedHosts
                sites.keepOnly(hosts)
                try sites.render(hosts, by: admission)
            } while admission.reject(sites.failures)
            return admission.decision()
        } catch {
            throw ConfigurationError("all of \(source.configPath)", error)
        }
    }

    /// Renders hosts before all files are read, so that the contents of very many files need not be in memory at once. If a file
    /// that is read later names one of these hosts too, its plan changes and it is rendered again.
    private func renderEarly(
        _ hosts: [String], _ scan: inout Scan, _ scanner: TreeScanner, _ sites: RoundSites
    ) throws(SystemError) {
        let hosts = hosts.filter { scan.pathsByHost[$0]?.count == 1 }
        try scanner.addFolders(of: Set(hosts), to: &scan)
        try sites.render(hosts, by: Admission(scan, knowing: memory, source: scanner.source))
        scan.versions = [:]
    }

    /// Applies the decisions and the rendered sites, and reports them.
    private func commit(
        _ decision: Decision, _ sites: RoundSites, _ changes: TreeChanges, _ start: StateKeeper.Start?
    ) -> RoundReport {
        let (scan, isFirst) = (decision.scan, shelf.isEmpty)
        let moved = source.publishedFolders.symmetricDifference(scan.publishedFolders)
        source.publishedFolders = scan.publishedFolders
        var report = RoundReport(decision, notes: start?.notes ?? [])
        report.findings = scan.findings + decision.appFindings(knowing: memory.openFindings, in: source)
        let foldersBefore =
            isFirst ? [:] : Dictionary(uniqueKeysWithValues: sites.outcomes.keys.map { ($0, folder(of: $0)) })
        let unguarded = changes.repeatsFindings ? [:] : memory.openFindings.unguarded
        memory.apply(decision)
        memory.noteUnguarded(in: source)
        report.findings += memory.openFindings.unguarded.filter { unguarded[$0.key] == nil }.map(\.value)
            .sorted { $0.file < $1.file }
        shelf.revoked = []
        var findings: [(host: String, findings: [Finding])] = []
        for (host, outcome) in sites.outcomes {
            let isUnrenderable = decision.unrenderable.contains(host)
            var said = outcome.rendered.findings
            report.hostFilesRead += outcome.rendered.readCount
            memory.apply(outcome.rendered, of: host, isUnrenderable: isUnrenderable)
            if !isUnrenderable { note(outcome, of: host, decision, isFirst: isFirst, &report, &said) }
            if !said.isEmpty { findings.append((host, said)) }
        }
        report.findings += findings.sorted { $0.host < $1.host }.flatMap(\.findings)
        report.changes.sort { $0.host < $1.host }
        for (index, change) in report.changes.enumerated() {
            report.changes[index].folder = folder(of: change.host) ?? foldersBefore[change.host].flatMap(\.self)
        }
        if let layer = sites.finish(keeping: decision.unrenderable) { shelf.add(layer) }
        if let pages = scan.defaults { shelf.setDefaultPages(pages) }
        signer.endRound(isComplete: changes.repeatsFindings || changes.signatures || isFirst)
        report.catalogue = shelf.catalogue
        report.figures = figures()
        report.costs = source.costs.milliseconds
        report.fixedFiles = memory.openFindings.takeFixedFiles()
        let all = start == nil ? Array(sites.outcomes.keys) : Array(memory.appFiles.hosts) + Array(memory.folders.keys)
        report.folders = all.map { ($0, folder(of: $0), memory.appFiles.paths(naming: $0)) }
        report.published = publishedFiles(scan, moved: moved, afterStart: start != nil)
        if start != nil, let stateFolder {
            report.otherStates = stateFolder.others(
                isServed: { !memory.appFiles.paths(naming: $0).isEmpty }, knows: { memory.appFiles[$0] != nil })
        }
        report.hasNewOtherState = start?.found == .other && keeper?.protected == nil
        keeper?.note(scan, isAnything: changes.savesState || !sites.isEmpty)
        keeper?.save(memory, shelf)
        return report
    }

    /// Reports what a rendered host means: its change, its loss, and what is left for a later round.
    private func note(
        _ outcome: RoundSites.HostOutcome, of host: String, _ decision: Decision, isFirst: Bool,
        _ report: inout RoundReport,
        _ findings: inout [Finding]
    ) {
        if outcome.rendered.isPartlyCompressed { report.later.hosts.insert(host) }
        if outcome.rendered.isUnreadable, isFirst { findings.append(finding(aboutUnreadable: host)) }
        // No app file guards a host that had only files of its own, so its removal is reported as a warning.
        if outcome.isLost, decision.scan.hosts.contains(host), !memory.appFiles.isElsewhere(host) {
            findings.append(finding(aboutLossOf: host))
        }
        if let change = outcome.change, change.isOfAnswers || decision.hostsWithNewLanding.contains(host) {
            report.changes.append(change)
        }
    }

    /// For `RoundReport.folders`.
    private func folder(of host: String) -> String? {
        if let path = memory.appFiles.paths(naming: host).first { return TenantID.folder(ofApp: path) }
        // Hosts without an app file count as those of one tenant: a folder for each of many domains is easy to make.
        return memory.folders[host]?.wellKnown == nil ? nil : "."
    }

    /// A host that another program version served and this one cannot render.
    private func finding(aboutUnreadable host: String) -> Finding {
        Finding(
            rule: .app042, severity: .error, file: source.file(memory.appFiles.paths(naming: host).first ?? ""),
            range: nil,
            message:
                "this version of the server cannot read the last good version of the app file, so \(host) is no longer "
                + "served",
            fix: "fix the app file, or go back to the previous version of the server")
    }

    private func finding(aboutLossOf host: String) -> Finding {
        Finding(
            rule: .app042, severity: .warning, file: folders.wellKnownPath(of: host), range: nil,
            message: "all files of \(host) were deleted, so it is no longer served", fix: nil)
    }
}

// Compaction merges many changes into a new base while rounds continue.
extension Tenants {
    /// Starts a compaction if there is no base yet or there are many changes; end it with `finishCompaction`.
    public func beginCompaction() -> Compaction? {
        guard let base = shelf.base, shelf.compacting == nil, shelf.wantsMerging || keeper?.wantsBase == true,
            keeper?.mayTry != false
        else { return nil }
        let compaction = Compaction(memory, keeper, base: base, changes: shelf.changes)
        shelf.beginCompaction()
        keeper?.beginCompaction()
        return compaction
    }

    /// Puts the new base into service; not while a round runs.
    public func finishCompaction(_ compaction: Compaction) {
        if keeper?.finishCompaction(compaction, &memory, &shelf) == nil {
            shelf.finishCompaction(compaction.base)
        }
    }
}
