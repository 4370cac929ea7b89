// What one host shows in a handshake: its certificate with chain and key, or two of them, ECDSA and RSA side by side, of
// which OpenSSL takes the one that the client can read. Decoded once, never changed, shared by all workers.

/// A host's credentials, ready for a handshake.
public final class ServerIdentity: Sendable {
    let first: Credentials
    let second: Credentials?
    /// What is odd about the files without keeping them from being used.
    public let problems: [CertificateProblem]

    /// When the first of its certificates ends, in seconds since 1970.
    public let notAfter: Int64

    /// Whether there is a second pair that could not be used.
    let isPartial: Bool

    /// - Parameter fault: what keeps the second pair from being used.
    init(_ first: consuming Credentials, _ second: consuming Credentials?, fault: CertificateProblem? = nil) {
        isPartial = fault != nil
        var problems = first.problems + [fault].compactMap { $0 }
        var notAfter = first.certificate.notAfter
        switch second {
        case .some(let other):
            problems += other.problems
            notAfter = min(notAfter, other.certificate.notAfter)
        case .none: break
        }
        self.problems = problems
        self.notAfter = notAfter
        self.first = first
        self.second = second
    }

    /// Reads one pair of files, for a signer or a command; a host's own come from the `CertificateStore`.
    public convenience init(
        certificateFile: String, keyFile: String, passphrase: Passphrase? = nil
    ) throws(CertificateProblem) {
        self.init(
            try Credentials(
                certificateFile: certificateFile, keyFile: keyFile, passphrase: passphrase, pool: ChainPool()), nil)
    }

    /// The facts of each certificate that clients may see, without the chains.
    public var facts: [CertificateFacts] {
        var facts = [first.certificate.facts]
        switch second {
        case .some(let other): facts.append(other.certificate.facts)
        case .none: break
        }
        return facts
    }

    /// Where its certificates are.
    func certificateFile(ofSecondPair isOfSecondPair: Bool) -> String {
        switch second {
        case .some(let other) where isOfSecondPair: other.certificateFile
        default: first.certificateFile
        }
    }

    public var chainCount: Int { first.chain?.count ?? 0 }

    /// Sets the credentials for one connection (an `SSL *`), in a callback of its handshake. False when OpenSSL refuses
    /// them; its reasons are then on this thread's queue. Takes 1.5 to 4 µs for each pair.
    func apply(to ssl: OpaquePointer) -> Bool {
        guard unsafe first.apply(to: ssl) else { return false }
        switch second {
        case .some(let other): return unsafe other.apply(to: ssl)
        case .none: return true
        }
    }
}
