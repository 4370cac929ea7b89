// Patterns: the fast matchers of both platforms and of landing pages against slow and obvious ones, and what is claimed of
// whole lists against the matchers.

import AssociationLint

@testable import Association
@testable import Catalogue

extension FuzzTarget {
    static let patterns = FuzzTarget(
        name: "patterns", summary: "matchers of both platforms and of landing pages against slow and obvious ones"
    ) { bytes in
        var choices = Choices(bytes)
        let folds = choices.isTrue()
        let pattern = PatternInput.text(&choices, max: 200)
        let text = PatternInput.text(&choices, max: 300)
        let values = (0..<choices.number(below: 4)).map { _ in PatternInput.text(&choices, max: 20) }
        try PatternInput.compareApple(pattern, text, values, folds: folds)
        try PatternInput.compareAndroid(pattern, text)
        try PatternInput.compareLanding(pattern, text, folds: folds)
        try PatternInput.compareLists(pattern, text, values, &choices)
    }
}

private enum PatternInput {
    static func text(_ choices: inout Choices, max: Int) -> String {
        String(decoding: choices.text().prefix(max), as: UTF8.self)
    }

    static func compareApple(_ pattern: String, _ text: String, _ values: [String], folds: Bool) throws(Complaint) {
        let variables = [SubstitutionVariable(name: "v", values: values)]
        let table = SubstitutionTable(variables)
        // Values that name a variable do not count, and of the predefined ones the slow reading knows nothing.
        let usable = table.values(of: "v") ?? []
        if ParsedPattern(pattern).names.contains(where: SubstitutionTable.predefinedNames.contains) { return }
        let compiled = GlobPattern(ParsedPattern(pattern), folds: folds, table: table)
        let asked = folds ? text.folded : text
        let slow = SlowPattern.matches(
            folds ? folded(pattern) : pattern, asked, ["v": folds ? usable.map(\.folded) : usable])
        guard let fast = compiled.test(Array(asked.utf8), 0..<asked.utf8.count) else { return }
        try demand(fast == slow, "\"\(pattern)\" and \"\(text)\" with \(values): \(fast), and should be \(slow)")
        let byPositions = PositionSearch.test(compiled.elements, in: Array(asked.utf8))
        try demand(byPositions == nil || byPositions == slow, "by positions: \"\(pattern)\" and \"\(text)\"")
    }

    /// Names of variables keep their case.
    private static func folded(_ pattern: String) -> String {
        let parsed = ParsedPattern(pattern)
        return parsed.tokens.map { token in
            switch token {
            case .scalar(let scalar): String(Character(scalar.folded))
            case .any: "?"
            case .star: "*"
            case .variable(let index): "$(\(parsed.names[index]))"
            case .broken: "$("
            }
        }.joined()
    }

    static func compareAndroid(_ pattern: String, _ text: String) throws(Complaint) {
        let fast = AndroidGlob(pattern).matches(Array(text.utf16))
        let slow = SlowAndroidPattern.matches(pattern, text)
        try demand(fast == slow, "on Android \"\(pattern)\" and \"\(text)\": \(fast), and should be \(slow)")
    }

    static func compareLanding(_ pattern: String, _ text: String, folds: Bool) throws(Complaint) {
        // Bytes are characters there, and a class is a byte below seven; without a variable the slow reading is the same.
        guard pattern.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x80 && $0 != UInt8(ascii: "$") }),
            text.utf8.allSatisfy({ $0 >= 0x20 && $0 < 0x80 })
        else { return }
        let asked = folds ? text.lowercased() : text
        let written = Array((folds ? pattern.lowercased() : pattern).utf8)
        var steps = LinkPattern.stepsMax
        let fast = written.withUnsafeBytes { pattern in
            Array(text.utf8).withUnsafeBytes { LinkPattern.matches(pattern, $0, foldsCase: folds, steps: &steps) }
        }
        if steps < 0 { return }
        let slow = SlowPattern.matches(folds ? pattern.lowercased() : pattern, asked)
        try demand(fast == slow, "for a landing page \"\(pattern)\" and \"\(text)\": \(fast), and should be \(slow)")
    }

    /// A list of rules, and a URL made of the text.
    static func compareLists(
        _ pattern: String, _ text: String, _ values: [String], _ choices: inout Choices
    ) throws(Complaint) {
        let rules = (0..<1 + choices.number(below: 3)).map { _ in
            AppleComponent(
                path: choices.isTrue() ? pattern : self.text(&choices, max: 30),
                query: choices.isTrue() ? .items([.init(name: "q", pattern: self.text(&choices, max: 10))]) : nil,
                exclude: choices.isTrue(), caseSensitive: choices.isTrue() ? nil : false,
                percentEncoded: choices.isTrue() ? nil : false)
        }
        let matcher = AppleMatcher(components: rules, variables: [SubstitutionVariable(name: "v", values: values)])
        let url = LinkURL("https://a.example/" + text)
        var limits = AutomatonLimits()
        limits.stepsMax = 20_000
        let useless = Reachability.uselessRules(of: matcher, limits: limits)
        if let url {
            _ = (matcher.explain(url), matcher.unsettled(url))
            // A rule that is said to change nothing decides no URL.
            if let rule = matcher.decide(url).rule, matcher.unsettled(url).isEmpty {
                let reason = useless.first { $0.rule == rule }?.reason
                let isContradicted =
                    switch reason {
                    case nil, .excludesNothing: false
                    case .matchesNothing, .covered: true
                    }
                try demand(!isContradicted, "rule \(rule) decides \(url) and is called useless: \(useless) \(rules)")
            }
        }
        let android = AndroidMatcher(rules: rules.map { AndroidRule(path: $0.path, exclude: $0.exclude ?? false) })
        if let url { _ = (android.decide(url), android.explain(url), android.unsettled(url)) }
        let found = RuleComparison.differences(
            between: .apple(matcher), and: .android(android), host: "a.example", limits: limits)
        for witness in found.witnesses {
            try demand(witness.first.opens != witness.second.opens, "no witness at all: \(witness.url)")
            try demand(matcher.decide(witness.url).opens == witness.first.opens, "a false witness: \(witness.url)")
        }
    }
}
