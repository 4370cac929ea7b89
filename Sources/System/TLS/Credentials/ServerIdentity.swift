// A certificate with its chain and its private key, which were checked to belong together. Decoded once, immutable, shared by all
// workers.

import COpenSSL
import Posix

/// A host's certificate, the intermediates to send with it, and the private key.
public final class ServerIdentity: Sendable {
    public let certificate: Certificate
    public let chain: CertificateChain?
    public let key: PrivateKey

    /// Problems of the files with which they can still be used.
    public let problems: [CertificateProblem]
    let certificateFile: String

    /// The memory that it takes, estimated: intermediates are counted, though hosts may share them.
    public let byteCount: Int

    public init(
        certificate: consuming Certificate, chain: CertificateChain?, key: consuming PrivateKey,
        problems: [CertificateProblem], certificateFile: String
    ) {
        self.certificate = certificate
        self.key = key
        (self.chain, self.problems, self.certificateFile) = (chain, problems, certificateFile)
        let chainBytes =
            chain.map { chain in (0..<chain.count).reduce(0) { $0 + chain.certificate($1).byteCount } } ?? 0
        byteCount = 8_192 + 112 * self.certificate.nameCount + 2 * self.certificate.byteCount + chainBytes
    }

    /// When the host's own certificate expires, in seconds since 1970.
    public var notAfter: Int64 { certificate.notAfter }

    /// The facts of the host's own certificate.
    public var facts: CertificateFacts { certificate.facts }

    /// What a signature with its key costs, as a multiple of one with an ordinary key: with twice the bits, eight times as much.
    var signingCost: Int {
        guard case .rsa(let bits) = unsafe KeyKind(key.pointer) else { return 1 }
        return max(1, bits * bits * bits / (2_048 * 2_048 * 2_048))
    }

    /// Sets the credentials for one connection (an `SSL *`), in a callback of its handshake. False when OpenSSL rejects them; its
    /// reasons are then in this thread's queue. Takes 1.5 to 4 µs. The corresponding C function is `SSL_use_cert_and_key`.
    func apply(to ssl: OpaquePointer) -> Bool {
        unsafe SSL_use_cert_and_key(ssl, certificate.pointer, key.pointer, chain?.stack, 1) == 1
    }
}

extension ServerIdentity {
    /// Reads two files of the operator. Throws the problem if the pair cannot be used. Hosts' certificates come from the
    /// `CertificateStore`.
    public convenience init(
        certificateFile: String, keyFile: String, pool: ChainPool = ChainPool()
    ) throws(CertificateProblem) {
        let bytes: [UInt8]
        do throws(FileError) {
            bytes = try File.read(certificateFile, bytesMax: CertificateLimits.chainBytesMax).bytes
        } catch {
            throw CertificateProblem(reading: "the certificate", certificateFile, error)
        }
        let key = try KeyFile(reading: keyFile)
        try self.init(certificates: bytes, file: certificateFile, key: key, pool: pool)
    }

    /// The same with the content of the files.
    public convenience init(
        certificates bytes: [UInt8], file: String, key keyFile: borrowing KeyFile, pool: ChainPool,
        problems found: [CertificateProblem] = []
    ) throws(CertificateProblem) {
        var rest = try ServerIdentity.certificates(in: bytes, file)
        let key = try keyFile.open()
        var problems = found
        let own = try ServerIdentity.own(of: key, in: rest, file, keyFile.path)
        if own.certificate.fingerprint == nil {
            throw CertificateProblem(
                .malformedCertificate, file: file, "there is not enough memory to read the certificate",
                fix: "give the process more memory", shortage: .exhausted("X509_digest"))
        }
        try ServerIdentity.requireSignature(of: key, for: own.certificate, keyFile.path)
        rest.remove(at: own.position)
        if own.position > 0 {
            problems.append(
                CertificateProblem(
                    .chainOrder, file: file,
                    "the host's certificate is number \(own.position + 1) in the file instead of the first; it is sent first",
                    fix: "put the host's certificate first, then its issuer, and so on (certbot's fullchain.pem)"))
        }
        let chain = try ServerIdentity.chain(for: own.certificate, rest, file, pool, &problems)
        if let permissionProblem = keyFile.permissionProblem { problems.append(permissionProblem) }
        self.init(
            certificate: own.certificate, chain: chain, key: key, problems: problems, certificateFile: file)
    }

