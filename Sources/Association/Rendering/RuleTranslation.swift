// The outcome of translating one rule.

/// What became of one rule in another dialect.
struct RuleTranslation<Rule> {
    var rules: [Rule] = []
    /// What the other dialect cannot say, as the end of "it needs …". Without one and without rules, the rule matches
    /// nothing in its own dialect either.
    var obstacle: String?
}
