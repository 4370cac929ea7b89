// The app files in `config/apps/` and those that tenants have published, in subfolders too: their names, marks and bytes. A problem of
// one file is a finding on that file and does not affect others. Nothing is stored here.

import Association
import HTTP
import Posix
import Tenancy

/// A folder of app files, kept open while it is used.
final class AppTree: Sendable {
    /// The paths of the folder in findings, and of the published one.
    let label: String
    private let publishedLabel: String?
    private let root: TenantFolder
    private let limits: Limits

    /// Larger files are refused before they are read.
    static let bytesMax = AppFile.bytesMax

    /// The result of listing. Paths are relative to the tree's folder.
    struct Listing {
        var files: [String: FileStatus] = [:]
        /// Names of app files that are not regular files.
        var problems: [String: Finding] = [:]
        /// Why a folder's content is unknown.
        var folderProblems: [String: Finding] = [:]
        /// Folders that could not be listed; their files do not count as deleted.
        var unlisted: [String] = []
        /// The published ones of the top folders.
        var published: Set<String> = []
        /// Those that do not count, because `config/apps` has a folder of the same name.
        var overruled: [String: Finding] = [:]
    }

    /// A folder cannot be opened.
    struct Failure: Error {
        let path: String
        let reason: SystemError
    }

    /// The result of reading one file.
    enum Outcome: Sendable {
        case gone
        /// The file is being written at this moment.
        case changing
        case unreadable(Finding)
        /// Descriptors or memory ran out.
        case starved(SystemError)
        case contents(SettledContents)
    }

    /// Opens both folders of app files. The published one may be missing.
    convenience init(_ folders: HostFolders) throws(Failure) {
        let roots = folders.roots("apps")
        var published: TenantFolder.OpenFolder?
        if roots.count > 1 {
            do throws(SystemError) { published = TenantFolder.OpenFolder(try Folder(roots[1])) } catch {
                if !error.isMissing { throw Failure(path: roots[1], reason: error) }
            }
        }
        do throws(SystemError) {
            try self.init(roots[0], folders, published: published, roots.last)
        } catch {
            throw Failure(path: roots[0], reason: error)
        }
    }

    /// Opens one folder of `HostFolders.roots`.
    init(
        _ path: String, _ folders: HostFolders, published: TenantFolder.OpenFolder? = nil,
        _ publishedLabel: String? = nil
    ) throws(SystemError) {
        (label, self.publishedLabel, limits) = (path, publishedLabel, folders.limits)
        root = TenantFolder(try Folder(path, links: folders.linkTargets), published: published)
    }

    /// The path of a file or folder in findings.
    func file(_ path: String) -> String {
        if let publishedLabel, root.isPublished(path) { return "\(publishedLabel)/\(path)" }
        return path.isEmpty ? label : "\(label)/\(path)"
    }

    /// Whether the operator has the top folder of a path, which then is no published one.
    func isOperators(_ path: String) -> Bool { root.isInRoot(TenantID.folder(ofApp: path) ?? path) }

    /// Lists folders with everything below them; an empty path is the whole tree. Always lists whole top folders, because their
    /// files share a quota. If there is a link to a folder, the whole tree is listed: only then is it known under which names a
    /// folder appears. Returns what was listed, and throws if descriptors or memory run out.
    func list(_ folders: Set<String>, into listing: inout Listing) throws(SystemError) -> Set<String> {
        if folders.isEmpty || folders.contains("") || folders.contains(where: isBehindLink) {
            try add(scan(""), to: &listing)
            add(published: try root.publishedNames(), to: &listing)
            return [""]
        }
        let folders = Set(folders.map { TenantID.folder(ofApp: $0) ?? $0 })
        let scans = folders.map { ($0, scan($0)) }
        if scans.contains(where: { $1.hasLinkedFolders }) { return try list([""], into: &listing) }
        for (_, scan) in scans { try add(scan, to: &listing) }
        add(published: folders, to: &listing)
        return folders
    }

    private func add(published names: some Sequence<String>, to listing: inout Listing) {
        for name in names {
            if root.isPublished(name) { listing.published.insert(name) }
            guard let publishedLabel, root.isInBoth(name) else { continue }
            listing.overruled[name] = Finding(
                rule: .cfg016, severity: .warning, file: "\(publishedLabel)/\(name)", range: nil,
                message: "\(label)/\(name) has the same name, so nothing that this tenant publishes is served",
                fix: "keep one of the two: move the files of \(label)/\(name) away, or publish under another name")
        }
    }

