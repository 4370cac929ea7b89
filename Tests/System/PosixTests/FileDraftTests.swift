// A draft next to a file, until it replaces the file.

import Foundation
import TestSupport
import Testing

@testable import Posix

struct FileDraftTests {
    private let root: TemporaryFolder
    private var folder: String { root.path }

    init() throws {
        root = try TemporaryFolder()
        try root.write("x", "old")
    }

    private func draft(_ text: String) throws -> FileDraft {
        let bytes = Array(text.utf8)
        var draft: FileDraft?
        try bytes.withUnsafeBytes { bytes in
            draft = try FileDraft.write("x", in: folder, [bytes, bytes], permissions: 0o600)
        }
        guard let draft = draft.take() else { throw SystemError(call: "open", number: 0) }
        return draft
    }

    private var names: [String] { get throws { try Directory.entries(folder).map(\.name) } }

    @Test func `keeps the old file until the new one replaces it`() throws {
        let draft = try draft("new")
        #expect(try root.read("x") == "old")
        let path = draft.path
        #expect(try File.read(path, bytesMax: 9).bytes == Array("newnew".utf8))
        try draft.putInPlace()
        #expect(try root.read("x") == "newnew")
        #expect(try names == ["x"])
    }

    @Test func `an abandoned draft leaves nothing behind`() throws {
        do { _ = try draft("new") }
        #expect(try names == ["x"])
        #expect(try root.read("x") == "old")
    }

    @Test func `removes drafts of killed processes, but not those of running ones`() throws {
        for name in ["x.left.draft", "y.left.draft", "x.draft.old"] { try root.write(name, "") }
        let first = try draft("first")
        let second = try draft("second")
        #expect(try names.count == 5)
        #expect(try !names.contains("x.left.draft"))
        try second.putInPlace()
        try first.putInPlace()
        #expect(try root.read("x") == "firstfirst")
        #expect(try names == ["x", "x.draft.old", "y.left.draft"])
    }

    @Test func `creates a draft again that was removed before it was locked`() throws {
        var paths: [String] = []
        let draft = try FileDraft.create("x", in: folder, 0o600) { path in
            if paths.isEmpty { FileDraft.removeAbandoned(of: "x", in: folder) }
            paths.append(path)
        }
        #expect(paths.count == 2)
        try draft.putInPlace()
        #expect(try root.read("x") == "")
        #expect(try names == ["x"])
    }

    @Test func `does not touch a draft that another process has locked`() throws {
        var locks: [Int32] = []
        defer { locks.forEach { close($0) } }
        let draft = try FileDraft.create("x", in: folder, 0o600) { path in
            if locks.isEmpty { locks.append(locked(path)) }
        }
        try draft.putInPlace()
        #expect(try names == ["x"])
        var count = 0
        #expect(throws: SystemError.self) {
            _ = try FileDraft.create("x", in: folder, 0o600) { path in
                count += 1
                locks.append(locked(path))
            }
        }
        #expect(count == 16)
        #expect(try names == ["x"])
    }

    private func locked(_ path: String) -> Int32 {
        let number = open(path, O_RDONLY)
        #expect(flock(number, LOCK_EX | LOCK_NB) == 0)
        return number
    }
}
