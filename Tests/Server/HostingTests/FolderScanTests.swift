// What a walk finds and what it costs: each directory once, and no more names than its limits.

import Foundation
import Posix
import TestSupport
import Testing

@testable import Hosting

struct FolderScanTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Names that end with a slash are folders, those with `->` are links, all others are files.
    private func make(_ names: [String]) throws {
        for name in names {
            let parts = name.components(separatedBy: " -> ")
            if name.hasSuffix("/") {
                try folder.makeFolder(name)
            } else if parts.count > 1 {
                if let end = parts[0].lastIndex(of: "/") { try folder.makeFolder(String(parts[0][..<end])) }
                try folder.link(parts[0], to: parts[1])
            } else {
                try folder.write(name, name)
            }
        }
    }

    private func scan(_ bounds: FolderScan.Bounds = .init(), from start: String = "") throws -> FolderScan {
        FolderScan(TenantFolder(try Folder(folder.path)), from: start, bounds)
    }

    @Test(
        arguments: [
            // Everything except hidden names.
            (["a", "b/c", "b/.x", ".h/y"], ["a", "b/c"], ["", "b"], []),
            // A link to a folder gives its files a second path.
            (["v2/f", "latest -> v2"], ["latest/f", "v2/f"], ["", "v2"], []),
            // A folder that can only be reached through a link.
            ([".data/sub/f", "sub -> .data/sub"], ["sub/f"], ["", "sub"], []),
            // Links to folders that contain them.
            (["a/f", "a/l -> ."], ["a/f"], ["", "a"], ["a/l: loop"]),
            (["a/b/f", "a/b/l -> ../.."], ["a/b/f"], ["", "a", "a/b"], ["a/b/l: loop"]),
            // Two folders that contain links to each other.
            (["a/l -> ../b", "b/m -> ../a"], [], ["", "a", "b"], ["a/l/m: loop", "b/m/l: loop"]),
            // Not regular files.
            (["l -> l", "n -> none", "f"], ["f"], [""], ["l: notAFile", "n: notAFile"]),
        ] as [([String], [String], [String], [String])])
    func `finds each file by all of its paths, and lists each directory once`(
        names: [String], files: [String], folders: [String], problems: [String]
    ) throws {
        try make(names)
        let scan = try scan()
        #expect(scan.files.map(\.path).sorted() == files)
        #expect(scan.folders.sorted() == folders)
        #expect(scan.problems.map { "\($0.path): \($0.problem)" }.sorted() == problems)
        #expect(scan.excess == nil && scan.failure == nil && scan.shortage == nil)
    }

    @Test func `if paths do not matter, a folder has its real path only`() throws {
        try make(["b/f", "a -> b", "c -> .d", "e -> .d", ".d/g"])
        let scan = try scan(.init(isOfPaths: false))
        #expect(scan.files.map(\.path).contains("b/f") && scan.files.count == 2)
        #expect(scan.folders.count == 3 && scan.problems.isEmpty)
    }

    @Test func `a link out of the folder is not followed`() throws {
        try make(["in/", "in/out -> /etc", "in/up -> .."])
        let scan = FolderScan(TenantFolder(try Folder("\(folder.path)/in")), .init())
        #expect(scan.files.isEmpty && scan.folders == [""])
        let isOutside = scan.problems.map { problem in
            guard case .unreadable(let error) = problem.problem else { return false }
            return error.leadsOutside
        }
        #expect(isOutside == [true, true])
    }

    @Test func `a missing start folder is a failure`() throws {
        #expect(try scan(from: "none").failure?.isMissing == true)
    }

    @Test func `folders nested more than sixteen deep are not listed`() throws {
        let deep = (1...17).map { "\($0)" }.joined(separator: "/")
        try make(["\(deep)/f", "f"])
        let scan = try scan()
        #expect(scan.files.map(\.path) == ["f"])
        #expect(scan.problems.map(\.problem) == [.tooDeep])
    }

    @Test(arguments: [1, 10, 100])
    func `links to a folder that contains them cost one name each`(count: Int) throws {
        try make(["f"] + (0..<count).map { "l\($0) -> ." })
        let scan = try scan()
        #expect(scan.files.count == 1 && scan.folders == [""] && scan.problems.count == count)
    }

    @Test(arguments: [true, false])
    func `links from folder to folder are limited`(isOfPaths: Bool) throws {
        // Ten folders, each with ten links to each of the others: 90^9 paths.
        var names = (0..<10).map { "d\($0)/f" }
        for from in 0..<10 {
            for to in 0..<10 where to != from { names += (0..<10).map { "d\(from)/l\(to)-\($0) -> ../d\(to)" } }
        }
        try make(names)
        let scan = try scan(.init(filesMax: 1_000, foldersMax: 500, isOfPaths: isOfPaths))
        #expect((scan.excess != nil) == isOfPaths)
        #expect(scan.folders.count == 11, "each is listed once")
        #expect(scan.files.count + scan.problems.count <= 1_500)
        if !isOfPaths { #expect(scan.files.count == 10) }
    }

    @Test(
        arguments: [(4, 3, nil), (3, 3, .files), (4, 2, .folders), (100, 100, nil)] as [(Int, Int, FolderScan.Excess?)])
    func `reports which limit is exceeded`(files: Int, folders: Int, excess: FolderScan.Excess?) throws {
        try make(["1", "2", "a/3", "b/4"])
        #expect(try scan(.init(filesMax: files, foldersMax: folders)).excess == excess)
    }

    @Test func `a directory with very many names is not read completely`() throws {
        try make((0..<200).map { ".\($0)" })
        #expect(try scan(.init(filesMax: 50, foldersMax: 50)).excess == .files)
    }
}

extension FolderScanTests {
    /// Each top folder has its own limits, and the names at the top have theirs.
    @Test(
        arguments: [
            (["a/1", "a/2", "b/1", "c", "d"], ["a/1", "a/2", "b/1", "c", "d"], [:], false),
            (["a/1", "a/2", "a/3", "b/1"], ["b/1"], ["a": .files], false),
            (["a/x/1", "a/y/2", "a/3", "b/1"], ["b/1"], ["a": .files], false),
            (["a/x/", "a/y/", "a/z/", "b/1"], ["b/1"], ["a": .folders], false),
            (
                ["a/l1 -> x", "a/l2 -> x", "a/l3 -> x", "a/l4 -> x", "a/l5 -> x", "a/l6 -> x", "b/1"], ["b/1"],
                ["a": .files], false
            ),
            (["b/1", "b/2", "a/l -> ../b"], ["b/1", "b/2"], [:], false),
            (["1", "2", "3", "4", "5", "6"], [], [:], true),
        ] as [([String], [String], [String: FolderScan.Excess], Bool)])
    func `each top folder has its own limits`(
        names: [String], files: [String], overfull: [String: FolderScan.Excess], isWholeOver: Bool
    ) throws {
        try make(names)
        let found = try scan(
            .init(filesMax: 4, foldersMax: 1, isOfPaths: false, folderQuota: (2, 3)))
        #expect(found.overfull == overfull)
        #expect((found.excess != nil) == isWholeOver)
        if isWholeOver { return }
        let whole = found.files.map(\.path).filter { path in !overfull.keys.contains { path.hasPrefix("\($0)/") } }
        #expect(whole.sorted() == files)
    }
}
