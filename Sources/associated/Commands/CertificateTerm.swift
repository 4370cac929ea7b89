// Until when a certificate is valid, in words: an operator must see at once that it has expired, or is about to.

import Administration
import Manager
import Posix

/// The times of an ordered certificate, in seconds since 1970.
struct CertificateTerm {
    var notAfter: Int64
    var renewAt: Int64

    /// Below this time, a day alone does not say enough.
    private static let shortSeconds: Int64 = 2 * 86_400

    func isOver(now: Int64) -> Bool { notAfter <= now }

    /// Such as `certificate until 2026-12-24, renewed on 2026-11-24 (in 5 hours)`.
    func text(now: Int64) -> String {
        if isOver(now: now) { return "certificate EXPIRED \(Age.text(seconds: now - notAfter)) ago" }
        let renewal = renewAt <= now ? "to be renewed now" : "renewed on \(CertificateTerm.day(renewAt, now: now))"
        return "certificate until \(CertificateTerm.day(notAfter, now: now)), \(renewal)"
    }

    private static func day(_ time: Int64, now: Int64) -> String {
        let left = time - now
        return Clock.day(time) + (left < shortSeconds ? " (in \(Age.text(seconds: left)))" : "")
    }
}

extension CertificateTerm {
    /// Nil without a certificate.
    init?(_ report: IssuanceReport) {
        guard let notAfter = report.notAfter, let renewAt = report.renewAt else { return nil }
        self.init(notAfter: notAfter / 1_000, renewAt: renewAt / 1_000)
    }
}
