// A signed association file, taken apart: the document inside, who signed it, and whether the signature holds. Whether
// anybody trusts the signer is not asked here.

import COpenSSL

/// A CMS signed message (RFC 5652 §5) with its content embedded.
public struct SignedMessage: Sendable {
    public let content: [UInt8]
    /// Whether each signature fits the content, going by the certificates in the message.
    public let isIntact: Bool
    /// The certificates of the signers, as far as the message has them.
    public let signers: [CertificateFacts]

    /// Nil if the bytes are no signed message, or one without its content.
    public init?(der: [UInt8]) {
        defer { OpenSSLFailure.forget() }
        let decoded = der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_CMS_ContentInfo(nil, &start, buffer.count)
        }
        guard let message = decoded else { return nil }
        defer { CMS_ContentInfo_free(message) }
        guard OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed,
            let content = CMS_get0_content(message)?.pointee
        else { return nil }
        let count = Int(ASN1_STRING_length(content))
        self.content = Array(UnsafeBufferPointer(start: ASN1_STRING_get0_data(content), count: count))
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        isIntact = CMS_verify(message, nil, nil, nil, nil, flags) == 1
        signers = SignedMessage.signers(of: message)
    }

    /// The document inside a signed file.
    public static func content(of der: [UInt8]) -> [UInt8]? { SignedMessage(der: der)?.content }

    private static func signers(of message: OpaquePointer) -> [CertificateFacts] {
        // Known after a verification, whatever its outcome.
        guard let list = CMS_get0_signers(message) else { return [] }
        defer { OPENSSL_sk_free(list) }
        return (0..<max(0, OPENSSL_sk_num(list))).compactMap { index in
            OPENSSL_sk_value(list, index).map { Certificate(sharing: OpaquePointer($0)).facts }
        }
    }
}
