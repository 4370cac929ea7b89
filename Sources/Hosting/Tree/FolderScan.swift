// One walk through a folder, for everything that depends on what is below it: what is served, whether it has changed and what is
// watched. Each directory is listed once, however many links lead to it. A link to a folder is followed unless the link is in
// that folder itself, so no chain of links grows for ever, and all names together are bounded.

import Posix

/// What lies below a folder, hidden names left out. Paths are below that folder.
struct FolderScan {
    /// A regular file, links followed.
    struct File: Hashable {
        let path: String
        let status: FileStatus
    }

    /// What is wrong with a name.
    enum Problem: Hashable {
        /// A pipe, a socket, or a link that leads nowhere.
        case notAFile
        /// A link to a folder that it is in.
        case loop
        case tooDeep
        /// A folder called `.well-known`: hidden names are never served.
        case hiddenWellKnown
        case unreadable(SystemError)
    }

    /// How much is looked at.
    struct Bounds {
        var filesMax = Int.max
        var foldersMax = Int.max
        /// Whether a folder that is found already is found again under the name of a link to it, and all is in order.
        var isOfPaths = true
        /// What each folder at the top may have by itself, where each is another tenant's. The bounds above are for the top
        /// alone, then.
        var share: Share?

        struct Share {
            let filesMax: Int
            let foldersMax: Int

            fileprivate var namesMax: Int { filesMax + foldersMax }
        }

        /// Names of all kinds, so that links are bounded too.
        fileprivate var namesMax: Int { filesMax == .max ? .max : filesMax + foldersMax }
    }

    /// A bound that there is more than. What was found is a part, then. Bytes are counted by who knows which files are read.
    enum Excess: Hashable { case files, folders, bytes }

    private(set) var files: [File] = []
    /// One path for each directory, the folder itself first.
    private(set) var folders: [String] = []
    /// The names that are links.
    private(set) var links: [String] = []
    /// Whether any of them leads to a folder.
    private(set) var hasLinkedFolders = false
    private(set) var problems: [(path: String, problem: Problem)] = []
    private(set) var excess: Excess?
    /// The folders at the top that have more than their share.
    private(set) var overfull: [String: Excess] = [:]
    /// Why the folder itself could not be listed.
    private(set) var failure: SystemError?
    /// A folder could not be listed for want of descriptors or memory.
    private(set) var shortage: SystemError?

    static let depthMax = 16
    private let wellKnown = ".well-known"

    private let bounds: Bounds
    /// What is in each directory; nothing where it is not needed again.
    private var directories: [FileStatus.Identity: [ListedEntry]] = [:]
    /// Which directory has a name in another one.
    private var children: [Child: FileStatus.Identity] = [:]
    private var linked: [Step] = []
    private var stepCount = 0
    private var nameCount = 0
    private var used: [Substring: Use] = [:]

    /// What a folder at the top has.
    private struct Use {
        var names = 0
        var files = 0
        var folders = 0
    }

    private struct Child: Hashable {
        let parent: FileStatus.Identity
        let name: String
    }

    /// A directory to look into under one of its names.
    private struct Step {
        let path: String
        let depth: Int
        let identity: FileStatus.Identity
        /// The directories that it is in.
        let above: [FileStatus.Identity]
    }

    /// - Parameter start: a folder below `root`; an empty path is that itself.
    init(_ root: borrowing FencedFolder, from start: String = "", _ bounds: Bounds) {
        self.bounds = bounds
        let depth = start.isEmpty ? 0 : start.utf8.count { $0 == UInt8(ascii: "/") } + 1
        do throws(SystemError) {
            let (identity, entries) = try list(start, root)
            enter(Step(path: start, depth: depth, identity: identity, above: []), entries, root)
        } catch {
            failure = error
            note(error, at: start)
        }
        // Links last, so that a folder keeps the name that it has by itself.
        var index = 0
        while index < linked.count, excess == nil {
            follow(linked[index], root)
            index += 1
        }
        (directories, children, linked) = ([:], [:], [])
    }

    private mutating func list(
        _ path: String, _ root: borrowing FencedFolder
    ) throws(SystemError) -> (FileStatus.Identity, [ListedEntry]) {
        let top = top(of: path)
        let room = top.map { bounds.share!.namesMax - (used[$0]?.names ?? 0) } ?? bounds.namesMax - nameCount
        let listing = try root.list(path, entriesMax: max(0, room))
        if !listing.isWhole { note(.files, in: top) }
        if let known = directories[listing.identity] { return (listing.identity, known) }
        var entries = listing.entries
        if bounds.isOfPaths { entries.sort { $0.name.utf8.lexicographicallyPrecedes($1.name.utf8) } }
        directories[listing.identity] = bounds.isOfPaths ? entries : []
        if listing.hidesWellKnown {
            problems.append((path.isEmpty ? wellKnown : "\(path)/\(wellKnown)", .hiddenWellKnown))
        }
        folders.append(path)
        return (listing.identity, entries)
    }