    /// The DER bytes of the certificates of a file, which is PEM or one certificate in DER.
    private static func certificates(in bytes: [UInt8], _ path: String) throws(CertificateProblem) -> [[UInt8]] {
        let found = unsafe bytes.first == 0x30 ? [bytes] : bytes.withUnsafeBytes { unsafe PEM.certificates(in: $0) }
        if found.isEmpty {
            throw CertificateProblem(
                .malformedCertificate, file: path, "the file contains no certificate",
                fix: "put the host's certificate and its chain there in PEM form (certbot's fullchain.pem)")
        }
        if found.count > CertificateLimits.chainCertificatesMax {
            throw CertificateProblem(
                .malformedCertificate, file: path,
                "there are \(found.count) certificates in this file, but at most \(CertificateLimits.chainCertificatesMax) are allowed",
                fix: "keep only the host's certificate and its intermediates (certbot's fullchain.pem)")
        }
        return found
    }

    /// A key may belong to a certificate by its public half and sign nothing, for example without its prime numbers.
    private static func requireSignature(
        of key: borrowing PrivateKey, for certificate: borrowing Certificate, _ file: String
    ) throws(CertificateProblem) {
        switch certificate.key {
        // These are refused for what they are, and may be slow.
        case .other: return
        case .rsa(let bits) where CertificateLimits.rsaBitsMax < bits: return
        case .rsa, .ecdsa, .ed25519: if key.signs(for: certificate) { return }
        }
        throw CertificateProblem(
            .malformedKey, file: file,
            "the private key makes no signatures that fit its certificate, so every handshake would fail: "
                + "\(OpenSSLFailure.drain())",
            fix: "export the whole key again, or order a certificate for a new one")
    }

    private struct OwnCertificate: ~Copyable {
        let certificate: Certificate
        let position: Int
    }

    /// The certificate of this key, and its position: first, unless the file is out of order.
    private static func own(
        of key: borrowing PrivateKey, in encoded: [[UInt8]], _ certificateFile: String, _ keyFile: String
    ) throws(CertificateProblem) -> OwnCertificate {
        for position in encoded.indices {
            guard let candidate = Certificate(der: encoded[position]) else {
                throw malformed(position, certificateFile)
            }
            if candidate.matches(key) { return OwnCertificate(certificate: candidate, position: position) }
        }
        throw CertificateProblem(
            .keyMismatch, file: keyFile, "the private key does not belong to a certificate in \(certificateFile)",
            fix: "replace both files together, with a matching pair")
    }

    private static func malformed(_ position: Int, _ path: String) -> CertificateProblem {
        CertificateProblem(
            .malformedCertificate, file: path, "certificate \(position + 1) of the file cannot be decoded",
            fix: "get the file again from the certificate authority")
    }

    /// The shared chain of the other certificates, in the right order even if the file has another.
    private static func chain(
        for certificate: borrowing Certificate, _ rest: [[UInt8]], _ path: String, _ pool: ChainPool,
        _ problems: inout [CertificateProblem]
    ) throws(CertificateProblem) -> CertificateChain? {
        if rest.isEmpty { return nil }
        guard let asWritten = pool.chain(of: rest) else { throw malformed(1, path) }
        if asWritten.isInOrder && certificate.isIssued(by: asWritten.certificate(0)) { return asWritten }
        let order = ChainOrder.sorted(certificate, asWritten)
        if order != Array(order.indices) {
            problems.append(
                CertificateProblem(
                    .chainOrder, file: path, "the intermediate certificates are out of order; they are sent in order",
                    fix: "put each certificate's issuer right after it (certbot's fullchain.pem)"))
        }
        for stray in Set(0..<rest.count).subtracting(order).sorted() {
            problems.append(
                CertificateProblem(
                    .strayCertificate, file: path,
                    "the file has an unrelated certificate, which is not sent: \(asWritten.certificate(stray).subject)",
                    fix: "remove it from the file"))
        }
        return order.isEmpty ? nil : pool.chain(of: order.map { rest[$0] })
    }
}

enum ChainOrder {
    /// The path from a certificate to its root, as indices of the other certificates.
    static func sorted(_ certificate: borrowing Certificate, _ others: CertificateChain) -> [Int] {
        var order: [Int] = []
        var current = unsafe Certificate(sharing: certificate.pointer)
        while true {
            if current.isSelfSigned { return order }
            let next = (0..<others.count).first { index in
                !order.contains(index) && current.isIssued(by: others.certificate(index))
            }
            guard let next else { return order }
            order.append(next)
            current = others.certificate(next)
        }
    }
}

/// A certificate and its key in files of any name.
public struct NamedPair: Hashable, Sendable {
    public var certificateFile: String
    public var keyFile: String

    public init(certificateFile: String, keyFile: String) {
        (self.certificateFile, self.keyFile) = (certificateFile, keyFile)
    }
}
