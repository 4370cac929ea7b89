// The owner of one decoded X.509 certificate. Decoding costs 79 µs, so it is done once; the facts are read on demand.

import COpenSSL

/// One certificate, freed at the end of this value's lifetime. The corresponding C type is `X509`.
@safe public struct Certificate: ~Copyable, @unchecked Sendable {
    let pointer: OpaquePointer

    init(takingOwnershipOf pointer: OpaquePointer) { unsafe self.pointer = pointer }

    /// Shares a certificate with another owner. The corresponding C function is `X509_up_ref`.
    init(sharing pointer: OpaquePointer) {
        unsafe X509_up_ref(pointer)
        unsafe self.pointer = pointer
    }

    /// Decodes DER bytes; nil if they are not exactly one certificate.
    init?(der: [UInt8]) {
        let found = unsafe der.withUnsafeBufferPointer { buffer -> OpaquePointer? in
            var start = buffer.baseAddress
            guard let found = unsafe d2i_X509(nil, &start, buffer.count) else { return nil }
            if unsafe start == buffer.baseAddress.map({ unsafe $0 + buffer.count }) { return unsafe found }
            unsafe X509_free(found)
            return nil
        }
        OpenSSLFailure.forget()
        guard let found = unsafe found else { return nil }
        unsafe pointer = found
    }

    deinit { unsafe X509_free(pointer) }

    /// Whether this is the certificate of the key.
    func matches(_ key: borrowing PrivateKey) -> Bool {
        defer { OpenSSLFailure.forget() }
        return unsafe X509_check_private_key(pointer, key.pointer) == 1
    }

    /// Whether the other certificate issued this one, judged by names, key identifiers and usage.
    func isIssued(by issuer: borrowing Certificate) -> Bool {
        unsafe X509_check_issued(issuer.pointer, pointer) == X509_V_OK
    }

    var facts: CertificateFacts {
        CertificateFacts(
            subject: subject, issuer: issuer, names: names, notBefore: notBefore, notAfter: notAfter,
            isSelfSigned: isSelfSigned, key: key, serial: serial, fingerprint: fingerprint ?? [])
    }

    var subject: String { unsafe Certificate.text(X509_get_subject_name(pointer)) }
    var issuer: String { unsafe Certificate.text(X509_get_issuer_name(pointer)) }
    var notBefore: Int64 { unsafe Certificate.seconds(X509_get0_notBefore(pointer)) }
    public var notAfter: Int64 { unsafe Certificate.seconds(X509_get0_notAfter(pointer)) }

    var isSelfSigned: Bool {
        defer { OpenSSLFailure.forget() }
        return unsafe X509_self_signed(pointer, 0) == 1
    }

    var key: KeyKind { unsafe X509_get0_pubkey(pointer).map { unsafe KeyKind($0) } ?? .other("unknown") }

    var serial: [UInt8] { unsafe X509_get0_serialNumber(pointer).map { unsafe DER.content(of: $0) } ?? [] }

    /// Nil if there is not enough memory.
    var fingerprint: [UInt8]? {
        defer { OpenSSLFailure.forget() }
        var digest = [UInt8](repeating: 0, count: 32)
        return unsafe X509_digest(pointer, EVP_sha256(), &digest, nil) == 1 ? digest : nil
    }

    /// Whether the signature uses SHA-1 or MD5, which no client accepts any more.
    var hasWeakSignature: Bool {
        var digest: Int32 = 0
        guard unsafe X509_get_signature_info(pointer, &digest, nil, nil, nil) == 1 else { return false }
        return digest == NID_sha1 || digest == NID_md5 || digest == NID_md5_sha1
    }

    /// Whether its extended key usage excludes TLS servers; without that extension all uses are allowed (RFC 5280 §4.2.1.12).
    var refusesServers: Bool {
        let usage = unsafe X509_get_extended_key_usage(pointer)
        return usage != UInt32.max && usage & UInt32(XKU_SSL_SERVER | XKU_ANYEKU) == 0
    }

    /// How much of a name is in messages: the tenant who made the certificate chose its length.
    private static let nameBytesMax = 256

    private static func text(_ name: OpaquePointer?) -> String {
        guard let name = unsafe name, let output = unsafe BIO_new(BIO_s_mem()) else { return "" }
        defer { unsafe BIO_free(output) }
        guard unsafe associated_print_name(output, name) >= 0 else { return "" }
        var start: UnsafeMutablePointer<CChar>?
        let count = unsafe associated_bio_bytes(output, &start)
        let kept = min(max(0, count), nameBytesMax)
        let text = unsafe String(decoding: UnsafeRawBufferPointer(start: start, count: kept), as: UTF8.self)
        return kept < count ? text + "…" : text
    }

    /// Computed as the difference to 1970, which needs neither a time zone nor a calendar.
    private static func seconds(_ time: UnsafePointer<ASN1_TIME>?) -> Int64 {
        guard let epoch = unsafe ASN1_TIME_set(nil, 0) else { return 0 }
        defer { unsafe ASN1_STRING_free(epoch) }
        var days: Int32 = 0
        var seconds: Int32 = 0
        guard unsafe ASN1_TIME_diff(&days, &seconds, epoch, time) == 1 else { return 0 }
        return Int64(days) * 86_400 + Int64(seconds)
    }

    // The names of a certificate, and whether they cover a host (RFC 9525): only subject alternative names count, and a wildcard
    // stands for exactly one label, the first.

    /// The DNS names and addresses among the subject alternative names, in lower case.
    var names: [String] { withNames { count, name in (0..<count).compactMap(name) } }

    /// As many of them as may be kept.
    public var firstNames: [String] {
        withNames { count, name in (0..<min(count, Int32(CertificateLimits.keptNamesMax))).compactMap(name) }
    }

