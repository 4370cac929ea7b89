// The folders and links of a path.

import Foundation
import Posix
import Testing

struct PathWayTests {
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

    private func way(_ path: String) -> PathWay {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        return PathWay("\(folder)/\(path)")
    }

    @Test func `resolves a path without links`() {
        let way = way("releases/42/./config/../config")
        #expect(way.place == "\(folder)/releases/42/config" && way.turnings.isEmpty)
    }

    @Test func `names the folder in which a link can change`() {
        let way = way("current/config")
        #expect(way.place == "\(folder)/releases/42/config" && way.turnings == [folder])
    }

    @Test func `follows links in the target of a link`() {
        let way = way("current/far")
        #expect(way.place == "\(folder)/releases/42/config")
        #expect(way.turnings == [folder, "\(folder)/releases/42", folder])
    }

    @Test func `uses the nearest existing folder of a missing path`() {
        let way = way("releases/43/config")
        #expect(way.place == nil && way.turnings == ["\(folder)/releases"])
    }

    @Test func `does not resolve a link to itself`() {
        #expect(way("round").place == nil)
    }

    @Test(arguments: [("/", true), ("/etc", true), ("/etc/", true), ("/etc/associated", false), ("/a/b/c", false)])
    func `top folders are known`(path: String, isTop: Bool) {
        #expect(PathWay.isTop(path) == isTop)
    }

    @Test(arguments: [
        ("/", true), ("/etc", true), ("/tmp/", true), ("/var", true), ("/var/log", false), ("/state", false),
        ("/etc/associated", false),
    ])
    func `top folders that every system has are known`(path: String, isSystemFolder: Bool) {
        #expect(PathWay.isSystemFolder(path) == isSystemFolder)
    }
}
