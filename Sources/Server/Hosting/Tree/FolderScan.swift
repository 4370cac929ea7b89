// One walk through a folder, used for rendering, for detecting changes and for watching. Each directory is listed once, even if
// many links lead to it. Links to folders are followed, except into a folder that contains the link, so the walk ends; the number
// of names is limited too.

import Posix

/// Everything below a folder except hidden names. Paths are relative to that folder.
struct FolderScan {
    /// A regular file, or a link to one.
    struct File: Hashable {
        let path: String
        let status: FileStatus
    }

    /// What is wrong with a name.
    enum Problem: Hashable {
        /// A pipe, a socket or a broken link.
        case notAFile
        /// A link to a folder that contains it.
        case loop
        case tooDeep
        /// A folder called `.well-known`: hidden names are never served.
        case hiddenWellKnown
        case unreadable(SystemError)
    }

    /// The limits of a walk.
    struct Bounds {
        var filesMax = Int.max
        var foldersMax = Int.max
        /// Whether every path of a folder is listed, in sorted order; otherwise each folder is listed under one path only.
        var isOfPaths = true
        /// The limits of each top folder, if each belongs to another tenant. The limits above then apply to the names at the top
        /// only.
        var folderQuota: (filesMax: Int, foldersMax: Int)?
    }

    /// The limit that was exceeded; the walk is incomplete then. Bytes are counted by the caller, who knows which files are read.
    enum Excess: Hashable { case files, folders, bytes }

    private(set) var files: [File] = []
    /// One path for each directory; the folder itself is the first.
    private(set) var folders: [String] = []
    /// The paths that are symbolic links.
    private(set) var links: [String] = []
    /// Whether one of them leads to a folder.
    private(set) var hasLinkedFolders = false
    private(set) var problems: [(path: String, problem: Problem)] = []
    private(set) var excess: Excess?
    /// The top folders that exceed their limits.
    private(set) var overfull: [String: Excess] = [:]
    /// Why the folder itself could not be listed.
    private(set) var failure: SystemError?
    /// Descriptors or memory ran out while listing a folder.
    private(set) var shortage: SystemError?

    static let depthMax = 16
    private let wellKnown = ".well-known"

    private let bounds: Bounds
    /// The entries of each directory; empty if they are not needed again.
    private var directories: [FileStatus.Identity: [ListedEntry]] = [:]
    /// The directory that a name in another directory stands for.
    private var children: [Child: FileStatus.Identity] = [:]
    private var linked: [Step] = []
    /// What was counted, without the top folders that have limits of their own.
    private var common = Counts()
    private var counts: [Substring: Counts] = [:]

    private struct Counts {
        var names = 0
        var files = 0
        var folders = 0
    }

    private struct Child: Hashable {
        let parent: FileStatus.Identity
        let name: String
    }

    /// A directory to list under one of its paths.
    private struct Step {
        let path: String
        let depth: Int
        let identity: FileStatus.Identity
        /// The directories that contain it.
        let above: [FileStatus.Identity]
    }

    /// - Parameter start: the folder below `root` to begin with; empty for `root` itself.
    init(_ root: borrowing TenantFolder, from start: String = "", _ bounds: Bounds) {
        self.bounds = bounds
        let depth = start.isEmpty ? 0 : start.utf8.count { $0 == UInt8(ascii: "/") } + 1
        do throws(SystemError) {
            let (identity, entries) = try list(start, root)
            enter(Step(path: start, depth: depth, identity: identity, above: []), entries, root)
        } catch {
            failure = error
            note(error, at: start)
        }
        // Links come last, so that a folder gets its real path if it has one.
        var index = 0
        while index < linked.count, excess == nil {
            follow(linked[index], root)
            index += 1
        }
        (directories, children, linked) = ([:], [:], [])
    }

    private mutating func list(
        _ path: String, _ root: borrowing TenantFolder
    ) throws(SystemError) -> (FileStatus.Identity, [ListedEntry]) {
        let top = top(of: path)
        let room = maxima(of: top).names - counted(in: top).names
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
        // It was removed during the walk.
        if error.isMissing { return }
        if error.isShortage {
            shortage = shortage ?? error
        } else {
            problems.append((path, .unreadable(error)))
        }
    }

    private mutating func enter(_ step: Step, _ entries: [ListedEntry], _ root: borrowing TenantFolder) {
        let top = top(of: step.path)
        count(in: top) { $0.folders += 1 }
        for entry in entries {
            count(in: top) { $0.names += 1 }
            if isOverfull(top) { return }
            let path = step.path.isEmpty ? entry.name : "\(step.path)/\(entry.name)"
            if entry.isLink { links.append(path) }
            switch entry.kind {
            case .file:
                guard let status = entry.status else { continue }
                files.append(File(path: path, status: status))
                count(in: top) { $0.files += 1 }
            case .other: problems.append((path, .notAFile))
            case .directory: enterFolder(entry, path, in: step, root)
            }
        }
    }

    private mutating func enterFolder(
        _ entry: ListedEntry, _ path: String, in step: Step, _ root: borrowing TenantFolder
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

    /// Lists the folder that a link leads to.
    private mutating func follow(_ step: Step, _ root: borrowing TenantFolder) {
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

/// What is counted, and against which limits.
extension FolderScan {
    /// The top folder of a path, if top folders have their own limits; otherwise an empty name.
    private func top(of path: String) -> Substring { bounds.folderQuota == nil ? "" : path.prefix { $0 != "/" } }

    private func maxima(of top: Substring) -> Counts {
        var (filesMax, foldersMax) = (bounds.filesMax, bounds.foldersMax)
        if let quota = bounds.folderQuota, !top.isEmpty { (filesMax, foldersMax) = quota }
        // Names of all kinds are limited, so that links are limited too.
        let namesMax = filesMax == .max ? .max : filesMax + foldersMax
        if bounds.folderQuota != nil, top.isEmpty { filesMax = .max }
        return Counts(names: namesMax, files: filesMax, folders: foldersMax)
    }

    private func isOverfull(_ top: Substring) -> Bool { excess != nil || overfull[String(top)] != nil }

    private func counted(in top: Substring) -> Counts { top.isEmpty ? common : counts[top] ?? Counts() }

    /// Counts a name, a file or a folder.
    private mutating func count(in top: Substring, _ add: (inout Counts) -> Void) {
        if top.isEmpty { add(&common) } else { add(&counts[top, default: Counts()]) }
        let counted = counted(in: top)
        let maxima = maxima(of: top)
        if counted.folders > maxima.folders { note(.folders, in: top) }
        if counted.names > maxima.names || counted.files > maxima.files { note(.files, in: top) }
    }

    private mutating func note(_ excess: Excess, in top: Substring) {
        if top.isEmpty {
            self.excess = self.excess ?? excess
        } else if overfull[String(top)] == nil {
            overfull[String(top)] = excess
        }
    }
}
