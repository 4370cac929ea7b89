// The algorithms of keys, as far as servers, checks and messages tell them apart.

import COpenSSL

/// What a key is, as far as servers and checks care.
public enum KeyKind: Hashable, Sendable, CustomStringConvertible {
    case rsa(bits: Int)
    case ecdsa(bits: Int)
    case ed25519
    case other(String)

    init(_ key: OpaquePointer) {
        let bits = Int(EVP_PKEY_get_bits(key))
        switch EVP_PKEY_get_base_id(key) {
        case EVP_PKEY_RSA, EVP_PKEY_RSA_PSS: self = .rsa(bits: bits)
        case EVP_PKEY_EC: self = .ecdsa(bits: bits)
        case EVP_PKEY_ED25519: self = .ed25519
        default: self = .other(EVP_PKEY_get0_type_name(key).map { String(cString: $0) } ?? "unknown")
        }
    }

    public var description: String {
        switch self {
        case .rsa(let bits): "RSA, \(bits) bits"
        case .ecdsa(let bits): "ECDSA, \(bits) bits"
        case .ed25519: "Ed25519"
        case .other(let name): name
        }
    }

    /// Whether both take the same place when a server offers a choice.
    func isSameAlgorithm(as other: KeyKind) -> Bool {
        switch (self, other) {
        case (.rsa, .rsa), (.ecdsa, .ecdsa), (.ed25519, .ed25519), (.other, .other): true
        default: false
        }
    }
}
