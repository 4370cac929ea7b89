// Files that are replaced completely or not at all.

import Glibc
import Posix
import Testing

private let temporary = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"

struct FileDurableTests {
    private let folder: String

    init() throws {
        var template = Array("\(temporary)/associated-durable-XXXXXX".utf8CString)
        let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
        folder = String(cString: try #require(made))
    }

    private static func write(_ text: String, to name: String, in folder: String) throws(SystemError) {
        try File.replaceDurably(name, in: folder, permissions: 0o600, contents: { Array(text.utf8) })
    }

    private static func text(_ path: String) throws -> String {
        String(decoding: try File.read(path, bytesMax: 1_000_000).bytes, as: UTF8.self)
    }

    @Test func `replaces the old file`() throws {
        try FileDurableTests.write("old", to: "x", in: folder)
        try FileDurableTests.write("abc", to: "x", in: folder)
        #expect(try FileDurableTests.text("\(folder)/x") == "abc")
        #expect(try Directory.entries(folder).map(\.name) == ["x"])
        #expect(try File.status("\(folder)/x").permissions == 0o600)
    }

    @Test func `overwrites a killed process's leftover, and does not follow a link there`() throws {
        try FileDurableTests.write("victim", to: "victim", in: folder)
        #expect(symlink("\(folder)/victim", "\(folder)/x.new") == 0)
        try FileDurableTests.write("abc", to: "x", in: folder)
        #expect(try FileDurableTests.text("\(folder)/x") == "abc")
        #expect(try FileDurableTests.text("\(folder)/victim") == "victim")
    }

    @Test func `fails for a missing folder`() {
        #expect(throws: SystemError(call: "open", number: ENOENT)) {
            try FileDurableTests.write("a", to: "x", in: "\(folder)/none")
        }
    }

    @Test func `keeps the old file when the disk becomes full`() async {
        await #expect(processExitsWith: .success) {
            var template = Array("\(temporary)/associated-durable-XXXXXX".utf8CString)
            let made = template.withUnsafeMutableBufferPointer { mkdtemp($0.baseAddress!) }
            let folder = String(cString: try #require(made))
            try FileDurableTests.write("old", to: "x", in: folder)
            // A process limit simulates a full disk: a write fails after a part was written.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let text = String(repeating: "x", count: 120_000)
            var failure: SystemError?
            do throws(SystemError) {
                try FileDurableTests.write(text, to: "x", in: folder)
            } catch {
                failure = error
            }
            let isKept = try FileDurableTests.text("\(folder)/x") == "old"
            let names = try Directory.entries(folder).map(\.name)
            exit(failure?.number == EFBIG && isKept && names == ["x"] ? 0 : 1)
        }
    }
}
