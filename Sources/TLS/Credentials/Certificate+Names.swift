// The names a certificate is for, and whether a host is one of them, as RFC 9525 has it: subject alternative names only,
// and a wildcard stands for exactly one label, the first.

import COpenSSL

extension Certificate {
    /// The DNS names and addresses among the subject alternative names, in lower case.
    var names: [String] {
        defer { OpenSSLFailure.forget() }
        guard let found = X509_get_ext_d2i(pointer, NID_subject_alt_name, nil, nil) else { return [] }
        let list = OpaquePointer(found)
        defer { GENERAL_NAMES_free(list) }
        return (0..<max(0, OPENSSL_sk_num(list))).compactMap { index in
            OPENSSL_sk_value(list, index).flatMap { Certificate.text($0.assumingMemoryBound(to: GENERAL_NAME.self)) }
        }
    }

    func covers(_ host: String) -> Bool {
        names.contains { CertificateName.covers($0, host) }
    }

    private static func text(_ name: UnsafeMutablePointer<GENERAL_NAME>) -> String? {
        var type: Int32 = 0
        // Only these are texts; others are structures of their own.
        guard let value = GENERAL_NAME_get0_value(name, &type), type == GEN_DNS || type == GEN_IPADD else { return nil }
        let string = value.assumingMemoryBound(to: ASN1_STRING.self)
        let bytes = UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string)))
        return type == GEN_DNS
            ? String(decoding: bytes, as: UTF8.self).lowercased() : CertificateName.address(Array(bytes))
    }
}

enum CertificateName {
    /// Whether a name of a certificate stands for a host. Both in lower case, the host without a trailing dot.
    static func covers(_ name: String, _ host: String) -> Bool {
        if name == host { return !host.isEmpty }
        guard name.hasPrefix("*."), name.count > 2, let dot = host.firstIndex(of: "."), dot != host.startIndex else {
            return false
        }
        return name.dropFirst(2) == host[host.index(after: dot)...]
    }

    /// Some of a certificate's names for a message.
    static func list(_ names: [String]) -> String {
        if names.isEmpty { return "no host at all" }
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
