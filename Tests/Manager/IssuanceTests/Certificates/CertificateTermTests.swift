// What an operator reads about the validity of a certificate.

import Testing

@testable import Issuance

struct CertificateTermTests {
    /// 2026-11-24T00:00:00Z.
    private static let now: Int64 = 1_795_478_400
    private static let day: Int64 = 86_400

    @Test(
        arguments: [
            (90 * day, 60 * day, "certificate until 2027-02-22, renewed on 2027-01-23"),
            (30 * day, 5 * 3_600, "certificate until 2026-12-24, renewed on 2026-11-24 (in 5 hours)"),
            (day, -60, "certificate until 2026-11-25 (in 1 day), to be renewed now"),
            (2 * day, 2 * day - 1, "certificate until 2026-11-26, renewed on 2026-11-25 (in 1 day)"),
            (1, -day, "certificate until 2026-11-24 (in 1 second), to be renewed now"),
            (0, -day, "certificate EXPIRED 0 seconds ago"), (-19 * 60, -day, "certificate EXPIRED 19 minutes ago"),
        ] as [(Int64, Int64, String)])
    func `says until when it is valid`(left: Int64, renewal: Int64, text: String) {
        let now = CertificateTermTests.now
        let term = CertificateTerm(notAfter: now + left, renewAt: now + renewal)
        #expect(term.text(now: now) == text)
        #expect(term.isOver(now: now) == text.contains("EXPIRED"))
    }
}
