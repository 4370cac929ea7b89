// What a round has to say: to the log, to whoever publishes, and to whoever asks how things stand.

public import Association
public import Catalogue
public import Posix
public import Telemetry

public struct RoundReport: Sendable {
    public var findings: [Finding] = []
    /// Hosts whose answers differ from before, in order.
    public var changes: [HostChange] = []
    public var catalogue = Catalogue(layers: [])
    /// App files that were read in the round.
    var readCount = 0
    /// Files in folders of hosts that were read, because they were not known to be the same.
    var hostFilesRead = 0
    /// App files that are served.
    public var appCount: Int { figures.appFiles }
    public var hostCount: Int { figures.hosts }
    /// App files whose last good version is served in the place of what is on disk, and the hosts that this concerns.
    public var keptFiles = 0
    public var keptHosts: Int { figures.keptHosts }
    /// Files that findings stood about before the round, and do not any more.
    public var mendedFiles: [String] = []
    /// All tenants after the round, in numbers.
    public var figures = HostingFigures()
    /// What else there is to say, each the end of a sentence about the server.
    public var notes: [String] = []
    /// What was being written to while it was to be read, or has cost enough for one round. To be looked at soon.
    public var later = TreeChanges()
    /// Milliseconds of computing that the folders of tenants took, as `RoundCosts` names them.
    public var costs: [String: Int64] = [:]
    /// What is known could not be written down for want of descriptors or memory. To be tried again, not at once.
    public var unsaved: SystemError?

    init() {}

    init(_ decision: Decision, notes: [String]) {
        self.notes = notes
        readCount = decision.scan.read.count
        later = decision.scan.later
        later.waiting.formUnion(decision.waiting)
    }
}
