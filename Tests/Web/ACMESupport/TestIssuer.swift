// Issues the certificates of a scripted authority. Two roots have signed its intermediate, so there are two chains.

import COpenSSL

@testable import TLS

final class TestIssuer: Sendable {
    /// Chains in PEM without the host's certificate: the default one, and the alternate.
    let chains: [String]
    private let intermediate: ServerIdentity

    init() throws {
        let key = try PrivateKey.generate()
        let draft = CertificateDraft(commonName: "Intermediate", alternativeNames: nil, isAuthority: true, days: 30)
        let first = try draft.certificate(for: key, by: TestIssuer.root("First Root"))
        let second = try draft.certificate(for: key, by: TestIssuer.root("Second Root"))
        chains = [String(decoding: first.pem, as: UTF8.self), String(decoding: second.pem, as: UTF8.self)]
        intermediate = ServerIdentity(
            certificate: first, chain: nil, key: key, problems: [], certificateFile: "")
    }

    private static func root(_ name: String) throws -> ServerIdentity {
        let key = try PrivateKey.generate()
        let draft = CertificateDraft(commonName: name, alternativeNames: nil, isAuthority: true, days: 30)
        return ServerIdentity(
            certificate: try draft.certificate(for: key), chain: nil, key: key, problems: [], certificateFile: "")
    }

    /// A certificate for the key and the names of a request, in PEM.
    func issue(_ der: [UInt8]) -> String? {
        let request = der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return d2i_X509_REQ(nil, &start, buffer.count)
        }
        guard let request, let key = X509_REQ_get0_pubkey(request), X509_REQ_verify(request, key) == 1 else {
            return nil
        }
        defer { X509_REQ_free(request) }
        let certificate = Certificate(takingOwnershipOf: X509_new())
        let issuer = intermediate.certificate.pointer
        X509_set_version(certificate.pointer, Int(X509_VERSION_3))
        ASN1_INTEGER_set(X509_get_serialNumber(certificate.pointer), .random(in: 1...Int(Int32.max)))
        X509_gmtime_adj(X509_getm_notBefore(certificate.pointer), -3600)
        X509_gmtime_adj(X509_getm_notAfter(certificate.pointer), 90 * 86_400)
        X509_set_issuer_name(certificate.pointer, X509_get_subject_name(issuer))
        X509_set_pubkey(certificate.pointer, key)
        guard let extensions = X509_REQ_get_extensions(request) else { return nil }
        for index in 0..<OPENSSL_sk_num(extensions) {
            let one = OpaquePointer(OPENSSL_sk_value(extensions, index))
            X509_add_ext(certificate.pointer, one, -1)
            X509_EXTENSION_free(one)
        }
        OPENSSL_sk_free(extensions)
        var context = X509V3_CTX()
        X509V3_set_ctx(&context, issuer, certificate.pointer, nil, nil, 0)
        guard let identifier = X509V3_EXT_nconf_nid(nil, &context, NID_authority_key_identifier, "keyid:always") else {
            return nil
        }
        X509_add_ext(certificate.pointer, identifier, -1)
        X509_EXTENSION_free(identifier)
        guard X509_sign(certificate.pointer, intermediate.key.pointer, EVP_sha256()) > 0 else { return nil }
        return String(decoding: certificate.pem, as: UTF8.self)
    }
}
