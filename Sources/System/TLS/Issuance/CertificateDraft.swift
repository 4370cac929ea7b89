// Creates certificates for development: that of the authority, or one for a host.

import COpenSSL

/// The content of a new certificate.
public struct CertificateDraft {
    var commonName: String
    /// In the syntax of OpenSSL's configuration: `DNS:shop.localhost,IP:127.0.0.1`.
    var alternativeNames: String?
    var isAuthority: Bool
    var days: Int

    /// The beginning of the name of each development authority.
    public static let developmentAuthority = "associated development CA"

    public init(commonName: String, alternativeNames: String?, isAuthority: Bool, days: Int) {
        (self.commonName, self.alternativeNames) = (commonName, alternativeNames)
        (self.isAuthority, self.days) = (isAuthority, days)
    }

    /// Those for a host or an address; for the empty name, those of this machine.
    public static func alternativeNames(_ host: String) -> String {
        if host.isEmpty || host == "localhost" { return "DNS:localhost,IP:127.0.0.1,IP:::1" }
        guard let address = unsafe a2i_IPADDRESS(host) else {
            OpenSSLFailure.forget()
            return "DNS:\(host)"
        }
        unsafe ASN1_STRING_free(address)
        return "IP:\(host)"
    }

    /// A self-signed certificate.
    public func certificate(for key: borrowing PrivateKey) throws(TLSError) -> Certificate {
        try unsafe certificate(for: key, nil, key)
    }

    /// A certificate signed by an authority.
    public func certificate(for key: borrowing PrivateKey, by issuer: borrowing ServerIdentity) throws(TLSError)
        -> Certificate
    {
        try unsafe certificate(for: key, issuer.certificate.pointer, issuer.key)
    }

    private func certificate(
        for key: borrowing PrivateKey, _ issuer: OpaquePointer?, _ issuerKey: borrowing PrivateKey
    ) throws(TLSError) -> Certificate {
        guard let pointer = unsafe X509_new() else { throw .draining("cannot create a certificate") }
        let certificate = unsafe Certificate(takingOwnershipOf: pointer)
        let issuer = unsafe issuer ?? pointer
        let subject = unsafe X509_get_subject_name(pointer)
        // Valid an hour ago, for clocks that are slow.
        guard unsafe X509_set_version(pointer, Int(X509_VERSION_3)) == 1, unsafe setSerialNumber(pointer),
            unsafe X509_gmtime_adj(X509_getm_notBefore(pointer), -3600) != nil,
            unsafe X509_time_adj_ex(X509_getm_notAfter(pointer), Int32(days), 0, nil) != nil,
            unsafe X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8, commonName, -1, -1, 0) == 1,
            unsafe X509_set_issuer_name(pointer, X509_get_subject_name(issuer)) == 1,
            unsafe X509_set_pubkey(pointer, key.pointer) == 1,
            extensions.allSatisfy({ unsafe add($0.identifier, $0.value, to: pointer, issuer) }),
            unsafe X509_sign(pointer, issuerKey.pointer, EVP_sha256()) > 0
        else { throw .draining("cannot create a certificate for \(commonName)") }
        return certificate
    }

    private var extensions: [(identifier: Int32, value: String)] {
        let all = [(NID_subject_key_identifier, "hash"), (NID_authority_key_identifier, "keyid:always")]
        if isAuthority {
            return all + [
                (NID_basic_constraints, "critical,CA:TRUE,pathlen:0"), (NID_key_usage, "critical,keyCertSign,cRLSign"),
            ]
        }
        return all + [
            (NID_basic_constraints, "critical,CA:FALSE"), (NID_key_usage, "critical,digitalSignature"),
            (NID_ext_key_usage, "serverAuth"), (NID_subject_alt_name, alternativeNames ?? ""),
        ]
    }

    private func add(
        _ identifier: Int32, _ value: String, to certificate: OpaquePointer, _ issuer: OpaquePointer
    ) -> Bool {
        var context = unsafe X509V3_CTX()
        unsafe X509V3_set_ctx(&context, issuer, certificate, nil, nil, 0)
        guard let found = unsafe X509V3_EXT_nconf_nid(nil, &context, identifier, value) else { return false }
        defer { unsafe X509_EXTENSION_free(found) }
        return unsafe X509_add_ext(certificate, found, -1) == 1
    }

    /// A random number, so that two authorities never issue the same one (RFC 5280 §4.1.2.2).
    private func setSerialNumber(_ certificate: OpaquePointer) -> Bool {
        guard let number = unsafe BN_new() else { return false }
        defer { unsafe BN_free(number) }
        return unsafe BN_rand(number, 127, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) == 1
            && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate)) != nil
    }
}

extension Certificate {
    public var pem: [UInt8] {
        guard let output = unsafe BIO_new(BIO_s_mem()) else { return [] }
        defer { unsafe BIO_free(output) }
        guard unsafe PEM_write_bio_X509(output, pointer) == 1 else { return [] }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe associated_bio_bytes(output, &start)
        return unsafe Array(UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }
}

extension PrivateKey {
    /// Lends the key in unencrypted PEM, in memory that is cleared afterwards.
    public func withPEM<Result, Failure>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result? {
        guard let output = unsafe BIO_new(BIO_s_secmem()) else { return nil }
        defer { unsafe BIO_free(output) }
        guard unsafe PEM_write_bio_PrivateKey(output, pointer, nil, nil, 0, nil, nil) == 1 else { return nil }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe associated_bio_bytes(output, &start)
        return unsafe try body(UnsafeRawBufferPointer(start: start, count: max(0, count)))
    }
}
