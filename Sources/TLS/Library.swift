// Which OpenSSL the program runs with, for `associated version` and bug reports.

import COpenSSL

public enum Library {
    /// Such as `OpenSSL 3.0.19 27 Jan 2026`: the library in use, which may be newer than the one built against.
    public static var version: String { String(cString: OpenSSL_version(OPENSSL_VERSION)) }
}
