// The patterns of one component: each checked as a string, and the query by what its form implies.

import SourceJSON

extension AppleReader {
    mutating func lint(_ fields: AppleFields, within outer: [AppleComponent]) {
        let settings = fields.component.inheriting(from: outer)
        var check = ApplePatternCheck(
            part: .path, percentEncoded: settings.percentEncoded ?? true,
            caseSensitive: settings.caseSensitive ?? true, variables: variableNames)
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
            for pattern in fields.query { findings.reportLoneStar(pattern.text, at: pattern.range) }
        case .whole(let text):
            if let range = fields.query.first?.range { findings.reportWholeQuery(text, at: range) }
        case nil: break
        }
    }
}
