// One round of the control plane, while it lasts: what was read, what is to become of it, and what it means for hosts.
// Everything here is thrown away at its end; what stays is put into the ledger.

import Association
import Catalogue
import Posix

/// What is known in the course of a round.
struct Round {
    /// A file that was looked at because something may have changed.
    struct Candidate: Sendable {
        var reading: Reading
        /// The marks of the file, when they can be relied on.
        var mark: FileStatus?
        var findings: [Finding] = []
        /// How the file is to be recorded, when it does not become the version in service.
        var rejection: AppRecord.Standing?
        /// How many live facts it would have dropped, when that is why it is rejected.
        var guardedCount: Int?
        /// The hosts that decided about it, when it is rejected for their sake.
        var awaited: Set<String> = []

        enum Reading: Sendable {
            case gone
            case broken
            case good(LoadedAppFile, AppRecord.GoodVersion)
        }

        /// The app file that takes the place of the last good version.
        var accepted: LoadedAppFile? {
            guard rejection == nil, case .good(let app, _) = reading else { return nil }
            return app
        }
    }

    /// By path below `config/apps`. Files that turn out to be as they were are not among them.
    var candidates: [String: Candidate] = [:]
    /// Whether it is the first one, which begins with what the last process remembered.
    var isStart = false
    /// The app files that were read.
    var read: Set<String> = []
    /// The hosts that those of them waited for which changed.
    var awaited: Set<String> = []
    /// The candidates that name a host.
    var newNamers: [String: [String]] = [:]
    /// Files that are, or may be, others than they were. Candidates that are not among them were held back before.
    var changed: Set<String> = []
    /// Files of which everything is to be said, even what has been said before.
    var touched: Set<String> = []
    /// Files whose content is the version in service again, with their marks.
    var unchanged: [String: FileStatus?] = [:]
    /// Files without a good version that are gone.
    var forgotten: Set<String> = []
    /// Hosts to be rendered because of their folders.
    var hosts: Set<String> = []
    /// What was said about hosts that were made as soon as their file was read.
    var firstFindings: [String: [Finding]] = [:]
    /// Those of them with a signed document.
    var firstSigned: Set<String> = []
    var findings: [Finding] = []
    /// What there is to say about app files and their folders, as far as it is known.
    var appFindings = AppFindings()
    /// How many files more, or less, name a host in another environment only.
    var elsewhereChanges: [String: Int] = [:]
    /// All app files as they were found already; nil when they are to be listed.
    var listing: AppTree.Listing?
    /// Set when the hosts that have files of their own were left for later, and where to look for them until then.
    var unread: FolderLook?
    /// Whether they were all looked for.
    var hasListedHosts = false
    /// What was still changing.
    var later = TreeChanges()
    /// Last good versions that were read again, by path.
    var lastGood: [String: LoadedAppFile] = [:]
    /// Those that this program cannot read, although another one could.
    var unreadable: Set<String> = []
    /// Files that came into `config/retired`; nil until it is asked for.
    var retired: RetiredFiles?
    /// Hosts that keep the version in service because they cannot be rendered.
    var stale: Set<String> = []
    /// What was left to a later round for want of descriptors or memory.
    var postponed: Postponement?
    /// Hosts that are not to be made in this round, for that reason.
    var postponedHosts: Set<String> = []
    /// How often some had to be taken out.
    var starvedPasses = 0
    /// What was known of folders that look otherwise now.
    var formerRecords: [String: FolderRecord] = [:]
}

/// What was taken out of service by moving its file.
struct RetiredFiles {
    var identities: Set<LiveIdentity> = []
    /// Below `config/retired`.
    var paths: Set<String> = []
    /// Why not all of it is known.
    var shortage: SystemError?
}
