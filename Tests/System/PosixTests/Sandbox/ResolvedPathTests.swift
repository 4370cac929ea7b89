// The folders and links of a path.

import Posix
import TestSupport
import Testing

struct ResolvedPathTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("releases/42/config")
        for (name, target) in [
            ("current", "releases/42"), ("releases/42/far", "\(folder.path)/current/config"), ("round", "round"),
        ] { try folder.link(name, to: target) }
    }

    /// Each row: a path, where it leads, and the folders in which a link, or a missing name, can change that.
    @Test(
        arguments: [
            ("releases/42/./config/../config", "/releases/42/config", []),
            ("current/config", "/releases/42/config", [""]),
            // Links in the target of a link.
            ("current/far", "/releases/42/config", ["", "/releases/42", ""]),
            ("releases/43/config", nil, ["/releases"]),
        ] as [(String, String?, [String])])
    func `resolves a path with its links`(path: String, place: String?, changePoints: [String]) {
        let way = ResolvedPath("\(folder.path)/\(path)")
        #expect(way.place == place.map { folder.path + $0 })
        #expect(way.changePoints == changePoints.map { folder.path + $0 })
    }

    @Test func `does not resolve a link to itself`() { #expect(ResolvedPath("\(folder.path)/round").place == nil) }

    @Test(arguments: [("/", true), ("/etc", true), ("/etc/", true), ("/etc/associated", false), ("/a/b/c", false)])
    func `recognizes top folders`(path: String, isTop: Bool) { #expect(ResolvedPath.isTop(path) == isTop) }

    @Test(arguments: [
        ("/", true), ("/etc", true), ("/tmp/", true), ("/var", true), ("/var/log", false), ("/state", false),
        ("/etc/associated", false),
    ])
    func `recognizes top folders that every system has`(path: String, isSystemFolder: Bool) {
        #expect(ResolvedPath.isSystemFolder(path) == isSystemFolder)
    }
}
