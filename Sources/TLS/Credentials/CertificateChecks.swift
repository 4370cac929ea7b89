// What a phone or a verifier would hold against a host's certificate, found before they do. Pure: the time and the host
// are given, so that the same questions can be asked by lint, at load and in tests.

/// Checks of decoded credentials.
public enum CertificateChecks {
    static let day: Int64 = 86_400

    /// Everything to be said about an identity that could be loaded, what was mended at loading included.
    /// - Parameters:
    ///   - host: the name it is for, such as `shop.example.com` or `*.example.com`; nil where no name is expected of it.
    ///   - now: seconds since 1970.
    public static func problems(of identity: ServerIdentity, host: String?, now: Int64) -> [CertificateProblem] {
        [expiry(of: identity, now)].compactMap { $0 } + lasting(of: identity, host: host)
    }

    /// What time has no part in.
    static func lasting(of identity: ServerIdentity, host: String?) -> [CertificateProblem] {
        var problems = identity.problems + problems(of: identity.first, host)
        switch identity.second {
        case .some(let other):
            problems += CertificateChecks.problems(of: other, host)
            if other.certificate.key.isSameAlgorithm(as: identity.first.certificate.key) {
                problems.append(
                    CertificateProblem(
                        .sameKeyTwice, file: other.certificateFile,
                        "both certificates of the host have the same kind of key, so the first is never shown",
                        fix: "make one of them ECDSA and the other RSA, or remove one pair"))
            }
        case .none: break
        }
        return problems
    }

    private static func problems(of credentials: borrowing Credentials, _ host: String?) -> [CertificateProblem] {
        let file = credentials.certificateFile
        var problems: [CertificateProblem] = []
        if let host, let problem = name(of: credentials.certificate, host, file) { problems.append(problem) }
        if credentials.certificate.refusesServers {
            problems.append(
                CertificateProblem(
                    .notForServers, file: file, "the certificate is not meant for servers (extended key usage)",
                    fix: "order one with the purpose TLS web server authentication"))
        }
        if let problem = key(of: credentials.certificate, file) { problems.append(problem) }
        if let problem = chain(of: credentials, file) { problems.append(problem) }
        return problems
    }

    /// What OpenSSL itself refuses at its default level of security, so that it cannot be served at all.
    static func weakness(of credentials: borrowing Credentials) -> CertificateProblem? {
        let file = credentials.certificateFile
        switch credentials.certificate.key {
        case .rsa(let bits) where bits < 2048:
            return CertificateProblem(
                .weakKey, file: file, "an RSA key of \(bits) bits is too short; every client refuses it",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        case .rsa(let bits) where bits > CertificateLimits.rsaBitsMax:
            return CertificateProblem(
                .weakKey, file: file,
                "an RSA key of \(bits) bits makes each handshake so dear that a few clients take the server from all others",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        case .ecdsa(let bits) where bits < 224:
            return CertificateProblem(
                .weakKey, file: file, "an ECDSA key of \(bits) bits is too short; every client refuses it",
                fix: "order a certificate for an ECDSA key on P-256")
        case .rsa, .ecdsa, .ed25519: break
        case .other(let name):
            return CertificateProblem(
                .weakKey, file: file, "a key of the kind \(name) signs nothing that this server's clients understand",
                fix: "order a certificate for an ECDSA key on P-256, or for RSA with 2048 bits")
        }
        var isWeak = credentials.certificate.hasWeakSignature && !credentials.certificate.isSelfSigned
        if let chain = credentials.chain {
            for index in 0..<chain.count {
                let certificate = chain.certificate(index)
                // A root's signature of itself proves nothing, so nobody minds what it rests on.
                isWeak = isWeak || certificate.hasWeakSignature && !certificate.isSelfSigned
            }
        }
        guard isWeak else { return nil }
        return CertificateProblem(
            .weakSignature, file: file, "a signature in the chain rests on SHA-1 or MD5; every client refuses it",
            fix: "order a new certificate, signed with SHA-256")
    }

    private static func name(
        of certificate: borrowing Certificate, _ host: String, _ file: String
    ) -> CertificateProblem? {
        if certificate.covers(host) { return nil }
        let names = certificate.names
        let message =
            names.isEmpty
            ? "the certificate has no subject alternative name, and clients look at nothing else"
            : "the certificate is not for \(host) but for \(CertificateName.list(names))"
        return CertificateProblem(.nameNotCovered, file: file, message, fix: "order a certificate that names \(host)")
    }

    private static func key(of certificate: borrowing Certificate, _ file: String) -> CertificateProblem? {
        switch certificate.key {
        case .rsa, .ecdsa, .other: nil
        case .ed25519:
            CertificateProblem(
                .unusualKey, file: file, "phones and browsers know no certificates of this kind: \(certificate.key)",
                fix: "use an ECDSA key on P-256, or RSA with 2048 bits")
        }
    }

    private static func chain(of credentials: borrowing Credentials, _ file: String) -> CertificateProblem? {
        if credentials.certificate.isSelfSigned {
            return CertificateProblem(
                .selfSigned, file: file, "the certificate is signed by itself; no phone trusts it",
                fix: "use a certificate of a public authority")
        }
        guard let chain = credentials.chain else {
            return CertificateProblem(
                .missingIntermediate, file: file,
                "the certificate of the issuer is missing, and Android fetches none: "
                    + credentials.certificate.issuer,
                fix: "add the issuer's certificate after the host's own (certbot's fullchain.pem)")
        }
        // Where a root has signed the host's certificate itself, there is nothing else to send.
        guard chain.count > 1, chain.certificate(chain.count - 1).isSelfSigned else { return nil }
        return CertificateProblem(
            .rootIncluded, file: file, "the chain includes its root, which each client has; every handshake carries it",
            fix: "remove the last certificate of the file")
    }
}
