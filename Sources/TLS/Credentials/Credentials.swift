// One certificate with its chain and its key, known to belong together: what a TLS session or a signer works with.

import COpenSSL
import Posix

/// A host's certificate, the intermediates to send with it, and the private key.
struct Credentials: ~Copyable, Sendable {
    let certificate: Certificate
    let chain: CertificateChain?
    let key: PrivateKey

    /// What is odd about the files without keeping them from being used.
    let problems: [CertificateProblem]
    let certificateFile: String
    let keyFile: String

    /// Sets the pair for one connection. It takes its place beside a pair of the other algorithm.
    /// The corresponding C function is `SSL_use_cert_and_key`.
    func apply(to ssl: OpaquePointer) -> Bool {
        SSL_use_cert_and_key(ssl, certificate.pointer, key.pointer, chain?.stack, 1) == 1
    }
}
