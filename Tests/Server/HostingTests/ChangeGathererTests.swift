// When a round begins, and which folders it leaves for later.

import Testing

@testable import Hosting

struct ChangeGathererTests {
    private static func pages(_ names: String...) -> TreeChanges { .with { $0.pageFolders = Set(names) } }

    @Test func `a group of changes ends after 40 ms of quiet or half a second`() {
        var gatherer = ChangeGatherer()
        #expect(gatherer.dueMilliseconds == nil)
        gatherer.note(TreeChanges(), at: 5)
        #expect(gatherer.dueMilliseconds == nil)
        gatherer.note(Self.pages("a"), at: 1_000)
        gatherer.note(Self.pages("b"), at: 1_030)
        #expect(gatherer.dueMilliseconds == 1_070)
        #expect(gatherer.take(at: 1_069) == nil)
        for step in 0..<20 { gatherer.note(Self.pages("a"), at: 1_060 + Int64(step) * 30) }
        #expect(gatherer.dueMilliseconds == 1_500)
        #expect(gatherer.take(at: 1_500)?.changes == Self.pages("a", "b"))
        #expect(gatherer.dueMilliseconds == nil && gatherer.take(at: 9_000) == nil)
    }

    @Test func `an operator's reload is due at once, even if folders rest`() {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: Self.pages("a"), ["a": 1_000], at: 1_000)
        gatherer.note(Self.pages("a"), at: 1_001)
        gatherer.requestReload(at: 1_001)
        let taken = gatherer.take(at: 1_001)
        #expect(taken?.isRequested == true)
        #expect(taken?.changes.pageFolders == ["a"])
        #expect(taken?.changes.repeatsFindings == true)
        gatherer.note(Self.pages("b"), at: 1_002)
        #expect(gatherer.take(at: 1_042)?.isRequested == false)
    }

    @Test func `an expensive folder rests, and others do not wait for it`() {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: Self.pages("expensive", "light"), ["expensive": 300, "light": 5], at: 1_000)
        gatherer.note(Self.pages("expensive", "light"), at: 1_010)
        #expect(gatherer.take(at: 1_050)?.changes == Self.pages("light"))
        #expect(gatherer.dueMilliseconds != nil)
        gatherer.note(Self.pages("expensive"), at: 1_100)
        #expect(gatherer.take(at: 1_140) == nil)
        #expect(gatherer.dueMilliseconds == 2_200)
        gatherer.note(Self.pages("other"), at: 1_200)
        #expect(gatherer.take(at: 1_240)?.changes == Self.pages("other"))
        #expect(gatherer.take(at: 2_200)?.changes == Self.pages("expensive"))
        #expect(gatherer.dueMilliseconds == nil)
    }

    @Test(arguments: [(99, 0), (100, 400), (1_000, 4_000), (60_000, 10_000)] as [(Int64, Int64)])
    func `the rest grows with the cost, up to a maximum`(cost: Int64, rest: Int64) {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: Self.pages("a"), ["a": cost], at: 1_000)
        gatherer.note(Self.pages("a"), at: 1_000)
        let first = gatherer.take(at: 1_040)
        #expect((first == nil) == (rest > 0))
        if rest > 0 {
            #expect(gatherer.take(at: 1_000 + rest - 1) == nil)
            #expect(gatherer.take(at: 1_000 + rest)?.changes == Self.pages("a"))
        }
    }

    @Test func `a full scan is not delayed`() {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: .all, ["a": 5_000], at: 1_000)
        var all = TreeChanges.all
        all.pageFolders = ["a"]
        gatherer.note(all, at: 1_000)
        #expect(gatherer.take(at: 1_040)?.changes == all)
    }

    typealias Kind = any WritableKeyPath<TreeChanges, Set<String>> & Sendable

    /// A change in the expensive tenant's folders `a.example.com`, `*.example.com` or `config/apps/a`, and the costs that the
    /// round reports.
    @Test(
        arguments: [
            (\.hostFolders, "a.example.com", "a.example.com"),
            (\.pageFolders, "_wildcard.example.com", "_wildcard.example.com"),
            (\.hosts, "*.example.com", "_wildcard.example.com"), (\.appFiles, "a/deep/x.json", "apps/a"),
            (\.waiting, "a/x.json", "apps/a"), (\.appFolders, "a", "apps/a"), (\.appFolders, "a/deep", "apps/a"),
            // Neither the operator's files nor a full scan ever rests.
            (\.appFiles, "a.json", nil), (\.appFolders, "", nil), (\.appFiles, "ab/x.json", nil),
        ] as [(Kind, String, String?)])
    func `each kind of change rests with its folder`(
        kind: Kind, name: String, folder: String?
    ) {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: TreeChanges(), [folder ?? "apps/a": 200], at: 1_000)
        var changes = TreeChanges()
        changes[keyPath: kind] = [name]
        var both = changes
        both.appFiles.insert("other/x.json")
        gatherer.note(both, at: 1_000)
        let first = gatherer.take(at: 1_040)?.changes
        #expect(first?.appFiles.contains("other/x.json") == true)
        #expect((first == both) == (folder == nil))
        #expect(gatherer.take(at: 1_799) == nil)
        #expect(gatherer.take(at: 1_800)?.changes == (folder == nil ? nil : changes))
    }

    @Test func `expensive folders share a round up to a limit, and those that have rested longest come first`() {
        var gatherer = ChangeGatherer()
        gatherer.noteCosts(of: TreeChanges(), ["a": 400, "b": 400, "c": 300, "d": 150], at: 1_000)
        let all = Self.pages("a", "b", "c", "d", "light")
        gatherer.note(all, at: 9_000)
        let rounds = [["d", "c", "a", "light"], ["b"]].map(Set.init)
        for names in rounds {
            let taken = gatherer.take(at: 9_040)?.changes
            #expect(taken?.pageFolders == names)
            if let taken { gatherer.noteCosts(of: taken, [:], at: 9_040) }
        }
        #expect(gatherer.dueMilliseconds == nil)
        // A folder that has become cheap shares a round with any other.
        gatherer.note(all, at: 20_000)
        #expect(gatherer.take(at: 20_040)?.changes == all)
    }
}
