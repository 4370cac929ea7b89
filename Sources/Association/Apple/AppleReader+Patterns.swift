// The patterns of one component: each checked as a string, and the query by what its form implies.

import SourceJSON

extension AppleReader {
    mutating func lint(_ fields: AppleFields, percentEncoded: Bool) {
        var check = ApplePatternCheck(part: .path, percentEncoded: percentEncoded, variables: variableNames)
        if let path = fields.path { lint(path, check) }
        check.part = .query
        for pattern in fields.query { lint(pattern, check) }
        check.part = .fragment
        if let fragment = fields.fragment { lint(fragment, check) }
        reportQueryForm(fields)
    }

    private mutating func lint(_ pattern: LocatedText, _ check: ApplePatternCheck) {
        for problem in check.problems(in: pattern.text) { findings.report(problem, at: pattern.range) }
        note(variablesOf: pattern.text, at: pattern.range)
        lookForUK(pattern.text)
    }

    private mutating func reportQueryForm(_ fields: AppleFields) {
        switch fields.component.query {
        case .items:
            for pattern in fields.query where !pattern.text.isEmpty && pattern.text.allSatisfy({ $0 == "*" }) {
                findings.report(
                    "AASA-057", at: pattern.range,
                    "the pattern * requires nothing: an item that the URL lacks counts as empty, and * matches that",
                    fix: "write ?* to require the item, or remove it",
                    edit: SourceEdit(range: pattern.range, replacement: "\"?*\""))
            }
        case .whole(let text):
            guard text.contains("="), !text.hasSuffix("*"), let range = fields.query.first?.range else { return }
            findings.report(
                "AASA-058", at: range,
                "a query in string form has to equal the whole query, so one more parameter, such as a campaign tag, "
                    + "and it no longer matches",
                fix: "write an object of names and patterns")
        case nil: break
        }
    }
}
