// A directory that is the root of everything that is opened through it: no name and no symbolic link leads out of it, but into
// the places that the operator has named.

import CLinux
import Glibc

/// A directory kept open.
public struct Folder: ~Copyable, Sendable {
    let descriptor: Descriptor
    private let path: String
    /// Where links in it may lead, beside the folder itself.
    let targets: LinkTargets

    /// Opens a directory of the operator: links on the way may lead anywhere.
    public init(_ path: String, links targets: LinkTargets = .none) throws(SystemError) {
        let number = associated_open(path, O_RDONLY | O_DIRECTORY, 0)
        guard number >= 0 else { throw .last("open") }
        descriptor = Descriptor(takingOwnershipOf: number)
        self.path = path
        self.targets = targets
    }

    /// Opens the folder of one tenant in a folder of such folders. It may be a link to a directory in one of the link
    /// targets, or to the same name in a hidden folder beside it (`..data`), and to no other tenant's folder.
    ///
    /// - Parameter folderLinks: where that link may lead beside `targets`, and links in the folder may not.
    public init(
        tenant name: String, in tree: borrowing Folder, links targets: LinkTargets = .none,
        folderLinks: LinkTargets = .none
    ) throws(SystemError) {
        descriptor = Descriptor(
            takingOwnershipOf: try Folder.open(tenant: name, in: tree, targets.adding(folderLinks)))
        path = "\(tree.path)/\(name)"
        self.targets = targets
    }

    /// Opens a regular file below this directory: a link inside the directory or to a link target is followed, another one is
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
