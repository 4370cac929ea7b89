// How many rules of a list are compared with each other. The time for a comparison grows faster than the list, and a
// linter that hangs is worse than one that does not check the two hundredth rule.

import Association
import SourceJSON

/// The limits for the lists of one file. Each list uses up a part of them; an app file has one list.
struct SearchBudget {
    /// A list written by hand has dozens of rules, and a generated list repeats itself.
    static let rulesMax = 200
    /// Bytes of one pattern. No usual URL needs more.
    static let patternBytesMax = 512
    /// Bytes of all patterns of one list: two hundred rules of forty bytes.
    static let listBytesMax = 8_192
    /// The bytes of a variable's values count more than those of a pattern, because the automaton branches at each value.
    private static let variableWeight = 4
    /// Each rule counts this many bytes more, because many short lists take time too.
    private static let ruleOverhead = 24
    /// Bytes of all patterns of the file, so that many lists cost no more than a few lists.
    private var fileBytesLeft = 40_960

    init() {}

    /// How many rules at the beginning of the only list of a file are compared.
    static func count(of rules: [[String]], table: SubstitutionTable?) -> Int {
        var budget = SearchBudget()
        return budget.take(rules, table: table)
    }

    /// Whether a rule's patterns are short enough to try URLs that are made from them.
    static func allows(_ patterns: [String]) -> Bool { patterns.allSatisfy { $0.utf8.count <= patternBytesMax } }

    /// As how many rules of usual length one counts: a pattern of many wildcards is tried at each place of a URL that is as long.
    static func weight(of patterns: [String]) -> Int {
        patterns.reduce(1) { sum, text in sum + text.utf8.count { $0 == UInt8(ascii: "*") } * text.utf8.count / 50 }
    }

    /// The number of rules at the beginning of a list that are within the limits. These rules use up the limits. Whether a
    /// rule is covered depends only on earlier rules, so a result for the beginning of a list holds for the whole list. A
    /// variable counts with all its values wherever it is used, because each value becomes part of the automaton.
    mutating func take(_ rules: [[String]], table: SubstitutionTable? = nil) -> Int {
        var count = 0
        var bytesLeft = min(Self.listBytesMax, fileBytesLeft)
        for patterns in rules.prefix(Self.rulesMax) {
            let size = patterns.reduce(0) { $0 + $1.utf8.count + Self.bytes(ofVariablesIn: $1, table) }
            guard Self.allows(patterns), size <= bytesLeft else { break }
            bytesLeft -= size
            fileBytesLeft -= size + Self.ruleOverhead
            count += 1
        }
        return count
    }

    /// Bytes of all values of a pattern's variables.
    private static func bytes(ofVariablesIn pattern: String, _ table: SubstitutionTable?) -> Int {
        guard let table, !table.isEmpty else { return 0 }
        guard pattern.utf8.contains(UInt8(ascii: "$")) else { return 0 }
        return ParsedPattern(pattern).names.reduce(0) { $0 + table.bytes(ofValuesOf: $1) * variableWeight }
    }

    /// A fraction of what one question of a user may cost.
    static var limits: AutomatonLimits {
        var limits = AutomatonLimits()
        limits.stepsMax = 100_000
        return limits
    }
}

/// A rule of a list, as far as findings about useless rules need it.
struct ListedRule {
    var range: SourceRange?
    var excludes: Bool
    /// The finding if earlier rules cover the rule.
    var covered: RuleID
}

extension FindingList {
    /// Reports that the rules of a list are compared only up to a limit.
    /// - Parameter count: the number of rules that are compared.
    mutating func reportRest(_ count: Int, of ranges: [SourceRange?], _ id: RuleID) {
        guard count < ranges.count else { return }
        reportOnce(
            id, at: ranges[count],
            "the rules from here on are not compared with the others, because the lists or this pattern are too long")
    }

    /// Reports the rules of a list that are never reached.
    /// - Parameter unmatched: the finding for a rule that no URL matches.
    mutating func reportNeverReached(_ useless: [UselessRule], _ rules: [ListedRule], unmatched: RuleID) {
        for entry in useless where rules.indices.contains(entry.rule) {
            let rule = rules[entry.rule]
            switch entry.reason {
            case .covered(let covering):
                let earlier = covering.filter(rules.indices.contains).map { rules[$0] }
                let isOpposite = earlier.contains { $0.excludes != rule.excludes }
                let words = NeverReached(at: rule.range, after: earlier.map(\.range), isOpposite: isOpposite)
                report(rule.covered, at: rule.range, words.message, fix: words.fix)
            case .matchesNothing:
                // Usually another finding already says why the pattern is wrong.
                if hasFinding(within: rule.range) { continue }
                report(
                    unmatched, at: rule.range, "this rule is never reached: no URL matches it",
                    fix: "correct its pattern")
            case .excludesNothing: continue
            }
        }
    }
}

extension AppleComponent {
    /// Every pattern of the component.
    var patternTexts: [String] {
        let query: [String] =
            switch self.query {
            case nil: []
            case .whole(let pattern): [pattern]
            case .items(let items): items.flatMap { [$0.name, $0.pattern] }
            }
        return [path, fragment].compactMap { $0 } + query
    }
}

extension AndroidRule {
    /// Every pattern of the rule.
    var patternTexts: [String] {
        [path, fragment].compactMap { $0 } + (query ?? []).flatMap { [$0.name, $0.pattern] }
    }
}

/// The words for a rule that is never reached because of earlier rules.
struct NeverReached {
    let message: String
    let fix: String

    /// - Parameters:
    ///   - range: the place of the rule.
    ///   - earlier: the places of the earlier rules.
    ///   - isOpposite: whether one of them has the opposite result.
    init(at range: SourceRange?, after earlier: [SourceRange?], isOpposite: Bool) {
        let isOne = earlier.count == 1
        message =
            "this rule is never reached: \(Self.rules(earlier, besides: range?.start.line)) already "
            + "\(isOne ? "matches" : "match") all URLs of this rule"
            + (isOpposite ? "" : ", with the same result")
        fix = isOpposite ? "move this rule above \(isOne ? "it" : "them")" : "remove this rule"
    }

    /// `the rule on line 4`, `the rules on lines 4 and 7`, `an earlier rule on the same line`.
    private static func rules(_ ranges: [SourceRange?], besides line: Int?) -> String {
        let numbers = Set(ranges.compactMap { $0?.start.line }).sorted().map { String($0) }
        let unplaced = ranges.count == 1 ? "an earlier rule" : "earlier rules"
        guard let last = numbers.last else { return unplaced }
        if let line, numbers == ["\(line)"] { return "\(unplaced) on the same line" }
        let noun = ranges.count == 1 ? "the rule" : "the rules"
        if numbers.count == 1 { return "\(noun) on line \(last)" }
        return "\(noun) on lines \(numbers.dropLast().joined(separator: ", ")) and \(last)"
    }
}
