// Signs a document as iOS 8 wanted it: a CMS signed message in DER (RFC 5652) with the document inside, the signer's
// certificate and its chain, SHA-256, and no signed attributes. With an RSA key the same document gives the same bytes each
// time; ECDSA puts a random number into every signature.
//
// Nothing is published unchecked: the message is read back, verified and compared before it is returned.

import COpenSSL

/// Makes signed messages.
public enum MessageSigner {
    /// Of two pairs the RSA one signs, for what reads signed files is old.
    public static func sign(_ content: [UInt8], with identity: ServerIdentity) throws(TLSError) -> [UInt8] {
        switch identity.second {
        case .some(let second) where second.certificate.key.isSameAlgorithm(as: .rsa(bits: 0)):
            return try sign(content, second)
        default: return try sign(content, identity.first)
        }
    }

    private static func sign(_ content: [UInt8], _ credentials: borrowing Credentials) throws(TLSError) -> [UInt8] {
        let what = "cannot sign with \(credentials.certificateFile)"
        switch credentials.certificate.key {
        case .rsa, .ecdsa: break
        case .ed25519, .other:
            throw TLSError("\(what): its key is \(credentials.certificate.key); use a certificate for RSA or ECDSA")
        }
        let flags = UInt32(CMS_BINARY | CMS_NOATTR | CMS_NOSMIMECAP | CMS_PARTIAL)
        // Partly first, so that the digest is ours to name instead of OpenSSL's to choose.
        guard let message = CMS_sign(nil, nil, credentials.chain?.stack, nil, flags) else { throw .draining(what) }
        defer { CMS_ContentInfo_free(message) }
        let (certificate, key) = (credentials.certificate.pointer, credentials.key.pointer)
        guard CMS_add1_signer(message, certificate, key, EVP_sha256(), flags) != nil else { throw .draining(what) }
        let isFinal = content.withUnsafeBytes { bytes in
            let input = PEM.Input(bytes)
            return CMS_final(message, input.source, nil, flags) == 1
        }
        guard isFinal, let der = encode(message) else { throw .draining(what) }
        guard let readBack = SignedMessage(der: der), readBack.isIntact, readBack.content == content else {
            throw .draining("\(what): the signed message could not be verified", fix: "do not use this certificate")
        }
        return der
    }

    private static func encode(_ message: OpaquePointer) -> [UInt8]? {
        let count = i2d_CMS_ContentInfo(message, nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = der.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return i2d_CMS_ContentInfo(message, &end)
        }
        return written == count ? der : nil
    }
}
