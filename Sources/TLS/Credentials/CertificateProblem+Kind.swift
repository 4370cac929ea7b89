// The kinds of fault, with the id and the severity that each always has. A table: it reads best whole.

extension CertificateProblem {
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
