// A large file that takes a while to write is written under a temporary name, without the lock of its folder. Only the final
// rename needs the lock, so other processes do not have to wait for the disk.

import CPosix
import Libc

/// A complete file on disk under a temporary name. It is removed at the end of this value's lifetime, unless it was put in place.
public struct FileDraft: ~Copyable, Sendable {
    private let folder: String
    private let name: String
    /// The temporary path.
    public let path: String
    /// Locked while the draft exists, so that drafts of killed processes can be recognised.
    private let descriptor: Descriptor

    private init(_ name: String, _ folder: String, at path: String, takingOwnershipOf descriptor: consuming Descriptor)
    {
        self.folder = folder
        self.name = name
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes the parts, one after the other, and waits until they are on disk.
    public static func write(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) -> FileDraft {
        removeAbandoned(of: name, in: folder)
        let draft = try create(name, in: folder, permissions)
        try unsafe File.writeDurably(parts, to: draft.descriptor)
        return draft
    }

    /// Creates an empty, locked draft. Another process that removes abandoned drafts may remove it before it is locked; then
    /// another one is created.
    /// - Parameter didOpen: called with the path of each draft before it is locked.
    static func create(
        _ name: String, in folder: String, _ permissions: UInt32, didOpen: (String) -> Void = { _ in }
    ) throws(SystemError) -> FileDraft {
        for _ in 0..<attemptsMax {
            let path = "\(folder)/\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).draft"
            let draft = FileDraft(name, folder, at: path, takingOwnershipOf: try File.make(path, permissions))
            didOpen(path)
            let number = draft.descriptor.number
            // If the file system has no locks, no process can lock the draft to remove it either.
            if flock(number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { continue }
            if try stat(of: number).st_nlink > 0 { return draft }
        }
        throw SystemError(call: "flock", number: EWOULDBLOCK)
    }

    /// Losing a draft is rare; this many in a row are not a coincidence.
    private static let attemptsMax = 16

    deinit { unsafe unlink(path) }

    /// Replaces the file of this name atomically and durably. The corresponding C function is `rename`.
    public consuming func putInPlace() throws(SystemError) {
        let (from, to) = (path, "\(folder)/\(name)")
        try File.withTurn(in: folder) { () throws(SystemError) in
            guard unsafe rename(from, to) == 0 else { throw SystemError.last("rename") }
        }
    }

    /// Removes the drafts of killed processes.
    static func removeAbandoned(of name: String, in folder: String) {
        for entry in (try? Directory.entries(folder)) ?? [] {
            guard entry.name.hasPrefix("\(name)."), entry.name.hasSuffix(".draft") else { continue }
            let path = "\(folder)/\(entry.name)"
            guard let file = try? Descriptor.open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW) else { continue }
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
        }
    }
}
