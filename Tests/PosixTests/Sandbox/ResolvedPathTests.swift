// The folders and links of a path.

import Foundation
import Posix
import Testing

struct ResolvedPathTests {
    private let folder: String

    init() throws {
        let temporary = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path
        folder = "\(temporary)/\(UUID().uuidString)"
        try FileManager.default.createDirectory(
            atPath: "\(folder)/releases/42/config", withIntermediateDirectories: true)
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/current", withDestinationPath: "releases/42")
        try FileManager.default.createSymbolicLink(
            atPath: "\(folder)/releases/42/far", withDestinationPath: "\(folder)/current/config")
        try FileManager.default.createSymbolicLink(atPath: "\(folder)/round", withDestinationPath: "round")
    }

    private func way(_ path: String) -> ResolvedPath {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return ResolvedPath("\(folder)/\(path)")
    }

    @Test func `resolves a path without links`() {
        let way = way("releases/42/./config/../config")
        #expect(way.place == "\(folder)/releases/42/config" && way.changePoints.isEmpty)
    }

    @Test func `names the folder in which a link can change`() {
        let way = way("current/config")
        #expect(way.place == "\(folder)/releases/42/config" && way.changePoints == [folder])
    }

    @Test func `follows links in the target of a link`() {
        let way = way("current/far")
        #expect(way.place == "\(folder)/releases/42/config")
        #expect(way.changePoints == [folder, "\(folder)/releases/42", folder])
    }

    @Test func `uses the nearest existing folder of a missing path`() {
        let way = way("releases/43/config")
        #expect(way.place == nil && way.changePoints == ["\(folder)/releases"])
    }

    @Test func `does not resolve a link to itself`() {
        #expect(way("round").place == nil)
    }

    @Test(arguments: [("/", true), ("/etc", true), ("/etc/", true), ("/etc/associated", false), ("/a/b/c", false)])
    func `recognizes top folders`(path: String, isTop: Bool) {
        #expect(ResolvedPath.isTop(path) == isTop)
    }

    @Test(arguments: [
        ("/", true), ("/etc", true), ("/tmp/", true), ("/var", true), ("/var/log", false), ("/state", false),
        ("/etc/associated", false),
    ])
    func `recognizes top folders that every system has`(path: String, isSystemFolder: Bool) {
        #expect(ResolvedPath.isSystemFolder(path) == isSystemFolder)
    }
}
