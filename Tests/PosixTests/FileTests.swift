// Reading real files and directories.

import Foundation
import Posix
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
        #expect {
            try File.read("/proc/self/status", bytesMax: 100)
        } throws: { error in
            if case .tooLarge(_, limit: 100)? = error as? FileError { true } else { false }
        }
    }

    @Test func `refuses anything but a regular file`() throws {
        #expect(throws: FileError.notAFile) { try File.read(folder.path, bytesMax: 10) }
        let pipe = folder.path + "/pipe"
        try #require(mkfifo(pipe, 0o600) == 0)
        #expect(throws: FileError.notAFile) { try File.read(pipe, bytesMax: 10) }
    }

    @Test func `reports a missing file`() {
        #expect {
            try File.read(folder.path + "/none", bytesMax: 10)
        } throws: {
            ($0 as? FileError)?.isMissing == true
        }
    }

    @Test func `lists a directory in order and follows links`() throws {
        _ = try folder.write("b", "")
        _ = try folder.write("a", "")
        try FileManager.default.createDirectory(atPath: folder.path + "/d", withIntermediateDirectories: false)
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/c", withDestinationPath: "b")
        try FileManager.default.createSymbolicLink(atPath: folder.path + "/e", withDestinationPath: "nowhere")
        let entries = try Directory.entries(folder.path)
        #expect(entries.map(\.name) == ["a", "b", "c", "d", "e"])
        #expect(entries.map(\.kind) == [.file, .file, .file, .directory, .other])
    }

    @Test func `reports why a directory cannot be listed`() {
        #expect {
            try Directory.entries(folder.path + "/none")
        } throws: {
            ($0 as? SystemError)?.reason == "no such file or directory"
        }
    }
}

/// A test's folder, removed with it.
final class TemporaryFolder {
    let path: String

    init() throws {
        path = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    func write(_ name: String, _ text: String) throws -> String {
        let file = path + "/" + name
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        return file
    }

    deinit { try? FileManager.default.removeItem(atPath: path) }
}
