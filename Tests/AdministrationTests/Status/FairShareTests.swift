// What is kept of tenants that together have too much.

import Testing

@testable import Administration

struct FairShareTests {
    /// Each row: the items, each with its tenant and its size, the room, and what is kept.
    static let rows: [(items: [String], room: Int, kept: [String])] = [
        (["a1", "a1", "b1"], 3, ["a1", "a1", "b1"]),
        (["a1", "a1", "a1", "b1"], 2, ["a1", "b1"]),
        (["a1", "a1", "a1", "b1"], 3, ["a1", "a1", "b1"]),
        // A tenant with large items gets as many bytes as one with small ones, not as many items.
        (["a4", "a4", "b1", "b1", "b1", "b1"], 8, ["a4", "b1", "b1", "b1", "b1"]),
        (["a9", "b1"], 9, ["b1"]),
        (["a9"], 8, []),
        (["a1"], 0, []),
        ([], 0, []),
    ]

    @Test(arguments: rows) func `keeps as much of each tenant`(items: [String], room: Int, kept: [String]) {
        let found = FairShare.fitting(items, room: room, tenant: { String($0.prefix(1)) }) {
            $0.last?.wholeNumberValue ?? 0
        }
        #expect(found == kept)
    }

    @Test func `a tenant with a million items takes none from a thousand others`() {
        let large = (0..<1_000_000).map { ("large", $0) }
        let small = (0..<1_000).flatMap { tenant in (0..<9).map { ("small \(tenant)", $0) } }
        let kept = FairShare.fitting(large + small, room: 10_000) { $0.0 }
        #expect(kept.count == 10_000)
        #expect(kept.filter { $0.0 != "large" }.count == small.count)
        #expect(kept.filter { $0.0 == "large" }.map(\.1) == Array(0..<1_000))
    }
}
