// How much of a list of rules is judged together. Questions about a whole list cost time that grows faster than the
// list, and a linter that hangs is worse than one that says nothing about the two hundredth rule.

import Association
import SourceJSON

/// The part of each list of one file that reachability is asked about.
struct ListScope {
    /// A list written by hand has dozens of rules; a generated one repeats itself.
    static let rulesMax = 200
    /// Bytes of one pattern; no URL that anybody links to needs more.
    static let patternBytesMax = 512
    /// Bytes of all patterns of one list: two hundred rules of forty.
    static let listBytesMax = 8_192
    /// The bytes of a variable's values weigh more than those of a pattern: the automaton branches at each of them.
    private static let variableWeight = 4
    /// What a rule takes of the file beside its bytes: many short lists take time too.
    private static let ruleOverhead = 24
    /// Bytes of all patterns of the file, so that many lists cost no more than a few.
    private var fileBytesLeft = 40_960

    init() {}

    /// How many rules of a list, from the first on, are within the limits; what they take is used up. Whether a rule is
    /// covered depends on earlier ones only, so an answer about the beginning of a list holds for the whole. A variable
    /// counts with all its values wherever it is used, because each of them becomes part of the automaton.
    mutating func take(_ rules: [[String]], table: SubstitutionTable? = nil) -> Int {
        var count = 0
        var bytesLeft = min(Self.listBytesMax, fileBytesLeft)
        for patterns in rules.prefix(Self.rulesMax) {
            let sizes = patterns.map(\.utf8.count)
            let size = sizes.reduce(0, +) + patterns.reduce(0) { $0 + Self.bytes(ofVariablesIn: $1, table) }
            guard sizes.allSatisfy({ $0 <= Self.patternBytesMax }), size <= bytesLeft else { break }
            bytesLeft -= size
            fileBytesLeft -= size + Self.ruleOverhead
            count += 1
        }
        return count
    }

    /// Bytes of the values that stand for the variables of a pattern.
    private static func bytes(ofVariablesIn pattern: String, _ table: SubstitutionTable?) -> Int {
        guard let table, !table.isEmpty else { return 0 }
        guard pattern.utf8.contains(UInt8(ascii: "$")) else { return 0 }
        return ParsedPattern(pattern).names.reduce(0) { $0 + table.bytes(ofValuesOf: $1) * variableWeight }
    }

    /// A fraction of what an explanation asked for by a person may cost.
    static var limits: AutomatonLimits {
        var limits = AutomatonLimits()
        limits.stepsMax = 100_000
        return limits
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
