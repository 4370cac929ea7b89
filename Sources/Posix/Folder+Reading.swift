// Reading a file that others may be writing to: what is handed out is one state of it, or nothing.

import CLinux
import Glibc

/// A file's content, and the marks it had before and after it was read.
public struct SettledContents: Sendable {
    public var bytes: [UInt8]
    public var status: FileStatus
    /// When it was read, in nanoseconds since 1970.
    public var readNanoseconds: Int64

    /// Seconds since 1970.
    public var modified: Int64 { status.modifiedNanoseconds / 1_000_000_000 }
}

extension Folder {
    private static let attemptsMax = 3

    /// Reads a regular file below this directory. Nil when it kept changing while it was read: it is somebody else's
    /// work in progress, to be read again when they are done.
    public func read(_ path: String, bytesMax: Int) throws(FileError) -> SettledContents? {
        for _ in 0..<Folder.attemptsMax {
            let number: Int32
            do { number = try openBeneath(path) } catch { throw .system(error) }
            let file = Descriptor(takingOwnershipOf: number)
            let now = Clock.wallNanoseconds()
            let before = try Folder.status(file)
            guard before.isRegular else { throw .notAFile }
            if before.byteCount > bytesMax { throw .tooLarge(byteCount: Int(before.byteCount), limit: bytesMax) }
            let bytes = try File.readAll(file, expected: Int(before.byteCount), bytesMax)
            if try Folder.status(file) == before, bytes.count == before.byteCount {
                return SettledContents(bytes: bytes, status: before, readNanoseconds: now)
            }
        }
        return nil
    }

    /// Reads a regular file below this directory into memory of the caller, who clears it afterwards. Returns the number of
    /// bytes.
    public func read(_ path: String, into buffer: UnsafeMutableRawBufferPointer) throws(FileError) -> Int {
        let number: Int32
        do { number = try openBeneath(path) } catch { throw .system(error) }
        let file = Descriptor(takingOwnershipOf: number)
        let status = try Folder.status(file)
        guard status.isRegular else { throw .notAFile }
        if status.byteCount > buffer.count { throw .tooLarge(byteCount: Int(status.byteCount), limit: buffer.count) }
        return try File.fill(buffer, from: file)
    }

    private static func status(_ file: borrowing Descriptor) throws(FileError) -> FileStatus {
        var status = stat()
        guard fstat(file.number, &status) == 0 else { throw .system(.last("fstat")) }
        return FileStatus(status)
    }
}
