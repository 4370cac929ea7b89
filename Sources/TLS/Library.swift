// Which OpenSSL the program runs with, for `associated version` and bug reports, and when it reads its settings.

import COpenSSL

public enum Library {
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`: the library in use, which may be newer than the one built against.
    public static var version: String { unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) }

    /// Keeps the library from taking itself apart when the process ends, which other threads may be in the middle of using
    /// it for. To be called before anything else of it is.
    public static func keepToTheEnd() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Reads the system's settings for the library, which otherwise happens when it is first used: to be called while its
    /// files can still be opened. The corresponding C function is `OPENSSL_init_ssl`.
    public static func start() {
        _ = OPENSSL_init_ssl(0, nil)
    }
}

/// The errors of this thread, oldest first, taken out of OpenSSL's queue.
struct OpenSSLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// In OpenSSL's own words, such as `key values mismatch`.
    let reasons: [String]

    /// Empties the queue of this thread. The corresponding C function is `ERR_get_error_all`.
    static func drain() -> OpenSSLFailure {
        var reasons: [String] = []
        while true {
            var data: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
            if code == 0 { break }
            let reason = unsafe words(code, flags & ERR_TXT_STRING != 0 ? data : nil)
            // The layers of OpenSSL often repeat what the one below said.
            if reasons.last != reason { reasons.append(reason) }
        }
        return OpenSSLFailure(reasons: reasons)
    }

    /// Forgets what is in the queue, where a failure is an expected outcome. The corresponding C function is
    /// `ERR_clear_error`.
    static func forget() { ERR_clear_error() }

    var description: String {
        reasons.isEmpty ? "no reason given" : reasons.joined(separator: "; ")
    }

    private static func words(_ code: UInt, _ data: UnsafePointer<CChar>?) -> String {
        let reason = unsafe ERR_reason_error_string(code).map { unsafe String(cString: $0) } ?? "error \(code)"
        guard let data = unsafe data, unsafe data.pointee != 0 else { return reason }
        return unsafe "\(reason) (\(String(cString: data)))"
    }
}

/// What stops a command. Expected outcomes are values of their own; a fault of a certificate is a `CertificateProblem`.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    init(_ description: String) { self.description = description }

    /// With the reasons that OpenSSL has left on this thread.
    static func draining(_ what: String, fix: String? = nil) -> TLSError {
        let advice = fix.map { "; \($0)" } ?? ""
        return TLSError("\(what): \(OpenSSLFailure.drain())\(advice)")
    }
}

public enum Digest {
    /// Looked for once: OpenSSL would do so for each digest, which takes longer than that of a small document. Shared by
    /// all threads, never changed and never freed.
    private nonisolated(unsafe) static let method = unsafe EVP_MD_fetch(nil, "SHA256", nil)

    /// The SHA-256 digest of some bytes. The corresponding C function is `EVP_Digest`.
    public static func sha256(_ bytes: [UInt8]) -> [UInt8] {
        var digest = [UInt8](repeating: 0, count: 32)
        let result = unsafe bytes.withUnsafeBytes {
            unsafe EVP_Digest($0.baseAddress, $0.count, &digest, nil, method, nil)
        }
        precondition(result == 1, "SHA-256 is part of every build of OpenSSL")
        return digest
    }

    /// Bytes in Base64 (RFC 4648 §4). The corresponding C function is `EVP_EncodeBlock`.
    public static func base64(_ bytes: [UInt8]) -> String {
        // It ends its text with a zero.
        var text = [UInt8](repeating: 0, count: (bytes.count + 2) / 3 * 4 + 1)
        let count = unsafe EVP_EncodeBlock(&text, bytes, Int32(bytes.count))
        return String(decoding: text.prefix(Int(count)), as: UTF8.self)
    }
}
