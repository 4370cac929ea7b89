// What an app's rules say about a URL on Apple's systems.

/// The outcome of a list of Apple rules. Rules are counted from 0, as Apple's own tool does.
public enum AppleDecision: Hashable, Sendable {
    /// The rule includes the URL: it opens the app.
    case match(rule: Int)
    /// The rule excludes the URL: it stays in the browser.
    case exclude(rule: Int)
    /// No rule matches: it stays in the browser.
    case none

    public var opens: Bool {
        if case .match = self { return true }
        return false
    }

    /// The index of the deciding rule.
    public var rule: Int? {
        switch self {
        case .match(let rule), .exclude(let rule): rule
        case .none: nil
        }
    }
}
