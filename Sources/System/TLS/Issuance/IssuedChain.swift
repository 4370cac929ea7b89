// A certificate and its chain as a certificate authority delivers them. They are decoded and encoded again, so that nothing but
// certificates gets from the authority into files.

import COpenSSL

/// A host's certificate with its intermediate certificates.
public struct IssuedChain: Hashable, Sendable {
    /// The host's certificate first.
    public let pem: String
    /// The facts of each certificate, in the same order; never empty.
    public let certificates: [CertificateFacts]
    /// The host's certificate in DER, which revocation needs.
    public let leaf: [UInt8]
    /// Identifies the certificate in renewal requests (RFC 9773 §4.1); nil without an authority key identifier.
    public let renewalID: String?

    public init(pem bytes: [UInt8]) throws(TLSError) {
        guard bytes.count <= CertificateLimits.chainBytesMax else {
            throw TLSError("the certificate chain is too long")
        }
        let found = unsafe bytes.withUnsafeBytes { unsafe PEM.certificates(in: $0) }
        guard let leaf = found.first, found.count <= CertificateLimits.chainCertificatesMax else {
            throw TLSError(
                "the chain has \(found.count) certificates instead of 1 to "
                    + "\(CertificateLimits.chainCertificatesMax)")
        }
        var (text, facts, renewalID) = ([UInt8](), [CertificateFacts](), String?.none)
        for (index, der) in found.enumerated() {
            guard let certificate = Certificate(der: der) else {
                throw TLSError("certificate \(index + 1) of the chain cannot be decoded")
            }
            text += certificate.pem
            facts.append(certificate.facts)
            if index == 0 { renewalID = certificate.renewalID }
        }
        pem = String(decoding: text, as: UTF8.self)
        certificates = facts
        (self.leaf, self.renewalID) = (leaf, renewalID)
    }

    public var facts: CertificateFacts { certificates[0] }

    public func isFor(_ key: SigningKey) -> Bool { Certificate(der: leaf)?.matches(key.key) == true }

    /// Whether the host's certificate covers a host, or names this wildcard.
    public func covers(_ host: String) -> Bool {
        facts.names.contains { $0 == host || CertificateName.covers($0, host) }
    }

    /// Whether the issuer of the last certificate has this common name, or this whole name.
    public func endsAt(issuer name: String) -> Bool {
        let issuer = certificates[certificates.count - 1].issuer
        return issuer == name || ",\(issuer),".contains(",CN=\(name),")
    }
}

extension Certificate {
    /// The authority key identifier and the serial number, as they are encoded.
    fileprivate var renewalID: String? {
        defer { OpenSSLFailure.forget() }
        guard let identifier = unsafe X509_get0_authority_key_id(pointer),
            let number = unsafe X509_get0_serialNumber(pointer)
        else { return nil }
        let key = unsafe DER.content(of: identifier)
        guard !key.isEmpty, let serial = unsafe Certificate.content(of: number) else { return nil }
        return "\(Base64URL.text(key)).\(Base64URL.text(serial))"
    }

    /// An integer's DER encoding without tag and length; a serial number has a length of one byte (RFC 5280 §4.1.2.2).
    private static func content(of number: UnsafePointer<ASN1_INTEGER>) -> [UInt8]? {
        guard let der = unsafe DER.encode({ unsafe i2d_ASN1_INTEGER(number, $0) }), (3..<128).contains(der.count) else {
            return nil
        }
        return Array(der[2...])
    }
}
