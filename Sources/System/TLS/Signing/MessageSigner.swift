// Signs a document as iOS 8 requires: a CMS signed message in DER (RFC 5652) with the document, the signer's certificate and its
// chain, SHA-256, and no signed attributes. With an RSA key the same document always gives the same bytes; an ECDSA signature
// contains a random number.
//
// The message is decoded, verified and compared before it is returned.

import COpenSSL

/// Creates signed messages.
public enum MessageSigner {
    public static func sign(
        _ content: [UInt8], with credentials: ServerIdentity
    ) throws(TLSError) -> [UInt8] {
        let what = "cannot sign with \(credentials.certificateFile)"
        switch credentials.certificate.key {
        case .rsa, .ecdsa: break
        case .ed25519, .other:
            throw TLSError("\(what): its key is \(credentials.certificate.key); use a certificate for RSA or ECDSA")
        }
        let flags = UInt32(CMS_BINARY | CMS_NOATTR | CMS_NOSMIMECAP | CMS_PARTIAL)
        // The signer is added separately, so that OpenSSL does not choose the digest.
        guard let message = unsafe CMS_sign(nil, nil, credentials.chain?.stack, nil, flags) else {
            throw .draining(what)
        }
        defer { unsafe CMS_ContentInfo_free(message) }
        let (certificate, key) = unsafe (credentials.certificate.pointer, credentials.key.pointer)
        guard unsafe CMS_add1_signer(message, certificate, key, EVP_sha256(), flags) != nil else {
            throw .draining(what)
        }
        let isFinal = unsafe content.withUnsafeBytes { bytes in
            let input = unsafe PEM.Input(bytes)
            return unsafe CMS_final(message, input.source, nil, flags) == 1
        }
        guard isFinal, let der = unsafe DER.encode({ unsafe i2d_CMS_ContentInfo(message, $0) }) else {
            throw .draining(what)
        }
        guard let readBack = SignedDocument(der: der), readBack.isIntact, readBack.content == content else {
            throw .draining("\(what): the signed message could not be verified", fix: "do not use this certificate")
        }
        return der
    }
}

/// A CMS signed message (RFC 5652 §5) with its content embedded.
public struct SignedDocument: Sendable {
    public let content: [UInt8]
    /// Whether each signature is valid for the content, with the certificates in the message.
    public let isIntact: Bool
    public let signers: [CertificateFacts]

    /// Nil if the bytes are not a signed message with embedded content.
    public init?(der: [UInt8]) {
        defer { OpenSSLFailure.forget() }
        guard let message = unsafe DER.decode(der, d2i_CMS_ContentInfo) else { return nil }
        defer { unsafe CMS_ContentInfo_free(message) }
        guard unsafe OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed,
            let content = unsafe CMS_get0_content(message)?.pointee
        else { return nil }
        self.content = unsafe DER.content(of: content)
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        isIntact = unsafe CMS_verify(message, nil, nil, nil, nil, flags) == 1
        // Available only after `CMS_verify`, whatever its outcome.
        let list = unsafe CMS_get0_signers(message)
        defer { unsafe OPENSSL_sk_free(list) }
        signers = unsafe CertificateFacts.all(of: list)
    }

    /// The document inside a signed file.
    public static func content(of der: [UInt8]) -> [UInt8]? { SignedDocument(der: der)?.content }
}
