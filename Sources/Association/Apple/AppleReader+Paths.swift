// The legacy `paths`: strings, some of them with `NOT ` in front.

import SourceJSON

extension AppleReader {
    /// `paths`, and the places of what is no path; nil where it is no array.
    mutating func paths(
        _ value: SourceValue, defaults own: AppleComponent?
    ) -> (rules: [AppleLegacyPath], ignored: [Int])? {
        guard case .array(let elements) = value.kind else {
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            findings.report(
                .aasa031, at: value.range, "paths is \(value.spokenName) and must be an array of strings",
                fix: "write an array of strings", edit: edit)
            return nil
        }
        if elements.isEmpty {
            findings.report(
                .aasa028, at: value.range, "paths is empty, so nothing matches and no link opens the app",
                fix: "add paths such as \"*\", or remove the entry", severity: .warning)
        }
        // iOS 13 and later read paths with the defaults; that older systems do not is said where the defaults stand.
        let check = ApplePatternCheck(
            part: .legacyPath, percentEncoded: own?.percentEncoded ?? defaults?.percentEncoded ?? true,
            caseSensitive: own?.caseSensitive ?? defaults?.caseSensitive ?? true, variables: variableNames)
        let rules = elements.map { path($0, check) }
        return (rules.compactMap { $0 }, rules.indices.filter { rules[$0] == nil })
    }

    private mutating func path(_ value: SourceValue, _ check: ApplePatternCheck) -> AppleLegacyPath? {
        guard case .string(let text) = value.kind else {
            findings.report(
                .aasa031, at: value.range,
                "a path is \(value.spokenName), and what systems make of it is undocumented",
                fix: "write a string; objects belong into components")
            return nil
        }
        var pattern = text
        // The comparison of the prefix ignores case, as far as is known.
        let isExclude = text.lowercased().begins(with: "not ")
        if isExclude { pattern = text.dropping(firstBytes: 4) }
        reportNot(text, isExclude: isExclude, at: value.range)
        for var problem in check.problems(in: pattern) {
            problem.replacement = problem.replacement.map { isExclude ? "NOT " + $0 : $0 }
            findings.report(problem, at: value.range)
        }
        note(variablesOf: pattern, at: value.range)
        return AppleLegacyPath(text: text, pattern: pattern, exclude: isExclude, range: value.range)
    }

    private mutating func reportNot(_ text: String, isExclude: Bool, at range: SourceRange) {
        let lower = text.lowercased()
        if isExclude, !text.begins(with: "NOT ") {
            findings.report(
                .aasa071, at: range, "\(text.quoted) writes NOT in lower case, which is undocumented",
                fix: "write NOT in upper case",
                edit: SourceEdit(range: range, replacement: ("NOT " + text.dropping(firstBytes: 4)).jsonQuoted))
        } else if !isExclude, lower.begins(with: "not/") || lower.begins(with: "not*") {
            findings.report(
                .aasa071, at: range,
                "\(text.quoted) has no space after NOT, so it is an ordinary pattern, which excludes nothing",
                fix: "write NOT and a space",
                edit: SourceEdit(range: range, replacement: ("NOT " + text.dropping(firstBytes: 3)).jsonQuoted))
        }
    }
}
