// A folder that a tenant can write to. Links in it may stay inside the folder or lead into the link targets of `server.json`; all
// others are refused. The folder of app files has a second root: the folders of tenants that publish through the manager are read as if
// they were in `config/apps`, so nothing else needs to know where a folder is.

import Posix
import Tenancy

/// `config/apps`, `well-known` in a folder of `config/hosts`, or a folder of `public`, kept open.
struct TenantFolder: ~Copyable, Sendable {
    private let root: OpenFolder
    /// The path of the folder below `root`, with a trailing slash.
    private let prefix: String
    /// A name in the folder that is neither served nor watched.
    private let unlisted: String?
    /// The second root: of what is in it, only folders count whose name `root` does not have.
    private let published: OpenFolder?

    /// Open for as long as it is used, here or there.
    final class OpenFolder: Sendable {
        fileprivate let folder: Folder

        init(_ folder: consuming Folder) { self.folder = folder }

        /// Whether there is a folder of this name, or that cannot be determined now.
        fileprivate func mayHave(_ name: String) -> Bool { folder.mayHave("\(name)/.") }
    }

    init(_ root: consuming Folder, prefix: String = "", unlisted: String? = nil, published: OpenFolder? = nil) {
        self.root = OpenFolder(root)
        (self.prefix, self.unlisted, self.published) = (prefix, unlisted, published)
    }

    func list(_ path: String, entriesMax: Int) throws(SystemError) -> FolderListing {
        var listing = try owner(of: path).folder.list(prefix + path, entriesMax: entriesMax)
        guard path.isEmpty else { return listing }
        if let unlisted { listing.entries.removeAll { $0.name == unlisted } }
        guard let published else { return listing }
        let more = try published.folder.list("", entriesMax: max(0, entriesMax - listing.entries.count))
        listing.entries += more.entries.filter { TenantFolder.isTenant($0) && !root.mayHave($0.name) }
        listing.isWhole = listing.isWhole && more.isWhole
        return listing
    }

    func open(_ path: String) throws(FileError) -> OpenFile { try owner(of: path).folder.open(prefix + path) }

    func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        try owner(of: path).folder.read(prefix + path, bytesMax: bytesMax)
    }

    func isMissing(_ path: String) -> Bool { owner(of: path).folder.isMissing(prefix + path) }

    /// Whether a path is in a published folder that counts.
    func isPublished(_ path: String) -> Bool { published != nil && owner(of: path) === published }

    /// Whether the first root has a folder of this name.
    func isInRoot(_ top: String) -> Bool { root.mayHave(top) }

    /// Whether both have one.
    func isInBoth(_ top: String) -> Bool { published?.mayHave(top) == true && root.mayHave(top) }

    func publishedNames() throws(SystemError) -> [String] {
        try published?.folder.list("").entries.filter(TenantFolder.isTenant).map(\.name) ?? []
    }

    private static func isTenant(_ entry: ListedEntry) -> Bool {
        entry.kind == .directory && !AppTree.isAppFile(entry.name)
    }

    private func owner(of path: String) -> OpenFolder {
        guard let published, !path.isEmpty else { return root }
        let top = TenantID.folder(ofApp: path) ?? path
        return !root.mayHave(top) && !AppTree.isAppFile(top) && published.mayHave(top) ? published : root
    }
}
