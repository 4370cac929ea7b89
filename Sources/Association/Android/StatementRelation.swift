// The strings of a statement's `relation`: a kind, a slash, and a detail.

/// Checks relations.
enum StatementRelation {
    static let handleAllURLs = AndroidApp.handleAllURLs
    static let getLoginCredentials = "delegate_permission/common.get_login_creds"
    static let queryWebAPK = "delegate_permission/common.query_webapk"

    /// Google's grammar has lower-case letters, digits, `_` and `.` on both sides of one slash.
    static func isWellFormed(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy { $0.isLowerLetter || $0.isDigit || $0 == "_" || $0 == "." }
            }
    }

    /// What is wrong with a relation; nil for one that something reads.
    static func problem(in text: String) -> TextProblem? {
        let known = AndroidRelation.known
        if known.contains(text) { return nil }
        let nearest =
            known.first { $0 == "delegate_permission/common." + text }
            ?? NearestKey.find(text, among: known) ?? (text.contains(run: "handle_all") ? handleAllURLs : nil)
        guard isWellFormed(text) else {
            let reason: String
            if text.contains(run: "*") {
                reason = "has a wildcard"
            } else if !text.contains(run: "/") {
                reason = "has no kind before a slash"
            } else if text.unicodeScalars.contains(where: \.isUpperLetter) {
                reason = "has upper-case letters"
            } else {
                reason = "is not kind/detail"
            }
            return TextProblem(
                .dal006,
                "relation \(text.quoted) \(reason), so Google rejects the statement",
                fix: nearest.map { "write \($0.quoted)" } ?? "write it like \(handleAllURLs.quoted)",
                replacement: nearest)
        }
        return TextProblem(
            .dal007, "relation \(text.quoted) is accepted, but no known consumer looks for it",
            fix: nearest.map { "write \($0.quoted)" } ?? "check its spelling", replacement: nearest,
            severity: nearest == nil ? .warning : .error)
    }
}
