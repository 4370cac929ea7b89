// Certificate signing requests (PKCS #10, RFC 2986): a public key, with the hosts as subject alternative names. The subject is
// empty, because authorities ignore it or limit it to 64 bytes.

import COpenSSL

/// Makes certificate signing requests.
public enum CertificateRequest {
    /// The limit of Let's Encrypt.
    public static let hostsMax = 100

    /// The request in DER.
    /// - Parameter hosts: names in lower case, `*.example.com` included.
    public static func der(for hosts: [String], key: SigningKey) throws(TLSError) -> [UInt8] {
        let what = "cannot make a certificate request"
        guard !hosts.isEmpty, hosts.count <= hostsMax else {
            throw TLSError("\(what) for \(hosts.count) hosts instead of 1 to \(hostsMax)")
        }
        // The names become part of OpenSSL's configuration syntax below, where other characters have a meaning.
        for host in hosts where !isHost(host) {
            throw TLSError("\(what): \(host) is not a host name in lower case")
        }
        guard let request = unsafe X509_REQ_new() else { throw .draining(what) }
        defer { unsafe X509_REQ_free(request) }
        guard let extensions = unsafe OPENSSL_sk_new_null() else { throw .draining(what) }
        defer { unsafe OPENSSL_sk_free(extensions) }
        let names = hosts.map { "DNS:\($0)" }.joined(separator: ",")
        guard let alternatives = unsafe X509V3_EXT_nconf_nid(nil, nil, NID_subject_alt_name, names) else {
            throw .draining(what)
        }
        defer { unsafe X509_EXTENSION_free(alternatives) }
        guard unsafe OPENSSL_sk_push(extensions, UnsafeRawPointer(alternatives)) > 0,
            unsafe X509_REQ_set_version(request, Int(X509_REQ_VERSION_1)) == 1,
            unsafe X509_REQ_set_pubkey(request, key.key.pointer) == 1,
            unsafe X509_REQ_add_extensions(request, extensions) == 1,
            unsafe X509_REQ_sign(request, key.key.pointer, EVP_sha256()) > 0,
            let der = unsafe DER.encode({ unsafe i2d_X509_REQ(request, $0) })
        else { throw .draining(what) }
        return der
    }

    private static func isHost(_ name: String) -> Bool {
        HostName.isValid(Array(name.utf8.dropFirst(name.hasPrefix("*.") ? 2 : 0)).span)
    }
}
