// The process ends at any step of an order. The stored journal is enough to finish it: no order is lost or made twice.

import Testing

@testable import ACME
@testable import ACMESupport

struct OrderStepsCrashTests {
    /// The steps of an order without a crash.
    private static let stepCount = 23

    private static let crashes = (0..<stepCount).flatMap { step in
        [Crash(step: step, isAfterStep: false), Crash(step: step, isAfterStep: true)]
    }

    private func expectOneCertificate(_ runner: OrderRunner, _ outcome: OrderOutcome) {
        #expect(outcome.chain != nil, "\(outcome)")
        #expect(runner.authority.complaints == [])
        #expect(runner.authority.certificateCount == 1)
        #expect(runner.authority.world.isEmpty, "an answer to a challenge was not withdrawn")
    }

    @Test func `covers all steps`() throws {
        let runner = try OrderRunner()
        expectOneCertificate(runner, try runner.run())
        #expect(runner.steps.count == Self.stepCount)
    }

    @Test(arguments: crashes) func `finishes the order after a crash`(crash: Crash) throws {
        for challenge in ChallengeKind.allCases {
            let runner = try OrderRunner(["shop.example"], by: challenge)
            expectOneCertificate(runner, try runner.run([crash]))
            #expect(runner.authority.orders.count == 1)
        }
    }

    @Test(arguments: [2, 3, 5]) func `finishes the order after many crashes`(distance: Int) throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.polls = 0
        for phase in 0..<distance {
            // So close together that each process makes little progress.
            let crashes = (0..<12).map { Crash(step: phase + $0 * distance * 2, isAfterStep: $0 % 2 == 0) }
            let runner = try OrderRunner(["a.example", "b.example"], oddities)
            expectOneCertificate(runner, try runner.run(crashes))
            #expect(runner.authority.orders.count == 1)
        }
    }

    /// RFC 8555 requires a list of orders. Let's Encrypt has none, but returns the same order again.
    @Test(arguments: crashes, [(true, false), (false, true)]) func `makes only one order`(
        crash: Crash, authority: (listsOrders: Bool, reusesOrders: Bool)
    ) throws {
        var oddities = ScriptedAuthority.Oddities()
        (oddities.listsOrders, oddities.reusesOrders) = authority
        let runner = try OrderRunner(["shop.example"], oddities)
        expectOneCertificate(runner, try runner.run([crash]))
        #expect(runner.authority.orders.count == 1)
    }

    /// The crashes between the request and the moment when the order's URL is stored.
    private static let gap = [Crash(step: 2, isAfterStep: true), Crash(step: 3, isAfterStep: false)]

    @Test(arguments: gap) func `orders again at an authority that neither lists nor returns the order`(
        crash: Crash
    ) throws {
        var oddities = ScriptedAuthority.Oddities()
        (oddities.listsOrders, oddities.reusesOrders) = (false, false)
        let runner = try OrderRunner(["shop.example"], oddities)
        expectOneCertificate(runner, try runner.run([crash]))
        #expect(runner.authority.orders.count == 2)
    }

    @Test(arguments: [
        ("", 1), (#", "profile": "tlsserver", "replaces": "aYhba4.AIdl""#, 1), (#", "profile": "classic""#, 2),
        (#", "replaces": "other.AIdl""#, 2),
    ])
    func `continues only with an order that has the requested options`(shown: String, count: Int) throws {
        var oddities = ScriptedAuthority.Oddities()
        (oddities.more, oddities.reusesOrders) = (shown, false)
        let runner = try OrderRunner(["shop.example"], oddities, profile: "tlsserver", replaces: "aYhba4.AIdl")
        expectOneCertificate(runner, try runner.run([Self.gap[0]]))
        #expect(runner.authority.orders.count == count)
    }

    @Test func `does not continue with an earlier order that was finalized`() throws {
        var oddities = ScriptedAuthority.Oddities()
        oddities.listsNewestFirst = true
        let runner = try OrderRunner(["shop.example"], oddities)
        expectOneCertificate(runner, try runner.run())
        runner.beginAgain()
        // When the second order is made, and its URL is not stored.
        let crash = Crash(step: Self.stepCount + Self.gap[0].step, isAfterStep: true)
        #expect(try runner.run([crash]).chain != nil)
        #expect(runner.authority.complaints == [])
        #expect(runner.authority.orders.count == 2 && runner.authority.certificateCount == 2)
    }

    @Test func `stores the time of the request before the request`() throws {
        let runner = try OrderRunner()
        _ = try runner.run()
        let first = runner.steps.compactMap { if case .save(let journal) = $0 { journal } else { nil } }.first
        #expect(first?.requestedAt == 1_800_000_000 && first?.order == nil)
        #expect({ if case .save = runner.steps.first { true } else { false } }())
    }

    @Test func `withdraws answers that were published before a crash`() throws {
        // After the authority has validated the host.
        let runner = try OrderRunner(["*.shop.example"], by: .dns)
        expectOneCertificate(runner, try runner.run([Crash(step: 13, isAfterStep: false)]))
        #expect(runner.steps.filter { if case .publish = $0 { true } else { false } }.count == 1)
        #expect(runner.steps.contains { if case .withdraw = $0 { true } else { false } })
    }
}
