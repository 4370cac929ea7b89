// Findings: one for each problem for a phone, a verifier or a person.

public import SourceJSON

/// How much a finding matters.
public enum Severity: String, Hashable, Sendable, CaseIterable {
    /// The association fails, or a rule cannot work.
    case error
    /// It fails for some consumer or system version, or is probably a mistake.
    case warning
    /// Useful to know.
    case note

    /// Whether it is as severe as another, or more.
    public func isAtLeast(_ other: Severity) -> Bool {
        let order = Severity.allCases
        return order.firstIndex(of: self) ?? 0 <= order.firstIndex(of: other) ?? 0
    }
}

/// One result of linting. Printed as `file:line:column: severity[rule]: message; fix`.
public struct Finding: Hashable, Sendable {
    public var rule: RuleID
    public var severity: Severity
    /// The name of the file, as its reader got it; this module opens no files.
    public var file: String
    /// The place in the file; nil if it is about the file as a whole.
    public var range: SourceRange?
    /// What is wrong and what happens because of it, in lower case and without a full stop.
    public var message: String
    /// What to write instead, in the same form.
    public var fix: String?
    /// The mechanical form of the fix, where there is one.
    public var edit: SourceEdit?
    /// Whether the whole file is ignored because of it. It is reported first.
    public var isFatal = false

    /// The message and the fix, for people.
    public var text: String { message + (fix.map { "; \($0)" } ?? "") }

    /// The form that compilers use, in one line.
    public var line: String {
        let place = range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        return Printable.line("\(file)\(place): \(severity.rawValue)[\(rule)]: \(text)")
    }

    /// The default severity is that of the rule.
    public init(
        rule: RuleID, severity: Severity? = nil, file: String, range: SourceRange?, message: String, fix: String? = nil,
        edit: SourceEdit? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        (self.file, self.range, self.message, self.fix, self.edit) = (file, range, message, fix, edit)
    }
}

extension [Finding] {
    /// The findings of one file: first fatal ones, then those about the file as a whole, then the others in the order of the
    /// text.
    public var sortedInFile: [Finding] {
        func place(_ finding: Finding) -> Int { finding.isFatal ? -2 : finding.range?.start.offset ?? -1 }
        return enumerated().sorted { left, right in
            let (first, second) = (place(left.element), place(right.element))
            return first == second ? left.offset < right.offset : first < second
        }.map(\.element)
    }
}

extension [Finding] {
    /// Why no answer about the file is certain: an object in it has the same key twice. Nil if none has.
    package var doubt: String? {
        guard let finding = first(where: { $0.rule == .aasa007 || $0.rule == .dal042 }) else { return nil }
        return finding.range.map { "line \($0.start.line): \(finding.message)" } ?? finding.message
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

/// A problem of one string.
public struct TextProblem: Hashable, Sendable {
    public var rule: RuleID
    public var severity: Severity
    /// What is wrong and what happens because of it, in lower case and without a full stop.
    public var message: String
    public var fix: String?
    /// The replacement for the whole string, where it is mechanical.
    public var replacement: String?
    /// Whether other URLs or apps match afterwards; see `SourceEdit.changesMeaning`.
    public var changesMeaning: Bool

    /// The default severity is that of the rule.
    public init(
        _ rule: RuleID, _ message: String, fix: String? = nil, replacement: String? = nil, changesMeaning: Bool = false,
        severity: Severity? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? rule.severity
        (self.message, self.fix, self.replacement) = (message, fix, replacement)
        self.changesMeaning = changesMeaning
    }
}

extension [TextProblem] {
    mutating func report(
        _ rule: RuleID, _ message: String, fix: String, replacement: String? = nil, changesMeaning: Bool = false
    ) {
        append(TextProblem(rule, message, fix: fix, replacement: replacement, changesMeaning: changesMeaning))
    }
}

/// A string of a document with its range.
public struct LocatedText: Hashable, Sendable {
    public var text: String
    public var range: SourceRange

    public init(_ text: String, range: SourceRange) {
        (self.text, self.range) = (text, range)
    }
}

/// A value with its range in the text.
struct Located<Value> {
    var value: Value
    var range: SourceRange
}
