// What a check of one string says, before anybody knows which file and line the string stands in. The checks of app
// ids, fingerprints, package names and hosts return these, so that the readers of all three kinds of file share them.

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