    private func scan(_ folder: String) -> FolderScan { FolderScan(root, from: folder, .apps(limits)) }

    /// Whether a folder, or one that contains it, is a symbolic link.
    private func isBehindLink(_ folder: String) -> Bool {
        AppTree.isPath("\(folder)/") { !$0.isEmpty && File.linkTarget("\(label)/\($0)") != nil }
    }

    private func add(_ scan: FolderScan, to listing: inout Listing) throws(SystemError) {
        if let shortage = scan.shortage { throw shortage }
        if scan.failure?.isMissing == true { return }
        let overfull = scan.overfull.merging(foldersOfTooManyBytes(scan)) { first, _ in first }
        for (folder, excess) in overfull { addExcess(excess, of: folder, to: &listing) }
        if let excess = scan.excess { return addExcess(excess, of: "", to: &listing) }
        func isLeftOut(_ path: String) -> Bool {
            !overfull.isEmpty && overfull[TenantID.folder(ofApp: path) ?? path] != nil
        }
        let wrongFolders = Set(scan.folders.filter(AppTree.isAppFile))
        for folder in wrongFolders where !isLeftOut(folder) {
            listing.problems[folder] = unreadable(folder, AccessProblem("it is a folder"))
        }
        for file in scan.files where AppTree.isAppFile(file.path) && !isLeftOut(file.path) {
            if wrongFolders.isEmpty || !AppTree.isPath(file.path, in: wrongFolders.contains) {
                listing.files[file.path] = file.status
            }
        }
        for (path, problem) in scan.problems where !isLeftOut(path) {
            let cause = AccessProblem(problem, in: label)
            switch problem {
            case .notAFile:
                if AppTree.isAppFile(path) { listing.problems[path] = unreadable(path, cause) }
            case .hiddenWellKnown: break
            case .loop, .tooDeep: listing.folderProblems[path] = unreadable(path, cause, to: "read the folder")
            case .unreadable:
                listing.unlisted.append(path)
                listing.folderProblems[path] = unreadable(path, cause, to: "read the folder")
            }
        }
    }

    /// The folders whose app files exceed their quota of bytes. Files that are too large to be app files do not count, because
    /// they are not read.
    private func foldersOfTooManyBytes(_ scan: FolderScan) -> [String: FolderScan.Excess] {
        var byteCounts: [String: Int] = [:]
        for file in scan.files where file.status.byteCount <= AppTree.bytesMax && AppTree.isAppFile(file.path) {
            guard let folder = TenantID.folder(ofApp: file.path) else { continue }
            byteCounts[folder, default: 0] += Int(file.status.byteCount)
        }
        return byteCounts.filter { $0.value > limits.bytesPerAppFolderMax }.mapValues { _ in .bytes }
    }

    /// Whether a file is larger than the average that its folder's quota allows. Only such files can exceed the quota noticeably
    /// without the folder being listed again.
    func isLarge(_ path: String) -> Bool {
        guard TenantID.folder(ofApp: path) != nil, let file = try? root.open(path) else { return false }
        return file.byteCount > limits.bytesPerAppFolderMax / limits.filesPerAppFolderMax
    }

    private func addExcess(_ excess: FolderScan.Excess, of folder: String, to listing: inout Listing) {
        listing.unlisted.append(folder)
        listing.folderProblems[folder] = HostQuota.Excess(excess, ofAppFolder: folder, limits).finding(
            host: folder.isEmpty ? "apps" : "apps/\(folder)", path: file(folder))
    }

    /// Whether a path is in a folder; an empty folder is the whole tree.
    static func isPath(_ path: String, below folder: String) -> Bool { folder.isEmpty || path.hasPrefix("\(folder)/") }

    /// Whether a path is in a folder that fulfils a condition; the whole tree counts as one.
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
            return .unreadable(unreadable(path, AccessProblem(error, in: label)))
        }
    }

    /// Whether a file name or path is that of an app file. Hidden files and editors' copies are not.
    static func isAppFile(_ name: some StringProtocol) -> Bool {
        !name.hasPrefix(".") && (name.hasSuffix(".json") || name.hasSuffix(".json5"))
    }

    private func unreadable(_ path: String, _ cause: AccessProblem, to what: String = "read the app file") -> Finding {
        Finding(
            rule: .app001, severity: .error, file: file(path), range: nil,
            message: "cannot \(what): \(cause.reason)", fix: cause.fix)
    }
}
