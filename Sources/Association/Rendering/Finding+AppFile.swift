// Findings that are made after reading.

import SourceJSON

extension Finding {
    /// A finding about an app file that has been read.
    init(
        _ rule: RuleID, in app: AppFile, at range: SourceRange?, _ message: String, fix: String? = nil,
        severity: Severity? = nil
    ) {
        self.init(rule: rule, severity: severity, file: app.file, range: range, message: message, fix: fix)
    }
}
