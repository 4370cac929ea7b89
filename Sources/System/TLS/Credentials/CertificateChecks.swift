// Finds the reasons why phones or verifiers would reject a host's certificate. The checks are pure: time and host are parameters,
// so lint, loading and tests use the same ones.

import Posix

/// Checks of decoded credentials.
public enum CertificateChecks {
    static let day: Int64 = 86_400

    /// All problems of an identity that could be loaded, including those that loading has worked around.
    /// - Parameters:
    ///   - host: the name that it must cover, such as `shop.example.com` or `*.example.com`; nil for any.
    ///   - now: seconds since 1970.
    public static func problems(of identity: ServerIdentity, host: String?, now: Int64) -> [CertificateProblem] {
        [expiry(of: identity, now)].compactMap { $0 } + problemsBesideExpiry(of: identity, host: host)
    }

    /// All problems that do not depend on the time.
    public static func problemsBesideExpiry(of identity: ServerIdentity, host: String?) -> [CertificateProblem] {
        let file = identity.certificateFile
        var problems = identity.problems
        if let host, let problem = name(of: identity.certificate, host, file) { problems.append(problem) }
        if identity.certificate.refusesServers {
            problems.append(
                CertificateProblem(
                    .notForServers, file: file,
                    "the extended key usage of the certificate does not allow servers, so clients reject it",
                    fix: "order one for TLS web server authentication"))
        }
        if let problem = key(of: identity.certificate, file) { problems.append(problem) }
        if let problem = chain(of: identity, file) { problems.append(problem) }
        return problems
    }

