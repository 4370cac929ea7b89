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
    public static let keyBytesMax = 32 * 1024
    /// By default, OpenSSL's clients verify no longer chains.
    static let chainCertificatesMax = 16
    /// Wildcards are looked up for at most this many labels less one, so that a hostile name costs few look-ups.
    public static let labelsMax = 16

    /// Names that are kept of a certificate for many hosts, beside the certificate. Authorities allow 100 to 1,000.
    static let keptNamesMax = 1_000
    /// What a certificate in memory counts at least: a usual one takes 8 to 13 KB. So the use decides between two usual ones, and not
    /// a few bytes.
    public static let identityUnitBytes = 16 * 1024
    /// The most that a reading takes while it lasts: a file with 16,000 short names, each of which takes 112 bytes decoded.
    static let readingBytesMax = 2 * 1024 * 1024
    /// Threads that read certificates: those of the queue, and the survey.
    static let readingsMax = 4
    /// Less would be room for a few hosts only.
    static let bytesMin = 12 * 1024 * 1024
    /// Handshakes that wait for the disk: with a reading of a millisecond, the last one waits for a third of a second.
    public static let waitingMax = 1_024

    /// What certificates in memory and readings may take together, as estimated by `ServerIdentity.byteCount`.
    public var bytesMax = 192 * 1024 * 1024
    /// What is left of it for those in memory that served hosts need.
    public var cachedBytesMax: Int {
        bytesMax - CertificateLimits.readingsMax * CertificateLimits.readingBytesMax
            - othersMax * CertificateLimits.identityUnitBytes
    }
    /// Hosts whose certificate stays decoded although no client has needed it, so that it remains in service after a bad
    /// renewal: 10 MB.
    public var surveyedMax = 1_000
    /// Copies of last good certificates in the state directory, each of 16 KiB or several times that.
    public var keptMax = 1_000
    /// Certificates in memory of folders that no served host needs, which clients can ask for too, each of 16 KiB or several times
    /// that.
    public var othersMax = 64
    /// How long a result is used before the files are checked again, which takes a few `stat` calls.
    public var recheckMilliseconds: Int64 = 5000

    public init() {}

    /// The limits for a process with this much memory: a quarter of it, and with connections never more than three quarters.
    public init(memoryBytes: Int, connectionBytes: Int) {
        let left = min(memoryBytes / 4, memoryBytes / 4 * 3 - connectionBytes)
        bytesMax = min(bytesMax, max(CertificateLimits.bytesMin, left))
    }
}
