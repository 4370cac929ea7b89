// Writing files that must be there after a crash, whole or as they were before.

import CLinux
import Glibc

extension File {
    /// Writes the parts, one behind the other, and puts them in place of what is there under this name, in one step that
    /// outlasts a loss of power. When that fails, on a full disk for one, what was there stays. Of several processes that
    /// do this at once each waits for its turn. The corresponding C functions are `flock`, `fsync` and `rename`.
    public static func replaceDurably(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in try replace(name, in: folder, parts, permissions) }
    }

    /// The same for content that depends on what is there: it is made while no other process can replace it.
    /// - Parameter placed: called when the file is in its place, though a loss of power may still undo that; what fails later
    ///   fails with the file there. No other process has replaced it yet.
    public static func replaceDurably(
        _ name: String, in folder: String, permissions: UInt32, contents: () -> [UInt8], placed: () -> Void = {}
    ) throws(SystemError) {
        try withTurn(in: folder) { () throws(SystemError) in
            let result = contents().withUnsafeBytes { bytes in
                Result { () throws(SystemError) in try replace(name, in: folder, [bytes], permissions) }
            }
            try result.get()
            placed()
        }
    }

    /// Adds to the end of a file, and makes it if there is none. A crash may cut off what was added last.
    public static func append(_ bytes: [UInt8], to path: String) throws(SystemError) {
        let number = associated_open(path, O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK, 0o640)
        guard number >= 0 else { throw .last("open") }
        let file = Descriptor(takingOwnershipOf: number)
        try bytes.withUnsafeBytes { bytes in Result { () throws(SystemError) in try writeAll(bytes, to: file) } }.get()
    }

    /// Whether a file with content can be written into a folder: a full disk takes names, too.
    public static func probe(_ folder: String) throws(SystemError) {
        let path = "\(folder)/probe"
        defer { unlink(path) }
        try append([UInt8](repeating: 0, count: 4_096), to: path)
    }

    /// Does something in a folder that of several processes one does at a time.
    static func withTurn(in folder: String, _ body: () throws(SystemError) -> Void) throws(SystemError) {
        let number = associated_open(folder, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw .last("open") }
        let directory = Descriptor(takingOwnershipOf: number)
        // Ends with the descriptor, and so with a process that is killed.
        guard retrying({ flock(directory.number, LOCK_EX) }) == 0 else { throw .last("flock") }
        try body()
        guard fsync(directory.number) == 0 else { throw .last("fsync") }
    }

    private static func replace(
        _ name: String, in folder: String, _ parts: [UnsafeRawBufferPointer], _ permissions: UInt32
    ) throws(SystemError) {
        let path = "\(folder)/\(name)"
        // The lock makes it ours: what a killed process has left under this name is overwritten.
        let draft = "\(path).new"
        do throws(SystemError) {
            try writeDraft(draft, parts, permissions: permissions)
            guard rename(draft, path) == 0 else { throw SystemError.last("rename") }
        } catch {
            unlink(draft)
            throw error
        }
    }

    private static func writeDraft(
        _ draft: String, _ parts: [UnsafeRawBufferPointer], permissions: UInt32
    ) throws(SystemError) {
        // A file of another user, or a link, must not be what is written to.
        guard unlink(draft) == 0 || errno == ENOENT else { throw .last("unlink") }
        let number = associated_open(draft, O_WRONLY | O_CREAT | O_EXCL, Int32(permissions))
        guard number >= 0 else { throw .last("open") }
        try write(parts, to: Descriptor(takingOwnershipOf: number))
    }

    /// Writes the parts and waits until they are on disk.
    static func write(_ parts: [UnsafeRawBufferPointer], to file: borrowing Descriptor) throws(SystemError) {
        for part in parts { try writeAll(part, to: file) }
        guard fsync(file.number) == 0 else { throw .last("fsync") }
    }

    private static func writeAll(_ bytes: UnsafeRawBufferPointer, to file: borrowing Descriptor) throws(SystemError) {
        var rest = bytes
        while !rest.isEmpty {
            let step = retrying { Glibc.write(file.number, rest.baseAddress, rest.count) }
            if step < 0 { throw .last("write") }
            rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
    }
}
