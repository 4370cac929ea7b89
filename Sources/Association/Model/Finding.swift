// What linting says: one finding for each thing that a phone, a verifier or a person would trip over.

public import SourceJSON

/// How much a finding matters.
public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The association fails, or a rule cannot work.
    case error
    /// Some consumer or system version breaks, or it is probably a mistake.
    case warning
    /// Worth knowing.
    case note

    /// Whether it matters as much as another, or more.
    public func isAtLeast(_ other: Severity) -> Bool {
        let order = Severity.allCases
        return order.firstIndex(of: self) ?? 0 <= order.firstIndex(of: other) ?? 0
    }
}

/// One result of linting. Printed as `file:line:column: severity[rule]: message; fix`.
public struct Finding: Hashable, Sendable {
    public var rule: RuleID
    public var severity: Severity
    /// The file as its reader named it; this module opens none.
    public var file: String
    /// Where in the file; nil when it concerns the file as a whole.
    public var range: SourceRange?
    /// What is wrong and why, in lower case and without a full stop.
    public var message: String
    /// What to do, in the same form.
    public var fix: String?
    /// The mechanical form of the fix, where there is one.
    public var edit: SourceEdit?
    /// Whether nothing of the file is read because of it. It is reported first: nothing else counts until it is fixed.
    public var isFatal = false

    /// Without a severity it takes the rule's.
    public init(
        rule: RuleID, severity: Severity? = nil, file: String, range: SourceRange?, message: String, fix: String? = nil,
        edit: SourceEdit? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.file = file
        self.range = range
        self.message = message
        self.fix = fix
        self.edit = edit
    }
}

extension [Finding] {
    /// The findings of one file: what makes it unreadable first, then what is about the file as a whole, then the others in
    /// the order of the text.
    public var sortedInFile: [Finding] {
        func place(_ finding: Finding) -> Int { finding.isFatal ? -2 : finding.range?.start.offset ?? -1 }
        return enumerated().sorted { left, right in
            let (first, second) = (place(left.element), place(right.element))
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}

extension Finding {
    /// A finding about an app file that has been read.
    package init(
        _ rule: RuleID, in app: AppFile, at range: SourceRange?, _ message: String, fix: String? = nil,
        severity: Severity? = nil
    ) {
        self.init(rule: rule, severity: severity, file: app.file, range: range, message: message, fix: fix)
    }
}

/// One thing wrong with one string.
public struct TextProblem: Hashable, Sendable {
    public var rule: RuleID
    public var severity: Severity
    /// What is wrong and why it matters, lower case, no full stop.
    public var message: String
    public var fix: String?
    /// What the whole string should be instead, where that is mechanical.
    public var replacement: String?

    /// Without a severity it takes the rule's.
    public init(
        _ rule: RuleID, _ message: String, fix: String? = nil, replacement: String? = nil, severity: Severity? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        self.message = message
        self.fix = fix
        self.replacement = replacement
    }
}

/// A string of a document with its range.
public struct LocatedText: Hashable, Sendable {
    public var text: String
    public var range: SourceRange

    public init(_ text: String, range: SourceRange) {
        self.text = text
        self.range = range
    }
}

/// A value and where it was written.
struct Located<Value> {
    var value: Value
    var range: SourceRange
}
