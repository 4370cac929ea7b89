// The contents of a folder: kinds, stamps and names, and nothing outside of it.

import TestSupport
import Testing

@testable import Posix

struct FolderListingTests {
    private let root: TemporaryFolder
    private var path: String { root.path }

    init() throws {
        root = try TemporaryFolder()
        for folder in ["inside/b", "inside/.hidden/deep", "outside/deep"] { try root.makeFolder(folder) }
        try root.write("inside/a/deep/file", "12345")
        try root.write("inside/file", "123")
        for (name, target) in [("in", "a"), ("out", "../outside"), ("nowhere", "none"), ("link", "file")] {
            try root.link("inside/\(name)", to: target)
        }
    }

    @Test func `lists names with their kinds and follows links`() throws {
        let entries = try Folder(path + "/inside").list("").entries
        let kinds = Dictionary(uniqueKeysWithValues: entries.map { ($0.name, $0.kind) })
        #expect(
            kinds == [
                "a": .directory, "b": .directory, "file": .file, "in": .directory,
                "link": .file, "nowhere": .other, "out": .directory,
            ])
        #expect(Set(entries.filter(\.isLink).map(\.name)) == ["in", "out", "nowhere", "link"])
        #expect(entries.first { $0.name == "link" }?.status?.byteCount == 3)
        #expect(try Folder(path + "/inside").list("a/deep").entries.map(\.name) == ["file"])
        #expect(try Folder(path + "/inside").list("in/deep").entries.map(\.name) == ["file"])
    }

    @Test func `recognizes directories, and reports whether the list is complete`() throws {
        let folder = try Folder(path + "/inside")
        let identities = try ["a", "in", "b"].map { try folder.list($0).identity }
        #expect(identities[0] == identities[1] && identities[0] != identities[2])
        for count in [0, 3, 7, 8, 9] {
            let listing = try folder.list("", entriesMax: count)
            #expect(listing.isWhole == (count >= 8), "\(count), one of them hidden")
            #expect(listing.entries.count <= count)
        }
    }

    @Test func `does not follow links out of the folder`() throws {
        let folder = try Folder(path + "/inside")
        for name in ["out", "..", "../outside", "a/../../outside"] {
            #expect { _ = try folder.list(name) } throws: { ($0 as? SystemError)?.leadsOutside == true }
        }
        #expect { _ = try folder.list("file") } throws: { ($0 as? SystemError)?.isMissing == true }
    }

    @Test func `tells what is missing from what cannot be reached`() throws {
        let folder = try Folder(path + "/inside")
        let areMissing = [folder.isMissing("none"), folder.isMissing("nowhere")]
        #expect(areMissing == [true, false])
        let counts = [try? folder.status("nowhere").byteCount, try? folder.status("file").byteCount]
        #expect(counts == [nil, 3])
    }
}
