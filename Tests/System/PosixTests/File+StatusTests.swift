// The stamps that show a changed file.

import Foundation
import Posix
import TestSupport
import Testing

struct FileStatusTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test func `the same file has the same stamp`() throws {
        let path = try folder.write("a", "one")
        let status = try File.status(path)
        #expect(try File.status(path) == status)
        #expect(status.isRegular && status.byteCount == 3)
        #expect(abs(status.modifiedNanoseconds / 1_000_000_000 - Int64(Date().timeIntervalSince1970)) < 60)
    }

    @Test func `a replaced file has another stamp, even with the same size and age`() throws {
        let path = try folder.write("a", "one")
        let status = try File.status(path)
        let other = try folder.write("b", "two")
        let time = Date(timeIntervalSince1970: Double(status.modifiedNanoseconds) / 1e9)
        try FileManager.default.setAttributes([.modificationDate: time], ofItemAtPath: other)
        #expect(rename(other, path) == 0)
        #expect(try File.status(path) != status)
    }

    @Test func `follows links and reads permissions`() throws {
        let path = try folder.write("a", "one")
        #expect(chmod(path, 0o640) == 0)
        let link = folder.path + "/link"
        try folder.link("link", to: "a")
        #expect(try File.status(link) == File.status(path))
        #expect(try File.status(link).permissions == 0o640)
        #expect(try !File.status(folder.path).isRegular)
    }

    @Test func `recognizes the groups of the process`() {
        let count = max(0, getgroups(0, nil))
        var groups = [gid_t](repeating: 0, count: Int(count))
        #expect(getgroups(count, &groups) == count)
        for group in groups + [getegid()] { #expect(FileAccess(permissions: 0o640, group: group).isOfOwnGroup) }
        let foreign = gid_t(54_321)
        #expect(FileAccess(permissions: 0o640, group: foreign).isOfOwnGroup == (groups + [getegid()]).contains(foreign))
    }

    @Test func `returns nil without a file`() {
        let error = #expect(throws: FileError.self) { try File.status(folder.path + "/none") }
        #expect(error?.isMissing == true)
    }
}
