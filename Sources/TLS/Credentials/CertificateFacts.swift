// A certificate's own words as plain values, for logs, commands and checks outside this module.

/// The facts of one certificate.
public struct CertificateFacts: Hashable, Sendable {
    /// In the form of RFC 4514, such as `CN=shop.example.com`.
    public var subject: String
    public var issuer: String
    /// The DNS names and addresses it is for, in lower case.
    public var names: [String]
    /// Seconds since 1970.
    public var notBefore: Int64
    public var notAfter: Int64
    public var isSelfSigned: Bool
    public var key: KeyKind
    /// The bytes of the number that its issuer gave it.
    public var serial: [UInt8]
    /// SHA-256 over the DER form.
    public var fingerprint: [UInt8]
}
