// A folder that tenants write to, with the fence around it. Links in it may lead anywhere inside the fence and to the link targets
// that server.json names, and nowhere else.

import Posix

/// `config/apps`, `well-known` in a folder of `config/hosts`, or a folder of `public`, kept open.
struct FencedFolder: ~Copyable, Sendable {
    /// Nil for a folder that cannot be opened, in which nothing is found.
    private let fence: Folder?
    /// Where the folder is below the fence, with a slash behind it.
    private let prefix: String
    /// A name in the folder that is no part of what is served and watched.
    private let unlisted: String?

    /// A folder that cannot be opened.
    init() {
        fence = nil
        prefix = ""
        unlisted = nil
    }

    init(_ fence: consuming Folder, prefix: String = "", unlisted: String? = nil) {
        self.fence = .some(fence)
        self.prefix = prefix
        self.unlisted = unlisted
    }

    func list(_ path: String, entriesMax: Int) throws(SystemError) -> FolderListing {
        switch fence {
        case .none: throw .missing("openat")
        case .some(let fence):
            var listing = try fence.list(prefix + path, entriesMax: entriesMax)
            if path.isEmpty, let unlisted { listing.entries.removeAll { $0.name == unlisted } }
            return listing
        }
    }

    func open(_ path: String) throws(FileError) -> OpenFile {
        switch fence {
        case .none: throw .system(.missing("openat"))
        case .some(let fence): return try fence.open(prefix + path)
        }
    }

    func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        switch fence {
        case .none: throw .system(.missing("openat"))
        case .some(let fence): return try fence.read(prefix + path, bytesMax: bytesMax)
        }
    }

    func isMissing(_ path: String) -> Bool {
        switch fence {
        case .none: true
        case .some(let fence): fence.isMissing(prefix + path)
        }
    }
}
