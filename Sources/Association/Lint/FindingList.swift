// Where the readers put what they find. It knows the file's name and its text, takes the severity from the catalogue,
// and keeps a hostile file from producing a million findings.

import SourceJSON

/// The findings of one file while it is being read.
struct FindingList {
    let file: String
    /// The text that the ranges lie in, as UTF-8 without its byte order mark; the source of edits that move text.
    var text: [UInt8] = []
    private var errors: [Finding] = []
    private var others: [Finding] = []
    private var reportedOnce: Set<RuleID> = []
    private var lookUpsLeft = 2 * findingsMax

    /// More than this nobody reads. Errors are counted apart, so that notes cannot crowd one out.
    static let findingsMax = 500

    init(file: String) { self.file = file }

    /// All findings, sorted.
    var sorted: [Finding] { (errors + others).sortedInFile }

    var hasErrors: Bool { !errors.isEmpty }

    /// Whether another error would still be kept. Where it would not, looking for more is in vain.
    var hasRoom: Bool { errors.count < Self.findingsMax }

    /// Whether something was found inside a range, by one rule or by any.
    func hasFinding(_ rule: RuleID? = nil, within range: SourceRange?) -> Bool {
        guard let range else { return false }
        return (errors + others).contains { finding in
            guard let place = finding.range, rule == nil || finding.rule == rule else { return false }
            return place.start.offset >= range.start.offset && place.end.offset <= range.end.offset
        }
    }

    mutating func report(
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
    mutating func report(_ finding: Finding) {
        if finding.severity == .error {
            if errors.count < Self.findingsMax { errors.append(finding) }
        } else if others.count < Self.findingsMax {
            others.append(finding)
        }
    }

    /// The known key that was probably meant. For as many keys as there can be findings about them: a file with a
    /// hundred thousand unknown keys is not misspelt.
    mutating func nearest(_ key: String, among known: [String]) -> String? {
        guard lookUpsLeft > 0 else { return nil }
        lookUpsLeft -= 1
        return NearestKey.find(key, among: known)
    }

    /// Adds a consequence to the error that was reported about a value or a part of it, and with `raising` to any finding
    /// about exactly that value, which then is an error. False where there is none.
    mutating func extend(at range: SourceRange, with consequence: String, raising: Bool) -> Bool {
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
    mutating func reportOnce(_ rule: RuleID, at range: SourceRange?, _ message: String, fix: String? = nil) {
        guard reportedOnce.insert(rule).inserted else { return }
        report(rule, at: range, message, fix: fix)
    }

    /// What a check of a single string said, at the string.
    mutating func report(_ problem: TextProblem, at range: SourceRange) {
        report(
            problem.rule, at: range, problem.message, fix: problem.fix,
            edit: problem.replacement.map { SourceEdit(range: range, replacement: $0.jsonQuoted) },
            severity: problem.severity)
    }

    /// The text of a range with something put around it: `"x"` becomes `["x"]`. Nil where the text is not at hand.
    func wrapping(_ range: SourceRange, in before: String, _ after: String) -> SourceEdit? {
        let (start, end) = (range.start.offset, range.end.offset)
        guard start >= 0, start <= end, end <= text.count else { return nil }
        return SourceEdit(
            range: range, replacement: before + String(decoding: text[start..<end], as: UTF8.self) + after)
    }
}
