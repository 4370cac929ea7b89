// Files for readers that take a path: in memory where the system has such a place, so that a fuzzer does not wear out a disk.

import Glibc

/// One file of this process, overwritten each time.
struct ScratchFile {
    static let folder: String = {
        let place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp"
        var template = Array("\(place)/associated-fuzz-XXXXXX".utf8CString)
        guard template.withUnsafeMutableBufferPointer({ mkdtemp($0.baseAddress!) }) != nil else { return place }
        let path = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
        // A process that was killed leaves its last files behind.
        atexit {
            for name in ["first", "second"] { unlink("\(ScratchFile.folder)/\(name)") }
            rmdir(ScratchFile.folder)
        }
        return path
    }()

    let path: String

    /// A file with these bytes.
    init(_ name: String, _ bytes: [UInt8]) throws(Complaint) {
        path = "\(ScratchFile.folder)/\(name)"
        let fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard fd >= 0 else { throw Complaint("cannot write \(path)") }
        defer { close(fd) }
        guard bytes.isEmpty || write(fd, bytes, bytes.count) == bytes.count else {
            throw Complaint("cannot write \(path)")
        }
    }
}
