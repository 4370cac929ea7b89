// The findings of one file while it is read. Severities come from the rules, and the number of findings is limited, so that a
// hostile file cannot cause a million of them.

package import SourceJSON

/// The findings of one file while it is being read.
package struct FindingList: Sendable {
    package let file: String
    /// The text of the ranges, as UTF-8 without its byte order mark; for edits that move text.
    package var text: [UInt8] = []
    private var errors: [Finding] = []
    private var others: [Finding] = []
    private var reportedOnce: Set<RuleID> = []
    private var lookUpsLeft = 2 * findingsMax

    /// More are of no use to a reader. Errors are counted separately, so that notes cannot displace them.
    package static let findingsMax = 500

    package init(file: String) { self.file = file }

    package var sorted: [Finding] { (errors + others).sortedInFile }

    package var hasErrors: Bool { !errors.isEmpty }

    /// Whether another error would be kept. If not, further checks are useless.
    package var hasRoom: Bool { errors.count < Self.findingsMax }

    /// Whether there is a finding inside a range, of one rule or of any.
    package func hasFinding(_ rule: RuleID? = nil, within range: SourceRange?) -> Bool {
        guard let range else { return false }
        return (errors + others).contains { finding in
            (rule == nil || finding.rule == rule) && finding.range.map(range.contains) == true
        }
    }

    package mutating func report(
        _ rule: RuleID, at range: SourceRange?, _ message: String, fix: String? = nil, edit: SourceEdit? = nil,
        severity: Severity? = nil, isFatal: Bool = false
    ) {
        var finding = Finding(
            rule: rule, severity: severity, file: file, range: range,
            message: message, fix: fix, edit: edit)
        finding.isFatal = isFatal
        report(finding)
    }

    /// Adds a finding that was made elsewhere.
    package mutating func report(_ finding: Finding) {
        if finding.severity == .error {
            if errors.count < Self.findingsMax { errors.append(finding) }
        } else if others.count < Self.findingsMax {
            others.append(finding)
        }
    }

    /// The known key that was probably meant. The number of look-ups is limited, because a file with a hundred thousand
    /// unknown keys has no misspelt ones.
    package mutating func nearest(_ key: String, among known: [String]) -> String? {
        guard lookUpsLeft > 0 else { return nil }
        lookUpsLeft -= 1
        return NearestKey.find(key, among: known)
    }

    /// Adds a consequence to an error about a value or a part of it. With `raising`, adds it to any finding about exactly that
    /// value, which then becomes an error. False if there is no such finding.
    package mutating func extend(at range: SourceRange, with consequence: String, raising: Bool) -> Bool {
        if let index = errors.firstIndex(where: { $0.range.map(range.contains) == true }) {
            errors[index].message += "; \(consequence)"
            return true
        }
        guard raising, let index = others.firstIndex(where: { $0.range == range }) else { return false }
        var finding = others.remove(at: index)
        finding.severity = .error
        finding.message += "; \(consequence)"
        report(finding)
        return true
    }

    /// Reports a rule only at its first place in the file.
    package mutating func reportOnce(_ rule: RuleID, at range: SourceRange?, _ message: String, fix: String? = nil) {
        guard reportedOnce.insert(rule).inserted else { return }
        report(rule, at: range, message, fix: fix)
    }

    /// Reports a problem of a string, at the string.
    package mutating func report(_ problem: TextProblem, at range: SourceRange) {
        report(
            problem.rule, at: range, problem.message, fix: problem.fix,
            edit: problem.replacement.map {
                SourceEdit(range: range, replacement: $0.jsonQuoted, changesMeaning: problem.changesMeaning)
            }, severity: problem.severity)
    }

    /// An edit that adds text around a range: `"x"` becomes `["x"]`. Nil if the range is outside the text.
    package func wrapping(
        _ range: SourceRange, in before: String, _ after: String, changesMeaning: Bool = false
    ) -> SourceEdit? {
        let (start, end) = (range.start.offset, range.end.offset)
        guard start >= 0, start <= end, end <= text.count else { return nil }
        return SourceEdit(
            range: range, replacement: before + String(decoding: text[start..<end], as: UTF8.self) + after,
            changesMeaning: changesMeaning)
    }

    /// Adds the problems of a document as findings, and keeps its text for edits.
    package mutating func takeProblems(of document: SourceDocument, as family: RuleID.Family) {
        text = document.text
        let isApple = family == .apple
        let readers = isApple ? "Apple ignores" : "Google, Android and Chromium ignore"
        var isFirst = true
        for problem in document.problems {
            let rule = rule(for: problem, isApple: isApple)
            let message =
                problem.isError && isFirst ? "\(problem.message), so \(readers) the whole file" : problem.message
            if problem.isError { isFirst = false }
            report(
                rule, at: problem.range, message, fix: problem.fix, edit: problem.edit,
                severity: problem.isError ? .error : .warning, isFatal: problem.isError)
        }
    }

    private func rule(for problem: SourceProblem, isApple: Bool) -> RuleID {
        switch problem.kind {
        case .duplicateKey: isApple ? .aasa007 : .dal042
        case .byteOrderMark: isApple ? .aasa004 : .ghst014
        case .otherEncoding, .invalidEncoding: isApple ? .aasa003 : .dal001
        case .tooLarge: isApple ? .aasa005 : .ghst006
        default: isApple ? .aasa001 : .dal001
        }
    }

    /// Reports a rule, called by its noun, without any part to compare.
    package mutating func reportRuleWithoutPattern(_ noun: String, excludes: Bool, at range: SourceRange) {
        report(
            .aasa030, at: range,
            "the \(noun) has no \"/\", \"?\" or \"#\", so it \(excludes ? "excludes" : "matches") every URL of the host",
            fix: "add a pattern, or write {\"/\": \"*\"} if you mean every URL")
    }

    /// Reports a pattern for a query parameter that any URL matches.
    package mutating func reportLoneStar(_ pattern: String, at range: SourceRange) {
        guard !pattern.isEmpty, pattern.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) else { return }
        report(
            .aasa057, at: range,
            "the pattern * always matches, even without the parameter, which then counts as empty",
            fix: "write ?* to require the parameter, or remove it from the rule",
            edit: SourceEdit(range: range, replacement: "?*".jsonQuoted, changesMeaning: true))
    }

    /// Reports a pattern for the whole query that one more parameter prevents from matching.
    package mutating func reportWholeQuery(_ pattern: String, at range: SourceRange) {
        if !pattern.isEmpty, pattern.unicodeScalars.allSatisfy({ $0.isLetter || $0.isDigit || $0 == "_" || $0 == "-" })
        {
            return report(
                .aasa058, at: range,
                "a string is compared with the whole query, so it matches only a URL that ends in ?\(pattern), without a value",
                fix: "if \(pattern.quoted) is a parameter, write { \(pattern.jsonQuoted): \"?*\" }")
        }
        guard pattern.utf8.contains(UInt8(ascii: "=")), !pattern.ends(with: "*") else { return }
        report(
            .aasa058, at: range,
            "a string is compared with the whole query, so a URL with one more parameter, such as a campaign tag, does "
                + "not match",
            fix: "write an object of names and patterns")
    }
}

extension SourceDocument {
    /// Whether its value is the intended one, perhaps after edits without an alternative. Other values are guesses, and
    /// findings about them would be noise.
    var isWorthLinting: Bool {
        value != nil && problems.allSatisfy { !$0.isError || $0.edit != nil || $0.kind == .otherEncoding }
    }
}
