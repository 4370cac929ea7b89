// What is said of patterns in association files and in app files alike.

import SourceJSON

extension FindingList {
    /// A rule, called by its noun, that looks at no part of the URL.
    mutating func reportRuleWithoutPattern(_ noun: String, excludes: Bool, at range: SourceRange) {
        report(
            .aasa030, at: range,
            "the \(noun) has no \"/\", \"?\" or \"#\", so it \(excludes ? "excludes" : "matches") every URL of the host",
            fix: "add a pattern, or write {\"/\": \"*\"} to say that it is meant")
    }

    /// A pattern for a query item that asks for nothing.
    mutating func reportLoneStar(_ pattern: String, at range: SourceRange) {
        guard !pattern.isEmpty, pattern.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) else { return }
        report(
            .aasa057, at: range,
            "the pattern * requires nothing: an item that the URL lacks counts as empty, and * matches that",
            fix: "write ?* to require the item, or remove it",
            edit: SourceEdit(range: range, replacement: "?*".jsonQuoted))
    }

    /// A pattern for the whole query that one more parameter defeats.
    mutating func reportWholeQuery(_ pattern: String, at range: SourceRange) {
        guard pattern.utf8.contains(UInt8(ascii: "=")), !pattern.ends(with: "*") else { return }
        report(
            .aasa058, at: range,
            "a query in string form has to equal the whole query, so one more parameter, such as a campaign tag, and "
                + "it no longer matches",
            fix: "write an object of names and patterns")
    }
}
