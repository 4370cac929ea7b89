// What a round read from the disk: changed app files with their content, and changed folders of hosts. A value, so that all
// decisions can be made without a disk.

import Association
import Posix
import Tenancy

/// What a round has read before it decides.
struct Scan: Sendable {
    /// An app file whose version on disk is not the one in service.
    struct Candidate: Sendable {
        var content: Content
        /// The marks of the file; nil if it may still be changing.
        var mark: FileStatus?
        var findings: [Finding] = []
        /// The live entries that this version removes, unless another file has them.
        var removed: Set<LiveIdentity> = []
        /// What to do if it removes live entries.
        var removalGuard = RemovalGuard.block
        /// The entries that this version adds.
        var added: Set<LiveIdentity> = []
        /// The hosts that it names although it has errors.
        var brokenHosts: [String] = []
        /// The digest of its bytes, if it was published.
        var publishedDigest: String?
        /// Whether the landing page of its links has changed.
        var hasNewLanding = false

        enum Content: Sendable {
            case gone
            case broken
            case good(AppRecord.GoodVersion)
        }

        var isGone: Bool { if case .gone = content { true } else { false } }
        var isBroken: Bool { if case .broken = content { true } else { false } }
        var good: AppRecord.GoodVersion? { if case .good(let good) = content { good } else { nil } }
        var hosts: [String] { good?.hosts ?? [] }
        /// The hosts that it names only in other environments.
        var otherHosts: [String] { good?.otherHosts ?? [] }
    }

    /// By path below `config/apps`. Unchanged files are not included.
    private(set) var candidates: [String: Candidate] = [:]
    /// The candidates that name a host.
    private(set) var pathsByHost: [String: [String]] = [:]
    /// The contents of candidates and of their last good versions, as far as they are in memory.
    var versions: [AppVersion: LoadedAppFile] = [:]
    /// The app files to read, and those that have been read.
    var paths: [String] = []
    var examined: Set<String> = []
    /// Files that have, or may have, changed. Other candidates were held or refused before.
    var changed: Set<String> = []
    /// Files whose findings are all reported, even those that were reported before.
    var filesToReport: Set<String> = []
    /// The hosts that changed files waited for.
    var awaitedHosts: Set<String> = []
    /// Files whose text is the version in service again, with their marks.
    var unchanged: [String: FileStatus?] = [:]
    /// Deleted files without a good version.
    var forgotten: Set<String> = []
    var retired = RetiredFiles()
    /// All retired files, without their content; nil if they are those of the last round.
    var retiredFiles: RetiredFiles?

    /// The hosts whose folders have changed, and all hosts whose folders were checked.
    var folders: [String: FolderRecord] = [:]
    var lookedAt: Set<String> = []
    /// Hosts to render even if no app file of them has changed.
    var hosts: Set<String> = []
    /// The marks of the pages for all hosts, and these pages if they have changed.
    var defaultsMark: UInt64?
    var defaults: PageSet?
    /// All hosts with folders of their own; nil if only some folders are checked.
    var listedHosts: Set<String>?

    var unusableFolders = UnusableFolders()
    /// The folders of app files that are published.
    var publishedFolders: Set<String> = []
    /// Set if `config/hosts` cannot be read.
    var hostsFolderFinding: Finding?
    var findings: [Finding] = []
    /// Findings on folders of app files, and on files that are in service again.
    var appFindings: [(path: String, finding: Finding)] = []
    /// What was still being written, or belongs to a folder that took too long.
    var later = TreeChanges()
    /// The folders of `config/apps` that were only partly read.
    private var postponedFolders: Set<String> = []

    mutating func add(_ candidate: Candidate, at path: String) {
        candidates[path] = candidate
        for host in candidate.hosts { pathsByHost[host, default: []].append(path) }
    }

    /// Adds the results of reading app files. Throws if descriptors or memory ran out.
    mutating func add(_ readings: [FileReading], knowing memory: TenantMemory) throws(SystemError) {
        let now = Clock.wallSeconds()
        for reading in readings {
            let path = reading.path
            switch reading.outcome {
            case .changing: later.appFiles.insert(path)
            case .postponed: postpone(path)
            case .starved(let reason): throw reason
            case .same(let mark, let again):
                unchanged[path] = .some(mark)
                appFindings += again.map { (path, $0) }
            case .candidate(var candidate):
                // Nothing is served from a file that was never good.
                if candidate.isGone, memory.appFiles[path]?.good == nil {
                    forgotten.insert(path)
                    continue
                }
                candidate.removed = candidate.removed.filter { !memory.mayRemove($0, from: path, at: now) }
                if case .good(let version) = candidate.content { candidate.content = .good(version.withOwnNames) }
                add(candidate, at: path)
                versions[AppVersion(path: path, isNew: true)] = reading.app
                versions[AppVersion(path: path, isNew: false)] = reading.lastGood
            }
        }
    }

    /// Leaves a file for a later round.
    private mutating func postpone(_ path: String) {
        candidates[path] = nil
        TenantID.folder(ofApp: path).map { _ = postponedFolders.insert($0) }
        if changed.contains(path) || filesToReport.contains(path) {
            later.appFiles.insert(path)
        } else {
            later.waiting.insert(path)
        }
    }

    /// The entries of a deleted file may be in a file of the same folder that has not been read yet.
    mutating func postponeGone() {
        if postponedFolders.isEmpty { return }
        for (path, candidate) in candidates where candidate.isGone {
            if TenantID.folder(ofApp: path).map(postponedFolders.contains) == true { postpone(path) }
        }
    }

    mutating func note(_ findings: [Finding], about path: String) { candidates[path]?.findings += findings }
}

/// The files in `config/retired`, and those that tenants have published as retired.
struct RetiredFiles: Sendable {
    var identities: Set<LiveIdentity> = []
    /// Where they are, by the path of the app file.
    var files: [String: String] = [:]
}

/// One of the two versions of an app file.
struct AppVersion: Hashable, Sendable {
    var path: String
    /// True for the version on disk, false for the last good one.
    var isNew: Bool
}
