// A folder that tenants write to, with the fence around it. Links in it may lead anywhere inside the fence and to the link targets
// that server.json names, and nowhere else.

import Posix

/// `config/apps`, `well-known` in a folder of `config/hosts`, or a folder of `public`, kept open.
struct FencedFolder: ~Copyable, Sendable {
    private let fence: Folder
    /// Where the folder is below the fence, with a slash behind it.
    private let prefix: String

    init(_ fence: consuming Folder, prefix: String = "") {
        self.fence = fence
        self.prefix = prefix
    }

    func list(_ path: String, entriesMax: Int) throws(SystemError) -> FolderListing {
        try fence.list(prefix + path, entriesMax: entriesMax)
    }

    func open(_ path: String) throws(FileError) -> OpenFile { try fence.open(prefix + path) }

    func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        try fence.read(prefix + path, bytesMax: bytesMax)
    }

    func status(_ path: String) -> FileStatus? { fence.status(prefix + path) }

    func isMissing(_ path: String) -> Bool { fence.isMissing(prefix + path) }
}
