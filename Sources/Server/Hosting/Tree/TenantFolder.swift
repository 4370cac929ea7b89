// A folder that a tenant can write to. Links in it may stay inside the folder or lead into the link targets of `server.json`; all
// others are refused.

import Posix

/// `config/apps`, `well-known` in a folder of `config/hosts`, or a folder of `public`, kept open.
struct TenantFolder: ~Copyable, Sendable {
    private let root: Folder
    /// The path of the folder below `root`, with a trailing slash.
    private let prefix: String
    /// A name in the folder that is neither served nor watched.
    private let unlisted: String?

    init(_ root: consuming Folder, prefix: String = "", unlisted: String? = nil) {
        self.root = root
        (self.prefix, self.unlisted) = (prefix, unlisted)
    }

    func list(_ path: String, entriesMax: Int) throws(SystemError) -> FolderListing {
        var listing = try root.list(prefix + path, entriesMax: entriesMax)
        if path.isEmpty, let unlisted { listing.entries.removeAll { $0.name == unlisted } }
        return listing
    }

    func open(_ path: String) throws(FileError) -> OpenFile { try root.open(prefix + path) }

    func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        try root.read(prefix + path, bytesMax: bytesMax)
    }

    func isMissing(_ path: String) -> Bool { root.isMissing(prefix + path) }
}
