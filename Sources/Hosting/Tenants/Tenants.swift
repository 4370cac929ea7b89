// The control plane: from what has changed on disk to the next catalogue. A round scans what may have changed, decides for each
// app file whether it takes the place of its last good version, makes the hosts that this concerns, and leaves every other host
// as it is. Only its last step changes anything that is kept.
//
// One thread at a time runs rounds. What is published is immutable, and readers never wait for any of this.

import Association
public import Catalogue
public import HTTP
public import Posix
public import TLS

/// Everything that is hosted.
public final class Tenants: @unchecked Sendable {
    private(set) var source: AppSource
    let folders: HostFolders
    private let signer: DocumentSigner

    var memory = TenantMemory()
    private(set) var shelf = SiteShelf()
    /// What outlasts the process; nil when nothing does.
    private var keeper: StateKeeper?
    /// Whether a round has come to its end.
    private var hasBegun = false

    /// - Parameters:
    ///   - signer: signs the documents that are to be signed; without one, each host's own certificate does.
    ///   - state: the folder for what is to outlast the process, and what tells this program and its settings from others
    ///     that would render differently.
    ///   - openFilesMax: how many files this process may keep open, large pages among them.
    ///   - linkTargets: where links may lead, beside a host's own folder and `config/apps`.
    ///   - limits: bounds on what a host may have.
    ///   - owners: which hosts the app files of a folder may name.
    public init(
        configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil,
        state: (path: String, program: String)? = nil, openFilesMax: Int = .max,
        linkTargets: LinkTargets = .none, limits: Limits = Limits(), owners: HostOwners = HostOwners()
    ) {
        keeper = state.map { state in
            StateKeeper(
                folder: StateFolder(state.path, configPath: configPath, environment: environment),
                rendering: "\(state.program), \(configPath), \(publicPath)")
        }
        source = AppSource(configPath: configPath, environment: environment, owners: owners)
        self.signer = signer ?? DocumentSigner(hostsPath: "\(configPath)/hosts")
        folders = HostFolders(
            configPath: configPath, publicPath: publicPath, linkTargets: linkTargets, limits: limits,
            openFilesMax: openFilesMax)
    }

    /// How many files a server may keep open beside so many connections.
    public static func openFilesMax(besideConnections connectionsMax: Int) -> Int {
        HostFolders.openFilesMax(descriptors: DescriptorLimit.count, connectionsMax: connectionsMax)
    }

    /// What is served, as of the last round.
    public var catalogue: Catalogue { shelf.catalogue }

    /// Why what is known cannot be written to the state directory; nil when it was, or nothing is kept.
    public var stateProblem: String? { keeper?.failure?.reason }

    /// Whether a verifier fetched a host since some time, in seconds since 1970. Without an answer it may have.
    public var wasFetched: (@Sendable (_ host: String, _ sinceSeconds: Int64) -> Bool)? {
        get { memory.wasFetched }
        set { memory.wasFetched = newValue }
    }

    /// Whether certificates that sign documents have changed since they were loaded. Asked now and then.
    public func needsSigning() -> Bool { signer.hasChanges() }

    /// Looks at what may have changed and says what came of it. Throws when `config/apps` cannot be looked at, or there is no
    /// descriptor or memory for a part of it, and leaves everything as it was then.
    public func round(_ changes: TreeChanges) throws(ConfigurationError) -> RoundReport {
        let start = try hasBegun ? nil : begin()
        source.costs = RoundCosts(isCounting: hasBegun)
        let draft = Draft(SiteRenderer(signer: signer), folders, above: shelf, isStart: !hasBegun && shelf.isEmpty)
        let decision = try decide(changes, start, draft)
        hasBegun = true
        return commit(decision, draft, changes, notes: start?.notes ?? [])
    }

    /// Takes up what the last process knew.
    private func begin() throws(ConfigurationError) -> StateKeeper.Start {
        var known = TenantMemory()
        known.wasFetched = memory.wasFetched
        (memory, shelf) = (known, SiteShelf())
        return try keeper?.begin(folders, source.owners, &memory, &shelf) ?? StateKeeper.Start()
    }

