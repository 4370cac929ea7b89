// A large file that takes a while to write, beside the place that it is for: until it is put there, nobody else has to wait,
// neither for the writing nor for the disk.

import CLinux
import Glibc

/// A whole file that is on disk and not yet in its place. Removed with its owner, unless it was put there.
public struct FileDraft: ~Copyable, Sendable {
    private let folder: String
    private let name: String
    /// Where it is until then.
    public let path: String
    /// Locked as long as somebody has it, so what a killed process has left can be told from what another one writes.
    private let descriptor: Descriptor

    private init(_ name: String, _ folder: String, at path: String, takingOwnershipOf descriptor: consuming Descriptor)
    {
        self.folder = folder
        self.name = name
        self.path = path
        self.descriptor = descriptor
    }

    /// Writes the parts, one behind the other, and waits until they are on disk.
    public static func write(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) -> FileDraft {
        removeAbandoned(of: name, in: folder)
        let draft = try create(name, in: folder, permissions)
        try unsafe File.write(parts, to: draft.descriptor)
        return draft
    }

    /// An empty one that is there and locked. Whoever looks for abandoned ones may see it before it is locked, and take it
    /// for one: then there is to be another.
    /// - Parameter didOpen: is told the path of each before it is locked.
    static func create(
        _ name: String, in folder: String, _ permissions: UInt32, didOpen: (String) -> Void = { _ in }
    ) throws(SystemError) -> FileDraft {
        for _ in 0..<attemptsMax {
            let path = "\(folder)/\(name).\(String(UInt64.random(in: .min ... .max), radix: 36)).draft"
            let number = unsafe associated_open(path, O_WRONLY | O_CREAT | O_EXCL, Int32(permissions))
            guard number >= 0 else { throw .last("open") }
            let draft = FileDraft(name, folder, at: path, takingOwnershipOf: Descriptor(takingOwnershipOf: number))
            didOpen(path)
            // Where files cannot be locked, nobody can lock this one to remove it either.
            if flock(number, LOCK_EX | LOCK_NB) != 0, errno == EWOULDBLOCK { continue }
            var status = stat()
            guard unsafe fstat(number, &status) == 0 else { throw .last("fstat") }
            if status.st_nlink > 0 { return draft }
        }
        throw SystemError(call: "flock", number: EWOULDBLOCK)
    }

    /// Each is one moment of somebody else's; so many in a row are no chance.
    private static let attemptsMax = 16

    deinit { unsafe unlink(path) }

    /// Puts the file in place of what is there, in one step that outlasts a loss of power. The corresponding C function is
    /// `rename`.
    public consuming func putInPlace() throws(SystemError) {
        let (from, to) = (path, "\(folder)/\(name)")
        try File.withTurn(in: folder) { () throws(SystemError) in
            guard unsafe rename(from, to) == 0 else { throw SystemError.last("rename") }
        }
    }

    /// A draft whose owner was killed is of no use to anybody.
    static func removeAbandoned(of name: String, in folder: String) {
        for entry in (try? Directory.entries(folder)) ?? [] {
            guard entry.name.hasPrefix("\(name)."), entry.name.hasSuffix(".draft") else { continue }
            let path = "\(folder)/\(entry.name)"
            let number = unsafe associated_open(path, O_RDONLY | O_NONBLOCK | O_NOFOLLOW, 0)
            guard number >= 0 else { continue }
            let file = Descriptor(takingOwnershipOf: number)
            if flock(file.number, LOCK_EX | LOCK_NB) == 0 { unsafe unlink(path) }
        }
    }
}