    /// How many there are, with those of other kinds.
    var nameCount: Int { withNames { count, _ in Int(count) } }

    /// Of its DER encoding.
    public var byteCount: Int { Int(unsafe i2d_X509(pointer, nil)) }

    public func covers(_ host: String) -> Bool {
        withNames { count, name in
            (0..<count).contains { name($0).map { CertificateName.covers($0, host) } == true }
        }
    }

    private func withNames<Result>(_ body: (_ count: Int32, _ name: (Int32) -> String?) -> Result) -> Result {
        defer { OpenSSLFailure.forget() }
        let list = unsafe X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil).map { OpaquePointer($0) }
        defer { unsafe GENERAL_NAMES_free(list) }
        return body(unsafe list == nil ? 0 : max(0, OPENSSL_sk_num(list))) { unsafe Certificate.text(list, $0) }
    }

    private static func text(_ list: OpaquePointer?, _ index: Int32) -> String? {
        unsafe OPENSSL_sk_value(list, index).flatMap { unsafe text($0.assumingMemoryBound(to: GENERAL_NAME.self)) }
    }

    private static func text(_ name: UnsafeMutablePointer<GENERAL_NAME>) -> String? {
        var type: Int32 = 0
        // Only these are strings; others are structures.
        guard let value = unsafe GENERAL_NAME_get0_value(name, &type), type == GEN_DNS || type == GEN_IPADD else {
            return nil
        }
        let bytes = unsafe DER.content(of: value.assumingMemoryBound(to: ASN1_STRING.self))
        return type == GEN_DNS ? String(decoding: bytes, as: UTF8.self).lowercased() : CertificateName.address(bytes)
    }
}

public enum CertificateName {
    /// Whether a name of a certificate covers a host. Both are in lower case, the host without a trailing dot.
    public static func covers(_ name: String, _ host: String) -> Bool {
        if name == host { return !host.isEmpty }
        guard name.hasPrefix("*."), name.count > 2, let dot = host.firstIndex(of: "."), dot != host.startIndex else {
            return false
        }
        return name.dropFirst(2) == host[host.index(after: dot)...]
    }

    /// Some of a certificate's names for a message.
    public static func list(_ names: [String]) -> String {
        if names.isEmpty { return "no host" }
        return names.prefix(5).joined(separator: ", ") + (names.count > 5 ? " and \(names.count - 5) more" : "")
    }

    /// The bytes of RFC 5280 §4.2.1.6 as text: `192.0.2.1`, or an IPv6 address in full.
    static func address(_ bytes: [UInt8]) -> String? {
        switch bytes.count {
        case 4: bytes.map { String($0) }.joined(separator: ".")
        case 16:
            stride(from: 0, to: 16, by: 2).map {
                String(UInt16(bytes[$0]) << 8 | UInt16(bytes[$0 + 1]), radix: 16)
            }.joined(separator: ":")
        default: nil
        }
    }
}

public struct CertificateFacts: Hashable, Sendable {
    /// In the form of RFC 4514, such as `CN=shop.example.com`.
    public var subject: String
    public var issuer: String
    /// The DNS names and addresses in lower case.
    public var names: [String]
    /// Seconds since 1970.
    public var notBefore: Int64
    public var notAfter: Int64
    public var isSelfSigned: Bool
    public var key: KeyKind
    /// The bytes of the serial number.
    public var serial: [UInt8]
    /// SHA-256 over the DER form.
    public var fingerprint: [UInt8]
}

/// The algorithm of a key, and its size.
public enum KeyKind: Hashable, Sendable, CustomStringConvertible {
    case rsa(bits: Int)
    case ecdsa(bits: Int)
    case ed25519
    case other(String)

    init(_ key: OpaquePointer) {
        let bits = unsafe Int(EVP_PKEY_get_bits(key))
        switch unsafe EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA: self = .rsa(bits: bits)
        case EVP_PKEY_EC where unsafe KeyKind.isServed(curveOf: key): self = .ecdsa(bits: bits)
        // A short key is reported by its length, whatever its curve.
        case EVP_PKEY_EC where bits < 224: self = .ecdsa(bits: bits)
        case EVP_PKEY_EC: self = .other(unsafe "ECDSA on \(KeyKind.curve(of: key) ?? "a curve without a name")")
        case EVP_PKEY_ED25519: self = .ed25519
        default: self = unsafe .other(EVP_PKEY_get0_type_name(key).map { unsafe String(cString: $0) } ?? "unknown")
        }
    }

    /// The curves for which the TLS policy has a signature algorithm. A curve that is given by its parameters does not count
    /// (RFC 5480 §2.1.1).
    private static func isServed(curveOf key: OpaquePointer) -> Bool {
        unsafe ["prime256v1", "secp384r1"].contains(curve(of: key))
    }

    private static func curve(of key: OpaquePointer) -> String? {
        defer { OpenSSLFailure.forget() }
        var encoding = [CChar](repeating: 0, count: 32)
        var count = 0
        let hasEncoding =
            unsafe EVP_PKEY_get_utf8_string_param(key, "encoding", &encoding, encoding.count, &count) == 1
        if hasEncoding, encoding.prefix(count).elementsEqual("explicit".utf8.map { CChar($0) }) { return nil }
        var name = [CChar](repeating: 0, count: 64)
        guard unsafe EVP_PKEY_get_group_name(key, &name, name.count, &count) == 1 else { return nil }
        return String(decoding: name.prefix(count).map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    public var description: String {
        switch self {
        case .rsa(let bits): "RSA, \(bits) bits"
        case .ecdsa(let bits): "ECDSA, \(bits) bits"
        case .ed25519: "Ed25519"
        case .other(let name): name
        }
    }
}