    private mutating func note(_ error: SystemError, at path: String) {
        // It went while it was looked at.
        if error.isMissing { return }
        if error.isShortage {
            shortage = shortage ?? error
        } else {
            problems.append((path, .unreadable(error)))
        }
    }

    private mutating func enter(_ step: Step, _ entries: [ListedEntry], _ root: borrowing FencedFolder) {
        let top = top(of: step.path)
        countFolder(in: top)
        for entry in entries {
            countName(in: top)
            if excess != nil || isOverfull(top) { return }
            let path = step.path.isEmpty ? entry.name : "\(step.path)/\(entry.name)"
            if entry.isLink { links.append(path) }
            switch entry.kind {
            case .file:
                guard let status = entry.status else { continue }
                files.append(File(path: path, status: status))
                if let top { used[top, default: Use()].files += 1 }
            case .other: problems.append((path, .notAFile))
            case .directory: enterFolder(entry, path, in: step, root)
            }
        }
        countFiles(in: top)
    }

    private mutating func enterFolder(
        _ entry: ListedEntry, _ path: String, in step: Step, _ root: borrowing FencedFolder
    ) {
        guard step.depth < FolderScan.depthMax else { return problems.append((path, .tooDeep)) }
        let above = step.above + [step.identity]
        if entry.isLink, let status = entry.status {
            hasLinkedFolders = true
            linked.append(Step(path: path, depth: step.depth + 1, identity: status.identity, above: above))
            return
        }
        let child = Child(parent: step.identity, name: entry.name)
        do throws(SystemError) {
            let identity: FileStatus.Identity
            let entries: [ListedEntry]
            if let known = children[child], let listed = directories[known] {
                (identity, entries) = (known, listed)
            } else {
                (identity, entries) = try list(path, root)
                children[child] = identity
            }
            if above.contains(identity) { return problems.append((path, .loop)) }
            enter(Step(path: path, depth: step.depth + 1, identity: identity, above: above), entries, root)
        } catch {
            note(error, at: path)
        }
    }

    /// Looks into the folder that a link leads to.
    private mutating func follow(_ step: Step, _ root: borrowing FencedFolder) {
        if isOverfull(top(of: step.path)) { return }
        if step.above.contains(step.identity) {
            if bounds.isOfPaths { problems.append((step.path, .loop)) }
            return
        }
        if let known = directories[step.identity] {
            if bounds.isOfPaths { enter(step, known, root) }
            return
        }
        do throws(SystemError) {
            let (identity, entries) = try list(step.path, root)
            enter(Step(path: step.path, depth: step.depth, identity: identity, above: step.above), entries, root)
        } catch {
            note(error, at: step.path)
        }
    }
}

extension FolderScan {
    /// The folder at the top that a path is in or is, where each has a share of its own.
    private func top(of path: String) -> Substring? {
        bounds.share == nil || path.isEmpty ? nil : path.prefix { $0 != "/" }
    }

    private func isOverfull(_ top: Substring?) -> Bool { top.map { overfull[String($0)] != nil } ?? false }

    private mutating func note(_ excess: Excess, in top: Substring?) {
        if let top {
            if overfull[String(top)] == nil { overfull[String(top)] = excess }
        } else {
            self.excess = self.excess ?? excess
        }
    }

    private mutating func countFolder(in top: Substring?) {
        if let top, let share = bounds.share {
            used[top, default: Use()].folders += 1
            if used[top]!.folders > share.foldersMax { note(.folders, in: top) }
        } else {
            stepCount += 1
            if stepCount > bounds.foldersMax { note(.folders, in: nil) }
        }
    }

    private mutating func countName(in top: Substring?) {
        if let top, let share = bounds.share {
            used[top, default: Use()].names += 1
            if used[top]!.names > share.namesMax { note(.files, in: top) }
        } else {
            nameCount += 1
            if nameCount > bounds.namesMax { note(.files, in: nil) }
        }
        countFiles(in: top)
    }

    private mutating func countFiles(in top: Substring?) {
        if let top, let share = bounds.share {
            if used[top]?.files ?? 0 > share.filesMax { note(.files, in: top) }
        } else if bounds.share == nil, files.count > bounds.filesMax {
            note(.files, in: nil)
        }
    }
}
