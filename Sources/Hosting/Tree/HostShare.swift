// What one host may have of the server: files, folders and memory for what is in its own folders. A host that has more is not
// served in part, and no other host is concerned.

import Association
import HTTP

/// What is left of a host's share while its folders are read.
struct HostShare: Sendable {
    private let limits: Limits
    private var files: Int
    private var folders: Int
    private var bytes: Int
    var packing = PackingBudget()

    init(_ limits: Limits) {
        self.limits = limits
        (files, folders, bytes) = (limits.filesPerHostMax, limits.foldersPerHostMax, limits.bytesPerHostMax)
    }

    var bounds: FolderScan.Bounds { FolderScan.Bounds(filesMax: files, foldersMax: folders) }

    /// Takes what a folder needs, or says what there is too much of.
    mutating func take(_ scan: FolderScan, bytes byteCount: Int) -> Excess? {
        switch scan.excess {
        case .files, .bytes: return Excess(limit: limits.filesPerHostMax, what: "files", key: .filesPerHostMax)
        case .folders: return Excess(limit: limits.foldersPerHostMax, what: "folders", key: .foldersPerHostMax)
        case nil: break
        }
        if byteCount > bytes {
            return Excess(limit: limits.bytesPerHostMax, what: "bytes to keep in memory", key: .bytesPerHostMax)
        }
        files -= scan.files.count
        folders -= scan.folders.count
        bytes -= byteCount
        return nil
    }

    /// More than the share.
    struct Excess {
        let limit: Int
        let what: String
        let key: LimitKey

        /// - Parameters:
        ///   - host: as its folder is called; a folder of `config/apps` by its path.
        ///   - path: that of the folder that is left out.
        func finding(host: String, path: String) -> Finding {
            Finding(
                rule: .cfg010, severity: .error, file: path, range: nil,
                message:
                    "\(host) has more than \(limit) \(what), so none of this folder takes effect; what was served of it "
                    + "before stays",
                fix: "remove files or links, or raise `limits.\(key.name)` in server.json")
        }
    }
}

/// How many bytes of a host's files may be compressed in one round. The others are sent as they are until a later round has
/// compressed them.
struct PackingBudget: Sendable {
    /// Half a second of work at most; less than a fifth of it for HTML, CSS and scripts.
    static let packedBytesMax = 4_194_304
    private var bytesLeft = PackingBudget.packedBytesMax
    /// Whether it did not suffice.
    private(set) var isSpent = false

    static var unlimited: PackingBudget {
        var budget = PackingBudget()
        budget.bytesLeft = .max
        return budget
    }

    mutating func take(_ byteCount: Int) -> Bool {
        isSpent = isSpent || byteCount > bytesLeft
        if !isSpent { bytesLeft -= byteCount }
        return !isSpent
    }
}

extension FolderScan.Bounds {
    /// For a walk through `config/apps` or a part of it. What lies directly in it is the operator's; each folder there may be a
    /// tenant's, and has a share by itself.
    static func apps(_ limits: Limits) -> FolderScan.Bounds {
        FolderScan.Bounds(
            filesMax: limits.appFilesMax, foldersMax: 1, isOfPaths: false,
            share: Share(filesMax: limits.filesPerAppFolderMax, foldersMax: limits.foldersPerAppFolderMax))
    }
}

extension HostShare.Excess {
    /// More than there may be in a folder of `config/apps`; in that one itself where it has no name.
    init(_ excess: FolderScan.Excess, ofAppFolder name: String, _ limits: Limits) {
        if name.isEmpty {
            self.init(limit: limits.appFilesMax, what: "files", key: .appFilesMax)
            return
        }
        switch excess {
        case .files: self.init(limit: limits.filesPerAppFolderMax, what: "files", key: .filesPerAppFolderMax)
        case .folders: self.init(limit: limits.foldersPerAppFolderMax, what: "folders", key: .foldersPerAppFolderMax)
        case .bytes:
            self.init(limit: limits.bytesPerAppFolderMax, what: "bytes of app files", key: .bytesPerAppFolderMax)
        }
    }
}

/// The findings on the files of one folder: the first few, and one that counts the rest.
struct FolderFindings {
    private var first: [Finding] = []
    private var restCount = 0

    static let countMax = 20

    mutating func append(_ finding: Finding) {
        if first.count < FolderFindings.countMax { first.append(finding) } else { restCount += 1 }
    }

    /// - Parameter path: that of the folder.
    func all(in path: String) -> [Finding] {
        guard restCount > 0, let last = first.last else { return first }
        return first + [FolderFindings.rest(restCount, like: last, in: path)]
    }

    static func rest(_ count: Int, like last: Finding, in path: String) -> Finding {
        Finding(
            rule: last.rule, severity: last.severity, file: path, range: nil,
            message: "\(Count.of(count, "more finding")) on files of this folder", fix: "fix those above first")
    }
}

/// Findings on app files, in the order in which they come: of each folder of `config/apps` the first ones, and one that counts the
/// rest. Those on files directly in `config/apps` are the operator's, and all are there.
struct AppFindings {
    private var first: [Finding] = []
    private var folders: [String: (count: Int, last: Finding)] = [:]

    /// Of one folder. It may have the files of many apps, each with a few.
    static let countMax = 100
    /// Of one file.
    static let ofFileMax = 20

    /// - Parameter path: that of the file, or of a folder, below `config/apps`.
    mutating func append(_ finding: Finding, at path: String) {
        guard let folder = AppTree.topFolder(of: path) else { return first.append(finding) }
        let known = folders[folder]
        if known?.count ?? 0 < AppFindings.countMax {
            first.append(finding)
            folders[folder] = ((known?.count ?? 0) + 1, finding)
        } else {
            folders[folder]?.count += 1
        }
    }

    /// - Parameter label: the path of `config/apps`.
    func all(in label: String) -> [Finding] {
        let rest = folders.filter { $0.value.count > AppFindings.countMax }.sorted { $0.key < $1.key }
        return first
            + rest.map { folder, found in
                FolderFindings.rest(found.count - AppFindings.countMax, like: found.last, in: "\(label)/\(folder)")
            }
    }
}
