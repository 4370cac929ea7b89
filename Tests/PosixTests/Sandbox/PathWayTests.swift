// Where a path leads through.

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

    @Test func `a path without links is its place`() {
        let way = way("releases/42/./config/../config")
        #expect(way.place == "\(folder)/releases/42/config" && way.turnings.isEmpty)
    }

    @Test func `a link may be turned in its folder`() {
        let way = way("current/config")
        #expect(way.place == "\(folder)/releases/42/config" && way.turnings == [folder])
    }

    @Test func `a link may lead through others`() {
        let way = way("current/far")
        #expect(way.place == "\(folder)/releases/42/config")
        #expect(way.turnings == [folder, "\(folder)/releases/42", folder])
    }

    @Test func `what is not there is made in the nearest folder that is`() {
        let way = way("releases/43/config")
        #expect(way.place == nil && way.turnings == ["\(folder)/releases"])
    }

    @Test func `a link to itself leads nowhere`() {
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
