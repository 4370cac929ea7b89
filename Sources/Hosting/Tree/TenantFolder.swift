// A folder that a tenant can write to. Links in it may stay inside the folder or lead into the link targets of `server.json`; all
// others are refused.

import Posix

/// `config/apps`, `well-known` in a folder of `config/hosts`, or a folder of `public`, kept open.
struct TenantFolder: ~Copyable, Sendable {
    /// Nil for a folder that could not be opened; it appears empty.
    private let root: Folder?
    /// The path of the folder below `root`, with a trailing slash.
    private let prefix: String
    /// A name in the folder that is neither served nor watched.
    private let unlisted: String?

    /// A folder that could not be opened.
    init() {
        root = nil
        prefix = ""
        unlisted = nil
    }

    init(_ root: consuming Folder, prefix: String = "", unlisted: String? = nil) {
        self.root = .some(root)
        (self.prefix, self.unlisted) = (prefix, unlisted)
    }

    func list(_ path: String, entriesMax: Int) throws(SystemError) -> FolderListing {
        switch root {
        case .none: throw .missing("openat")
        case .some(let root):
            var listing = try root.list(prefix + path, entriesMax: entriesMax)
            if path.isEmpty, let unlisted { listing.entries.removeAll { $0.name == unlisted } }
            return listing
        }
    }

    func open(_ path: String) throws(FileError) -> OpenFile {
        switch root {
        case .none: throw .system(.missing("openat"))
        case .some(let root): return try root.open(prefix + path)
        }
    }

    func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        switch root {
        case .none: throw .system(.missing("openat"))
        case .some(let root): return try root.read(prefix + path, bytesMax: bytesMax)
        }
    }

    func isMissing(_ path: String) -> Bool {
        switch root {
        case .none: true
        case .some(let root): root.isMissing(prefix + path)
        }
    }
}
