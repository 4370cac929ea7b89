// The verdict on a certificate over time.

import Testing

@testable import Certificates
@testable import TLS

struct CertificatePeriodTests {
    private static let day = CertificateChecks.day

    private func period(_ days: Int64, _ subject: String = "the certificate") -> CertificatePeriod {
        CertificatePeriod(subject, from: 0, to: days * Self.day)
    }

    /// Each row: the lifetime of a certificate in days, the hour, and the verdict.
    @Test(
        arguments: [
            (90, -1, .notYetValid), (90, 0, nil), (90, 68 * 24, nil), (90, 70 * 24, .lifeBelowQuarter),
            (90, 81 * 24, .lifeBelowQuarter), (90, 82 * 24, .lifeBelowTenth), (90, 90 * 24, .lifeBelowTenth),
            (90, 90 * 24 + 1, .expired),
            (6, 0, nil), (6, 107, nil), (6, 109, .lifeBelowQuarter), (6, 129, .lifeBelowQuarter),
            (6, 130, .lifeBelowTenth), (6, 145, .expired),
        ] as [(Int64, Int64, CertificateProblem.Kind?)])
    func `judges a certificate by its remaining lifetime`(days: Int64, hour: Int64, kind: CertificateProblem.Kind?) {
        #expect(period(days).verdict(hour * 3_600) == kind)
    }

    /// Each row: the hours of a lifetime, and how many are left when each finding begins. A lifetime of more than 84 days counts as
    /// 84, so the limits are 21 days and a tenth of 84.
    @Test(
        arguments: [
            (160, 40, 16), (47 * 24, 282, 112.8), (64 * 24, 384, 153.6), (84 * 24, 504, 201.6), (90 * 24, 504, 201.6),
            (398 * 24, 504, 201.6), (3 * 365 * 24, 504, 201.6),
        ] as [(Int64, Double, Double)])
    func `findings begin at a quarter and a tenth of the lifetime`(hours: Int64, quarter: Double, tenth: Double) {
        let period = CertificatePeriod("the certificate", from: 0, to: hours * 3_600)
        for (left, share, kinds) in [
            (quarter, 0.25, (nil, .lifeBelowQuarter)), (tenth, 0.1, (.lifeBelowQuarter, .lifeBelowTenth)),
        ] as [(Double, Double, (CertificateProblem.Kind?, CertificateProblem.Kind?))] {
            let limit = period.notAfter - Int64((left * 3_600).rounded())
            #expect(period.verdict(limit) == kinds.0)
            #expect(period.verdict(limit + 1) == kinds.1)
            // The alerts compare this share.
            #expect(abs(period.judgedLifeLeft(limit) - share) < 0.000_01)
            // Never more than that share of the whole lifetime is left.
            #expect(period.lifeLeft(limit) < share + 0.000_01)
        }
        #expect(period.judgedLifeLeft(0) == 1 && period.judgedLifeLeft(period.notAfter) == 0)
    }

    @Test(arguments: [6, 90, 398] as [Int64])
    func `the verdict changes only at the announced times`(days: Int64) {
        let period = period(days)
        var (now, verdicts): (Int64, [CertificateProblem.Kind?]) = (-5, [])
        verdicts.append(period.verdict(now))
        while let change = period.change(after: now) {
            #expect(period.verdict(change - 1) == verdicts.last)
            now = change
            if period.verdict(now) != verdicts.last { verdicts.append(period.verdict(now)) }
        }
        #expect(verdicts == [.notYetValid, nil, .lifeBelowQuarter, .lifeBelowTenth, .expired])
    }

    @Test func `reports the worst of several certificates`() {
        let periods = [period(80), period(60, "the intermediate certificate CN=I"), period(1_000)]
        let expiry = { (day: Int64) in CertificateChecks.expiry(of: periods, day * Self.day, file: "f") }
        #expect(expiry(10) == nil)
        #expect(expiry(46)?.message == "the intermediate certificate CN=I expires in 14 days")
        // Both have a problem; the expired one counts.
        #expect(
            expiry(61)?.message == "the intermediate certificate CN=I expired 24 hours ago, so every client rejects it")
        #expect(expiry(61)?.kind == .expired)
    }

    @Test(
        arguments: [
            (0, "1 minute"), (60, "1 minute"), (119, "1 minute"), (120, "2 minutes"), (3_599, "59 minutes"),
            (3_600, "1 hour"), (7_200, "2 hours"), (172_799, "47 hours"), (172_800, "2 days"),
        ] as [(Int64, String)])
    func `writes the remaining time in one unit`(seconds: Int64, text: String) {
        #expect(CertificateChecks.span(seconds) == text)
    }

    @Test func `names the day on which a certificate becomes valid`() {
        let period = CertificatePeriod("the certificate", from: 1_811_635_200, to: 1_900_000_000)
        let problem = CertificateChecks.expiry(of: [period], 1_811_635_200 - 190 * Self.day, file: "f")
        #expect(problem?.message == "the certificate is not valid until 2027-05-30 (in 190 days)")
    }

    @Test func `uses the lifetime of the host's own certificate`() {
        let own = period(100)
        func summary(_ others: [CertificatePeriod]) -> CertificateSummary {
            CertificateSummary(issuer: "CN=I", serial: [0x0A, 0xFF], own: own, others: others, fingerprint: 1)
        }
        #expect(summary([]).lifeLeft(25 * Self.day) == 0.75)
        // The lifetimes of intermediate certificates do not matter for renewals.
        #expect(summary([period(30, "the intermediate certificate CN=I")]).lifeLeft(25 * Self.day) == 0.75)
        #expect(summary([]).lifeLeft(150 * Self.day) == -0.5)
        #expect(summary([]).serialText == "0AFF")
        // A lifetime of 100 days counts as 84.
        #expect(summary([]).judgedLifeLeft(10 * Self.day) == 1)
        #expect(summary([]).judgedLifeLeft(79 * Self.day) == 0.25)
    }

    /// Each row: the day, and the percentage of a lifetime of 100 days.
    @Test(arguments: [(-20, 100), (0, 100), (25, 75), (99, 1), (100, 0), (150, 0)] as [(Int64, Int)])
    func `writes the remaining share in whole percent`(day: Int64, percent: Int) {
        let summary = CertificateSummary(issuer: "CN=I", serial: [], own: period(100), others: [], fingerprint: 1)
        #expect(summary.lifeLeftPercent(day * Self.day) == percent)
    }

    @Test(arguments: [(119, nil), (121, "39 hours"), (150, "10 hours"), (161, nil), (-1, nil)] as [(Int64, String?)])
    func `other servers' certificates are judged by the same shares`(hour: Int64, left: String?) {
        let facts = CertificateFacts(
            subject: "CN=a.example", issuer: "CN=I", names: [], notBefore: 0, notAfter: 160 * 3_600,
            isSelfSigned: false, key: .ecdsa(bits: 256), serial: [], fingerprint: [])
        #expect(facts.timeLeftIfShort(hour * 3_600) == left)
    }
}
