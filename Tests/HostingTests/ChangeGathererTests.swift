// When a round begins, and which folders it leaves for later.

import Testing

@testable import Hosting

struct ChangeGathererTests {
    private static func pages(_ names: String...) -> TreeChanges {
        var changes = TreeChanges()
        changes.pageFolders = Set(names)
        return changes
    }

    @Test func `a group ends with a moment of quiet, and after half a second at the latest`() {
        var gatherer = ChangeGatherer()
        #expect(gatherer.isEmpty && gatherer.dueMilliseconds == nil)
        gatherer.note(TreeChanges(), at: 5)
        #expect(gatherer.isEmpty)
        gatherer.note(Self.pages("a"), at: 1_000)
        gatherer.note(Self.pages("b"), at: 1_030)
        #expect(gatherer.dueMilliseconds == 1_070)
        #expect(gatherer.take(at: 1_069) == nil)
        for step in 0..<20 { gatherer.note(Self.pages("a"), at: 1_060 + Int64(step) * 30) }
        #expect(gatherer.dueMilliseconds == 1_500)
        #expect(gatherer.take(at: 1_500)?.changes == Self.pages("a", "b"))
        #expect(gatherer.isEmpty && gatherer.take(at: 9_000) == nil)
    }

    @Test func `an operator's request is due at once and waits for no folder's rest`() {
        var gatherer = ChangeGatherer()
        gatherer.ended(Self.pages("a"), milliseconds: 1_000, at: 1_000)
        gatherer.note(Self.pages("a"), at: 1_001)
        gatherer.ask(at: 1_001)
        let taken = gatherer.take(at: 1_001)
        #expect(taken?.isAsked == true)
        #expect(taken?.changes.pageFolders == ["a"])
        #expect(taken?.changes.again == true)
        gatherer.note(Self.pages("b"), at: 1_002)
        #expect(gatherer.take(at: 1_042)?.isAsked == false)
    }

    @Test func `a folder that took long rests, and others do not wait for it`() {
        var gatherer = ChangeGatherer()
        gatherer.ended(Self.pages("heavy"), milliseconds: 300, at: 1_000)
        gatherer.note(Self.pages("heavy", "light"), at: 1_010)
        #expect(gatherer.take(at: 1_050)?.changes == Self.pages("light"))
        #expect(!gatherer.isEmpty)
        gatherer.note(Self.pages("heavy"), at: 1_100)
        #expect(gatherer.take(at: 1_140) == nil)
        #expect(gatherer.dueMilliseconds == 2_200)
        gatherer.note(Self.pages("other"), at: 1_200)
        #expect(gatherer.take(at: 1_240)?.changes == Self.pages("other"))
        #expect(gatherer.take(at: 2_200)?.changes == Self.pages("heavy"))
        #expect(gatherer.isEmpty)
    }

    @Test(
        arguments: [
            (99, 0), (100, 400), (1_000, 4_000), (60_000, 10_000),
        ] as [(Int64, Int64)])
    func `the rest grows with the cost, within bounds`(cost: Int64, rest: Int64) {
        var gatherer = ChangeGatherer()
        gatherer.ended(Self.pages("a"), milliseconds: cost, at: 1_000)
        gatherer.note(Self.pages("a"), at: 1_000)
        let first = gatherer.take(at: 1_040)
        #expect((first == nil) == (rest > 0))
        if rest > 0 {
            #expect(gatherer.take(at: 1_000 + rest - 1) == nil)
            #expect(gatherer.take(at: 1_000 + rest)?.changes == Self.pages("a"))
        }
    }

    @Test func `a look at everything makes nothing rest, and is not put off`() {
        var gatherer = ChangeGatherer()
        gatherer.ended(.all, milliseconds: 5_000, at: 1_000)
        gatherer.ended(Self.pages("a"), milliseconds: 5_000, at: 1_000)
        var all = TreeChanges.all
        all.pageFolders = ["a"]
        gatherer.note(all, at: 1_000)
        #expect(gatherer.take(at: 1_040)?.changes == all)
    }
}
