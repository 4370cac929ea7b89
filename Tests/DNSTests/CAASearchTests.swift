// The climb from a name to the CAA records that hold for it.

import Testing

@testable import DNS

struct CAASearchTests {
    private let record = CAARecord(tag: "issue", value: Array("ca.example".utf8))

    /// Climbs in a world of these outcomes, where other names do not exist, and says which names were asked for.
    private func climb(_ name: String, _ world: [String: DNSOutcome]) -> (CAASearch, [String]) {
        var asked: [String] = []
        let search = CAASearch.climb(from: DomainName(name)!) { name in
            asked.append("\(name)")
            return world["\(name)"] ?? .noSuchName(aliases: [])
        }
        return (search, asked)
    }

    @Test(arguments: [
        ("a.shop.example", "a.shop.example", ["a.shop.example"]),
        ("a.shop.example", "shop.example", ["a.shop.example", "shop.example"]),
        ("*.shop.example", "shop.example", ["shop.example"]),
        ("a.shop.example", "example", ["a.shop.example", "shop.example", "example"]),
    ])
    func `the nearest name with records decides`(name: String, place: String, way: [String]) {
        let outcome = DNSOutcome.found([.authorization(record)], aliases: [])
        let (search, asked) = climb(name, [place: outcome, "com": outcome])
        #expect(search == .found([record], at: DomainName(place)!))
        #expect(asked == way)
    }

    @Test func `without records anywhere everybody may issue`() {
        let (search, asked) = climb("a.shop.example", ["shop.example": .noData(aliases: [])])
        #expect(search == .none)
        #expect(asked == ["a.shop.example", "shop.example", "example"])
    }

    @Test func `records of an alias hold for the name, and those of the alias's parents do not`() {
        let alias = DomainName("a.host.example")!
        let found = DNSOutcome.found([.authorization(record)], aliases: [alias])
        #expect(climb("shop.example", ["shop.example": found]).0 == .found([record], at: DomainName("shop.example")!))
        let (_, asked) = climb("shop.example", ["shop.example": .noData(aliases: [alias])])
        #expect(asked == ["shop.example", "example"])
    }

    @Test(arguments: [
        DNSFailure.Kind.serverFailure(server: "s"), .timedOut, .refused(server: "s"), .tooManyAliases,
    ])
    func `a failure on the way is no absence`(kind: DNSFailure.Kind) {
        let failure = DNSFailure(kind, .of(.caa))
        let above = DNSOutcome.found([.authorization(record)], aliases: [])
        let (search, _) = climb("a.shop.example", ["shop.example": .failed(failure), "example": above])
        #expect(search == .failed(failure, at: DomainName("shop.example")!))
    }
}
