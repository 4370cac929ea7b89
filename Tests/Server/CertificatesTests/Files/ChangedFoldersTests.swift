import Testing

@testable import Certificates
@testable import TLS

struct ChangedFoldersTests {
    private var folders = ChangedFolders()

    @Test mutating func `a changed folder is due at once, and then rests for a second`() {
        #expect(folders.due == .max)
        folders.note(["a.test"], at: 5_000)
        #expect(folders.due == 5_000)
        #expect(folders.take(at: 5_000) == ["a.test"])
        folders.rest("a.test", after: 5_000..<5_000)
        #expect(folders.take(at: 5_000).isEmpty)
        #expect(folders.due == .max)

        folders.note(["a.test"], at: 5_400)
        #expect(folders.take(at: 5_400).isEmpty)
        #expect(folders.due == 6_000)
        #expect(folders.take(at: 5_999).isEmpty)
        #expect(folders.take(at: 6_000) == ["a.test"])
    }

    /// The duration of a check, and how long the folder rests.
    @Test(arguments: [(0, 1_000), (50, 1_000), (51, 1_020), (1_300, 26_000), (3_000, 60_000), (9_000, 60_000)])
    mutating func `a folder that takes long rests longer`(took: Int64, rest: Int64) {
        folders.note(["slow.test"], at: 0)
        #expect(folders.take(at: 0) == ["slow.test"])
        folders.rest("slow.test", after: 0..<took)
        folders.note(["slow.test"], at: took)
        #expect(folders.take(at: took + rest - 1).isEmpty)
        #expect(folders.due == took + rest)
        #expect(folders.take(at: took + rest) == ["slow.test"])
    }

    @Test mutating func `a folder that rests delays no other`() {
        folders.note(["slow.test"], at: 0)
        #expect(folders.take(at: 0) == ["slow.test"])
        folders.rest("slow.test", after: 0..<3_000)
        folders.note(["slow.test", "a.test", "b.test"], at: 3_000)
        #expect(folders.take(at: 3_000) == ["a.test", "b.test"])
        #expect(folders.take(at: 3_000).isEmpty)
        #expect(folders.due == 63_000)
    }

    @Test mutating func `slow folders together take a fifth of the time, and delay no quick one`() {
        let slow = (0..<100).map { "slow\($0).test" }
        var now: Int64 = 0
        var slowTook: Int64 = 0
        var quickChecks = 0
        // The files of all hosts change continuously.
        while now < 10_000_000 {
            folders.note(slow + ["quick.test"], at: now)
            for name in folders.take(at: now).sorted() {
                let took: Int64 = name == "quick.test" ? 1 : 1_000
                if took == 1_000 { slowTook += took } else { quickChecks += 1 }
                folders.rest(name, after: now..<now + took)
                now += took
            }
            now += 1_000
        }
        // The first checks of all come at once.
        #expect((1_900_000...2_200_000).contains(slowTook))
        #expect(quickChecks >= 4_000)
    }
}
