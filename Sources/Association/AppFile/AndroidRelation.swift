// The relations that something on Android reads, and their short names in app files.

/// The strings of a statement's `relation`.
public enum AndroidRelation {
    private static let prefix = "delegate_permission/common."

    public static let shortNames = [
        "handle_all_urls", "get_login_creds", "use_as_origin", "query_webapk", "share_location",
    ]
    static let known = shortNames.map { prefix + $0 }

    /// The relation in full; nil when Google's grammar has no place for it: a word, a slash, and `[a-z0-9_.]+`.
    static func expanded(_ text: String) -> String? {
        if let index = shortNames.firstIndex(of: text) { return known[index] }
        let full = text.utf8.contains(UInt8(ascii: "/")) ? text : prefix + text
        let parts = full.split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, full.utf8.count <= 200 else { return nil }
        let isWord = { (part: Substring) in
            !part.isEmpty
                && part.unicodeScalars.allSatisfy { $0.isLowerLetter || $0.isDigit || $0 == "_" || $0 == "." }
        }
        return parts.allSatisfy(isWord) ? full : nil
    }

    static func shortened(_ relation: String) -> String {
        relation.begins(with: prefix) ? String(relation.dropFirst(prefix.count)) : relation
    }
}
