// Files with a secret in them: read without a copy in between, and written so that nobody else ever sees them, not even
// for a moment or in part.

import CLinux
import Glibc

extension File {
    /// Reads a whole file into memory of the caller, who clears it afterwards. Returns the number of bytes.
    public static func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let file = try open(path, bytesMax: buffer.count)
        return try fill(buffer, from: file.descriptor)
    }

    /// Reads until the buffer is full or the file ends.
    static func fill(
        _ buffer: UnsafeMutableRawBufferPointer, from file: borrowing Descriptor
    ) throws(FileError) -> Int {
        var count = 0
        let number = file.number
        while count < buffer.count {
            let rest = UnsafeMutableRawBufferPointer(rebasing: buffer[count...])
            let step = retrying { Glibc.read(number, rest.baseAddress, rest.count) }
            if step < 0 { throw .system(.last("read")) }
            if step == 0 { break }
            count += step
        }
        return count
    }

    /// Writes a whole file with these permissions and puts it in place in one step. Returns false, with nothing changed,
    /// when a file of the name is already there: of several processes that do this at once, one wins.
    /// The corresponding C function is `link`.
    public static func create(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(SystemError) -> Bool {
        let draft = draftName(path)
        defer { unlink(draft) }
        try write(bytes, toNew: draft, permissions: permissions)
        if link(draft, path) == 0 { return true }
        if errno == EEXIST { return false }
        throw .last("link")
    }

    /// Writes a whole file and puts it in place of what is there, if anything, in one step.
    /// The corresponding C function is `rename`.
    public static func replace(
        _ path: String, _ bytes: UnsafeRawBufferPointer, permissions: UInt32
    ) throws(SystemError) {
        let draft = draftName(path)
        defer { unlink(draft) }
        try write(bytes, toNew: draft, permissions: permissions)
        guard rename(draft, path) == 0 else { throw .last("rename") }
    }

    private static func draftName(_ path: String) -> String {
        "\(path).\(String(UInt64.random(in: .min ... .max), radix: 36)).new"
    }

    private static func write(
        _ bytes: UnsafeRawBufferPointer, toNew draft: String, permissions: UInt32
    ) throws(SystemError) {
        let number = associated_open(draft, O_WRONLY | O_CREAT | O_EXCL, Int32(permissions))
        guard number >= 0 else { throw .last("open") }
        let file = Descriptor(takingOwnershipOf: number)
        // The process's mask may have taken more away than was asked for.
        guard fchmod(file.number, permissions) == 0 else { throw .last("fchmod") }
        var rest = bytes
        while !rest.isEmpty {
            let step = retrying { Glibc.write(file.number, rest.baseAddress, rest.count) }
            if step < 0 { throw .last("write") }
            rest = UnsafeRawBufferPointer(rebasing: rest[step...])
        }
        guard fsync(file.number) == 0 else { throw .last("fsync") }
    }
}

extension Directory {
    /// Makes a directory and those above it, as far as they are missing. The corresponding C function is `mkdir`.
    public static func create(_ path: String, permissions: UInt32) throws(SystemError) {
        if exists(path) || mkdir(path, permissions) == 0 || errno == EEXIST { return }
        guard errno == ENOENT, let slash = path.lastIndex(of: "/"), slash > path.startIndex else {
            throw .last("mkdir")
        }
        try create(String(path[..<slash]), permissions: permissions)
        guard mkdir(path, permissions) == 0 || errno == EEXIST else { throw .last("mkdir") }
    }
}
