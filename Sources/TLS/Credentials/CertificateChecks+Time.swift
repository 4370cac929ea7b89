// Whether a certificate is good today, and for how long. A renewal that has stopped working shows here first.

import Posix

extension CertificateChecks {
    /// What time has to say about an identity.
    static func expiry(of identity: ServerIdentity, _ now: Int64) -> CertificateProblem? {
        expiry(of: identity.periods, now) { identity.certificateFile(ofSecondPair: $0) }
    }

    /// The same by what was kept of it. Where several certificates of a host have something, the worst of it.
    /// - Parameter file: where the certificates of the first or of the second pair are.
    static func expiry(
        of periods: some Sequence<CertificatePeriod>, _ now: Int64, isClockSuspect: Bool = false,
        file: (_ isOfSecondPair: Bool) -> String
    ) -> CertificateProblem? {
        var worst: (kind: CertificateProblem.Kind, period: CertificatePeriod)?
        for period in periods {
            guard let kind = period.verdict(now) else { continue }
            if let worst, rank(worst.kind) <= rank(kind) { continue }
            worst = (kind, period)
        }
        return worst.map {
            problem($0.kind, $0.period, now, isClockSuspect, file: file($0.period.isOfSecondPair))
        }
    }

    private static func rank(_ kind: CertificateProblem.Kind) -> Int {
        [.expired, .notYetValid, .expiresWithinDays].firstIndex(of: kind) ?? 3
    }

    private static func problem(
        _ kind: CertificateProblem.Kind, _ period: CertificatePeriod, _ now: Int64, _ isClockSuspect: Bool, file: String
    ) -> CertificateProblem {
        let subject = period.subject
        switch kind {
        case .expired:
            return CertificateProblem(
                kind, file: file, "\(subject) expired \(span(now - period.notAfter)) ago; every client refuses it",
                fix: isClockSuspect
                    ? "check the clock of this machine, because all certificates expired at once; or renew it now"
                    : "renew it now")
        case .notYetValid:
            return CertificateProblem(
                kind, file: file,
                "\(subject) is not valid until \(Clock.day(period.notBefore)) (in \(span(period.notBefore - now)))",
                fix: "check the clock of this machine, or wait with using it")
        default:
            return CertificateProblem(
                kind, file: file, "\(subject) expires in \(span(period.notAfter - now))",
                fix: kind == .expiresWithinDays
                    ? "renew it now, and find out why it has not renewed itself"
                    : "renew it, and find out why it has not renewed itself")
        }
    }

    /// In minutes below an hour, in hours below two days.
    static func span(_ seconds: Int64) -> String {
        let (count, unit) =
            seconds < 3600
            ? (max(1, seconds / 60), "minute")
            : seconds < 2 * day ? (seconds / 3600, "hour") : (seconds / day, "day")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }
}
