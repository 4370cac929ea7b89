// Where the readers put what they find. It knows the file's name and its text, takes the severity from the catalogue,
// and keeps a hostile file from producing a million findings.

package import SourceJSON

/// The findings of one file while it is being read.
package struct FindingList: Sendable {
    package let file: String
    /// The text that the ranges lie in, as UTF-8 without its byte order mark; the source of edits that move text.
    package var text: [UInt8] = []
    private var errors: [Finding] = []
    private var others: [Finding] = []
    private var reportedOnce: Set<RuleID> = []
    private var lookUpsLeft = 2 * findingsMax

    /// More than this nobody reads. Errors are counted apart, so that notes cannot crowd one out.
    package static let findingsMax = 500

    package init(file: String) { self.file = file }

    /// All findings, sorted.
    package var sorted: [Finding] { (errors + others).sortedInFile }

    package var hasErrors: Bool { !errors.isEmpty }

    /// Whether another error would still be kept. Where it would not, looking for more is in vain.
    package var hasRoom: Bool { errors.count < Self.findingsMax }

    /// Whether something was found inside a range, by one rule or by any.
    package func hasFinding(_ rule: RuleID? = nil, within range: SourceRange?) -> Bool {
        guard let range else { return false }
        return (errors + others).contains { finding in
            guard let place = finding.range, rule == nil || finding.rule == rule else { return false }
            return place.start.offset >= range.start.offset && place.end.offset <= range.end.offset
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

    /// For a finding that was made elsewhere.
    package mutating func report(_ finding: Finding) {
        if finding.severity == .error {
            if errors.count < Self.findingsMax { errors.append(finding) }
        } else if others.count < Self.findingsMax {
            others.append(finding)
        }
    }

    /// The known key that was probably meant. For as many keys as there can be findings about them: a file with a
    /// hundred thousand unknown keys is not misspelt.
    package mutating func nearest(_ key: String, among known: [String]) -> String? {
        guard lookUpsLeft > 0 else { return nil }
        lookUpsLeft -= 1
        return NearestKey.find(key, among: known)
    }

    /// Adds a consequence to the error that was reported about a value or a part of it, and with `raising` to any finding
    /// about exactly that value, which then is an error. False where there is none.
    package mutating func extend(at range: SourceRange, with consequence: String, raising: Bool) -> Bool {
        func isInside(_ finding: Finding) -> Bool {
            guard let place = finding.range else { return false }
            return place.start.offset >= range.start.offset && place.end.offset <= range.end.offset
        }
        if let index = errors.firstIndex(where: isInside) {
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

    /// For what is worth saying once in a file, at its first place.
    package mutating func reportOnce(_ rule: RuleID, at range: SourceRange?, _ message: String, fix: String? = nil) {
        guard reportedOnce.insert(rule).inserted else { return }
        report(rule, at: range, message, fix: fix)
    }

    /// What a check of a single string said, at the string.
    package mutating func report(_ problem: TextProblem, at range: SourceRange) {
        report(
            problem.rule, at: range, problem.message, fix: problem.fix,
            edit: problem.replacement.map { SourceEdit(range: range, replacement: $0.jsonQuoted) },
            severity: problem.severity)
    }

    /// The text of a range with something put around it: `"x"` becomes `["x"]`. Nil where the text is not at hand.
    package func wrapping(_ range: SourceRange, in before: String, _ after: String) -> SourceEdit? {
        let (start, end) = (range.start.offset, range.end.offset)
        guard start >= 0, start <= end, end <= text.count else { return nil }
        return SourceEdit(
            range: range, replacement: before + String(decoding: text[start..<end], as: UTF8.self) + after)
    }

    /// Takes over the text, for edits, and the problems as findings.
    package mutating func takeProblems(of document: SourceDocument, as family: RuleID.Family) {
        text = document.text
        let isApple = family == .apple
        let consequence =
            isApple
            ? "Apple's systems then read nothing of the file"
            : "Google, Android and Chromium then read nothing of the file"
        var isFirst = true
        for problem in document.problems {
            let rule = rule(for: problem, isApple: isApple)
            let message = problem.isError && isFirst ? "\(problem.message); \(consequence)" : problem.message
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

    /// A rule, called by its noun, that looks at no part of the URL.
    package mutating func reportRuleWithoutPattern(_ noun: String, excludes: Bool, at range: SourceRange) {
        report(
            .aasa030, at: range,
            "the \(noun) has no \"/\", \"?\" or \"#\", so it \(excludes ? "excludes" : "matches") every URL of the host",
            fix: "add a pattern, or write {\"/\": \"*\"} to say that it is meant")
    }

    /// A pattern for a query item that asks for nothing.
    package mutating func reportLoneStar(_ pattern: String, at range: SourceRange) {
        guard !pattern.isEmpty, pattern.utf8.allSatisfy({ $0 == UInt8(ascii: "*") }) else { return }
        report(
            .aasa057, at: range,
            "the pattern * requires nothing: an item that the URL lacks counts as empty, and * matches that",
            fix: "write ?* to require the item, or remove it",
            edit: SourceEdit(range: range, replacement: "?*".jsonQuoted))
    }

    /// A pattern for the whole query that one more parameter defeats.
    package mutating func reportWholeQuery(_ pattern: String, at range: SourceRange) {
        guard pattern.utf8.contains(UInt8(ascii: "=")), !pattern.ends(with: "*") else { return }
        report(
            .aasa058, at: range,
            "a query in string form has to equal the whole query, so one more parameter, such as a campaign tag, and "
                + "it no longer matches",
            fix: "write an object of names and patterns")
    }
}

extension SourceDocument {
    /// Whether its value is what the author meant, or becomes it by repairs that leave no choice. Beyond a missing
    /// bracket the reader guesses, and findings about a guess would be noise.
    var isWorthLinting: Bool {
        value != nil && problems.allSatisfy { !$0.isError || $0.edit != nil || $0.kind == .otherEncoding }
    }
}
