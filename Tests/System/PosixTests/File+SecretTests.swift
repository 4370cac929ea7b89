// Files with a secret: read into given memory, created in one step and by one writer only.

import Foundation
import Posix
import TestSupport
import Testing

struct FileSecretTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func read(_ path: String, capacity: Int) throws -> [UInt8] {
        var memory = [UInt8](repeating: 0, count: capacity)
        let count = try memory.withUnsafeMutableBytes { try File.read(path, into: $0) }
        return Array(memory[..<count])
    }

    @Test func `reads a whole file up to the limit`() throws {
        let path = try folder.write("a", "12345")
        #expect(try read(path, capacity: 6) == Array("12345".utf8))
        #expect(try read(path, capacity: 5) == Array("12345".utf8))
        #expect(throws: FileError.tooLarge(byteCount: 5, limit: 4)) { try read(path, capacity: 4) }
        #expect(throws: FileError.notAFile) { try read(folder.path, capacity: 5) }
    }

    @Test func `creates a file with its permissions`() throws {
        let path = folder.path + "/new"
        for (name, permissions) in [("private", 0o600), ("shared", 0o644)] as [(String, UInt32)] {
            let made = try Array("text".utf8).withUnsafeBytes {
                try File.create("\(path).\(name)", $0, permissions: permissions)
            }
            #expect(made)
            #expect(try File.status("\(path).\(name)").permissions == permissions)
            #expect(try read("\(path).\(name)", capacity: 9) == Array("text".utf8))
        }
        #expect(try Directory.entries(folder.path).count == 2)
    }

    @Test func `ignores the umask of the process`() async {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            umask(0o077)
            let bytes = Array("text".utf8)
            _ = try bytes.withUnsafeBytes { try File.create(folder.path + "/made", $0, permissions: 0o644) }
            try bytes.withUnsafeBytes { try File.replace(folder.path + "/replaced", $0, permissions: 0o640) }
            let permissions = try ["made", "replaced"].map { try File.status("\(folder.path)/\($0)").permissions }
            #expect(permissions == [0o644, 0o640])
        }
    }

    @Test func `does not overwrite an existing file`() throws {
        let path = try folder.write("a", "first")
        let made = try Array("second".utf8).withUnsafeBytes { try File.create(path, $0, permissions: 0o600) }
        #expect(!made)
        #expect(try read(path, capacity: 9) == Array("first".utf8))
        #expect(try Directory.entries(folder.path).map(\.name) == ["a"])
    }

    @Test func `reports why a file cannot be created`() {
        let error = #expect(throws: SystemError.self) {
            _ = try [].withUnsafeBytes { try File.create(folder.path + "/none/a", $0, permissions: 0o600) }
        }
        #expect(error?.reason == "no such file or directory")
    }

    @Test func `creates a directory and its parents, and accepts an existing one`() throws {
        let path = folder.path + "/a/b/c"
        try Directory.create(path, permissions: 0o700)
        try Directory.create(path, permissions: 0o700)
        #expect(Directory.exists(path))
        #expect(try File.status(path).permissions == 0o700)
    }

    @Test func `does not accept a file as a directory`() throws {
        let path = try folder.write("a", "file")
        #expect(throws: SystemError.self) { try Directory.create(path + "/b", permissions: 0o700) }
    }
}
