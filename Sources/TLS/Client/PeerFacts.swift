// What a client learns about a server in a handshake, as values: the version that was agreed on, the certificates that were
// sent, and what is wrong with them in the eyes of those who fetch association files.

/// One server as it showed itself.
public struct PeerFacts: Sendable {
    /// Such as `TLSv1.3`.
    public var version: String
    /// Whether the version is one that current clients refuse: below 1.2.
    public var isOutdated: Bool
    public var cipher: String
    /// What was sent, the host's own certificate first.
    public var certificates: [CertificateFacts]
    public var problem: Problem?

    /// Why a client would not trust the server.
    public struct Problem: Hashable, Sendable {
        public var kind: Kind
        public var message: String

        public enum Kind: Sendable {
            case expired
            case notYetValid
            case wrongName
            case selfSigned
            /// The chain ends at a certificate whose issuer was not sent, though it says where to get it.
            case missingIntermediate
            case unknownAuthority
            case weak
            case other
        }
    }
}
