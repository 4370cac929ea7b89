// Reading a file while another process writes to it.

import CPosix
import Foundation
import TestSupport
import Testing

@testable import Posix

struct FolderReadingTests {
    private let root: TemporaryFolder
    private var path: String { root.path }

    init() throws { root = try TemporaryFolder() }

    @Test func `reads a file with its stamp`() throws {
        try root.write("a", "hello")
        let contents = try #require(try Folder(path).read("a", bytesMax: 5))
        #expect(contents.bytes == Array("hello".utf8))
        let status = try File.status(path + "/a")
        #expect(contents.status == status)
        #expect(throws: FileError.tooLarge(byteCount: 5, limit: 4)) { try Folder(path).read("a", bytesMax: 4) }
        #expect(throws: FileError.notAFile) { try Folder(path).read(".", bytesMax: 4) }
        #expect { _ = try Folder(path).read("../..", bytesMax: 5) } throws: { !(($0 as? FileError)?.isMissing ?? true) }
    }

    @Test func `an open file counts as unchanged until it is written`() throws {
        try root.write("a", "hello")
        let file = try Folder(path).open("a")
        #expect(try file.settledContents() == Array("hello".utf8))
        // A different file with its name does not matter.
        try root.write("b", "other")
        #expect(rename("\(path)/b", "\(path)/a") == 0)
        #expect(try file.settledContents() == Array("hello".utf8))
        let open = try Folder(path).open("a")
        let writer = try #require(FileHandle(forWritingAtPath: "\(path)/a"))
        writer.seekToEndOfFile()
        writer.write(Data(" and more".utf8))
        #expect(try open.settledContents() == nil, "longer")
        try writer.truncate(atOffset: 2)
        #expect(try open.settledContents() == nil, "shorter")
    }

    /// The test sets the time of a change, because two changes within a clock tick have the same.
    @Test func `reads a file again that changed meanwhile, a limited number of times`() throws {
        try root.write("a", "first")
        let folder = try Folder(path)
        for (changes, expected) in [(0, "first"), (1, "after"), (2, "after"), (3, nil)] as [(Int, String?)] {
            try root.write("a", "first")
            var readCount = 0
            let contents = try folder.read("a", bytesMax: 5) {
                readCount += 1
                if readCount > changes { return }
                let writer = FileHandle(forWritingAtPath: "\(path)/a")
                writer?.write(Data("after".utf8))
                try? writer?.close()
                var times = [timespec(tv_sec: readCount, tv_nsec: 0), timespec(tv_sec: readCount, tv_nsec: 0)]
                utimensat(AT_FDCWD, "\(path)/a", &times, 0)
            }
            #expect(contents.map { String(decoding: $0.bytes, as: UTF8.self) } == expected, "\(changes)")
        }
    }

    @Test func `returns one consistent state of a file that keeps changing`() throws {
        let size = 300_000
        try root.write("a", Data(repeating: 0, count: size))
        let isOver = StopFlag()
        let target = path + "/a"
        // In place, piece by piece, and different each time.
        let writer = try Thread(name: "writer") {
            guard let file = FileHandle(forWritingAtPath: target) else { return }
            var value: UInt8 = 0
            while !isOver.value {
                value &+= 1
                for piece in 0..<30 {
                    try? file.seek(toOffset: UInt64(piece * size / 30))
                    file.write(Data(repeating: value, count: size / 30))
                }
            }
        }
        let folder = try Folder(path)
        for _ in 0..<200 {
            guard let contents = try folder.read("a", bytesMax: size) else { continue }
            // Two states within one tick of the file system's clock cannot be distinguished, and are marked as such.
            guard contents.status.isSettled(atNanoseconds: contents.readNanoseconds) else { continue }
            // A pause of the writer leaves a state as well: some new pieces followed by old ones. The kernel sets the time
            // before it copies, so the pause may be within a piece.
            let pieces = (0..<30).map { Set(contents.bytes[$0 * size / 30..<($0 + 1) * size / 30]) }
            let cut = pieces.count { $0.count == 2 }
            #expect(cut <= 1 && pieces.allSatisfy { $0.count <= 2 })
            #expect(zip(pieces, pieces.dropFirst()).count { $0 != $1 } <= 1 + cut)
        }
        isOver.set()
        writer.join()
        let last = try folder.read("a", bytesMax: size)
        #expect(last?.bytes.count == size)
    }

    @Test(arguments: [(-1, false), (0, false), (20_000_000, false), (20_000_001, true), (1_000_000_000, true)])
    func `stamps distinguish versions of a file when they are old enough`(age: Int64, isSettled: Bool) {
        let status = FileStatus(
            isRegular: true, permissions: 0o644, device: 1, inode: 1, byteCount: 1, modifiedNanoseconds: 1000,
            changedNanoseconds: 5000)
        #expect(status.isSettled(atNanoseconds: 5000 + age) == isSettled)
    }
}
