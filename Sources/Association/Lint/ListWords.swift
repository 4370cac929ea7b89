// Words for what one rule of a list does to another, the same for both platforms.

import SourceJSON

/// Sentences about rules that stand before others.
enum ListWords {
    /// `the rule is never reached: the rule in line 4 already decides every URL that it matches`.
    static func neverReached(after earlier: [SourceRange?], isOpposite: Bool) -> String {
        let verb = earlier.count == 1 ? "decides" : "decide"
        return "the rule is never reached: \(lines(earlier)) already \(verb) every URL that it matches"
            + (isOpposite ? "" : ", with the same outcome")
    }

    /// `the rule in line 4`, `the rules in lines 4 and 7`.
    static func lines(_ ranges: [SourceRange?]) -> String {
        let numbers = Set(ranges.compactMap { $0?.start.line }).sorted().map { String($0) }
        guard let last = numbers.last else { return ranges.count == 1 ? "an earlier rule" : "earlier rules" }
        let noun = ranges.count == 1 ? "the rule" : "the rules"
        if numbers.count == 1 { return "\(noun) in line \(last)" }
        return "\(noun) in lines \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }
}
