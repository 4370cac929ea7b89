// Who is served next, and who goes when there are too many, as tables of groups and members.

import Posix
import Testing

struct FairLineTests {
    /// Elements such as `a1`: the first letter is the group. A digit behind a colon is the cost.
    private func line(_ elements: String, members: Bool = false) -> FairLine<String> {
        var line = FairLine<String>()
        for element in elements.split(separator: " ") {
            let parts = element.split(separator: ":").map(String.init)
            let bytes = Array(parts[0].utf8)
            line.add(
                parts[0], group: UInt64(bytes[0]), member: members ? UInt64(bytes[1]) : 0,
                cost: parts.count > 1 ? Int(parts[1]) ?? 1 : 1)
        }
        return line
    }

    private func all(_ line: FairLine<String>) -> String {
        var (line, taken) = (line, [String]())
        while let next = line.takeNext() { taken.append(next) }
        return taken.joined(separator: " ")
    }

    @Test(arguments: [
        ("", ""), ("a1 a2 a3", "a1 a2 a3"), ("a1 b1 c1", "a1 b1 c1"),
        // One that comes late does not wait for all of a group that has many.
        ("a1 a2 a3 a4 b1", "a1 b1 a2 a3 a4"), ("a1 a2 a3 b1 b2 c1", "a1 b1 c1 a2 b2 a3"),
        // What costs as much as four counts as four.
        ("a1:4 a2:4 b1 b2 b3 b4 b5", "a1 b1 b2 b3 b4 a2 b5"),
    ])
    func `groups take turns`(elements: String, order: String) { #expect(all(line(elements)) == order) }

    @Test func `members of a group take turns, and do not get more turns for the group`() {
        #expect(all(line("ax ax ax ay bz bz", members: true)) == "ax bz ay bz ax ax")
    }

    @Test(arguments: [
        ("a1", "a1"), ("a1 b1", "b1"), ("b1 a1 a2 a3", "a3"), ("a1 a2 a3 b1", "a3"), ("a1 a2 b1 b2", "b2"),
        ("a1 b1:8 b2 a2", "b2"),
    ])
    func `the newest of the group with most goes first`(elements: String, last: String) {
        var line = line(elements)
        #expect(line.takeLast() == last)
    }

    @Test func `of a group, the newest of the member with most goes first`() {
        var line = line("ay ax ax b1", members: true)
        #expect(line.takeLast() == "ax")
        #expect(all(line) == "ay b1 ax")
    }

    @Test func `what is removed costs its group nothing`() {
        var line = line("a1 a2 a3 b1 b2")
        #expect(line.removeAll { $0 == "a2" || $0 == "a1" } == ["a1", "a2"])
        line.add("a4", group: UInt64(UInt8(ascii: "a")), member: 0)
        #expect(all(line) == "a3 b1 b2 a4")
        #expect(line.count == 4)
    }

    /// A new group in each round would be first for ever if those that wait had no time.
    @Test func `newcomers do not pass one that waits for ever`() {
        var line = line("a1 a2")
        var served: [String] = []
        for round in 0..<20 {
            for more in 0..<2 { line.add("n", group: UInt64(1_000 + 2 * round + more), member: 0) }
            if let next = line.takeNext() { served.append(next) }
        }
        #expect(served.contains("a2"))
    }
}
