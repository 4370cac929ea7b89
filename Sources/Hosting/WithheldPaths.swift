// What a host has files for and does not serve: they are there, and cannot be read, or would be refused by those who fetch them.
// Something else may stand in for it, but not for what was live.

import Association

/// Paths of a site, and folders of paths.
struct WithheldPaths: Sendable {
    private var paths: Set<String> = []
    /// Each with a slash behind it.
    private var folders: [String] = []
    /// Whether it is all of the host's pages.
    private var areAllPages = false

    var isEmpty: Bool { paths.isEmpty && folders.isEmpty && !areAllPages }

    mutating func insert(_ path: String) { paths.insert(path) }

    mutating func insert(folder: String) { folders.append(folder) }

    mutating func insertAllPages() { areAllPages = true }

    mutating func formUnion(_ other: WithheldPaths) {
        paths.formUnion(other.paths)
        folders += other.folders
        areAllPages = areAllPages || other.areAllPages
    }

    func contains(_ path: String) -> Bool {
        // The copy at the root is made of the file in the folder.
        let path = path == AssociationPath.appleRoot ? AssociationPath.apple : path
        if areAllPages, !path.hasPrefix(WellKnownFiles.prefix) { return true }
        return paths.contains(path) || folders.contains { path.hasPrefix($0) }
    }
}
