// What an app's dynamic rules say about a URL on Android 15 and later.

/// The outcome of a list of Android rules. Rules are counted from 0.
public enum AndroidDecision: Hashable, Sendable {
    /// The rule allows the URL: it opens the app, as far as the manifest goes.
    case allow(rule: Int)
    /// The rule excludes the URL: it stays in the browser.
    case block(rule: Int)
    /// No rule matches: it stays in the browser.
    case none
    /// There are no rules, or Android throws them away: the manifest alone decides.
    case manifest

    /// Nil where the manifest decides.
    public var opens: Bool? {
        switch self {
        case .allow: true
        case .block, .none: false
        case .manifest: nil
        }
    }

    /// The index of the deciding rule.
    public var rule: Int? {
        switch self {
        case .allow(let rule), .block(let rule): rule
        case .none, .manifest: nil
        }
    }
}
