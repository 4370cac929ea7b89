// Files that are replaced completely or not at all.

import Glibc
import Posix
import TestSupport
import Testing

struct FileDurableTests {
    private let root: TemporaryFolder
    private var folder: String { root.path }

    init() throws { root = try TemporaryFolder() }

    private static func write(_ text: String, to name: String, in folder: String) throws(SystemError) {
        try File.replaceDurably(name, in: folder, permissions: 0o600, contents: { Array(text.utf8) })
    }

    @Test func `replaces the old file`() throws {
        try FileDurableTests.write("old", to: "x", in: folder)
        try FileDurableTests.write("abc", to: "x", in: folder)
        #expect(try root.read("x") == "abc")
        #expect(try Directory.entries(folder).map(\.name) == ["x"])
        #expect(try File.status("\(folder)/x").permissions == 0o600)
    }

    @Test func `overwrites a killed process's leftover, and does not follow a link there`() throws {
        try FileDurableTests.write("victim", to: "victim", in: folder)
        #expect(symlink("\(folder)/victim", "\(folder)/x.new") == 0)
        try FileDurableTests.write("abc", to: "x", in: folder)
        #expect(try root.read("x") == "abc")
        #expect(try root.read("victim") == "victim")
    }

    @Test func `fails for a missing folder`() {
        #expect(throws: SystemError(call: "open", number: ENOENT)) {
            try FileDurableTests.write("a", to: "x", in: "\(folder)/none")
        }
    }

    @Test func `keeps the old file when the disk becomes full`() async {
        await #expect(processExitsWith: .success) {
            let root = try TemporaryFolder()
            let folder = root.path
            try FileDurableTests.write("old", to: "x", in: folder)
            // A process limit simulates a full disk: a write fails after a part was written.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 100_000, rlim_max: 100_000)
            #expect(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            let text = String(repeating: "x", count: 120_000)
            let failure = #expect(throws: SystemError.self) { try FileDurableTests.write(text, to: "x", in: folder) }
            let isKept = try root.read("x") == "old"
            let names = try Directory.entries(folder).map(\.name)
            exit(failure?.number == EFBIG && isKept && names == ["x"] ? 0 : 1)
        }
    }
}
