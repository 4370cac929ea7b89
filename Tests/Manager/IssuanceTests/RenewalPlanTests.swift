// When certificates are renewed, and when failed steps are repeated.

import Testing

@testable import Issuance

struct RenewalPlanTests {
    private static let minute: Int64 = 60_000

    /// The renewal of a certificate with this life; times are relative to its start.
    private func renewal(_ life: Int64, _ window: Range<Int64>?, _ draw: UInt64) -> Int64 {
        let start: Int64 = 1_000_000
        return RenewalPlan.renewalMilliseconds(
            notBeforeMilliseconds: start, notAfterMilliseconds: start + life,
            windowMilliseconds: window.map { ($0.lowerBound + start)..<($0.upperBound + start) }, draw: draw) - start
    }

    private static let renewals: [(Int64, Range<Int64>?, UInt64, Int64)] = [
        (900, nil, 0, 555), (900, nil, 89, 644), (900, nil, 90, 555), (60, nil, 0, 37),
        (900, 100..<120, 0, 100), (900, 100..<120, 19, 119), (900, 100..<120, 20, 100), (900, 100..<100, 7, 100),
        // The authority will revoke the certificate.
        (900, -50..<(-40), 0, -50),
        // A window after the end of the certificate.
        (900, 1_000..<1_100, 7, 750),
        // A certificate that ends when or before it starts.
        (0, nil, 7, 0), (-30, nil, 7, -30),
    ]

    @Test(arguments: renewals) func `renews in the window, or after two thirds of the life`(
        life: Int64, window: Range<Int64>?, draw: UInt64, time: Int64
    ) {
        #expect(renewal(life, window, draw) == time)
    }

    @Test(arguments: [0, 1, 1 << 63, .max] as [UInt64]) func `every draw is in the spread`(draw: UInt64) {
        #expect((555..<645).contains(renewal(900, nil, draw)))
    }

    @Test(arguments: [(0, false), (750, false), (751, true), (910, true)] as [(Int64, Bool)])
    func `is urgent below a sixth of the life`(now: Int64, isUrgent: Bool) {
        let certificate = StoredCertificate(
            name: "", keyKind: "", chain: "", issuer: "", sealedKey: [], notBefore: 0, notAfter: 900, renewAt: 0)
        #expect(certificate.isUrgent(now: now) == isUrgent)
    }

    @Test(arguments: [(60, 1), (86_400, 1_440)] as [(Int64, Int64)])
    func `asks for renewal information when the authority wants it`(seconds: Int64, minutes: Int64) {
        let wait = minutes * RenewalPlanTests.minute
        #expect(RenewalPlan.nextCheckMilliseconds(nextCheckSeconds: seconds, draw: 0) == wait)
        let jittered = RenewalPlan.nextCheckMilliseconds(nextCheckSeconds: seconds, draw: .max)
        #expect((wait..<wait + wait / 5).contains(jittered))
    }

    private static let authorities: [(Int64, Bool, Int, Int)] = [
        (-1, false, 2, 0), (0, false, 2, 0), (3, false, 2, 0), (4, false, 2, 1), (5, false, 2, 0), (6, false, 2, 1),
        (0, true, 2, 0), (1, true, 2, 1), (2, true, 2, 0), (4, false, 3, 1), (5, false, 3, 2), (6, false, 3, 0),
        (9, false, 1, 0), (9, true, 1, 0),
    ]

    @Test(arguments: authorities) func `uses the next authority after a day of failures, or after one if it is urgent`(
        tries: Int64, isUrgent: Bool, count: Int, index: Int
    ) {
        #expect(RenewalPlan.authorityIndex(tries: tries, isUrgent: isUrgent, count: count) == index)
    }

    @Test(arguments: [(-1, 1), (0, 1), (1, 10), (2, 100), (3, 1_440), (4, 1_440), (.max, 1_440)] as [(Int64, Int64)])
    func `repeats a failed order later each time, with jitter`(tries: Int64, minutes: Int64) {
        let wait = minutes * RenewalPlanTests.minute
        #expect(RenewalPlan.retryMilliseconds(tries: tries, draw: 0) == wait)
        #expect(RenewalPlan.retryMilliseconds(tries: tries, draw: UInt64(wait / 5) - 1) == wait + wait / 5 - 1)
        #expect(RenewalPlan.retryMilliseconds(tries: tries, draw: UInt64(wait / 5)) == wait)
    }

    private static let preflights: [(Int64, Int64)] = [
        (-1, 1), (0, 1), (1, 2), (2, 5), (3, 10), (4, 20), (5, 40), (6, 60), (173, 60), (174, 1_440), (203, 1_440),
        (204, 10_080), (.max, 10_080),
    ]

    @Test(arguments: preflights) func `repeats a failed preflight later each time`(tries: Int64, minutes: Int64) {
        #expect(RenewalPlan.preflightMilliseconds(tries: tries) == minutes * RenewalPlanTests.minute)
    }

    @Test(arguments: [(160, 20), (16, 2), (0, 0), (-5, 0), (24 * 90, 24)] as [(Int64, Int64)])
    func `a failed renewal is tried again after an eighth of the life that is left`(hours: Int64, wait: Int64) {
        let milliseconds = RenewalPlan.retryMilliseconds(tries: 9, lifeLeftMilliseconds: hours * 3_600_000, draw: 0)
        #expect(milliseconds == max(60_000, wait * 3_600_000))
    }
}
