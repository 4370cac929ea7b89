// The allowed targets of links: in a folder, across folders, and in the operator's link targets.

import Foundation
import TestSupport
import Testing

@testable import Posix

struct FolderOpeningTests {
    /// A tree of tenants `a` and `b`, a link target of the operator next to it, and a forbidden file.
    private let root: TemporaryFolder
    private var path: String { root.path }
    private let targets: LinkTargets

    init() throws {
        root = try TemporaryFolder()
        let path = root.path
        targets = LinkTargets(["\(path)/place", "\(path)/linked-place", "\(path)/none"])
        for folder in ["tree/b/a", "tree/..1/other"] { try root.makeFolder(folder) }
        for file in [
            "tree/a/file", "tree/a/f/deep/file", "tree/b/privkey.pem", "tree/..1/k/file", "place/cert",
            "place/live/file", "turned/file", "placebo/file", "out/secret",
        ] { try root.write(file, file) }
        try root.link("linked-place", to: "turned")
        try root.link("tree/..data", to: "..1")
        for (name, target) in [
            ("k", "..data/k"), ("wrong", "..data/k"), ("c", "b"), ("up", "."), ("top", ".."),
            ("tenant", "../place/live"),
            ("rooted", "/"), ("far", "../out"), ("nothing", "none"), ("sub", "b/a"), ("itself", "itself"),
        ] { try root.link("tree/\(name)", to: target) }
    }

    /// The result of opening a name in the folder of tenant `a`: the file's text, or the error.
    private func outcome(_ name: String) throws -> String {
        let folder = try Folder(tenant: "a", in: try Folder(path + "/tree"), links: targets)
        do throws(FileError) {
            return String(decoding: try folder.open(name).contents(), as: UTF8.self)
        } catch {
            if case .system(let error) = error { return error.leadsOutside ? "outside" : error.reason }
            return "\(error)"
        }
    }

    @Test(arguments: [
        // Inside.
        ("file", "tree/a/file"), ("f/deep/file", "tree/a/f/deep/file"), ("f/deep/../../file", "tree/a/file"),
        (".", "it is not a regular file"), ("none", "no such file or directory"), ("file/x", "not a directory"),
        // Outside by its own name.
        ("..", "outside"), ("../b/privkey.pem", "outside"), ("../a/file", "tree/a/file"), ("/etc/passwd", "outside"),
    ])
    func `opens only paths that stay inside`(name: String, text: String) throws {
        #expect(try outcome(name) == text)
    }

    @Test(arguments: [
        ("file", "tree/a/file"), ("f/../file", "tree/a/file"), (".", "it is not a regular file"),
        ("../a/f/deep/file", "tree/a/f/deep/file"), ("{}/tree/a/file", "tree/a/file"),
        // Other tenants, the folders above, the rest of the system.
        ("../b/privkey.pem", "outside"), ("{}/tree/b/privkey.pem", "outside"), ("../c/privkey.pem", "outside"),
        ("..", "outside"), ("../..", "outside"), ("/", "outside"), ("/etc/passwd", "outside"), ("/dev/null", "outside"),
        ("../../out/secret", "outside"), ("/proc/self/environ", "outside"),
        ("/proc/self/cwd", "too many levels of symbolic links"),
        // Link targets: by their own path and through a link, but not paths that only begin like one.
        ("{}/place/cert", "place/cert"), ("../../place/live/file", "place/live/file"),
        ("{}/turned/file", "turned/file"),
        ("{}/linked-place/file", "turned/file"), ("{}/placebo/file", "outside"), ("{}/place/../out/secret", "outside"),
        ("{}/place", "it is not a regular file"), ("{}/place/none", "no such file or directory"),
        // Links without a target.
        ("none", "no such file or directory"), ("{}/none", "no such file or directory"),
        ("link", "too many levels of symbolic links"),
    ])
    func `follows links inside the folder and into link targets`(target: String, text: String) throws {
        try root.link("tree/a/link", to: target.replacingOccurrences(of: "{}", with: path))
        #expect(try outcome("link") == text)
    }

    @Test func `does not follow a link out of a link target`() throws {
        try root.link("place/gate", to: "../out")
        try root.link("tree/a/link", to: "../../place/gate/secret")
        #expect(try outcome("link") == "outside")
    }

    @Test(arguments: [
        ("a", true), ("b", true), ("k", true), ("tenant", true), ("wrong", false), ("c", false), ("up", false),
        ("top", false), ("rooted", false), ("far", false), ("sub", false), ("nothing", nil), ("none", nil),
        ("", false), (".", false), ("..", false), ("b/a", false),
    ])
    func `a tenant's folder is its own, a version of it, or in a link target`(name: String, isOpened: Bool?)
        throws
    {
        let tree = try Folder(path + "/tree")
        do throws(SystemError) {
            _ = try Folder(tenant: name, in: tree, links: targets)
            #expect(isOpened == true)
        } catch {
            #expect(isOpened == (error.isMissing ? nil : !error.leadsOutside))
        }
    }

    @Test func `links in a folder may not lead to all targets of the folder itself`() throws {
        let tree = try Folder(path + "/tree")
        let folder = try Folder(tenant: "tenant", in: tree, folderLinks: targets)
        #expect(try folder.open("file").contents() == Array("place/live/file".utf8))
        try root.link("place/live/up", to: "../cert")
        #expect(throws: FileError.system(SystemError(call: "openat2", number: EXDEV))) { try folder.open("up") }
        #expect(throws: SystemError.self) { _ = try Folder(tenant: "tenant", in: tree) }
    }

    @Test func `a link that changes after opening has no effect`() throws {
        try root.link("tree/a/link", to: "\(path)/place/cert")
        let folder = try Folder(tenant: "a", in: try Folder(path + "/tree"), links: targets)
        let file = try folder.open("link")
        try root.remove("tree/a/link")
        try root.link("tree/a/link", to: "../b/privkey.pem")
        #expect(try file.contents() == Array("place/cert".utf8))
        #expect(throws: FileError.self) { try folder.open("link") }
    }

    @Test func `leaks no descriptor of refused paths, and opens no pipe`() throws {
        #expect(mkfifo("\(path)/out/pipe", 0o600) == 0)
        try root.link("tree/a/pipe", to: "../../out/pipe")
        try root.link("tree/a/secret", to: "../../out/secret")
        let folder = try Folder(tenant: "a", in: try Folder(path + "/tree"), links: targets)
        for name in ["pipe", "secret", "none", "file", "f/deep/file"] { _ = try? folder.open(name) }
        let open = (0..<4_096).filter { number in
            let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(number)")
            return target?.hasPrefix(path) == true
        }
        #expect(open == [Int(folder.descriptor.number)])
    }

    @Test func `reads a secret into memory of the caller`() throws {
        let folder = try Folder(tenant: "b", in: try Folder(path + "/tree"))
        var bytes = [UInt8](repeating: 0, count: 64)
        let count = try bytes.withUnsafeMutableBytes { try folder.read("privkey.pem", into: $0) }
        #expect(String(decoding: bytes[..<count], as: UTF8.self) == "tree/b/privkey.pem")
        #expect(throws: FileError.tooLarge(byteCount: 18, limit: 4)) {
            try bytes.withUnsafeMutableBytes { try folder.read("privkey.pem", into: .init(rebasing: $0[..<4])) }
        }
    }

    @Test func `reports a kernel without openat2`() {
        #expect(throws: Never.self) { try Folder.requireKernel() }
        let error = FolderSupportError(reason: SystemError(call: "openat2", number: ENOSYS))
        #expect(error.description.contains("openat2: function not implemented; use Linux 5.6 or newer"))
    }
}
