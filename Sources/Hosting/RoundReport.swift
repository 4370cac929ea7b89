// What a round has to say: to the log, to whoever publishes, and to whoever asks how things stand.

public import Association
public import Catalogue

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
    public var appCount = 0
    public var hostCount = 0
    /// App files whose last good version is served in the place of what is on disk, and the hosts that this concerns.
    public var keptFiles = 0
    public var keptHosts = 0
    /// Files that findings stood about before the round, and do not any more.
    public var mendedFiles: [String] = []
    /// How all tenants stand after the round, in numbers.
    public var standing = TenantsSummary()
    /// What else there is to say, each the end of a sentence about the server.
    public var notes: [String] = []
    /// What was being written to while it was to be read. To be looked at soon.
    public var later = TreeChanges()
    /// What could not be looked at for want of descriptors or memory. To be looked at again, not at once.
    public var postponed: Postponement?
}
