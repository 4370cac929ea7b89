// What one look at the disk gave: app files that are not as they were, with what they say, and folders of hosts that look
// otherwise. A value: what follows from it is decided without a disk.

import Association
import Posix

/// What a round has read.
struct Scan: Sendable {
    /// An app file that is not what is served.
    struct Candidate: Sendable {
        var content: Content
        /// The marks of the file, when they can be relied on.
        var mark: FileStatus?
        var findings: [Finding] = []
        /// What the last good version made live and this one drops, unless another file has it.
        var dropped: Set<LiveIdentity> = []
        /// What happens then.
        var removalGuard = RemovalGuard.block
        /// What it makes live and the last good version did not.
        var added: Set<LiveIdentity> = []
        /// Whether its links have another landing page than before.
        var isRelanded = false

        enum Content: Sendable {
            case gone
            case broken
            case good(AppRecord.GoodVersion)
        }

        var isGone: Bool { if case .gone = content { true } else { false } }
        var isBroken: Bool { if case .broken = content { true } else { false } }
        var good: AppRecord.GoodVersion? { if case .good(let good) = content { good } else { nil } }
        var hosts: [String] { good?.hosts ?? [] }
        /// The hosts that it names in other environments only.
        var otherHosts: [String] { good?.otherHosts ?? [] }
    }

    /// By path below `config/apps`. Files that turn out to be as they were are not among them.
    private(set) var candidates: [String: Candidate] = [:]
    /// The candidates that name a host.
    private(set) var namers: [String: [String]] = [:]
    /// What they and their last good versions say, as far as that is in memory.
    var versions: [AppVersion: LoadedAppFile] = [:]
    /// The app files to be read, and those of them that were.
    var paths: [String] = []
    var read: Set<String> = []
    /// Files that are, or may be, others than they were. Candidates that are not among them were held back before.
    var changed: Set<String> = []
    /// Files of which everything is to be said, even what has been said before.
    var touched: Set<String> = []
    /// The hosts that files waited for which changed.
    var awaited: Set<String> = []
    /// Files whose content is the version in service again, with their marks.
    var unchanged: [String: FileStatus?] = [:]
    /// Files without a good version that are gone.
    var forgotten: Set<String> = []
    var retired = RetiredFiles()

    /// The folders of hosts that look otherwise now, and the hosts whose folders were looked at.
    var folders: [String: FolderRecord] = [:]
    var lookedAt: Set<String> = []
    /// Hosts to be made, whatever app files say.
    var hosts: Set<String> = []
    /// The marks of the pages that every host has, and these when they are others.
    var defaultsSignature: UInt64?
    var defaults: PageSet?
    /// Where to look for hosts that have files of their own, when they were left for later.
    var unread: FolderLook?
    /// Whether they were all looked for.
    var hasListedHosts = false

    var treeTroubles = TreeTroubles()
    /// Why nothing in `config/hosts` can be looked at.
    var hostsTrouble: Finding?
    var findings: [Finding] = []
    /// What there is to say about folders of app files.
    var appFindings = AppFindings()
    /// What was still changing, or cost too much.
    var later = TreeChanges()
    /// The folders of `config/apps` of which not all was read.
    private var postponedFolders: Set<String> = []
    /// There was no descriptor or no memory for a part of it, so none of it counts.
    var shortage: SystemError?

    mutating func add(_ candidate: Candidate, at path: String) {
        candidates[path] = candidate
        for host in candidate.hosts { namers[host, default: []].append(path) }
    }

    /// Adds what app files gave.
    mutating func add(_ readings: [FileReading], knowing memory: TenantMemory) {
        let now = Clock.wallSeconds()
        for reading in readings {
            let path = reading.path
            switch reading.outcome {
            case .changing: later.appFiles.insert(path)
            case .postponed: postpone(path)
            case .starved(let reason): shortage = shortage ?? reason
            case .same(let mark): unchanged[path] = .some(mark)
            case .candidate(var candidate):
                // Nothing is served by a file that was never good.
                if candidate.isGone, memory.ledger[path]?.good == nil {
                    forgotten.insert(path)
                    continue
                }
                candidate.removed = candidate.removed.filter { !memory.mayRemove($0, from: path, at: now) }
                add(candidate, at: path)
                versions[AppVersion(path: path, isNew: true)] = reading.app
                versions[AppVersion(path: path, isNew: false)] = reading.former
            }
        }
    }

    /// Leaves a file for a round that its folder has not cost much yet.
    private mutating func postpone(_ path: String) {
        candidates[path] = nil
        AppTree.topFolder(of: path).map { _ = postponedFolders.insert($0) }
        if changed.contains(path) || touched.contains(path) {
            later.appFiles.insert(path)
        } else {
            later.waiting.insert(path)
        }
    }

    /// What a file that is gone had live may be in a file of its folder that is not read yet.
    mutating func postponeGone() {
        if postponedFolders.isEmpty { return }
        for (path, candidate) in candidates where candidate.isGone {
            if AppTree.topFolder(of: path).map(postponedFolders.contains) == true { postpone(path) }
        }
    }

    mutating func note(_ findings: [Finding], about path: String) { candidates[path]?.findings += findings }
}

/// What was taken out of service by moving its file.
struct RetiredFiles: Sendable {
    var identities: Set<LiveIdentity> = []
    /// Below `config/retired`.
    var paths: Set<String> = []
}

/// One of the two versions of an app file.
struct AppVersion: Hashable, Sendable {
    var path: String
    /// The one on disk; otherwise the last good one.
    var isNew: Bool
}
