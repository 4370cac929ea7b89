// Which folders with certificates exist, so that a handshake for any other name is refused without a look at the disk: a stranger can
// make up names, but no folders. The names come from listings of two directories. A directory is listed again when its metadata has
// changed; folders that change are reported in between (`note`). Until the first listing, and if a directory cannot be listed, any
// folder may exist.

import Posix
import TLS

/// A hash for each folder: with a hundred thousand, 3 MB. A folder whose hash is that of another costs one look at the disk.
struct FolderPresence {
    /// What is known of a folder.
    enum State: Equatable {
        case absent
        /// It exists, and had no certificate when it was checked.
        case empty(checkedMilliseconds: Int64)
        case mayHaveCertificate
    }

    /// The folders that exist, and when those without a certificate were checked. Nil if any folder may exist.
    private var folders: [Int: Int64]?
    /// When the directories were last compared, by the monotonic clock.
    private(set) var listedMilliseconds: Int64 = .min / 2

    private static let unchecked = Int64.min

    /// Replaces the folders. Those that were without a certificate are still so, unless all are to be checked.
    mutating func list(_ hashes: [Int]?, now: Int64) {
        listedMilliseconds = now
        guard let hashes else { return folders = nil }
        let before = folders ?? [:]
        folders = Dictionary(hashes.lazy.map { ($0, before[$0] ?? FolderPresence.unchecked) }) { first, _ in first }
    }

    /// The directories have not changed.
    mutating func confirm(now: Int64) { listedMilliseconds = now }

    /// A folder has come, changed or gone.
    mutating func note(_ hash: Int, exists: Bool) { folders?[hash] = exists ? FolderPresence.unchecked : nil }

    /// A folder was checked and has no certificate.
    mutating func noteEmpty(_ hash: Int, now: Int64) { if folders?[hash] != nil { folders?[hash] = now } }

    func state(of hash: Int) -> State {
        guard let folders else { return .mayHaveCertificate }
        switch folders[hash] {
        case nil: return .absent
        case FolderPresence.unchecked: return .mayHaveCertificate
        case let checked?: return .empty(checkedMilliseconds: checked)
        }
    }

    /// Makes everything be compared with the disk.
    mutating func invalidate() {
        listedMilliseconds = .min / 2
        folders = folders?.mapValues { _ in FolderPresence.unchecked }
    }
}

/// The directories of a tree, as they were when they were listed.
struct ListedFolders: Equatable {
    /// Nil for a directory that does not exist. Empty before the first listing, and where the next one must not be left out.
    private var marks: [FileStatus?] = []

    enum Outcome {
        case same
        /// Nil if a directory cannot be listed.
        case listed([Int]?)
    }

    /// Compares the directories with this listing, and lists them if they have changed.
    mutating func look(at paths: [String], isNeeded: Bool) -> Outcome {
        let began = Clock.wallNanoseconds()
        let present = paths.map { try? File.status($0) }
        if !isNeeded, !marks.isEmpty, marks == present { return .same }
        // A change within the same tick of the file system's clock would not be seen.
        marks = present.allSatisfy { $0?.isSettled(atNanoseconds: began) ?? true } ? present : []
        var hashes: [Int] = []
        for path in paths {
            do throws(SystemError) {
                for entry in try Directory.entries(path) where entry.kind == .directory {
                    hashes.append(HostName.hash(Array(entry.name.utf8).span))
                }
            } catch {
                if error.isMissing { continue }
                marks = []
                return .listed(nil)
            }
        }
        return .listed(hashes)
    }
}
