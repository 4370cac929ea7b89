// The steps of a decision: the result of each rule that was tried, in order.

public import SourceJSON

/// The result of one rule, or of the whole list if `rule` is nil.
public struct MatchStep: Hashable, Sendable {
    /// The result of a rule for a URL.
    public enum Outcome: Hashable, Sendable {
        /// The part did not match, so the next rule was tried.
        case failed(Part)
        /// The rule decided: the URL opens the app.
        case opens
        /// The rule decided: the URL stays in the browser.
        case staysInBrowser
        /// No rule decides; the message says what decides instead.
        case leftOpen
    }

    /// A part of a rule.
    public enum Part: Hashable, Sendable {
        case path
        case query
        case queryItem(String)
        case fragment
        /// The rule as a whole, which has no part to compare.
        case rule
    }

    /// By its number in the list that a person wrote.
    public var rule: Int?
    public var outcome: Outcome
    /// In words, such as "rule 2 needs query `page` to be one or more characters; the URL has none".
    public var message: String
    /// The pattern for the path of the rule that decided; nil if it has none.
    public var path: String?
    /// Where the rule was read from.
    public var range: SourceRange?
    /// For a rule that failed: the length of the beginning that its path shares with the URL, in any case; the maximum if the path
    /// matched.
    public var nearness = 0
}

extension MatchStep {
    /// A rule that did not match.
    init(failed part: Part, rule: Int?, path: String?, _ url: LinkURL, message: String, range: SourceRange?) {
        self.init(rule: rule, outcome: .failed(part), message: message, range: range)
        let shared = zip((path ?? "").utf8, url.path.utf8).prefix { $0.lowercasedASCII == $1.lowercasedASCII }
        nearness = part == .path ? shared.count : .max
    }
}

/// Words for patterns and values.
enum PatternDescription {
    static let caseHint = ", which differs only in upper and lower case"

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

    /// In quotation marks, and cut, because a URL may have thousands of characters.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars
        // `count` would go through all of a long text.
        guard let end = scalars.index(scalars.startIndex, offsetBy: 120, limitedBy: scalars.endIndex),
            end != scalars.endIndex
        else { return "`\(text)`" }
        return "`\(text[..<end])…`"
    }
}
