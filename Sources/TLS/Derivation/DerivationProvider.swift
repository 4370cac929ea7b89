// The key derivation of TLS 1.3 as a provider (provider(7)), OpenSSL's way of taking an algorithm from somebody else. Only
// sessions of workers ask for it; when it does not derive what OpenSSL's own does, they do not either.

import COpenSSL

enum DerivationProvider {
    private static let name: StaticString = "associated"
    static let algorithm: StaticString = "TLS13-KDF"
    static let definition: StaticString = "provider=associated"

    /// What a context of sessions is to ask for, beside the names of algorithms; nil for what OpenSSL has itself.
    static let preference: String? = isLoaded && derivesLike("provider=default") ? "?provider=associated" : nil

    /// Beside the providers that are there without it.
    private static let isLoaded: Bool =
        OSSL_PROVIDER_add_builtin(nil, name.cString, startProvider) == 1
        && OSSL_PROVIDER_try_load(nil, name.cString, 1) != nil

    /// Whether it derives the same secrets as another one that there is.
    static func derivesLike(_ other: String) -> Bool {
        guard let ours = EVP_KDF_fetch(nil, algorithm.cString, definition.cString) else { return false }
        defer { EVP_KDF_free(ours) }
        guard let theirs = EVP_KDF_fetch(nil, algorithm.cString, other) else { return false }
        defer { EVP_KDF_free(theirs) }
        return [("SHA2-256", 32), ("SHA2-384", 48)].allSatisfy { digest, count in
            [EVP_KDF_HKDF_MODE_EXTRACT_ONLY, EVP_KDF_HKDF_MODE_EXPAND_ONLY].allSatisfy { mode in
                let secret = sample(ours, digest, count, mode)
                return secret != nil && secret == sample(theirs, digest, count, mode)
            }
        }
    }

    private static func sample(_ method: OpaquePointer, _ digest: String, _ count: Int, _ mode: Int32) -> [UInt8]? {
        guard let context = EVP_KDF_CTX_new(method) else { return nil }
        defer { EVP_KDF_CTX_free(context) }
        var mode = mode
        var digest = digest.utf8CString.map { $0 }
        var bytes = (0..<UInt8(count)).map { $0 }
        var secret = [UInt8](repeating: 0, count: count)
        let result = withUnsafeMutablePointer(to: &mode) { mode in
            digest.withUnsafeMutableBufferPointer { digest in
                bytes.withUnsafeMutableBytes { bytes in
                    func value(_ name: StaticString) -> OSSL_PARAM {
                        OSSL_PARAM_construct_octet_string(name.cString, bytes.baseAddress, bytes.count)
                    }
                    let list = [
                        OSSL_PARAM_construct_int(("mode" as StaticString).cString, mode),
                        OSSL_PARAM_construct_utf8_string(
                            ("digest" as StaticString).cString, digest.baseAddress, 0),
                        value("key"), value("salt"), value("prefix"), value("label"), value("data"),
                        OSSL_PARAM_construct_end(),
                    ]
                    return EVP_KDF_derive(context, &secret, secret.count, list)
                }
            }
        }
        return result == 1 ? secret : nil
    }
}
