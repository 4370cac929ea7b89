// The relations that Android uses, and their short names in app files.

/// The strings of a statement's `relation`.
public enum AndroidRelation {
    private static let prefix = "delegate_permission/common."

    public static let shortNames = [
        "handle_all_urls", "get_login_creds", "use_as_origin", "query_webapk", "share_location",
    ]
    static let known = shortNames.map { prefix + $0 }

    /// The relation in full; nil if it does not match Google's grammar: a word, a slash, and `[a-z0-9_.]+`.
    static func expanded(_ text: String) -> String? {
        if let index = shortNames.firstIndex(of: text) { return known[index] }
        let full = text.utf8.contains(UInt8(ascii: "/")) ? text : prefix + text
        return full.utf8.count <= 200 && StatementRelation.isWellFormed(full) ? full : nil
    }

    package static func shortened(_ relation: String) -> String {
        relation.begins(with: prefix) ? String(relation.dropFirst(prefix.count)) : relation
    }
}

/// Checks relations.
package enum StatementRelation {
    package static let handleAllURLs = AndroidApp.handleAllURLs
    package static let getLoginCredentials = "delegate_permission/common.get_login_creds"
    package static let queryWebAPK = "delegate_permission/common.query_webapk"

    /// Google's grammar has lower-case letters, digits, `_` and `.` on both sides of one slash.
    package static func isWellFormed(_ text: String) -> Bool {
        let parts = text.split(separator: "/", omittingEmptySubsequences: false)
        return parts.count == 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy { $0.isLowerLetter || $0.isDigit || $0 == "_" || $0 == "." }
            }
    }

    /// The problem of a relation; nil for one that Android uses.
    package static func problem(in text: String) -> TextProblem? {
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
            .dal007, "relation \(text.quoted) has no effect: no known consumer uses it",
            fix: nearest.map { "write \($0.quoted)" } ?? "check its spelling", replacement: nearest,
            severity: nearest == nil ? .warning : .error)
    }
}