    /// Everything up to the decision. Whatever goes wrong here has changed nothing.
    private func decide(
        _ changes: TreeChanges, _ start: StateKeeper.Start?, _ draft: Draft
    ) throws(ConfigurationError) -> Decision {
        let scanner = try TreeScanner(changes, knowing: memory, source, folders, start)
        do throws(SystemError) {
            var admission = Admission(try scanner.list(), knowing: memory, source: source)
            var restCount = admission.scan.paths.count
            scanner.read(admission.scan.paths) { some in
                admission.scan.add(some, knowing: memory)
                restCount -= some.count
                if restCount == 0 { return }
                // So that what very many files say need not be in memory until all have been read. Where the others are
                // of any consequence for a host, its plan changes, and it is made again.
                let hosts = some.flatMap(\.hosts).filter { admission.scan.namers[$0]?.count == 1 }
                scanner.addFolders(of: Set(hosts), to: &admission.scan)
                draft.make(hosts, by: admission)
                admission.scan.versions = [:]
            }
            try scanner.addRest(to: &admission.scan)
            try scanner.addFolders(to: &admission.scan)
            repeat {
                admission.guardRemovals()
                let hosts = admission.concerned
                draft.keepOnly(hosts)
                draft.make(hosts, by: admission)
                if let shortage = draft.shortage { throw shortage }
            } while admission.reject(draft.failures)
            return admission.decision()
        } catch {
            throw ConfigurationError("all of \(source.configPath)", error)
        }
    }

    /// Takes up what was decided and made, and says what is to be said.
    private func commit(_ decision: Decision, _ draft: Draft, _ changes: TreeChanges, notes: [String]) -> RoundReport {
        let (scan, isFirst) = (decision.scan, shelf.isEmpty)
        var report = RoundReport(decision, notes: notes)
        report.findings = scan.findings + decision.appFindings(knowing: memory.troubles, label: source.label)
        memory.take(decision)
        shelf.revoked = []
        var findings: [(host: String, findings: [Finding])] = []
        for (host, made) in draft.made {
            let isStale = decision.stale.contains(host)
            var said = made.outcome.findings
            defer { if !said.isEmpty { findings.append((host, said)) } }
            report.hostFilesRead += made.outcome.readCount
            memory.take(made.outcome, of: host, isStale: isStale)
            if isStale { continue }
            if made.outcome.isPartlyPacked { report.later.hosts.insert(host) }
            if made.outcome.isUnreadable, isFirst { said.append(finding(aboutUnreadable: host)) }
            // A host that had only files of its own has no app file that could guard it, but its end is not silent either.
            if made.isLost, scan.hosts.contains(host), !memory.ledger.isElsewhere(host) {
                said.append(finding(aboutLossOf: host))
            }
            guard let change = made.change, change.isOfAnswers || decision.relanded.contains(host) else { continue }
            report.changes.append(change)
        }
        report.findings += findings.sorted { $0.host < $1.host }.flatMap(\.findings)
        report.changes.sort { $0.host < $1.host }
        if let layer = draft.finish(keeping: decision.stale) { shelf.add(layer) }
        if let pages = scan.defaults { shelf.share(pages) }
        if let look = scan.unread { shelf.unread = UnreadHosts { look.hasFiles(ofHost: $0) } }
        if scan.hasListedHosts { shelf.unread = nil }
        signer.endRound(isComplete: changes.again || changes.signatures || isFirst)
        report.catalogue = shelf.catalogue
        report.figures = figures()
        report.costs = source.costs.milliseconds
        report.mendedFiles = memory.troubles.takeMended()
        report.keptFiles = memory.ledger.troubled.count(where: isServed)
        keeper?.note(scan, isAnything: changes.records || !draft.isEmpty)
        keeper?.save(memory, shelf, &report)
        return report
    }

    /// What another program served, and this one cannot make.
    private func finding(aboutUnreadable host: String) -> Finding {
        Finding(
            rule: .app042, severity: .error, file: source.file(memory.ledger.paths(naming: host).first ?? ""),
            range: nil,
            message:
                "this version of the server cannot read the last good version of the app file, so \(host) is no longer "
                + "served",
            fix: "fix the app file, or go back to the version that could")
    }

    private func finding(aboutLossOf host: String) -> Finding {
        Finding(
            rule: .app042, severity: .warning, file: folders.wellKnownPath(of: host), range: nil,
            message: "the files of \(host) are gone, so the host is no longer served", fix: nil)
    }
}

// What many changes have become is merged beside the rounds.
extension Tenants {
    /// What is to be tidied up, when there is no base yet or the changes have become many. To be finished, by `finish`.
    public func tidying() -> Tidying? {
        guard let base = shelf.base, shelf.frozen == nil, shelf.wantsMerging || keeper?.wantsBase == true,
            keeper?.mayTry != false
        else { return nil }
        let tidying = Tidying(memory, keeper, base: base, changes: shelf.changes)
        shelf.freeze()
        keeper?.freeze()
        return tidying
    }

    /// Takes up what was made, and says what is to be said.
    public func finish(_ tidying: Tidying) -> RoundReport {
        var report = RoundReport()
        if keeper?.finish(tidying, &memory, &shelf, &report) == nil { shelf.settle(tidying.base) }
        report.catalogue = shelf.catalogue
        return report
    }

    /// All of it at once.
    public func tidy() -> RoundReport? {
        guard let tidying = tidying() else { return nil }
        tidying.run()
        return finish(tidying)
    }
}
