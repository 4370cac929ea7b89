// The tokens that orders and validations take.

import Testing

@testable import Manager

struct BudgetTests {
    private let budget = Budget(authority: "ca.example", isModelled: true)
    private static let suffixes = PublicSuffixes(text: "com\nuk\nco.uk")

    private func charges(_ hosts: [String], isRenewal: Bool = false, mayUseReserve: Bool = false) -> [Bucket.Charge] {
        budget.charges(
            hosts: hosts, isRenewal: isRenewal, mayUseReserve: mayUseReserve, suffixes: BudgetTests.suffixes)
    }

    private func subjects(_ charges: [Bucket.Charge]) -> [String] {
        charges.map { "\($0.bucket.scope) \($0.bucket.subject)" }
    }

    @Test func `an order counts for the account, the set of hosts and the registered domain`() {
        let week: Int64 = 604_800_000
        #expect(
            charges(["a.example.com"]) == [
                Bucket.Charge(
                    Bucket(
                        scope: "ca.example/orders", subject: "account", capacity: 300, fillMilliseconds: 10_800_000),
                    reserve: 60),
                Bucket.Charge(
                    Bucket(scope: "ca.example/sets", subject: "a.example.com", capacity: 2, fillMilliseconds: week)),
                Bucket.Charge(
                    Bucket(scope: "ca.example/domains", subject: "example.com", capacity: 25, fillMilliseconds: week)),
            ])
    }

    private static let orders: [([String], [String])] = [
        ([], []),
        (
            ["a.example.com", "*.b.example.com"],
            ["orders account", "sets *.b.example.com,a.example.com", "domains example.com"]
        ),
        (["b.uk", "a.co.uk"], ["orders account", "sets a.co.uk,b.uk", "domains a.co.uk", "domains b.uk"]),
        (["b.com", "a.com", "b.com"], ["orders account", "sets a.com,b.com", "domains a.com", "domains b.com"]),
    ]

    @Test(arguments: orders) func `charges each bucket once`(hosts: [String], expected: [String]) {
        #expect(subjects(charges(hosts)) == expected.map { "ca.example/\($0)" })
    }

    @Test func `only a single new host may use the reserve`() {
        #expect(charges(["a.com"]).map(\.reserve) == [60, 0, 0])
        #expect(charges(["a.com"], mayUseReserve: true).map(\.reserve) == [0, 0, 0])
    }

    @Test func `renewals are free, except for failures`() {
        #expect(charges(["a.com"], isRenewal: true) == [])
        #expect(budget.failureCharges("a.com").count == 1)
    }

    @Test(arguments: ["a.example.com", "*.a.example.com"]) func `a host is validated once an hour`(host: String) {
        let bucket = Bucket(
            scope: "ca.example/failures", subject: "a.example.com", capacity: 1, fillMilliseconds: 3_600_000)
        #expect(budget.failureCharges(host) == [Bucket.Charge(bucket)])
    }

    @Test func `an authority without known limits is free`() {
        let free = Budget(authority: "ca.internal", isModelled: false)
        #expect(free.charges(hosts: ["a.com"], isRenewal: false, suffixes: BudgetTests.suffixes) == [])
        #expect(free.failureCharges("a.com") == [])
    }

    @Test func `the subject of a bucket fits into an index`() {
        let longest = String(repeating: "a.", count: 125) + "com"
        #expect(subjects(charges([longest])).contains("ca.example/sets \(longest)"))
        let many = (0..<100).map { "host\($0).\(longest)" }
        #expect(charges(many).allSatisfy { $0.bucket.subject.utf8.count <= 255 })
        #expect(subjects(charges(many)) == subjects(charges(many.reversed())))
        #expect(subjects(charges(many)) != subjects(charges(Array(many.dropLast()))))
    }

    @Test func `knows the limit of each bucket`() {
        let all = charges(["a.com"]) + budget.failureCharges("a.com")
        #expect(all.map { Budget.limit(of: $0.bucket) } == [.orders, .sets, .domains, .failures])
        let other = Bucket(scope: "elsewhere", subject: "a.com", capacity: 1, fillMilliseconds: 1)
        #expect(Budget.limit(of: other) == nil)
    }
}
