// The quota of one host: files, folders and bytes of its own folders. If a host exceeds it, the whole folder is ignored; other
// hosts are not affected.

import Association
import HTTP
import Settings
import Tenancy

/// What is left of a host's quota while its folders are read.
struct HostQuota: Sendable {
    private let limits: Limits
    private var files: Int
    private var folders: Int
    private var bytes: Int
    var compression = CompressionBudget()

    init(_ limits: Limits) {
        self.limits = limits
        (files, folders, bytes) = (limits.filesPerHostMax, limits.foldersPerHostMax, limits.bytesPerHostMax)
    }

    var bounds: FolderScan.Bounds { FolderScan.Bounds(filesMax: files, foldersMax: folders) }

    /// Subtracts a folder's use, or returns the limit that it exceeds.
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

    /// A limit that was exceeded.
    struct Excess {
        let limit: Int
        let what: String
        let key: LimitKey

        /// - Parameters:
        ///   - host: the name of the host's folder, or the path of a folder of `config/apps`.
        ///   - path: the path of the folder that is ignored.
        func finding(host: String, path: String) -> Finding {
            Finding(
                rule: .cfg010, severity: .error, file: path, range: nil,
                message:
                    "\(host) has more than \(limit) \(what), so this folder is ignored; what was served from it "
                    + "before stays",
                fix: "remove files or links, or raise `limits.\(key.name)` in server.json")
        }
    }
}

/// How many bytes of a host's files may be compressed in one round. Other files are sent uncompressed until a later round.
struct CompressionBudget: Sendable {
    /// Half a second of CPU time at most; less than a fifth of that for HTML, CSS and scripts.
    static let compressedBytesMax = 4_194_304
    private var bytesLeft: Int
    private(set) var isSpent = false

    static let unlimited = CompressionBudget(bytesMax: .max)

    init(bytesMax: Int = CompressionBudget.compressedBytesMax) { bytesLeft = bytesMax }

    mutating func take(_ byteCount: Int) -> Bool {
        isSpent = isSpent || byteCount > bytesLeft
        if !isSpent { bytesLeft -= byteCount }
        return !isSpent
    }
}

extension FolderScan.Bounds {
    /// For listing `config/apps` or a part of it. Files directly in it are the operator's; each folder may be a tenant's and has
    /// its own limits.
    static func apps(_ limits: Limits) -> FolderScan.Bounds {
        FolderScan.Bounds(
            filesMax: limits.appFilesMax, foldersMax: 1, isOfPaths: false,
            folderQuota: (limits.filesPerAppFolderMax, limits.foldersPerAppFolderMax))
    }
}

extension HostQuota.Excess {
    /// For a folder of `config/apps`; an empty name is `config/apps` itself.
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

/// The findings on one folder's files: the first few, and one that counts the rest.
enum FolderFindings {
    static let countMax = 20

    /// - Parameter path: the path of the folder.
    static func shortened(_ all: [Finding], in path: String) -> [Finding] {
        guard all.count > countMax else { return all }
        return all.prefix(countMax) + [rest(all.count - countMax, like: all[countMax - 1], in: path)]
    }

    static func rest(_ count: Int, like last: Finding, in path: String) -> Finding {
        Finding(
            rule: last.rule, severity: last.severity, file: path, range: nil,
            message: "\(Count.of(count, "more finding")) on files of this folder", fix: "fix those above first")
    }
}

/// Findings on app files in their order: the first ones of each folder of `config/apps`, and one that counts the rest. Files
/// directly in `config/apps` are the operator's, so all their findings are kept.
enum AppFindings {
    /// For one folder, which may have many files with a few findings each.
    static let countMax = 100
    /// For one file.
    static let ofFileMax = 20

    /// - Parameters:
    ///   - all: with the path of the file or folder below `config/apps`.
    ///   - source: knows where they are.
    static func shortened(_ all: [(path: String, finding: Finding)], in source: AppSource) -> [Finding] {
        var first: [Finding] = []
        var folders: [String: (count: Int, last: Finding)] = [:]
        for (path, finding) in all {
            let folder = TenantID.folder(ofApp: path)
            let count = folder.map { (folders[$0]?.count ?? 0) + 1 } ?? 0
            if count <= countMax { first.append(finding) }
            if let folder { folders[folder] = (count, count <= countMax ? finding : folders[folder]?.last ?? finding) }
        }
        let rest = folders.filter { $0.value.count > countMax }.sorted { $0.key < $1.key }
        return first + rest.map { FolderFindings.rest($1.count - countMax, like: $1.last, in: source.file($0)) }
    }
}
