// What a rule looks at.

extension AndroidRule {
    /// Whether it looks at no part of the URL.
    var isEmpty: Bool { path == nil && query == nil && fragment == nil }
}
