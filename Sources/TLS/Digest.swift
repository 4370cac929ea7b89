// Message digests, for entity tags and checksums.

import COpenSSL

public enum Digest {
    /// The SHA-256 digest of some bytes. The corresponding C function is `EVP_Digest`.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, EVP_sha256(), nil) }
        precondition(result == 1, "SHA-256 is part of every build of OpenSSL")
        return digest
    }
}
