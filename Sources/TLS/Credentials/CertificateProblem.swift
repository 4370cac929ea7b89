// One fault of a certificate, its key or their files: a value that lint prints, that loading throws, and that a running
// server queues for its log. Hosting turns it into a finding.

public import Posix

/// What is wrong with one host's certificate. Also an error, for where it keeps the certificate from being used at all.
public struct CertificateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Severity: String, Hashable, Sendable {
        case error
        case warning
        case note
    }

    public let kind: Kind
    /// The file it was found in.
    public let file: String
    /// What is wrong and why, in lower case and without a full stop.
    public let message: String
    /// What to do, in the same form.
    public let fix: String
    /// What the kernel said, when it was short of something and the files may be as good as ever.
    public let shortage: SystemError?

    init(_ kind: Kind, file: String, _ message: String, fix: String, shortage: SystemError? = nil) {
        self.shortage = shortage
        self.kind = kind
        self.file = file
        self.message = message
        self.fix = fix
    }

    /// Such as `CERT-005`.
    public var id: String { kind.rawValue }
    public var severity: Severity { kind.severity }

    public var description: String { "\(file): \(severity.rawValue)[\(id)]: \(message); \(fix)" }

    /// The raw value is the id of the rule.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case unreadableFile = "CERT-001"
        case incompletePair = "CERT-002"
        case malformedCertificate = "CERT-003"
        case malformedKey = "CERT-004"
        case passphrase = "CERT-005"
        case keyMismatch = "CERT-006"
        case weakKey = "CERT-007"
        case weakSignature = "CERT-008"
        case expired = "CERT-009"
        case notYetValid = "CERT-010"
        case nameNotCovered = "CERT-011"
        case notForServers = "CERT-012"
        case expiresWithinDays = "CERT-013"
        case expiresWithinWeeks = "CERT-014"
        case missingIntermediate = "CERT-015"
        case chainOrder = "CERT-016"
        case strayCertificate = "CERT-017"
        case selfSigned = "CERT-018"
        case unusualKey = "CERT-019"
        case sameKeyTwice = "CERT-020"
        case keyReadableByOthers = "CERT-021"
        case folderName = "CERT-022"
        case rootIncluded = "CERT-023"
        case filesGone = "CERT-024"
        case missing = "CERT-025"

        public var severity: Severity {
            switch self {
            case .unreadableFile, .incompletePair, .malformedCertificate, .malformedKey, .passphrase, .keyMismatch,
                .weakKey, .weakSignature, .expired, .notYetValid, .nameNotCovered, .notForServers,
                .expiresWithinDays, .filesGone, .missing:
                .error
            case .expiresWithinWeeks, .missingIntermediate, .chainOrder, .strayCertificate, .selfSigned, .unusualKey,
                .sameKeyTwice, .keyReadableByOthers, .folderName:
                .warning
            case .rootIncluded: .note
            }
        }

        /// Whether the files cannot be used at all.
        public var isFailureToLoad: Bool {
            switch self {
            case .unreadableFile, .incompletePair, .malformedCertificate, .malformedKey, .passphrase, .keyMismatch: true
            default: false
            }
        }

        /// Whether every client refuses a certificate with this fault, so that one without it is better kept.
        var isRefusedByClients: Bool {
            switch self {
            case .expired, .notYetValid, .nameNotCovered, .notForServers: true
            default: false
            }
        }
    }
}
