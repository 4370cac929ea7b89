// The targets of links, and the folders on the way.

import TestSupport
import Testing

@testable import Posix

struct FileLinksTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path }

    init() throws {
        folder = try TemporaryFolder()
        for name in ["tree/a", "tree/b/v1", "tree/c"] { try folder.makeFolder(name) }
        let links = [
            ("a/near", "file"), ("a/far", "../b/current/file"), ("b/current", "v1"), ("a/out", "../../other/file"),
            ("a/whole", "/etc/hosts"), ("a/place", "\(folder.path)/place/file"), ("a/loop", "loop"),
            ("a/through", "far"),
        ]
        for (name, target) in links { try folder.link("tree/\(name)", to: target) }
    }

    @Test(arguments: [
        ("near", ["a"]), ("far", ["b", "b/v1"]), ("through", ["a", "b", "b/v1"]), ("out", []), ("whole", []),
        ("nothing", ["a"]), ("place", ["../place"]),
    ])
    func `names the folders of every link on the way`(name: String, folders: [String]) {
        let root = "\(path)/tree"
        let found = File.foldersBehind(link: "\(root)/a/\(name)", inside: [root, "\(path)/place"])
        #expect(found == folders.map { $0 == "../place" ? "\(path)/place" : "\(root)/\($0)" })
    }

    @Test func `a link to itself ends with an error`() {
        let root = "\(path)/tree"
        #expect(Set(File.foldersBehind(link: "\(root)/a/loop", inside: [root, "\(path)/place"])) == ["\(root)/a"])
    }

    @Test func `reads the target of a link`() {
        #expect(File.linkTarget("\(path)/tree/a/far") == "../b/current/file")
        #expect(File.linkTarget("\(path)/tree/a") == nil)
        #expect(File.linkTarget("\(path)/tree/none") == nil)
    }
}
