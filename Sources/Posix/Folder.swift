// A directory that is the root of everything that is opened through it: no name and no symbolic link leads out of it.

import CLinux
import Glibc

/// A directory kept open.
public struct Folder: ~Copyable, Sendable {
    let descriptor: Descriptor
    private let path: String

    public init(_ path: String) throws(SystemError) {
        let number = associated_open(path, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw .last("open") }
        descriptor = Descriptor(takingOwnershipOf: number)
        self.path = path
    }

    /// Opens a directory below another one. Links on the way may lead anywhere inside that one, and not out of it.
    public init(_ path: String, inside root: borrowing Folder) throws(SystemError) {
        descriptor = Descriptor(takingOwnershipOf: try root.openFolder(path))
        self.path = "\(root.path)/\(path)"
    }

    /// Opens a regular file below this directory: a link inside the directory is followed, one that leads out of it is
    /// refused.
    public func open(_ path: String) throws(FileError) -> OpenFile {
        let number: Int32
        do { number = try openBeneath(path) } catch { throw .system(error) }
        return try OpenFile(takingOwnershipOf: Descriptor(takingOwnershipOf: number), path: "\(self.path)/\(path)")
    }
}

extension OpenFile {
    /// The content, when nobody has written to the file since it was opened, nor made it longer or shorter; nil otherwise.
    public func settledContents() throws(FileError) -> [UInt8]? {
        let bytes = try contents()
        var now = stat()
        guard fstat(number, &now) == 0 else { throw .system(.last("fstat")) }
        return bytes.count == byteCount && isUnchanged(now) ? bytes : nil
    }

    /// The content, up to the size that it had when it was opened.
    public func contents() throws(FileError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: byteCount)
        var count = 0
        while count < byteCount {
            let outcome = bytes.withUnsafeMutableBytes {
                receive(file: number, from: count, into: UnsafeMutableRawBufferPointer(rebasing: $0[count...]))
            }
            switch outcome {
            case .moved(let step): count += step
            case .ended, .wouldBlock:
                bytes.removeSubrange(count...)
                return bytes
            case .failed(let number): throw .system(SystemError(call: "pread", number: number))
            }
        }
        return bytes
    }
}
