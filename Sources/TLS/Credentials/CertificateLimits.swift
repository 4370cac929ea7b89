// The bounds of everything to do with certificates, each with its unit and its reason.

/// Limits of certificates, their files and their cache.
public struct CertificateLimits: Hashable, Sendable {
    /// A chain of ten certificates with large RSA keys is 25 KB.
    static let chainBytesMax = 256 * 1024
    /// The authorities of a whole machine are 220 KB.
    static let authoritiesBytesMax = 4 * 1024 * 1024
    /// A signature with twice the bits takes eight times as long: 4,096 bits cost 3 ms, 8,192 bits 20 ms of a worker's time.
    static let rsaBitsMax = 4096
    /// Public exponents in use have 17 bits. OpenSSL computes with it in each handshake.
    static let rsaExponentBitsMax = 64
    /// An RSA key of 16,384 bits is 13 KB of PEM, and has to be read to be refused.
    static let keyBytesMax = 32 * 1024
    /// As much as OpenSSL takes.
    static let passphraseBytesMax = 1024
    /// Rounds of PBKDF2 for opening a key: about a second. Six hundred thousand are recommended today.
    static let derivationRoundsMax: UInt64 = 2_000_000
    /// Rounds that cost no more than reading an unprotected key does.
    static let derivationRoundsQuickMax: UInt64 = 10_000
    /// N × r × p of scrypt: about a second; openssl writes 131,072.
    static let scryptWorkMax: UInt64 = 1 << 21
    /// 128 × N × r bytes are what scrypt needs, and what OpenSSL gives it.
    static let scryptMemoryBytesMax: UInt64 = 32 * 1024 * 1024
    /// OpenSSL's clients verify no longer chains by default.
    static let chainCertificatesMax = 16
    /// Wildcards are looked for over so many of a name's parents less one, so that a hostile name costs few look-ups.
    static let labelsMax = 16

    /// Hosts whose certificate stays decoded. Each takes 8 to 13 KB.
    public var identitiesMax = 10_000
    /// Hosts whose certificate is kept though no client has asked for it, so that a bad renewal leaves it in service: 10 MB.
    public var surveyedMax = 1_000
    /// Names without a folder of their own that are remembered: enough for what scanners ask for, 2 MB at the very most.
    public var namesMax = 4096
    /// How long an answer is trusted before the files are looked at again, which takes a few `stat`.
    public var recheckMilliseconds: Int64 = 5000

    public init() {}
}
