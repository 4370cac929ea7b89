// The story of a decision: what happened to each rule that was tried, in order.

public import SourceJSON

/// What became of one rule, or of the whole list where `rule` is nil.
public struct MatchStep: Hashable, Sendable {
    /// What became of the URL at a rule.
    public enum Outcome: Hashable, Sendable {
        /// The named part did not hold, so the next rule was tried.
        case failed(Part)
        /// The rule decided: the URL opens the app.
        case opens
        /// The rule decided: the URL stays in the browser.
        case staysInBrowser
        /// No rule decides; the message says what does.
        case leftOpen
    }

    /// A part of a rule.
    public enum Part: Hashable, Sendable {
        case path
        case query
        case queryItem(String)
        case fragment
        /// The rule as a whole: it has no part to match with.
        case rule
    }

    public var rule: Int?
    public var outcome: Outcome
    /// In words, such as "rule 2 needs query `page` to be one or more characters; the URL has none".
    public var message: String
    /// Where the rule was read from.
    public var range: SourceRange?
    /// Of a rule that failed: how many bytes of its path the URL shares. More than any path has where the path held.
    public var nearness = 0

    public init(rule: Int?, outcome: Outcome, message: String, range: SourceRange? = nil) {
        self.rule = rule
        self.outcome = outcome
        self.message = message
        self.range = range
    }

    /// A rule that did not hold.
    init(failed part: Part, rule: Int, path: String?, _ url: LinkURL, message: String, range: SourceRange?) {
        self.init(rule: rule, outcome: .failed(part), message: message, range: range)
        nearness = part == .path ? zip((path ?? "").utf8, url.path.utf8).prefix { $0 == $1 }.count : .max
    }
}

/// Words for patterns and values.
enum PatternDescription {
    /// Completes "needs the path to …".
    static func demand(_ pattern: String) -> String {
        switch pattern {
        case "": return "be empty"
        case "*": return "be anything"
        case "?*": return "be one or more characters"
        case "?": return "be one character"
        default: break
        }
        if pattern.allSatisfy({ $0 == "?" }) { return "be exactly \(pattern.count) characters" }
        let isPlain = PatternToken.tokens(of: pattern).allSatisfy { token in
            if case .scalar = token { return true }
            return false
        }
        return (isPlain ? "be " : "match ") + quoted(pattern)
    }

    /// Completes "the URL has …".
    static func found(_ value: String?) -> String {
        guard let value else { return "none" }
        return value.isEmpty ? "an empty one" : quoted(value)
    }

    /// Long texts are cut, because a URL may be thousands of characters long.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        // Not by their number: that would go through all of a long text.
        guard let end = scalars.index(scalars.startIndex, offsetBy: 120, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return "`\(text)`" }
        return "`\(text[..<end])…`"
    }
}
