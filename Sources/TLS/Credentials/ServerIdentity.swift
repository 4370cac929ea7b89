// The certificate of one host with its chain and key, or an ECDSA and an RSA certificate, of which OpenSSL uses the one that the
// client supports. Decoded once, immutable, shared by all workers.

/// A host's credentials for handshakes.
public final class ServerIdentity: Sendable {
    let first: Credentials
    let second: Credentials?
    /// Problems of the files with which they can still be used.
    public let problems: [CertificateProblem]

    /// When the first of its certificates expires, in seconds since 1970.
    public let notAfter: Int64

    /// Whether there is a second pair that cannot be used.
    let isPartial: Bool

    /// - Parameter fault: why the second pair cannot be used.
    init(_ first: Credentials, _ second: Credentials?, fault: CertificateProblem? = nil) {
        (self.first, self.second, isPartial) = (first, second, fault != nil)
        problems = first.problems + [fault].compactMap(\.self) + (second?.problems ?? [])
        notAfter = min(first.certificate.notAfter, second?.certificate.notAfter ?? .max)
    }

    private var pairs: [Credentials] { [first] + [second].compactMap(\.self) }

    /// Reads one pair of files, for a signer or a command. Hosts' certificates come from the `CertificateStore`.
    public convenience init(
        certificateFile: String, keyFile: String, passphrase: Passphrase? = nil
    ) throws(CertificateProblem) {
        self.init(
            try Credentials(
                certificateFile: certificateFile, keyFile: keyFile, passphrase: passphrase, pool: ChainPool()), nil)
    }

    /// The facts of each of the host's own certificates, without the chains.
    public var facts: [CertificateFacts] {
        pairs.map { $0.certificate.facts }
    }

    /// The file of its certificates.
    func certificateFile(ofSecondPair isOfSecondPair: Bool) -> String {
        (isOfSecondPair ? second : nil)?.certificateFile ?? first.certificateFile
    }

    /// Sets the credentials for one connection (an `SSL *`), in a callback of its handshake. False when OpenSSL rejects them; its
    /// reasons are then in this thread's queue. Takes 1.5 to 4 µs for each pair.
    func apply(to ssl: OpaquePointer) -> Bool {
        unsafe first.apply(to: ssl) && second?.apply(to: ssl) != false
    }
}
