// Message digests, for entity tags and checksums.

import COpenSSL

public enum Digest {
    /// Looked for once: OpenSSL would do so for each digest, which takes longer than that of a small document. Shared by
    /// all threads, never changed and never freed.
    private nonisolated(unsafe) static let method = EVP_MD_fetch(nil, "SHA256", nil)

    /// The SHA-256 digest of some bytes. The corresponding C function is `EVP_Digest`.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = bytes.withUnsafeBytes { EVP_Digest($0.baseAddress, $0.count, &digest, nil, method, nil) }
        precondition(result == 1, "SHA-256 is part of every build of OpenSSL")
        return digest
    }

    /// Bytes in Base64 (RFC 4648 §4). The corresponding C function is `EVP_EncodeBlock`.
    public static func base64(_ bytes: [UInt8]) -> String {
        // It ends its text with a zero.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
