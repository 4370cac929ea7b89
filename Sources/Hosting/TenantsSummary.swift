// How all tenants stand, in numbers: for metrics, for health, and for whoever else asks again and again and must not wait
// for a round. A value that each round hands out; who wants to know which files and hosts these are asks the tenants.

import Association

/// The tenants at the end of a round.
public struct TenantsSummary: Hashable, Sendable {
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

    /// Findings that stand: errors, which keep something from being served, and what is said of the rest.
    public var standingErrors = 0
    public var standingWarnings = 0
    public var standingNotes = 0

    public init(appFiles: Int = 0, hosts: Int = 0) {
        self.appFiles = appFiles
        self.hosts = hosts
    }

    mutating func count(_ standing: AppRecord.Standing, isServed: Bool) {
        switch standing {
        case .current: return
        case .broken: brokenFiles += 1
        case .held: heldFiles += 1
        case .gone: goneFiles += 1
        case .refused: refusedFiles += 1
        }
        if !isServed { unservedFiles += 1 }
    }

    mutating func count(_ severity: Severity) {
        switch severity {
        case .error: standingErrors += 1
        case .warning: standingWarnings += 1
        case .note: standingNotes += 1
        }
    }
}
