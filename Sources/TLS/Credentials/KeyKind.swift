// The types of keys that the server, the checks and the messages distinguish.

import COpenSSL

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

    /// Whether both have the same algorithm, so that a server can use only one of them.
    func isSameAlgorithm(as other: KeyKind) -> Bool {
        switch (self, other) {
        case (.rsa, .rsa), (.ecdsa, .ecdsa), (.ed25519, .ed25519), (.other, .other): true
        default: false
        }
    }
}
