// What is hosted, in numbers: for metrics, for health, and for whoever asks again and again and must not wait for a round. Each round
// hands out one.

public struct HostingFigures: Hashable, Sendable {
    /// App files that something is served from, and hosts that are served; wildcards count once.
    public var appFiles: Int
    public var hosts: Int
    /// Hosts that are served by an earlier version of something than there is on disk.
    public var keptHosts = 0

    /// App files that are not what is served, by what became of them: with errors, dropping what is live, gone without being
    /// retired, and of a host that could not be rendered with them.
    public var brokenFiles = 0
    public var heldFiles = 0
    public var goneFiles = 0
    public var refusedFiles = 0
    /// Of these, the ones that never had a good version, so that nothing is served by them.
    public var unservedFiles = 0
    /// Hosts, ids, packages and fingerprints that the removal guard keeps live against what is on disk.
    public var guardedEntries = 0

    /// Open findings: errors, which keep something from being served, and the rest.
    public var errors = 0
    public var warnings = 0
    public var notes = 0

    public init(appFiles: Int = 0, hosts: Int = 0) {
        self.appFiles = appFiles
        self.hosts = hosts
    }
}
