// Which OpenSSL the program runs with, for `associated version` and bug reports, and when it reads its settings.

import COpenSSL

public enum Library {
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`: the library in use, which may be newer than the one built against.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }

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
