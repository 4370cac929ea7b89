// Resolves a path, and finds the directories in which a change could make it lead to another place. The sandbox must allow
// these directories too: after a link is replaced, the same path leads to another directory.

import CPosix
import Libc

/// A path as it was resolved once.
public struct ResolvedPath: Equatable, Sendable {
    /// The path without links; nil if it does not exist.
    public private(set) var place: String?
    /// The directories that contain a link of the path. For a missing path, also the nearest existing directory above it.
    public private(set) var changePoints: [String] = []

    public init(_ path: String) {
        var rest = Directory.absolute(path).split(separator: "/").map(String.init)[...]
        var folder = ""
        var links = 0
        while let name = rest.popFirst() {
            if name == "." { continue }
            if name == ".." {
                folder = ResolvedPath.parent(of: folder)
                continue
            }
            let next = "\(folder)/\(name)"
            if let target = File.linkTarget(next) {
                links += 1
                if links > File.linksMax { return }
                changePoints.append(folder)
                rest = target.split(separator: "/").map(String.init) + rest
                if target.hasPrefix("/") { folder = "" }
            } else if unsafe access(next, F_OK) == 0 {
                folder = next
            } else {
                changePoints.append(folder)
                return
            }
        }
        place = folder.isEmpty ? "/" : folder
    }

    /// A path without its last name.
    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// Whether a folder is the root or directly below it.
    public static func isTop(_ folder: String) -> Bool { folder.split(separator: "/").count < 2 }

    /// Whether a folder is a top-level folder of the system, in which other programs have their files.
    public static func isSystemFolder(_ folder: String) -> Bool {
        isTop(folder) && systemFolders.contains(folder.split(separator: "/").first ?? "")
    }

    private static let systemFolders: Set<Substring> = [
        "", "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc",
        "root",
        "run", "sbin", "srv", "sys", "tmp", "usr", "var",
    ]
}
