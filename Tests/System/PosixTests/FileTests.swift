// Reading real files and directories.

import Foundation
import Posix
import TestSupport
import Testing

struct FileTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `reads a file whole and knows its age`() throws {
        let path = try folder.write("a.json", String(repeating: "x", count: 100_000))
        let contents = try File.read(path, bytesMax: 100_000)
        #expect(contents.bytes.count == 100_000)
        #expect(abs(contents.modified - Int64(Date().timeIntervalSince1970)) < 60)
    }

    @Test func `refuses a file beyond the limit`() throws {
        let path = try folder.write("a.json", "12345")
        #expect(throws: FileError.tooLarge(byteCount: 5, limit: 4)) { try File.read(path, bytesMax: 4) }
    }

    /// Like a file that grows while it is read: its size is 0, but it has contents.
    @Test func `refuses a file with more bytes than the limit, whatever its size says`() throws {
        #expect(try File.status("/proc/self/status").byteCount == 0)
        #expect(try File.read("/proc/self/status", bytesMax: 65_536).bytes.count > 100)
        let error = #expect(throws: FileError.self) { try File.read("/proc/self/status", bytesMax: 100) }
        if case .tooLarge(_, limit: 100)? = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test func `refuses anything but a regular file`() throws {
        #expect(throws: FileError.notAFile) { try File.read(folder.path, bytesMax: 10) }
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileError.notAFile) { try File.read(pipe, bytesMax: 10) }
    }

    @Test func `reports a missing file`() {
        let error = #expect(throws: FileError.self) { try File.read(folder.path + "/none", bytesMax: 10) }
        #expect(error?.isMissing == true)
    }

    @Test func `lists a directory in order and follows links`() throws {
        for name in ["b", "a"] { try folder.write(name, "") }
        try folder.makeFolder("d")
        for (name, target) in [("c", "b"), ("e", "nowhere")] { try folder.link(name, to: target) }
        let entries = try Directory.entries(folder.path)
        #expect(entries.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(entries.map(\.kind) == [.file, .file, .file, .directory, .other])
    }

    @Test func `reports why a directory cannot be listed`() {
        let error = #expect(throws: SystemError.self) { try Directory.entries(folder.path + "/none") }
        #expect(error?.reason == "no such file or directory")
    }
}
