// How one host stands: what it serves, whether that is what its files say, and who has looked at it.

public import Telemetry

public struct HostReport: Sendable, Equatable {
    /// As it was asked for.
    public var host: String
    /// The name by which it is configured; another one where a wildcard answers.
    public var name: String
    /// When this was true, in seconds since 1970.
    public var nowSeconds: Int64
    public var documents: [Document]
    /// Why an earlier version is served than there is on disk; none as a rule.
    public var reasons: [String]
    /// Nil where no TLS is spoken, none is needed, or no survey has come to it yet.
    public var certificate: CertificateReport?
    /// The latest first.
    public var verifiers: [VerifierRecord]
    /// Since when fetches of verifiers are recorded.
    public var recordedSinceSeconds: Int64

    /// An association file that it serves.
    public struct Document: Sendable, Equatable {
        public var kind: DocumentKind
        /// Its tags, with their quotes, of which the first is that of the plain form.
        public var entityTags: [String]

        public init(kind: DocumentKind, entityTags: [String]) {
            self.kind = kind
            self.entityTags = entityTags
        }
    }

    public init(
        host: String, name: String, nowSeconds: Int64, documents: [Document], reasons: [String],
        certificate: CertificateReport? = nil, verifiers: [VerifierRecord], recordedSinceSeconds: Int64
    ) {
        self.host = host
        self.name = name
        self.nowSeconds = nowSeconds
        self.documents = documents
        self.reasons = reasons
        self.certificate = certificate
        self.verifiers = verifiers
        self.recordedSinceSeconds = recordedSinceSeconds
    }

    /// What a verifier got when it was last here, compared with what it would get now.
    enum Outcome: Equatable {
        case current(isRepeated: Bool)
        case older(tag: String)
        case status(UInt16)
    }

    func outcome(of record: VerifierRecord) -> Outcome {
        guard record.status < 300 || record.status == 304, let tag = record.entityTag else {
            return .status(record.status)
        }
        let current = documents.first { $0.kind == record.document }?.entityTags ?? []
        return current.contains(tag) ? .current(isRepeated: record.status == 304) : .older(tag: tag)
    }
}
