// Between which two moments a certificate is good: all that time needs to judge it, without the certificate itself.

/// One certificate of a host, or of the chains behind them.
struct CertificatePeriod: Hashable, Sendable {
    /// `the certificate`, or which intermediate one.
    let subject: String
    /// Whether it belongs to the pair for old clients.
    let isOfSecondPair: Bool
    /// Seconds since 1970.
    let notBefore: Int64
    let notAfter: Int64

    init(_ certificate: borrowing Certificate, _ subject: String, isOfSecondPair: Bool) {
        self.init(
            subject, from: certificate.notBefore, to: certificate.notAfter, isOfSecondPair: isOfSecondPair)
    }

    init(_ subject: String, from notBefore: Int64, to notAfter: Int64, isOfSecondPair: Bool = false) {
        self.subject = subject
        self.isOfSecondPair = isOfSecondPair
        self.notBefore = notBefore
        self.notAfter = notAfter
    }

    /// Where less is left, a renewal has most likely stopped working. certbot renews thirty days ahead, so with 21 left it has
    /// failed for nine. Certificates that live for days are held to shares of that.
    var weeksSeconds: Int64 { min(21 * CertificateChecks.day, (notAfter - notBefore) / 3) }
    var daysSeconds: Int64 { min(7 * CertificateChecks.day, (notAfter - notBefore) / 10) }

    /// What time makes of it.
    func verdict(_ now: Int64) -> CertificateProblem.Kind? {
        if now > notAfter { return .expired }
        if now < notBefore { return .notYetValid }
        if notAfter - now < daysSeconds { return .expiresWithinDays }
        if notAfter - now < weeksSeconds { return .expiresWithinWeeks }
        return nil
    }

    /// The next moment at which the verdict is another.
    func change(after now: Int64) -> Int64? {
        [notBefore, notAfter - weeksSeconds + 1, notAfter - daysSeconds + 1, notAfter + 1].filter { $0 > now }.min()
    }
}

extension ServerIdentity {
    /// Of all its certificates but roots, in the order in which clients see them.
    var periods: [CertificatePeriod] {
        let periods = ServerIdentity.periods(first, isOfSecondPair: false)
        switch second {
        case .some(let other): return periods + ServerIdentity.periods(other, isOfSecondPair: true)
        case .none: return periods
        }
    }

    private static func periods(_ pair: borrowing Credentials, isOfSecondPair: Bool) -> [CertificatePeriod] {
        var periods = [CertificatePeriod(pair.certificate, "the certificate", isOfSecondPair: isOfSecondPair)]
        guard let chain = pair.chain else { return periods }
        for index in 0..<chain.count {
            let certificate = chain.certificate(index)
            if certificate.isSelfSigned { continue }
            periods.append(
                CertificatePeriod(
                    certificate, "the intermediate certificate \(certificate.subject)", isOfSecondPair: isOfSecondPair))
        }
        return periods
    }
}
