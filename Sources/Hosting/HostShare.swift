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

    init(_ limits: Limits) {
        self.limits = limits
        (files, folders, bytes) = (limits.filesPerHostMax, limits.foldersPerHostMax, limits.bytesPerHostMax)
    }

    var bounds: FolderScan.Bounds { FolderScan.Bounds(filesMax: files, foldersMax: folders) }

    /// Takes what a folder needs, or says what there is too much of.
    mutating func take(_ scan: FolderScan, bytes byteCount: Int) -> Excess? {
        switch scan.excess {
        case .files: return Excess(limit: limits.filesPerHostMax, what: "files", key: .filesPerHostMax)
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
        ///   - host: as its folder is called.
        ///   - path: that of the folder that is left out.
        func finding(host: String, path: String) -> Finding {
            Finding(
                rule: "CFG-010", severity: .error, file: path, range: nil,
                message:
                    "\(host) has more than \(limit) \(what), so none of this folder takes effect; what was served of it "
                    + "before stays",
                fix: "remove files or links, or raise `limits.\(key.rawValue)` in server.json")
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
        return first + [
            Finding(
                rule: last.rule, severity: last.severity, file: path, range: nil,
                message: "\(Count.of(restCount, "more finding")) on files of this folder", fix: "fix those above first")
        ]
    }
}
