// The numbers of what is hosted, for metrics, health and status. Each reload makes a new value, so readers do not wait for a
// reload.

public struct HostingFigures: Hashable, Sendable {
    /// App files in service, and served hosts; a wildcard counts once.
    public var appFiles: Int
    public var hosts: Int
    /// Hosts on a last good version.
    public var keptHosts = 0

    /// App files whose version on disk is not served, by reason: it has errors, it drops live entries, the file is gone without
    /// being retired, or one of its hosts could not be rendered.
    public var brokenFiles = 0
    public var heldFiles = 0
    public var goneFiles = 0
    public var refusedFiles = 0
    /// How many of these have no last good version, so that nothing is served from them.
    public var unservedFiles = 0
    /// Hosts, ids, packages and fingerprints that the removal guard keeps live although they are gone on disk.
    public var guardedEntries = 0

    /// Open findings by severity. An error prevents something from being served.
    public var errors = 0
    public var warnings = 0
    public var notes = 0

    public init(appFiles: Int = 0, hosts: Int = 0) { (self.appFiles, self.hosts) = (appFiles, hosts) }
}
