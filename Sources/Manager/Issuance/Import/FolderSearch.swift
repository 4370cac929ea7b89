// Finds the files of a folder that match a pattern of names, such as `live/*/fullchain.pem`. Links are followed, because clients
// use them for the present version of a certificate, but not where a pattern goes to any depth. Both the depth and the number of
// folders are limited.

import Posix

/// A search below one folder. Paths are relative to it.
struct FolderSearch {
    /// A path that matches.
    struct Match: Hashable, Sendable {
        var path: String
        /// Why it cannot be looked at; nil if it is there. It is then a folder that cannot be listed, or what cannot be reached.
        var problem: FileError?
    }

    private let folder: String
    private var visitsLeft = FolderSearch.visitsMax
    private(set) var matches: [Match] = []
    /// Whether the folder has too many folders to look at all of them.
    var isCut: Bool { visitsLeft < 0 }

    /// Folders that are listed for one pattern, enough for as many certificates.
    private static let visitsMax = 50_000
    /// Of `**`: the path of an authority's URL, and a folder for each account.
    private static let depthMax = 6

    init(_ folder: String, for pattern: String) {
        self.folder = folder
        visit("", pattern.split(separator: "/")[...], depthLeft: FolderSearch.depthMax)
    }

    private mutating func visit(_ path: String, _ pattern: ArraySlice<Substring>, depthLeft: Int) {
        guard let part = pattern.first, !isCut else { return }
        let rest = pattern.dropFirst()
        if part == "**" {
            visit(path, rest, depthLeft: depthLeft)
            guard depthLeft > 0 else { return }
            for entry in list(path) where entry.kind == .directory {
                let next = join(path, entry.name)
                if File.linkTarget("\(folder)/\(next)") == nil { visit(next, pattern, depthLeft: depthLeft - 1) }
            }
        } else if part.contains("*") {
            for entry in list(path) where FolderSearch.fits(entry.name, part) {
                let next = join(path, entry.name)
                if rest.isEmpty { note(next) } else if entry.kind != .file { visit(next, rest, depthLeft: depthLeft) }
            }
        } else if rest.isEmpty {
            note(join(path, String(part)))
        } else {
            visit(join(path, String(part)), rest, depthLeft: depthLeft)
        }
    }

    private func join(_ path: String, _ name: String) -> String { path.isEmpty ? name : "\(path)/\(name)" }

    private mutating func list(_ path: String) -> [DirectoryEntry] {
        visitsLeft -= 1
        guard !isCut else { return [] }
        do throws(SystemError) {
            return try Directory.entries(path.isEmpty ? folder : "\(folder)/\(path)")
        } catch {
            if !error.isMissing { matches.append(Match(path: path, problem: .system(error))) }
            return []
        }
    }

    /// Adds a path if it exists. A broken link exists.
    private mutating func note(_ path: String) {
        do throws(FileError) {
            _ = try File.status("\(folder)/\(path)")
            matches.append(Match(path: path))
        } catch {
            if File.linkTarget("\(folder)/\(path)") != nil {
                matches.append(Match(path: path))
            } else if !error.isMissing {
                matches.append(Match(path: path, problem: error))
            }
        }
    }

    /// Whether a name fits a pattern with one `*`, which stands for no hidden name.
    private static func fits(_ name: String, _ pattern: Substring) -> Bool {
        let parts = pattern.split(separator: "*", omittingEmptySubsequences: false)
        guard !name.hasPrefix("."), parts.count == 2 else { return false }
        // `fullchain*.pem` is also `fullchain.pem`, but `*.crt` is not `.crt`.
        return name.utf8.count >= max(1, parts[0].utf8.count) + parts[1].utf8.count && name.hasPrefix(parts[0])
            && name.hasSuffix(parts[1])
    }
}
