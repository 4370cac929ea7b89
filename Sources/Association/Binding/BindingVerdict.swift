// Whether an app is bound to a file, in the eyes of one reader of it.

import SourceJSON

/// What one reader says.
public struct BindingVerdict: Hashable, Sendable {
    public let kind: Kind
    public let reason: String

    /// The three answers there are, by the names that programs know them by.
    public enum Kind: String, Hashable, Sendable {
        case verified
        case notVerified = "not-verified"
        /// The reader takes nothing of the file, whatever it says of the app.
        case fileRejected = "file-rejected"
    }

    public init(_ kind: Kind, _ reason: String) {
        self.kind = kind
        self.reason = reason
    }

    /// A file that cannot be read, by what makes it unreadable.
    static func rejected(_ findings: [Finding]) -> BindingVerdict {
        guard
            let finding = findings.first(where: \.isFatal) ?? findings.first(where: { $0.severity == .error })
                ?? findings.first
        else {
            return BindingVerdict(.fileRejected, "it cannot be read")
        }
        let place = finding.range.map { "line \($0.start.line): " } ?? ""
        return BindingVerdict(.fileRejected, place + finding.message)
    }
}
