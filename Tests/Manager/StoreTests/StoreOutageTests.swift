// When the store counts as unusable, and what is logged about it: tables of failures and successes, without a store.

import Testing

@testable import Store

struct StoreOutageTests {
    private enum Event {
        case failure(String)
        case success
    }

    /// Whether each event, at its second, is logged.
    private static func logged(_ events: [(Int64, Event)]) -> [Bool] {
        var outage = StoreOutage()
        return events.map { second, event in
            switch event {
            case .failure(let problem): outage.isNews(problem, now: second * 1_000)
            case .success: outage.endsWithSuccess(now: second * 1_000) != nil
            }
        }
    }

    @Test func `a failure is logged once, then hourly`() {
        let logged = StoreOutageTests.logged(
            [0, 10, 3_599, 3_600, 3_610, 7_199, 7_200].map { ($0, .failure("full")) })
        #expect(logged == [true, false, false, true, false, false, true])
    }

    @Test func `what works in the meantime does not end an outage`() {
        let logged = StoreOutageTests.logged([
            (0, .success), (1, .failure("full")), (2, .success), (3, .failure("full")), (62, .success), (63, .success),
            (64, .success), (65, .failure("full")),
        ])
        #expect(logged == [false, true, false, false, false, true, false, true])
    }

    @Test func `each failure of an outage is logged, up to a limit`() {
        let logged = StoreOutageTests.logged((0..<20).map { (Int64($0), .failure("\($0 % 18)")) })
        #expect(logged == (0..<20).map { $0 < StoreOutage.problemsMax })
    }

    @Test func `an outage lasts from its first failure to the success behind the last one`() {
        var outage = StoreOutage()
        #expect(outage.endsWithSuccess(now: 0) == nil)
        for now in [1_000, 61_000, 120_000] as [Int64] { _ = outage.isNews("full", now: now) }
        #expect(outage.beganAt == 1_000)
        #expect(outage.endsWithSuccess(now: 121_000) == nil)
        #expect(outage.endsWithSuccess(now: 120_000 + StoreOutage.quietMilliseconds) == 120_000)
        #expect(outage.beganAt == nil)
    }

    @Test func `a write that works shows at once that there is no problem`() {
        var outage = StoreOutage()
        _ = outage.isNews("full", now: 0)
        outage.noteWriting()
        #expect(outage.problem == nil && outage.beganAt == 0)
        let isNews = outage.isNews("full", now: 1)
        #expect(!isNews)
        #expect(outage.problem == "full")
    }

    @Test func `the last failure is the problem until the outage is over`() {
        var outage = StoreOutage()
        #expect(outage.problem == nil)
        _ = outage.isNews("full", now: 0)
        _ = outage.isNews("locked", now: 1)
        _ = outage.endsWithSuccess(now: 1 + StoreOutage.quietMilliseconds - 1)
        #expect(outage.problem == "locked")
        _ = outage.endsWithSuccess(now: 1 + StoreOutage.quietMilliseconds)
        #expect(outage.problem == nil)
    }
}
