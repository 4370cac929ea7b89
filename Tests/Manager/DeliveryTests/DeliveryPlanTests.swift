// When copies are looked at, and when a service is left alone.

import Testing

@testable import Delivery

struct DeliveryPlanTests {
    private static let minute: Int64 = 60_000

    /// Each row: the state, how many minutes ago the change was, the seconds that the service keeps its answer, and the
    /// minutes until the next look.
    @Test(
        arguments: [
            (.older, 0, nil, 2), (.older, 2, nil, 8), (.failing, 10, nil, 50), (.foreign, 60, nil, 300),
            (.unknown, 360, nil, 360), (.older, 720, nil, 720), (.older, 1_440, nil, 360), (.absent, 1_500, nil, 300),
            (.older, 10_079, nil, 1), (.older, 10_080, nil, 10_080), (.older, 576_000, nil, 10_080),
            (.equal, 0, nil, 10_080), (.equal, 1_440, 60, 10_080), (.older, -5, nil, 2), (.older, 0, 600, 10),
            (.older, 0, 60, 2), (.older, 0, 1_000_000, 1_440), (.older, 0, -1, 2),
        ] as [(DeliveryState, Int64, Int64?, Int64)])
    func `looks soon after a change, then six-hourly for a week, then weekly`(
        state: DeliveryState, minutes: Int64, maxAge: Int64?, wait: Int64
    ) {
        let since = minutes * DeliveryPlanTests.minute
        let earliest = DeliveryPlan.waitMilliseconds(state, sinceMilliseconds: since, maxAgeSeconds: maxAge, draw: 0)
        #expect(earliest == wait * DeliveryPlanTests.minute)
        for draw in [1, 12_345_678_901, UInt64.max] {
            let found = DeliveryPlan.waitMilliseconds(
                state, sinceMilliseconds: since, maxAgeSeconds: maxAge, draw: draw)
            #expect(found >= earliest && found <= earliest + earliest / 20)
        }
    }

    /// Each row: the minutes since the change, those until the next look, and whether it comes before the weekly ones.
    @Test(arguments: [(0, 2, true), (2, 8, true), (10, 52, true), (60, 300, false), (10, 10_080, false), (-9, 2, true)])
    func `only looks in the first hour after a change come before others`(since: Int64, wait: Int64, isFirst: Bool) {
        let priority = DeliveryPlan.priority(
            sinceMilliseconds: since * DeliveryPlanTests.minute, waitMilliseconds: wait * DeliveryPlanTests.minute)
        #expect((priority == DeliveryPlan.priorityOfChanges) == isFirst)
    }

    /// A clock that was set back by a year stops no requests for a year.
    @Test func `a wait that is longer than any is none`() {
        var breaker = DeliveryBreaker()
        let year: Int64 = 365 * 86_400_000
        _ = breaker.noteFailure("429", isRefusal: true, retryAfterSeconds: nil, now: year, draw: 0)
        #expect(breaker.waitMilliseconds(now: year) == 60_000)
        #expect(breaker.waitMilliseconds(now: 0) == 0 && breaker.waitMilliseconds(now: 2 * year) == 0)
        // The longest one is a day and a fifth.
        let longest: Int64 = 86_400_000 + 86_400_000 / 5
        #expect(breaker.waitMilliseconds(now: year + 60_000 - longest) == longest)
        #expect(breaker.waitMilliseconds(now: year + 60_000 - longest - 1) == 0)
    }

    /// Each row: the age of the version before in minutes, and the priority.
    @Test(arguments: [(nil, 1), (0, 0), (-1, 0), (59, 0), (60, 1), (100_000, 1)] as [(Int64?, Int64)])
    func `frequent changes give way to others, and to new hosts`(age: Int64?, priority: Int64) {
        #expect(DeliveryPlan.priority(replacingVersionOfAge: age.map { $0 * DeliveryPlanTests.minute }) == priority)
    }

    @Test(
        arguments: [
            (200, false), (302, true), (399, true), (400, false), (401, true), (403, true), (404, true), (407, true),
            (422, false),
            (429, true), (499, false), (500, true), (599, true),
        ])
    func `an answer about one host is no failure of the service`(status: Int, isFailure: Bool) {
        #expect(DeliveryBreaker.isFailure(ofServiceWith: status) == isFailure)
    }

    @Test func `three failures in a row stop the requests, and the next one decides`() {
        var breaker = DeliveryBreaker()
        var outcomes: [Bool] = []
        for now: Int64 in [0, 1, 2] {
            #expect(breaker.problem == nil && breaker.waitMilliseconds(now: now) == 0)
            outcomes.append(
                breaker.noteFailure("it hangs", isRefusal: false, retryAfterSeconds: nil, now: now, draw: 0))
        }
        #expect(breaker.problem == "it hangs" && breaker.waitMilliseconds(now: 2) == 60_000)
        #expect(breaker.waitMilliseconds(now: 60_002) == 0)
        for _ in 0..<8 {
            outcomes.append(breaker.noteFailure("x", isRefusal: false, retryAfterSeconds: nil, now: 60_002, draw: 0))
            #expect(breaker.waitMilliseconds(now: 60_002) >= 120_000)
        }
        // The operator is told once.
        #expect(outcomes == [false, false, true] + [Bool](repeating: false, count: 8))
        #expect(breaker.waitMilliseconds(now: 60_002) == 3_600_000)
        let answers = [breaker.noteAnswer(), breaker.noteAnswer()]
        #expect(answers == [true, false])
        #expect(breaker == DeliveryBreaker())
    }

    @Test func `an answer between two failures begins the count again`() {
        var breaker = DeliveryBreaker()
        for _ in 0..<10 {
            let isStopped = breaker.noteFailure("x", isRefusal: false, retryAfterSeconds: nil, now: 0, draw: 0)
            #expect(!isStopped)
            _ = breaker.noteAnswer()
        }
    }

    /// Each row: Retry-After, and the wait in seconds.
    @Test(arguments: [(nil, 60), (1, 60), (600, 600), (10_000_000, 86_400), (-1, 60)] as [(Int64?, Int64)])
    func `a refusal stops the requests at once, for as long as the service asks`(retryAfter: Int64?, seconds: Int64) {
        for draw in [0, UInt64.max] {
            var breaker = DeliveryBreaker()
            let isStopped = breaker.noteFailure(
                "429", isRefusal: true, retryAfterSeconds: retryAfter, now: 5, draw: draw)
            #expect(isStopped)
            let wait = breaker.waitMilliseconds(now: 5)
            #expect(wait >= seconds * 1_000 && wait <= seconds * 1_200)
        }
    }
}
