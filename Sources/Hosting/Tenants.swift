// The control plane's memory and its work: from what has changed on disk to the next catalogue. A round reads the app files
// that may have changed, decides for each whether it takes the place of its last good version, renders the hosts that this
// concerns, and leaves every other host as it is.
//
// One thread at a time runs rounds. What is published is immutable, and readers never wait for any of this.

import Association
public import Catalogue
public import HTTP
public import Posix
public import TLS

/// Everything that is hosted.
public final class Tenants: @unchecked Sendable {
    let configPath: String
    let environment: String?
    let signer: DocumentSigner
    let folders: HostFolders

    var ledger = Ledger()
    /// By host, where there is any folder.
    var folderRecords: [String: FolderRecord] = [:]
    /// Marks of the pages that every host has.
    var defaultsSignature: UInt64?
    var shelf = SiteShelf()
    /// What came of the files of hosts that were made again since the start, by host: what the catalogue has of these files.
    var knownFiles: [String: KnownFiles] = [:]
    /// Hosts that keep an earlier version because the present one cannot be rendered.
    var stale: Set<String> = []
    /// Hosts with a signed document.
    var signed: Set<String> = []

    /// What is wrong with the files that are not what is served, by path.
    var troubles: [String: [Finding]] = [:]
    /// What is wrong with the hosts that are not as their files would have them, by host.
    var hostTroubles: [String: [Finding]] = [:]
    /// What there is of less than errors about what hosts of several files, or of their own, answer.
    var hostLesser: [String: AppRecord.LesserCounts] = [:]
    /// Hosts to be made again for whoever asks what is wrong, and at each start.
    var troubledHosts: Set<String> { stale.union(hostTroubles.keys) }
    /// Why nothing is known of folders below `config/apps`, by path, while that is so. An empty path is all of it.
    var treeTroubles: [String: Finding] = [:]
    /// The files that findings stood about at the end of the last round.
    var troubledFiles: Set<String> = []
    /// Why nothing in `config/hosts` can be looked at, while that is so.
    var hostsTrouble: Finding?
    /// What the removal guard lets go of.
    var recent = RecentIdentities()
    /// Whether a verifier fetched a host since some time, in seconds since 1970. Without an answer it may have.
    public var wasFetched: (@Sendable (_ host: String, _ sinceSeconds: Int64) -> Bool)?
    /// How many live facts each file that is held back would have dropped, by path.
    var guarded: [String: Int] = [:]
    /// What outlasts the process; nil when nothing does.
    var keeping: Keeping?
    /// Whether a base is being made of what was known a moment ago.
    var isTidying = false
    /// Hosts that are to be rendered in the first round, because what was kept of them is of no use.
    var unrendered: Set<String> = []
    /// What another program made of the same texts; nil from the end of the first round on.
    var former: FormerSites?
    /// Whether which hosts have folders is known from the last process.
    var knowsFolders = false

    /// - Parameters:
    ///   - signer: signs the documents that are to be signed; without one, each host's own certificate does.
    ///   - state: the folder for what is to outlast the process, and what tells this program and its settings from others
    ///     that would render differently.
    ///   - openFilesMax: how many files this process may keep open, large pages among them.
    ///   - linkTargets: where links may lead, beside a host's own folder and `config/apps`.
    ///   - limits: bounds on what a host may have.
    public init(
        configPath: String, publicPath: String, environment: String?, signer: DocumentSigner? = nil,
        state: (path: String, program: String)? = nil, openFilesMax: Int = .max,
        linkTargets: LinkTargets = .none, limits: Limits = Limits()
    ) {
        keeping = state.map { state in
            Keeping(
                folder: StateFolder(state.path, configPath: configPath, environment: environment),
                rendering: "\(state.program), \(configPath), \(publicPath)")
        }
        self.configPath = configPath
        self.environment = environment
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
    public var stateProblem: String? { keeping?.failure?.reason }

    /// Whether certificates that sign documents have changed since they were loaded. Asked now and then.
    public func needsSigning() -> Bool { signer.hasChanges() }

    /// Looks at what may have changed and says what came of it. Throws only when `config/apps` cannot be looked at, and
    /// leaves everything as it was then.
    public func round(_ changes: TreeChanges) throws(ConfigurationError) -> RoundReport {
        var round = Round()
        var notes: [String] = []
        if shelf.isEmpty, changes.everything {
            round.isStart = true
            (notes, round.listing) = try start()
        }
        try look(changes, &round)
        var rendered: [String: RenderedSite] = [:]
        repeat {
            settle(&round)
            render(&rendered, &round)
        } while postponeStarved(&rendered, &round) || rejectFailures(of: &rendered, &round)
        var report = commit(rendered, round, rendersAllSigned: changes.again || changes.signatures)
        report.notes = notes
        keepChanges(&report)
        return report
    }
}
