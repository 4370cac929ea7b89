// A certificate's fault in the form that everything else is reported in.

public import Association
public import TLS

extension Finding {
    /// The finding for a certificate's fault. It concerns a file as a whole: nobody edits these line by line.
    public init(_ problem: CertificateProblem) {
        let severity: Severity =
            switch problem.severity {
            case .error: .error
            case .warning: .warning
            case .note: .note
            }
        self.init(
            rule: problem.id, severity: severity, file: problem.file, range: nil, message: problem.message,
            fix: problem.fix)
    }
}
