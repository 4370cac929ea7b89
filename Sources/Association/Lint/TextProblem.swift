// What a check of one string says, before anybody knows which file and line the string stands in. The checks of app
// ids, fingerprints, package names and hosts return these, so that the readers of all three kinds of file share them.

/// One thing wrong with one string.
public struct TextProblem: Hashable, Sendable {
    /// The id of the rule.
    public var rule: String
    public var severity: Severity
    /// What is wrong and why it matters, lower case, no full stop.
    public var message: String
    public var fix: String?
    /// What the whole string should be instead, where that is mechanical.
    public var replacement: String?

    /// Without a severity it takes the rule's.
    public init(
        _ rule: String, _ message: String, fix: String? = nil, replacement: String? = nil, severity: Severity? = nil
    ) {
        self.rule = rule
        self.severity = severity ?? LintRule.named(rule)?.severity ?? .error
        self.message = message
        self.fix = fix
        self.replacement = replacement
    }
}
