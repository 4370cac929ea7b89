// Opening what lies below a folder, and nothing else. The kernel does it in one call, `openat2` with `RESOLVE_BENEATH`. Where
// it has none (before Linux 5.6), or the filter of a container does not know it, the path is walked here, one component after
// the other, and links are read by hand: slower, with the same refusals.

import CLinux
import Glibc

extension Folder {
    /// As many links on a path as the kernel itself follows.
    private static let linksMax = 40

    /// A descriptor for reading, opened without waiting. A link inside the folder is followed; one that leads out of it is
    /// refused (EXDEV).
    func openBeneath(_ path: String) throws(SystemError) -> Int32 {
        // The kernel may give up on a path with `..` in it while something is being renamed (EAGAIN); then it is asked again.
        for _ in 0..<16 {
            let number = retrying { associated_open_beneath(descriptor.number, path) }
            if number >= 0 { return number }
            if errno == ENOSYS || errno == EPERM { return try walk(path) }
            if errno != EAGAIN { break }
        }
        throw .last("openat2")
    }

    /// The same without the kernel's help.
    func walk(_ path: String) throws(SystemError) -> Int32 {
        guard !path.isEmpty else { throw SystemError(call: "openat", number: ENOENT) }
        guard !path.hasPrefix("/") else { throw SystemError(call: "openat", number: EXDEV) }
        var trail = Trail(root: descriptor.number)
        var pending = Folder.components(path)
        var linkCount = 0
        while let name = pending.popLast() {
            if name == "." { continue }
            if name == ".." {
                guard trail.leave() else { throw SystemError(call: "openat", number: EXDEV) }
                continue
            }
            let found = Descriptor(takingOwnershipOf: try Folder.opened(associated_find_at(trail.last, name)))
            var status = stat()
            guard fstat(found.number, &status) == 0 else { throw .last("fstat") }
            switch status.st_mode & S_IFMT {
            case S_IFLNK:
                linkCount += 1
                let target = try Folder.target(ofLink: found.number)
                guard linkCount <= Folder.linksMax else { throw SystemError(call: "openat", number: ELOOP) }
                guard !target.hasPrefix("/") else { throw SystemError(call: "openat", number: EXDEV) }
                pending += Folder.components(target)
            case S_IFDIR:
                trail.enter(found.release())
            default:
                guard pending.isEmpty else { throw SystemError(call: "openat", number: ENOTDIR) }
                return try Folder.opened(associated_open_at(trail.last, name))
            }
        }
        return try Folder.opened(associated_open_at(trail.last, "."))
    }

    /// Last first. An end that asks for a folder keeps its question.
    private static func components(_ path: String) -> [String] {
        var components = path.split(separator: "/").map { String($0) }
        if path.hasSuffix("/") { components.append(".") }
        return components.reversed()
    }

    private static func opened(_ number: Int32) throws(SystemError) -> Int32 {
        guard number >= 0 else { throw .last("openat") }
        return number
    }

    private static func target(ofLink number: Int32) throws(SystemError) -> String {
        try withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX)) { bytes throws(SystemError) in
            guard let start = bytes.baseAddress else { throw SystemError(call: "readlinkat", number: ENOMEM) }
            let count = readlinkat(number, "", start, bytes.count)
            guard count > 0 else { throw .last("readlinkat") }
            let text = UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: bytes[..<count]))
            return String(decoding: text, as: UTF8.self)
        }
    }

    /// The folders between the root and where a walk has come to.
    private struct Trail: ~Copyable {
        private let root: Int32
        private var numbers: [Int32] = []

        init(root: Int32) { self.root = root }

        deinit { for number in numbers { closeDescriptor(number) } }

        var last: Int32 { numbers.last ?? root }

        mutating func enter(_ number: Int32) { numbers.append(number) }

        /// False at the root, which nothing leads out of.
        mutating func leave() -> Bool {
            guard let number = numbers.popLast() else { return false }
            closeDescriptor(number)
            return true
        }
    }
}
