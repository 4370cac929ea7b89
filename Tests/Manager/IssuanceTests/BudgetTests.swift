// The tokens that orders and validations take.

import Store
import Testing

@testable import Issuance

struct BudgetTests {
    private let budget = Budget(authority: "ca.example", isModelled: true)
    private static let suffixes = PublicSuffixes(text: "com\nuk\nco.uk")

    private func charges(_ host: String, mayUseReserve: Bool = false) -> [Bucket.Charge] {
        budget.charges(for: host, mayUseReserve: mayUseReserve, BudgetTests.suffixes)
    }

    private func subjects(_ charges: [Bucket.Charge]) -> [String] {
        charges.map { "\($0.bucket.scope) \($0.bucket.subject)" }
    }

    @Test func `an order counts for the account, the host, the registered domain and as a validation an hour`() {
        let week: Int64 = 604_800_000
        #expect(
            charges("a.example.com") == [
                Bucket.Charge(
                    Bucket(
                        scope: "ca.example/orders", subject: "account", capacity: 300, fillMilliseconds: 10_800_000),
                    reserve: 60, isOfAll: true),
                Bucket.Charge(
                    Bucket(scope: "ca.example/sets", subject: "a.example.com", capacity: 2, fillMilliseconds: week)),
                Bucket.Charge(
                    Bucket(scope: "ca.example/domains", subject: "example.com", capacity: 25, fillMilliseconds: week)),
                Bucket.Charge(
                    Bucket(
                        scope: "ca.example/failures", subject: "a.example.com", capacity: 1, fillMilliseconds: 3_600_000
                    )),
            ])
    }

    @Test func `the host below a wildcard is validated`() {
        #expect(
            subjects(charges("*.a.co.uk")) == [
                "ca.example/orders account", "ca.example/sets *.a.co.uk", "ca.example/domains a.co.uk",
                "ca.example/failures a.co.uk",
            ])
    }

    @Test func `only a single new host may use the reserve`() {
        #expect(charges("a.com").map(\.reserve) == [60, 0, 0, 0])
        #expect(charges("a.com", mayUseReserve: true).map(\.reserve) == [0, 0, 0, 0])
    }

    @Test func `an authority without known limits is free`() {
        let free = Budget(authority: "ca.internal", isModelled: false)
        #expect(free.charges(for: "a.com", mayUseReserve: false, BudgetTests.suffixes) == [])
    }

    @Test func `knows the limit of each bucket`() {
        #expect(charges("a.com").map { Budget.limit(of: $0.bucket) } == [.orders, .sets, .domains, .failures])
        let other = Bucket(scope: "elsewhere", subject: "a.com", capacity: 1, fillMilliseconds: 1)
        #expect(Budget.limit(of: other) == nil)
    }
}
