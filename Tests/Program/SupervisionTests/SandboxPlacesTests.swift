// What the sandbox allows for each path of the settings: its folders, but no top-level folder of the system.

import Posix
import TestSupport
import Testing

@testable import Supervision

struct SandboxPlacesTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        for name in ["keys/file", "links/.keep"] { try folder.write(name, "") }
        try folder.link("links/file", to: "../keys/file")
        try folder.link("links/passwd", to: "/etc/passwd")
        try folder.link("links/folder", to: "../keys")
    }

    /// Each row: a path in the test's folder or an absolute one, and what is allowed for it.
    @Test(arguments: [
        ("keys/file", ["keys", "keys/file"]), ("links/file", ["links", "keys", "keys/file"]),
        ("keys/missing", ["keys"]), ("links/passwd", ["links", "/etc/passwd"]), ("/etc/passwd", ["/etc/passwd"]),
        ("/etc/missing.key", []), ("/missing.key", []), ("/etc/missing/file", ["/etc/missing"]),
    ])
    func `a file may be replaced, but not in a top-level folder`(path: String, allowed: [String]) throws {
        try expect(SandboxPlaces.Use.file, path, [String](allowed))
    }

    @Test(arguments: [
        ("keys", ["keys"]), ("links/folder", ["links", "keys"]), ("links/missing", ["links"]), ("/etc/missing", []),
        ("/missing", []), ("links/passwd", ["links", "/etc/passwd"]),
    ])
    func `a folder may be a link that changes, but not in a top-level folder`(path: String, allowed: [String]) throws {
        try expect(SandboxPlaces.Use.folder, path, [String](allowed))
    }

    @Test(arguments: ["/", "/etc", "/tmp", "/var"])
    func `a top-level folder is not allowed for writing`(path: String) throws {
        #expect(throws: Refusal.self) { try SandboxPlaces.rules(.writable(path, for: "the state")) }
        #expect(throws: Refusal.self) { try SandboxPlaces.rules(.log("\(path == "/" ? "" : path)/requests-of-a-test")) }
    }

    private func expect(_ use: (String) -> SandboxPlaces.Use, _ path: String, _ allowed: [String]) throws {
        func whole(_ path: String) -> String { path.hasPrefix("/") ? path : "\(folder.path)/\(path)" }
        let rules = try SandboxPlaces.rules(use(whole(path)))
        #expect(Set(rules) == Set(allowed.map { Landlock.Rule(whole($0), .read) }))
    }
}
