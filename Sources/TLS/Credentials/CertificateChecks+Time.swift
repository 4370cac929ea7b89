// Whether a certificate is good today, and for how long. A renewal that has stopped working shows here first: certbot renews
// thirty days ahead, so with 21 left it has failed for nine. Certificates that live for days are held to shares of that.

import Posix

extension CertificateChecks {
    /// What time has to say about an identity; asked again and again while it is in use.
    static func expiry(of identity: ServerIdentity, _ now: Int64) -> CertificateProblem? {
        let problem = expiry(of: identity.first, now)
        switch identity.second {
        case .some(let other): return problem ?? expiry(of: other, now)
        case .none: return problem
        }
    }

    static func expiry(of credentials: borrowing Credentials, _ now: Int64) -> CertificateProblem? {
        let file = credentials.certificateFile
        if let problem = expiry(of: credentials.certificate, "the certificate", file, now) { return problem }
        guard let chain = credentials.chain else { return nil }
        for index in 0..<chain.count {
            let certificate = chain.certificate(index)
            let subject = "the intermediate certificate \(certificate.subject)"
            if certificate.isSelfSigned { continue }
            if let problem = expiry(of: certificate, subject, file, now) { return problem }
        }
        return nil
    }

    private static func expiry(
        of certificate: borrowing Certificate, _ subject: String, _ file: String, _ now: Int64
    ) -> CertificateProblem? {
        let (notBefore, notAfter) = (certificate.notBefore, certificate.notAfter)
        if now > notAfter {
            return CertificateProblem(
                .expired, file: file, "\(subject) expired \(days(now - notAfter)) ago; every client refuses it",
                fix: "renew it now")
        }
        if now < notBefore {
            return CertificateProblem(
                .notYetValid, file: file, "\(subject) is valid only in \(days(notBefore - now))",
                fix: "check the clock of this machine, or wait with using it")
        }
        let lifetime = notAfter - notBefore
        let left = notAfter - now
        if left < min(7 * day, lifetime / 10) {
            return CertificateProblem(
                .expiresWithinDays, file: file, "\(subject) expires in \(days(left))",
                fix: "renew it now, and find out why it has not renewed itself")
        }
        if left < min(21 * day, lifetime / 3) {
            return CertificateProblem(
                .expiresWithinWeeks, file: file, "\(subject) expires in \(days(left))",
                fix: "renew it, and find out why it has not renewed itself")
        }
        return nil
    }

    private static func days(_ seconds: Int64) -> String {
        if seconds < 2 * 3600 { return "\(max(1, seconds / 60)) minutes" }
        return seconds < 2 * day ? "\(seconds / 3600) hours" : "\(seconds / day) days"
    }
}
