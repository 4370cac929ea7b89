// One example for each lint rule: a text that breaks it, the text in the finding's range, and texts that do not break it.

import Association
import AssociationLint
import AssociationSamples
import Testing

/// A rule with texts that break it and texts that do not.
struct LintExample: AssociationTexts, Sendable, CustomTestStringConvertible {
    var rule: RuleID
    var kind: DocumentKind
    /// Breaks the rule; it may break others too.
    var bad: [UInt8]
    /// The text of the finding's range; nil if the finding is about the whole file.
    var marked: String?
    /// Do not break the rule.
    var good: [[UInt8]]

    init(_ rule: RuleID, _ kind: DocumentKind, bad: [UInt8], marked: String?, good: [[UInt8]]) {
        self.rule = rule
        self.kind = kind
        self.bad = bad
        self.marked = marked
        self.good = good
    }

    init(_ rule: RuleID, _ kind: DocumentKind, _ bad: String, marks marked: String?, good: String...) {
        self.init(rule, kind, bad: Array(bad.utf8), marked: marked, good: good.map { Array($0.utf8) })
    }

    var testDescription: String { rule.description }

    func lint(_ bytes: [UInt8]) -> [Finding] {
        kind == .statementList
            ? Linter.lint(statements: bytes, file: "f", host: "example.org") : Linter.lint(apple: bytes, file: "f")
    }
}

extension LintExample { static let all = appleStructure + applePatterns + statements + dynamicRules }
