// The search for the CAA records that apply to a name.

import Testing

@testable import DNS
@testable import DNSSupport

struct CAASearchTests {
    private let record = CAARecord(tag: "issue", value: Array("ca.example".utf8))

    /// Searches with these outcomes, in which other names do not exist; returns the names that were looked up.
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
    func `uses the records of the nearest name that has any`(name: String, place: String, way: [String]) {
        let outcome = DNSOutcome.found([.authorization(record)], aliases: [])
        let (search, asked) = climb(name, [place: outcome, "com": outcome])
        #expect(search == .found([record], at: DomainName(place)!))
        #expect(asked == way)
    }

    @Test func `without any records, every authority may issue`() {
        let (search, asked) = climb("a.shop.example", ["shop.example": .noData(aliases: [])])
        #expect(search == .none)
        #expect(asked == ["a.shop.example", "shop.example", "example"])
    }

    @Test func `uses the records of an alias, but not those of the alias's parents`() {
        let alias = DomainName("a.host.example")!
        let found = DNSOutcome.found([.authorization(record)], aliases: [alias])
        #expect(climb("shop.example", ["shop.example": found]).0 == .found([record], at: DomainName("shop.example")!))
        let (_, asked) = climb("shop.example", ["shop.example": .noData(aliases: [alias])])
        #expect(asked == ["shop.example", "example"])
    }

    @Test(arguments: [
        DNSFailure.Kind.serverFailure(server: "s"), .timedOut, .refused(server: "s"), .tooManyAliases,
    ])
    func `a failed lookup is not treated as absence`(kind: DNSFailure.Kind) {
        let failure = DNSFailure(kind, .of(.caa))
        let above = DNSOutcome.found([.authorization(record)], aliases: [])
        let (search, _) = climb("a.shop.example", ["shop.example": .failed(failure), "example": above])
        #expect(search == .failed(failure, at: DomainName("shop.example")!))
    }
}
