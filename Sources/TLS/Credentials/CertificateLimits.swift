// The limits of everything about certificates, each with its unit and its reason.

/// Limits of certificates, their files and their cache.
public struct CertificateLimits: Hashable, Sendable {
    /// A chain of ten certificates with large RSA keys is 25 KB.
    public static let chainBytesMax = 64 * 1024
    /// The authorities of a whole machine are 220 KB.
    static let authoritiesBytesMax = 4 * 1024 * 1024
    /// A signature with twice the bits takes eight times as long: 4,096 bits cost 3 ms, 8,192 bits 20 ms of a worker's time.
    static let rsaBitsMax = 4096
    /// Usual public exponents have 17 bits. OpenSSL computes with the exponent in each handshake.
    static let rsaExponentBitsMax = 64
    /// An RSA key of 16,384 bits is 13 KB of PEM, and must be read to be rejected.
    static let keyBytesMax = 32 * 1024
    /// By default, OpenSSL's clients verify no longer chains.
    static let chainCertificatesMax = 16
    /// Wildcards are looked up for at most this many labels less one, so that a hostile name costs few look-ups.
    static let labelsMax = 16

    /// Hosts whose certificate stays decoded. Each needs 8 to 13 KB.
    public var identitiesMax = 10_000
    /// What they may take together, as estimated by `ServerIdentity.byteCount`. A tenant's certificate may have thousands of names, each
    /// of which takes 112 bytes decoded.
    public var identityBytesMax = 192 * 1024 * 1024
    /// Hosts whose certificate stays decoded although no client has needed it, so that it remains in service after a bad
    /// renewal: 10 MB.
    public var surveyedMax = 1_000
    /// Cached names without a folder of their own: enough for the names that scanners try, at most 2 MB.
    public var namesMax = 4096
    /// How long a result is used before the files are checked again, which takes a few `stat` calls.
    public var recheckMilliseconds: Int64 = 5000

    public init() {}
}
