// The app files in `config/apps/`, however deep: which there are, and what they hold. Each is on its own: what is wrong with
// one is a finding on that one and leaves the others as they are. Nothing here remembers anything.

import Association
import HTTP
import Posix

/// A folder of app files, kept open for as long as it is looked at.
final class AppTree: Sendable {
    /// How the folder is called in findings.
    let label: String
    private let root: FencedFolder
    private let limits: Limits

    /// More bytes are not an app file, whatever they are.
    static let bytesMax = AppFile.bytesMax

    /// What a listing found. All paths are below the tree's folder.
    struct Listing {
        var files: [String: FileStatus] = [:]
        /// What is in the place of an app file and is none.
        var problems: [String: Finding] = [:]
        /// Why there is nothing known of what is in a folder.
        var folderProblems: [String: Finding] = [:]
        /// Folders that could not be looked into: what is in them is not known to be gone.
        var unlisted: [String] = []
    }

    /// What came of reading one file.
    enum Outcome: Sendable {
        case gone
        /// Somebody is writing to it at this moment.
        case changing
        case unreadable(Finding)
        /// There was no descriptor for it, or no memory.
        case starved(SystemError)
        case contents(SettledContents)
    }

    /// Opens `apps` or `retired`.
    init(
        configPath: String, _ name: String, links targets: LinkTargets = .none, limits: Limits = Limits()
    ) throws(SystemError) {
        label = "\(configPath)/\(name)"
        self.limits = limits
        root = FencedFolder(try Folder(label, links: targets))
    }

    /// An `apps` that cannot be opened: every file of it counts as gone.
    init(missing configPath: String) {
        label = "\(configPath)/apps"
        limits = Limits()
        root = FencedFolder()
    }

    /// The folder of `config/apps` that a path is in, whose files share a quota; nil for what is directly there.
    static func topFolder(of path: String) -> String? {
        path.firstIndex(of: "/").map { String(path[..<$0]) }
    }

    /// Lists folders of the tree with everything below them; an empty path is all of it. A folder is listed together with the
    /// others that share its quota. Which of its names a folder has when
    /// links lead to it can only be told from the whole, so where there is such a link all of it is listed. Returns what was
    /// listed; a shortage is thrown.
    func list(_ folders: Set<String>, into listing: inout Listing) throws(SystemError) -> Set<String> {
        if folders.isEmpty || folders.contains("") || folders.contains(where: isBehindLink) {
            try add(scan(""), to: &listing)
            return [""]
        }
        let folders = Set(folders.map { AppTree.topFolder(of: $0) ?? $0 })
        let scans = folders.map { ($0, scan($0)) }
        if scans.contains(where: { $1.hasLinkedFolders }) { return try list([""], into: &listing) }
        for (_, scan) in scans { try add(scan, to: &listing) }
        return folders
    }

    private func scan(_ folder: String) -> FolderScan { FolderScan(root, from: folder, .apps(limits)) }

    /// Whether a folder, or one that it is in, is a link.
    private func isBehindLink(_ folder: String) -> Bool {
        var path = label
        return folder.split(separator: "/").contains { name in
            path += "/\(name)"
            return File.linkTarget(path) != nil
        }
    }

    private func add(_ scan: FolderScan, to listing: inout Listing) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        if scan.failure?.isMissing == true { return }
        let overfull = scan.overfull.merging(foldersOfTooManyBytes(scan)) { first, _ in first }
        for (folder, excess) in overfull { addExcess(excess, of: folder, to: &listing) }
        if let excess = scan.excess { return addExcess(excess, of: "", to: &listing) }
        func isLeftOut(_ path: String) -> Bool {
            !overfull.isEmpty && overfull[AppTree.topFolder(of: path) ?? path] != nil
        }
        let wrongFolders = Set(scan.folders.filter(AppTree.isAppFile))
        for folder in wrongFolders where !isLeftOut(folder) {
            listing.problems[folder] = unreadable(folder, Obstacle("it is a folder"))
        }
        for file in scan.files where AppTree.isAppFile(file.path) && !isLeftOut(file.path) {
            if wrongFolders.isEmpty || !AppTree.isPath(file.path, in: wrongFolders.contains) {
                listing.files[file.path] = file.status
            }
        }
        for (path, problem) in scan.problems where !isLeftOut(path) {
            let obstacle = Obstacle(problem, in: label)
            switch problem {
            case .notAFile:
                if AppTree.isAppFile(path) { listing.problems[path] = unreadable(path, obstacle) }
            case .hiddenWellKnown: break
            case .loop, .tooDeep: listing.folderProblems[path] = unreadable(path, obstacle, to: "look into the folder")
            case .unreadable:
                listing.unlisted.append(path)
                listing.folderProblems[path] = unreadable(path, obstacle, to: "look into the folder")
            }
        }
    }

    /// The folders whose app files are too large together. What is larger than any app file is not read.
    private func foldersOfTooManyBytes(_ scan: FolderScan) -> [String: FolderScan.Excess] {
        var byteCounts: [String: Int] = [:]
        for file in scan.files where file.status.byteCount <= AppTree.bytesMax && AppTree.isAppFile(file.path) {
            guard let folder = AppTree.topFolder(of: file.path) else { continue }
            byteCounts[folder, default: 0] += Int(file.status.byteCount)
        }
        return byteCounts.filter { $0.value > limits.bytesPerAppFolderMax }.mapValues { _ in .bytes }
    }

    /// Whether a file in a folder has more than its part of the bytes that the folder may have. Others cannot bring it over its
    /// share, or not by more than as much again.
    func isLarge(_ path: String) -> Bool {
        guard AppTree.topFolder(of: path) != nil, let file = try? root.open(path) else { return false }
        return file.byteCount > limits.bytesPerAppFolderMax / limits.filesPerAppFolderMax
    }

    private func addExcess(_ excess: FolderScan.Excess, of folder: String, to listing: inout Listing) {
        let path = folder.isEmpty ? label : "\(label)/\(folder)"
        listing.unlisted.append(folder)
        listing.folderProblems[folder] = HostShare.Excess(excess, ofAppFolder: folder, limits).finding(
            host: folder.isEmpty ? "apps" : "apps/\(folder)", path: path)
    }

    /// Whether a path is in a folder; an empty one is all of the tree.
    static func isPath(_ path: String, below folder: String) -> Bool { folder.isEmpty || path.hasPrefix("\(folder)/") }

    /// Whether a path is in one of some folders, the whole tree among them.
    static func isPath(_ path: String, in isOne: (String) -> Bool) -> Bool {
        if isOne("") { return true }
        return path.utf8.indices.contains { path.utf8[$0] == UInt8(ascii: "/") && isOne(String(path[..<$0])) }
    }

    func read(_ path: String) -> Outcome {
        do {
            guard let contents = try root.read(path, bytesMax: AppTree.bytesMax) else {
                return .changing
            }
            return .contents(contents)
        } catch {
            if error.isMissing, root.isMissing(path) { return .gone }
            if let shortage = error.shortage { return .starved(shortage) }
            return .unreadable(unreadable(path, Obstacle(error, in: label)))
        }
    }

    /// Whether a name or a path is meant as an app file; hidden ones and editors' copies are not.
    static func isAppFile(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name.hasSuffix(".json5"))
    }

    private func unreadable(_ path: String, _ obstacle: Obstacle, to what: String = "read the app file") -> Finding {
        Finding(
            rule: .app001, severity: .error, file: path.isEmpty ? label : "\(label)/\(path)", range: nil,
            message: "cannot \(what): \(obstacle.reason)", fix: obstacle.fix)
    }
}
