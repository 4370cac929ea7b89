// Message authentication codes by HMAC (RFC 2104), under the names of JSON Web Algorithms (RFC 7518 §3.2).

import COpenSSL

/// A hash function for HMAC.
public enum MessageCode: String, Hashable, Sendable, CaseIterable {
    case hs256 = "HS256"
    case hs384 = "HS384"
    case hs512 = "HS512"

    /// The authentication code of some bytes. The corresponding C function is `EVP_Q_mac`.
    public func code(of bytes: [UInt8], key: [UInt8]) -> [UInt8] {
        let digest =
            switch self {
            case .hs256: "SHA256"
            case .hs384: "SHA384"
            case .hs512: "SHA512"
            }
        var code = [UInt8](repeating: 0, count: 64)
        var count = 0
        // OpenSSL treats a nil key as a missing one, even if its length is zero.
        let isMade =
            unsafe EVP_Q_mac(
                nil, "HMAC", nil, digest, nil, key + [0], key.count, bytes, bytes.count, &code, code.count, &count)
            != nil
        precondition(isMade, "HMAC is part of every build of OpenSSL")
        return Array(code.prefix(count))
    }
}
