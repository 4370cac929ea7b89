// The OpenSSL in use: its version, its configuration, and its errors.

import COpenSSL

public enum Library {
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`: the library in use, which may be newer than that of the build.
    public static var version: String { isThere ? unsafe String(cString: OpenSSL_version(OPENSSL_VERSION)) : missing }

    /// Instead of anything that needs it.
    public static let missing = "OpenSSL 3 (libssl.so.3) is not installed"

    /// Whether OpenSSL is there. A program that is linked without it, as that of the Python package is, opens the one of the system. To be
    /// called before anything else of the library.
    public static let isThere = associated_open_openssl()

    /// Prevents the library from freeing its data when the process exits, because other threads may still use it. To be called
    /// before anything else of the library.
    public static func disableExitCleanup() {
        _ = OPENSSL_init_crypto(UInt64(OPENSSL_INIT_NO_ATEXIT), nil)
    }

    /// Reads the library's configuration file, which otherwise happens at the first use. To be called before the sandbox
    /// restricts files. The corresponding C function is `OPENSSL_init_ssl`.
    public static func loadConfiguration() {
        _ = OPENSSL_init_ssl(0, nil)
    }
}

/// The errors of this thread's OpenSSL queue, oldest first.
struct OpenSSLFailure: Error, Hashable, Sendable, CustomStringConvertible {
    /// OpenSSL's texts, such as `key values mismatch`.
    let reasons: [String]

    /// Takes all errors from the queue of this thread. The corresponding C function is `ERR_get_error_all`.
    static func drain() -> OpenSSLFailure {
        var reasons: [String] = []
        while true {
            var data: UnsafePointer<CChar>?
            var flags: Int32 = 0
            let code = unsafe ERR_get_error_all(nil, nil, nil, &data, &flags)
            if code == 0 { break }
            let reason = unsafe words(code, flags & ERR_TXT_STRING != 0 ? data : nil)
            // The layers of OpenSSL often repeat an error.
            if reasons.last != reason { reasons.append(reason) }
        }
        return OpenSSLFailure(reasons: reasons)
    }

    /// Clears the queue, when a failure is an expected outcome. The corresponding C function is `ERR_clear_error`.
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

/// A failure that ends an operation. Expected outcomes are values of their own; a fault of a certificate is a
/// `CertificateProblem`.
public struct TLSError: Error, Hashable, Sendable, CustomStringConvertible {
    public let description: String

    public init(_ description: String) { self.description = description }

    /// An error with the reasons in this thread's OpenSSL queue.
    public static func draining(_ what: String, fix: String? = nil) -> TLSError {
        let advice = fix.map { "; \($0)" } ?? ""
        return TLSError("\(what): \(OpenSSLFailure.drain())\(advice)")
    }
}

/// Structures in DER (X.690), by the functions of OpenSSL for one type.
enum DER {
    /// What a function such as `i2d_X509_REQ` writes; nil if it fails. Without a place to write to, it returns the length.
    static func encode(_ write: (UnsafeMutablePointer<UnsafeMutablePointer<UInt8>?>?) -> Int32) -> [UInt8]? {
        let count = write(nil)
        guard count > 0 else { return nil }
        var der = [UInt8](repeating: 0, count: Int(count))
        let written = unsafe der.withUnsafeMutableBufferPointer { buffer in
            var end = buffer.baseAddress
            return unsafe write(&end)
        }
        return written == count ? der : nil
    }

    /// The bytes of a string, an integer or the like, without tag and length.
    static func content(of string: UnsafePointer<ASN1_STRING>) -> [UInt8] {
        unsafe Array(
            UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: Int(ASN1_STRING_length(string))))
    }

    /// What a function such as `d2i_X509_SIG` makes of the bytes, for the caller to free; nil if it fails.
    static func decode(
        _ der: [UInt8],
        _ read: (UnsafeMutablePointer<OpaquePointer?>?, UnsafeMutablePointer<UnsafePointer<UInt8>?>?, Int) ->
            OpaquePointer?
    ) -> OpaquePointer? {
        unsafe der.withUnsafeBufferPointer { buffer in
            var start = buffer.baseAddress
            return unsafe read(nil, &start, buffer.count)
        }
    }
}
