// What is kept of tenants that together have too much: of a list, and of what comes one after the other.

import Testing

@testable import Tenancy

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

    private static func tenant(_ item: String) -> TenantID { TenantID(folder: String(item.prefix(1))) }
    private static func size(_ item: String) -> Int { item.last?.wholeNumberValue ?? 0 }

    @Test(arguments: rows) func `keeps as much of each tenant`(items: [String], room: Int, kept: [String]) {
        #expect(FairShare.fitting(items, room: room, tenant: Self.tenant, size: Self.size) == kept)
    }

    @Test func `a tenant with a million items takes none from a thousand others`() {
        let large = (0..<1_000_000).map { ("large", $0) }
        let small = (0..<1_000).flatMap { tenant in (0..<9).map { ("small \(tenant)", $0) } }
        let kept = FairShare.fitting(large + small, room: 10_000) { TenantID(folder: $0.0) }
        #expect(kept.count == 10_000)
        #expect(kept.filter { $0.0 != "large" }.count == small.count)
        #expect(kept.filter { $0.0 == "large" }.map(\.1) == Array(0..<1_000))
    }

    /// Each row: the items that come in this order into a room of four, and what is in it then. A `!` is a use.
    static let arrivals: [(loss: FairShare<String>.Loss, items: [String], kept: [String])] = [
        // One tenant may have all that the others leave.
        (.newest, ["a1", "a2", "a3", "a4", "a5"], ["a1", "a2", "a3", "a4"]),
        (.newest, ["a1", "a2", "a3", "a4", "b1"], ["a1", "a2", "a3", "b1"]),
        (.newest, ["a1", "a2", "a3", "a4", "b1", "b2"], ["a1", "a2", "b1", "b2"]),
        // With equal shares, the new one is the newest.
        (.newest, ["a1", "a2", "a3", "a4", "b1", "b2", "b3", "a5"], ["a1", "a2", "b1", "b2"]),
        (.newest, ["a1", "b1", "c1", "d1", "e1"], ["a1", "b1", "c1", "d1"]),
        (.leastUsed, ["a1", "a2", "a3", "a4", "a5"], ["a2", "a3", "a4", "a5"]),
        (.leastUsed, ["a1", "a2", "a3", "a4", "!a1", "b1"], ["a1", "a3", "a4", "b1"]),
        (.leastUsed, ["b1", "a1", "a2", "a3", "a4", "a5"], ["a3", "a4", "a5", "b1"]),
        // Between tenants with equal shares, the use decides.
        (.leastUsed, ["a1", "b1", "c1", "d1", "!a1", "e1"], ["a1", "c1", "d1", "e1"]),
    ]

    @Test(arguments: arrivals)
    func `a tenant that has more than its share loses of its own`(
        loss: FairShare<String>.Loss, items: [String], kept: [String]
    ) {
        var room = FairShare<String>(room: 4, losing: loss)
        var places: [String: Int] = [:]
        for item in items {
            if item.hasPrefix("!") {
                places[String(item.dropFirst())].map { room.use($0) }
                continue
            }
            let (place, lost) = room.insert(item, of: Self.tenant(item))
            for name in lost { places[name] = nil }
            places[item] = place
        }
        #expect(room.items.sorted() == kept)
        #expect(places.keys.sorted() == kept)
    }

    @Test func `an item larger than the room takes no other's place`() {
        for loss in [FairShare<String>.Loss.newest, .leastUsed] {
            var room = FairShare<String>(room: 4, losing: loss)
            for item in ["a1", "a2"] { #expect(room.insert(item, of: Self.tenant(item)).place != nil) }
            let (place, lost) = room.insert("b5", of: Self.tenant("b5"), size: 5)
            #expect(place == nil && lost.isEmpty)
            let whole = room.insert("b4", of: Self.tenant("b4"), size: 4)
            #expect(whole.place == nil && whole.lost.isEmpty, "it would have the most, and has nothing else to lose")
        }
    }

    @Test func `in a room that became smaller, a tenant with less still takes the place of one with more`() {
        var room = FairShare<String>(room: 100, losing: .newest)
        for item in ["a1", "a2", "a3"] { #expect(room.insert(item, of: Self.tenant(item)).place != nil) }
        room.room = room.size
        #expect(room.insert("a4", of: Self.tenant("a4")).place == nil)
        #expect(room.insert("b1", of: Self.tenant("b1")).lost == ["a3"])
        room.room = 1
        let (place, lost) = room.insert("c1", of: Self.tenant("c1"))
        #expect(place == nil && lost == ["a2", "a1"] && room.items == ["b1"], "c would not have less than b")
    }

    @Test(arguments: [FairShare<Int>.Loss.newest, .leastUsed])
    func `agrees with a plain list over many random steps`(loss: FairShare<Int>.Loss) {
        var random = SystemRandomNumberGenerator()
        let tenants = (0..<6).map { TenantID(folder: "\($0)") }
        var room = FairShare<Int>(room: 40, losing: loss)
        var list: [Int: (place: Int, tenant: Int, size: Int)] = [:]
        for step in 0..<20_000 {
            // The higher tenants want more.
            let tenant = max(Int.random(in: 0..<6, using: &random), Int.random(in: 0..<6, using: &random))
            switch Int.random(in: 0..<10, using: &random) {
            case 0:
                if let (key, known) = list.randomElement(using: &random) {
                    #expect(room.remove(at: known.place) == key)
                    list[key] = nil
                }
            case 1: if let known = list.randomElement(using: &random)?.value { room.use(known.place) }
            default:
                let size = Int.random(in: 1...4, using: &random)
                func amount(_ tenant: Int) -> Int {
                    list.values.filter { $0.tenant == tenant }.map(\.size).reduce(0, +)
                }
                let before = amount(tenant)
                let (place, lost) = room.insert(step, of: tenants[tenant], size: size)
                for key in lost {
                    let loser = list[key]!.tenant
                    #expect(amount(loser) == (0..<6).map(amount).max() || loser == tenant, "the most loses")
                    list[key] = nil
                }
                if let place { list[step] = (place, tenant, size) }
                if place == nil { #expect(before + size >= (0..<6).map(amount).max() ?? 0, "it would have the most") }
            }
            #expect(room.size == list.values.map(\.size).reduce(0, +) && room.size <= 40)
            #expect(room.count == list.count)
        }
        for tenant in 0..<6 {
            #expect(
                room.size(of: tenants[tenant]) == list.values.filter { $0.tenant == tenant }.map(\.size).reduce(0, +))
        }
    }
}