    /// A weakness with which OpenSSL, or this server, refuses to use a certificate at all.
    public static func weakness(of credentials: ServerIdentity) -> CertificateProblem? {
        let file = credentials.certificateFile
        switch credentials.certificate.key {
        case .rsa(let bits) where bits < 2048:
            return CertificateProblem(
                .weakKey, file: file, "an RSA key of \(bits) bits is too short, so every client rejects it",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        case .rsa(let bits) where bits > CertificateLimits.rsaBitsMax:
            return CertificateProblem(
                .weakKey, file: file,
                "an RSA key of \(bits) bits makes handshakes so slow that a few clients can overload the server",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        case .ecdsa(let bits) where bits < 224:
            return CertificateProblem(
                .weakKey, file: file, "an ECDSA key of \(bits) bits is too short, so every client rejects it",
                fix: "order a certificate for an ECDSA key on P-256")
        case .rsa, .ecdsa, .ed25519: break
        case .other(let name):
            return CertificateProblem(
                .weakKey, file: file, "clients do not support a key of type \(name)",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        }
        var isWeak = credentials.certificate.hasWeakSignature && !credentials.certificate.isSelfSigned
        if let chain = credentials.chain {
            for index in 0..<chain.count {
                let certificate = chain.certificate(index)
                // The self-signature of a root is not verified, so its algorithm does not matter.
                isWeak = isWeak || certificate.hasWeakSignature && !certificate.isSelfSigned
            }
        }
        guard isWeak else { return nil }
        return CertificateProblem(
            .weakSignature, file: file, "a signature in the chain uses SHA-1 or MD5, so every client rejects it",
            fix: "order a new certificate that is signed with SHA-256")
    }

    private static func name(
        of certificate: borrowing Certificate, _ host: String, _ file: String
    ) -> CertificateProblem? {
        if certificate.covers(host) { return nil }
        let names = certificate.names
        let message =
            names.isEmpty
            ? "the certificate has no subject alternative name, the only name that clients check"
            : "the certificate is not for \(host) but for \(CertificateName.list(names))"
        return CertificateProblem(.nameNotCovered, file: file, message, fix: "order a certificate for \(host)")
    }

    private static func key(of certificate: borrowing Certificate, _ file: String) -> CertificateProblem? {
        switch certificate.key {
        case .rsa, .ecdsa, .other: nil
        case .ed25519:
            CertificateProblem(
                .unusualKey, file: file,
                "phones and browsers do not support certificates with this type of key: \(certificate.key)",
                fix: "use an ECDSA key on P-256, or RSA with 2048 bits")
        }
    }

    private static func chain(of credentials: ServerIdentity, _ file: String) -> CertificateProblem? {
        if credentials.certificate.isSelfSigned {
            return CertificateProblem(
                .selfSigned, file: file, "the certificate is self-signed, so no phone trusts it",
                fix: "use a certificate of a public certificate authority")
        }
        if credentials.certificate.issuer.hasPrefix("CN=\(CertificateDraft.developmentAuthority) ") {
            return CertificateProblem(
                .selfSigned, file: file, "the certificate is from a development CA, so no phone trusts it",
                fix: "use a certificate of a public certificate authority")
        }
        guard let chain = credentials.chain else {
            return CertificateProblem(
                .missingIntermediate, file: file,
                "the intermediate certificate \"\(credentials.certificate.issuer)\" is missing, and Android does not "
                    + "download it",
                fix: "add it after the host's own certificate (certbot's fullchain.pem)")
        }
        // If the root has issued the host's certificate itself, it is all there is to send.
        guard chain.count > 1, chain.certificate(chain.count - 1).isSelfSigned else { return nil }
        return CertificateProblem(
            .rootIncluded, file: file,
            "the chain includes the root certificate, which clients already have, so handshakes are longer",
            fix: "remove the last certificate from the file")
    }

    /// The problem of an identity at a time: expired, not yet valid, or about to expire.
    static func expiry(of identity: ServerIdentity, _ now: Int64) -> CertificateProblem? {
        expiry(of: identity.periods, now, file: identity.certificateFile)
    }

    /// The same for the periods of an identity; the worst problem if several certificates have one.
    public static func expiry(
        of periods: some Sequence<CertificatePeriod>, _ now: Int64, isClockSuspect: Bool = false,
        file: @autoclosure () -> String
    ) -> CertificateProblem? {
        let all = periods.compactMap { period in period.verdict(now).map { (kind: $0, period) } }
        return all.min { rank($0.kind) < rank($1.kind) }.map { kind, period in
            problem(kind, period, now, isClockSuspect, file: file())
        }
    }

    private static func rank(_ kind: CertificateProblem.Kind) -> Int {
        [.expired, .notYetValid, .lifeBelowTenth].firstIndex(of: kind) ?? 3
    }

    private static func problem(
        _ kind: CertificateProblem.Kind, _ period: CertificatePeriod, _ now: Int64, _ isClockSuspect: Bool, file: String
    ) -> CertificateProblem {
        let subject = period.subject
        switch kind {
        case .expired:
            return CertificateProblem(
                kind, file: file, "\(subject) expired \(span(now - period.notAfter)) ago, so every client rejects it",
                fix: isClockSuspect
                    ? "check the clock of this machine, because all certificates expired at once, or renew it now"
                    : "renew it now")
        case .notYetValid:
            return CertificateProblem(
                kind, file: file,
                "\(subject) is not valid until \(Clock.day(period.notBefore)) (in \(span(period.notBefore - now)))",
                fix: "check the clock of this machine, or wait until then")
        default:
            return CertificateProblem(
                kind, file: file, "\(subject) expires in \(span(period.notAfter - now))",
                fix: kind == .lifeBelowTenth
                    ? "renew it now, and check why automatic renewal failed"
                    : "renew it, and check why automatic renewal failed")
        }
    }

    /// A duration in minutes below an hour, in hours below two days, otherwise in days.
    static func span(_ seconds: Int64) -> String {
        let (count, unit) =
            seconds < 3600
            ? (max(1, seconds / 60), "minute")
            : seconds < 2 * day ? (seconds / 3600, "hour") : (seconds / day, "day")
        return "\(count) \(unit)\(count == 1 ? "" : "s")"
    }

    /// Why the server or a client would refuse a certificate that is not in a host's folder yet; nil if none does.
    /// - Parameters:
    ///   - certificates: the content of `file`.
    ///   - now: seconds since 1970.
    public static func objection(
        certificates: [UInt8], file: String, key: SigningKey, now: Int64
    ) -> CertificateProblem? {
        let pem = key.pem
        let text = unsafe pem.span.withUnsafeBytes { bytes in unsafe SecretBytes(copying: bytes) }
        do throws(CertificateProblem) {
            let identity = try ServerIdentity(
                certificates: certificates, file: file,
                key: KeyFile(text, path: file, access: FileAccess(permissions: 0o600, group: 0)), pool: ChainPool())
            if let problem = weakness(of: identity) { return problem }
            return problems(of: identity, host: nil, now: now).first { !isTolerable($0.kind) }
        } catch {
            return error
        }
    }

    /// Whether a certificate with this problem works in all clients for now.
    private static func isTolerable(_ kind: CertificateProblem.Kind) -> Bool {
        switch kind {
        case .lifeBelowTenth, .lifeBelowQuarter, .chainOrder, .strayCertificate, .rootIncluded: true
        default: false
        }
    }

    /// Checks who may read a private key, with links followed.
    static func permissions(_ access: FileAccess, of path: String) -> CertificateProblem? {
        let mode = String(access.permissions, radix: 8)
        if access.permissions & 0o007 != 0 {
            return CertificateProblem(
                .keyReadableByOthers, file: path,
                "every user of this machine can read the private key (permissions \(mode))", fix: "chmod o= \(path)")
        }
        guard access.permissions & 0o070 != 0, !access.isOfOwnGroup else { return nil }
        return CertificateProblem(
            .keyReadableByOthers, file: path,
            "users of group \(access.group), to which the server does not belong, can read the private key (permissions \(mode))",
            fix:
                "chgrp it to a group that only the server's user has, or remove the rights of the group: chmod g= \(path)"
        )
    }
}

/// The validity period of a host's certificate, or of an intermediate one.
public struct CertificatePeriod: Hashable, Sendable {
    /// `the certificate`, or the name of the intermediate one.
    let subject: String
    /// Seconds since 1970.
    let notBefore: Int64
    public let notAfter: Int64

    init(_ certificate: borrowing Certificate, _ subject: String) {
        self.init(subject, from: certificate.notBefore, to: certificate.notAfter)
    }

    init(_ subject: String, from notBefore: Int64, to notAfter: Int64) {
        (self.subject, self.notBefore, self.notAfter) = (subject, notBefore, notAfter)
    }

    /// A longer lifetime counts as 84 days. Otherwise a certificate for a year would have a finding for its last three months, an
    /// intermediate one for three years during its last nine, and clients that renew 30 days ahead would be late.
    static let judgedSecondsMax = 84 * CertificateChecks.day

    private var judgedSeconds: Int64 { min(CertificatePeriod.judgedSecondsMax, notAfter - notBefore) }

    /// Clients renew when a third of the lifetime is left, and the manager a twentieth later at most. If less than a quarter is
    /// left, renewal has failed.
    private var quarterSeconds: Int64 { judgedSeconds / 4 }
    private var tenthSeconds: Int64 { judgedSeconds / 10 }

    /// The remaining share of the lifetime: 1 at its beginning, 0 or less after its end.
    public func lifeLeft(_ now: Int64) -> Double { share(notAfter - now, of: notAfter - notBefore) }

    /// The share by which a verdict is made. At most 1, because a longer lifetime counts as a shorter one.
    public func judgedLifeLeft(_ now: Int64) -> Double { min(1, share(notAfter - now, of: judgedSeconds)) }

    private func share(_ left: Int64, of lifetime: Int64) -> Double { Double(left) / Double(max(1, lifetime)) }

    /// The problem at a time, if there is one.
    public func verdict(_ now: Int64) -> CertificateProblem.Kind? {
        if now > notAfter { return .expired }
        if now < notBefore { return .notYetValid }
        if notAfter - now < tenthSeconds { return .lifeBelowTenth }
        if notAfter - now < quarterSeconds { return .lifeBelowQuarter }
        return nil
    }

    /// When the verdict changes next.
    public func change(after now: Int64) -> Int64? {
        [notBefore, notAfter - quarterSeconds + 1, notAfter - tenthSeconds + 1, notAfter + 1].filter { $0 > now }.min()
    }
}

extension CertificateFacts {
    /// The time until the certificate expires, such as `39 hours`, if so little is left that its renewal has probably failed.
    public func timeLeftIfShort(_ now: Int64) -> String? {
        switch CertificatePeriod(subject, from: notBefore, to: notAfter).verdict(now) {
        case .lifeBelowQuarter, .lifeBelowTenth: CertificateChecks.span(notAfter - now)
        default: nil
        }
    }
}

extension ServerIdentity {
    /// The periods of all its certificates except roots, in the order in which clients get them.
    public var periods: [CertificatePeriod] {
        var periods = [CertificatePeriod(certificate, "the certificate")]
        guard let chain else { return periods }
        for index in 0..<chain.count {
            let certificate = chain.certificate(index)
            if certificate.isSelfSigned { continue }
            periods.append(CertificatePeriod(certificate, "the intermediate certificate \(certificate.subject)"))
        }
        return periods
    }
}
