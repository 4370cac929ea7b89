// The way to a place: which directories a path leads through, as far as somebody may turn it elsewhere. Whoever shuts
// everything else away has to know them, for what is reached by the same path tomorrow may be another directory.

import CLinux
import Glibc

/// A path, looked at once.
public struct PathWay: Equatable, Sendable {
    /// The place itself, if it is there.
    public private(set) var place: String?
    /// Directories with a link on the way in them, which may be turned. For a place that is not there, the nearest one
    /// above it that is.
    public private(set) var turnings: [String] = []

    /// As many as the kernel follows (path_resolution(7)).
    private static let linksMax = 40

    public init(_ path: String) {
        var rest = Directory.absolute(path).split(separator: "/").map(String.init)[...]
        var folder = ""
        var links = 0
        while let name = rest.popFirst() {
            if name == "." { continue }
            if name == ".." {
                folder = PathWay.parent(of: folder)
                continue
            }
            let next = "\(folder)/\(name)"
            if let target = PathWay.target(of: next) {
                links += 1
                if links > PathWay.linksMax { return }
                turnings.append(folder)
                rest = target.split(separator: "/").map(String.init) + rest
                if target.hasPrefix("/") { folder = "" }
            } else if unsafe access(next, F_OK) == 0 {
                folder = next
            } else {
                turnings.append(folder)
                return
            }
        }
        place = folder.isEmpty ? "/" : folder
    }

    /// The folder that a path's last name stands in.
    public static func parent(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "." }
        return String(path[..<slash])
    }

    /// Whether a folder is the root or directly below it, where a system keeps everything.
    public static func isTop(_ folder: String) -> Bool { folder.split(separator: "/").count < 2 }

    /// Whether a folder is one that every system has at its top: others than this server keep their files in it.
    public static func isSystemFolder(_ folder: String) -> Bool {
        isTop(folder) && systemFolders.contains(folder.split(separator: "/").first ?? "")
    }

    private static let systemFolders: Set<Substring> = [
        "", "bin", "boot", "dev", "etc", "home", "lib", "lib32", "lib64", "libx32", "media", "mnt", "opt", "proc",
        "root",
        "run", "sbin", "srv", "sys", "tmp", "usr", "var",
    ]

    /// Where a link leads; nil when it is none. The corresponding C function is `readlink`.
    private static func target(of path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = unsafe buffer.withUnsafeMutableBytes { unsafe readlink(path, $0.baseAddress!, $0.count) }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }
}
