// What a certificate says, as values. Read on demand by checks, logs and commands; a handshake needs none of it.

import COpenSSL

extension Certificate {
    var facts: CertificateFacts {
        CertificateFacts(
            subject: subject, issuer: issuer, names: names, notBefore: notBefore, notAfter: notAfter,
            isSelfSigned: isSelfSigned, key: key, serial: serial, fingerprint: fingerprint)
    }

    var subject: String { Certificate.text(X509_get_subject_name(pointer)) }
    var issuer: String { Certificate.text(X509_get_issuer_name(pointer)) }
    var notBefore: Int64 { Certificate.seconds(X509_get0_notBefore(pointer)) }
    var notAfter: Int64 { Certificate.seconds(X509_get0_notAfter(pointer)) }

    var isSelfSigned: Bool {
        defer { OpenSSLFailure.forget() }
        return X509_self_signed(pointer, 0) == 1
    }

    var key: KeyKind { X509_get0_pubkey(pointer).map { KeyKind($0) } ?? .other("unknown") }

    var serial: [UInt8] {
        guard let number = X509_get0_serialNumber(pointer) else { return [] }
        let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(number), count: Int(ASN1_STRING_length(number)))
        return Array(bytes)
    }

    var fingerprint: [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = X509_digest(pointer, EVP_sha256(), &digest, nil)
        precondition(result == 1, "SHA-256 is part of every build of OpenSSL")
        return digest
    }

    /// Whether the signature rests on SHA-1 or MD5, which no client takes any longer.
    var hasWeakSignature: Bool {
        var digest: Int32 = 0
        guard X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1 else { return false }
        return digest == NID_sha1 || digest == NID_md5 || digest == NID_md5_sha1
    }

    /// Whether its stated purposes leave out serving TLS; without a statement it serves all (RFC 5280 §4.2.1.12).
    var refusesServers: Bool {
        let usage = X509_get_extended_key_usage(pointer)
        return usage != UInt32.max && usage & UInt32(XKU_SSL_SERVER | XKU_ANYEKU) == 0
    }

    private static func text(_ name: OpaquePointer?) -> String {
        guard let name, let output = BIO_new(BIO_s_mem()) else { return "" }
        defer { BIO_free(output) }
        guard associated_print_name(output, name) >= 0 else { return "" }
        var start: UnsafeMutablePointer<CChar>?
        let count = associated_bio_bytes(output, &start)
        return String(decoding: UnsafeRawBufferPointer(start: start, count: max(0, count)), as: UTF8.self)
    }

    /// By way of the difference to 1970, for which OpenSSL needs no time zone and we no calendar.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = ASN1_TIME_set(nil, 0) else { return 0 }
        defer { ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }
}
