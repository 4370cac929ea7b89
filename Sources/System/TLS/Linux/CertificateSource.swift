// Where handshakes find certificates. The workers share one source; what it has to read first, the threads of a queue read.

public import Posix

/// The certificate for a name that a client asks for.
public enum CertificateLookup: Sendable {
    case identity(ServerIdentity)
    /// There is no certificate for the name: the alert is `unrecognized_name`.
    case missing
    /// The files cannot be used, and there is no earlier version of them.
    case broken(String)
}

/// The names that have to be read, and the handshakes that wait for them. The certificate is in the reply, because it may be evicted from
/// the cache meanwhile.
public typealias CertificateQueue = AnswerQueue<[UInt8], CertificateLookup>

/// Finds certificates. Calls instead of a protocol, because workers call no existential.
public struct CertificateSource: Sendable {
    /// Looks up a name in memory: in lower case, without a trailing dot. It may have any bytes; the empty name is for clients that
    /// send none. Nil if it has to be read first.
    let resolve: @Sendable (_ name: Span<UInt8>) -> KnownCertificate?
    /// What the queue is asked for a name.
    let key: @Sendable (_ name: Span<UInt8>) -> [UInt8]
    /// Reads what the queue is asked for.
    private let read: @Sendable (_ key: [UInt8]) -> CertificateLookup
    /// Whether a certificate for development can be made for a host.
    let isDevelopmentHost: @Sendable (_ host: String) -> Bool

    public init(
        resolve: @escaping @Sendable (Span<UInt8>) -> KnownCertificate?,
        key: @escaping @Sendable (Span<UInt8>) -> [UInt8],
        read: @escaping @Sendable ([UInt8]) -> CertificateLookup,
        isDevelopmentHost: @escaping @Sendable (String) -> Bool
    ) {
        (self.resolve, self.key, self.read, self.isDevelopmentHost) = (resolve, key, read, isDevelopmentHost)
    }

    /// A queue of names to read. Reading takes a millisecond, or much longer with a slow disk.
    public func makeQueue() throws(SystemError) -> CertificateQueue {
        try CertificateQueue(
            waitingMax: CertificateLimits.waitingMax, threads: (0..<3).map { "certificates \($0)" }, answer: read)
    }
}

/// A result in memory, and whether it should be compared with the disk in the background.
public typealias KnownCertificate = (lookup: CertificateLookup, isDue: Bool)
