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
}
