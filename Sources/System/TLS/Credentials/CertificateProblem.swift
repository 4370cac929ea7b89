// One problem of a certificate, its key or their files. Lint prints it, loading throws it, and a running server logs it. Hosting
// converts it to a finding.

public import Posix

/// A problem of one host's certificate. It is thrown as an error if the certificate cannot be used at all.
public struct CertificateProblem: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Severity: String, Hashable, Sendable {
        case error
        case warning
        case note
    }

    public let kind: Kind
    public let file: String
    /// What is wrong and its consequence, in lower case and without a full stop.
    public var message: String
    /// What to do, in the same form.
    public let fix: String
    /// The error, when the process was out of descriptors or memory and the files may be fine.
    public let shortage: SystemError?
    /// That of its kind, unless it is less severe here.
    public let severity: Severity

    public init(
        _ kind: Kind, file: String, _ message: String, fix: String, shortage: SystemError? = nil,
        severity: Severity? = nil
    ) {
        self.shortage = shortage
        self.severity = severity ?? kind.severity
        (self.kind, self.file, self.message, self.fix) = (kind, file, message, fix)
    }

    /// Such as `CERT-005`.
    public var id: String { kind.rawValue }

    public var description: String { "\(file): \(severity.rawValue)[\(id)]: \(message); \(fix)" }

    /// The kinds; the raw value is the id of the lint rule.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        case unreadableFile = "CERT-001"
        case incompletePair = "CERT-002"
        case malformedCertificate = "CERT-003"
        case malformedKey = "CERT-004"
        case encryptedKey = "CERT-005"
        case keyMismatch = "CERT-006"
        case weakKey = "CERT-007"
        case weakSignature = "CERT-008"
        case expired = "CERT-009"
        case notYetValid = "CERT-010"
        case nameNotCovered = "CERT-011"
        case notForServers = "CERT-012"
        case lifeBelowTenth = "CERT-013"
        case lifeBelowQuarter = "CERT-014"
        case missingIntermediate = "CERT-015"
        case chainOrder = "CERT-016"
        case strayCertificate = "CERT-017"
        case selfSigned = "CERT-018"
        case unusualKey = "CERT-019"
        case unusedPair = "CERT-020"
        case keyReadableByOthers = "CERT-021"
        case folderName = "CERT-022"
        case rootIncluded = "CERT-023"
        case filesGone = "CERT-024"
        case missing = "CERT-025"

        public var severity: Severity {
            switch self {
            case .unreadableFile, .incompletePair, .malformedCertificate, .malformedKey, .encryptedKey, .keyMismatch,
                .weakKey, .weakSignature, .expired, .notYetValid, .nameNotCovered, .notForServers,
                .lifeBelowTenth, .filesGone, .missing:
                .error
            case .lifeBelowQuarter, .missingIntermediate, .chainOrder, .strayCertificate, .selfSigned, .unusualKey,
                .unusedPair, .keyReadableByOthers, .folderName:
                .warning
            case .rootIncluded: .note
            }
        }

        /// Whether the files cannot be used.
        public var isFailureToLoad: Bool {
            switch self {
            case .unreadableFile, .incompletePair, .malformedCertificate, .malformedKey, .encryptedKey, .keyMismatch:
                true
            default: false
            }
        }

        /// Whether every client rejects a certificate with this problem, so that it must not replace a better one.
        public var isRefusedByClients: Bool {
            switch self {
            case .expired, .notYetValid, .nameNotCovered, .notForServers: true
            default: false
            }
        }
    }
}

extension CertificateProblem {
    /// A file that cannot be read.
    public init(reading what: String, _ path: String, _ error: FileError) {
        self.init(
            .unreadableFile, file: path,
            error.leadsOutside
                ? "\(what) is not read, because it is a link to a place outside the host's own folder"
                : "\(what) cannot be read: \(error)",
            fix: error.leadsOutside
                ? "put the file itself there, or list its folder under `linkTargets` in server.json"
                : "make it a regular file that the server's user can read", shortage: error.shortage)
    }

    /// A host's folder that cannot be opened.
    public init(folder path: String, _ error: FileError) {
        self.init(
            .unreadableFile, file: path,
            error.leadsOutside
                ? "the certificate is not read, because the host's folder is a link to another place"
                : "the host's folder cannot be opened: \(error)",
            fix: error.leadsOutside
                ? "make it a folder, or list that place under `linkTargets` in server.json"
                : "let the server's user read that folder and those above it", shortage: error.shortage)
    }
}
