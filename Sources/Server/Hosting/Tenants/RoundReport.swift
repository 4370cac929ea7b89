// The result of a round: for the log, for publishing and for `associated status`.

public import Association
public import Catalogue
public import Telemetry

public struct RoundReport: Sendable {
    public var findings: [Finding] = []
    /// Hosts whose answers have changed, sorted.
    public var changes: [HostChange] = []
    public var catalogue = Catalogue(layers: [])
    /// The app files of each host that was rendered, of all hosts after the first round, and the first folder below `config/apps`
    /// of the first one. The folder is nil for a file that is directly there, and for a host without one.
    public var folders: [(host: String, folder: String?, appFiles: [String])] = []
    /// The published app files that were read in the round, of all after the first one; nil for one that is none, or no longer.
    public var published: [(path: String, file: PublishedFile?)] = []
    /// How many app files were read in the round.
    var readCount = 0
    /// How many files of hosts were read because their marks had changed.
    var hostFilesRead = 0
    /// Files that had findings before the round and have none now.
    public var fixedFiles: [String] = []
    /// Figures of all tenants after the round.
    public var figures = HostingFigures()
    /// Other warnings for the log.
    public var notes: [String] = []
    /// What starts have set aside, reported by the first round, and whether this start has.
    public var otherStates: [OtherState] = []
    public var hasNewOtherState = false
    /// What to read soon: files that were being written, and those of folders that took too long.
    public var later = TreeChanges()
    /// Milliseconds of CPU time by folder, named as in `RoundCosts`.
    public var costs: [String: Int64] = [:]

    init(_ decision: Decision, notes: [String]) {
        self.notes = notes
        readCount = decision.scan.examined.count
        later = decision.scan.later
        later.waiting.formUnion(decision.waiting)
    }
}
