// The process ends at any step of an order. The stored journal is enough to finish it: no order is lost or made twice.

import Testing

@testable import ACME

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

    /// At authorities that do not return the same order again.
    @Test(arguments: crashes) func `makes a second order only if the response to the first request is lost`(
        crash: Crash
    )
        throws
    {
        var oddities = ScriptedAuthority.Oddities()
        oddities.reusesOrders = false
        let runner = try OrderRunner(["shop.example"], oddities)
        expectOneCertificate(runner, try runner.run([crash]))
        #expect(runner.authority.orders.count == (crash == Crash(step: 2, isAfterStep: true) ? 2 : 1))
    }

    @Test func `withdraws answers that were published before a crash`() throws {
        // After the authority has validated the host.
        let runner = try OrderRunner(["*.shop.example"], by: .dns)
        expectOneCertificate(runner, try runner.run([Crash(step: 13, isAfterStep: false)]))
        #expect(runner.steps.filter { if case .publish = $0 { true } else { false } }.count == 1)
        #expect(runner.steps.contains { if case .withdraw = $0 { true } else { false } })
    }
}
