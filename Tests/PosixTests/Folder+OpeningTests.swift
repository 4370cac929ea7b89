// Opening below a folder, by the kernel's own call and by our walk: the same file, or the same refusal.

import Foundation
import Glibc
import Testing

@testable import Posix

struct FolderOpeningTests {
    private let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        for folder in ["in/a/b", "out"] {
            try FileManager.default.createDirectory(atPath: "\(path)/\(folder)", withIntermediateDirectories: true)
        }
        for file in ["in/file", "in/a/b/deep", "out/secret"] {
            try Data(file.utf8).write(to: URL(fileURLWithPath: "\(path)/\(file)"))
        }
        let links = [
            ("link", "file"), ("folder", "a"), ("chain", "a/up"), ("a/up", "../link"), ("out", "../out"),
            ("secret", "../out/secret"), ("absolute", "\(path)/in/file"), ("nowhere", "none"), ("round", "round"),
            ("trailing", "a/"), ("trailingFile", "file/"), ("a/home", "../../in/file"),
        ]
        for (name, target) in links {
            try FileManager.default.createSymbolicLink(atPath: "\(path)/in/\(name)", withDestinationPath: target)
        }
        for number in 0..<42 {
            let target = number == 0 ? "file" : "hop\(number - 1)"
            try FileManager.default.createSymbolicLink(atPath: "\(path)/in/hop\(number)", withDestinationPath: target)
        }
    }

    /// What opening comes to: the file's place on the disk, or the number of the error.
    private func outcome(_ open: (borrowing Folder) throws -> Int32) throws -> String {
        let folder = try Folder(path + "/in")
        do {
            let number = try open(folder)
            defer { closeDescriptor(number) }
            var status = stat()
            #expect(fstat(number, &status) == 0)
            #expect(fcntl(number, F_GETFD) & FD_CLOEXEC != 0)
            return "\(status.st_ino)"
        } catch let error as SystemError {
            return error.reason
        }
    }

    @Test func `a walk opens what the kernel opens, and refuses what it refuses`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let paths = [
            "file", "a/b/deep", "a/./b/../b/deep", "./file", "a//b///deep", ".", "a", "a/b/", "a/..", "link", "chain",
            "folder/b/deep", "folder/..", "trailing/b", "hop0", "hop38", "hop39", "hop40", "hop41", "round", "nowhere",
            "none", "a/none/file", "file/x", "file/", "trailingFile", "file/..", "", "/", "..", "../in/file", "a/../..",
            "out/secret", "secret", "absolute", "a/home", "a/b/../../../in/file",
        ]
        for name in paths {
            let (kernel, walked) = (try outcome { try $0.openBeneath(name) }, try outcome { try $0.walk(name) })
            #expect(kernel == walked, "\(name)")
        }
        #expect(try outcome { try $0.walk("secret") } == SystemError(call: "", number: EXDEV).reason)
    }

    @Test func `a walk keeps no descriptor open`() throws {
        defer { try? FileManager.default.removeItem(atPath: path) }
        let folder = try Folder(path + "/in")
        for name in ["file", "a/b/deep", "a/b/none", "a/b/../..", "secret", "chain", "hop41", "file/x"] {
            if let number = try? folder.walk(name) { closeDescriptor(number) }
        }
        let open = (0..<4_096).filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.hasPrefix(path) == true
        }
        #expect(open == [Int(folder.descriptor.number)])
    }
}
