// The `lint` part of `server.json`: which rules a project ignores, and how severe it takes others. A rule that does not
// exist is an error, because what it was to ignore would go on being reported.

import Association
import SourceJSON

extension SettingsReader {
    mutating func readLint(_ value: SourceValue) {
        for member in members(of: value, "`lint`", known: ["ignore", "severity"]) {
            if member.key == "ignore" { readIgnored(member.value) } else { readSeverities(member.value) }
        }
    }

    private mutating func readIgnored(_ value: SourceValue) {
        guard case .array(let elements) = value.kind else {
            return report(value.range, "`lint.ignore` is not an array of rules", fix: "write `[\"APP-040\"]`")
        }
        for element in elements {
            guard case .string(let id) = element.kind else {
                report(element.range, "this is not a rule", fix: "write its id, such as `\"APP-040\"`")
                continue
            }
            if isRule(id, element.range) { settings.lint.ignored.insert(id) }
        }
    }

    private mutating func readSeverities(_ value: SourceValue) {
        guard case .object(let entries) = value.kind else {
            return report(value.range, "`lint.severity` is not an object", fix: "write `{ \"APP-036\": \"error\" }`")
        }
        for entry in entries where isRule(entry.key, entry.keyRange) {
            guard case .string(let text) = entry.value.kind, let severity = Severity(rawValue: text) else {
                report(
                    entry.value.range, "this is not a severity", fix: "write `\"error\"`, `\"warning\"` or `\"note\"`")
                continue
            }
            settings.lint.severities[entry.key] = severity
        }
    }

    private mutating func isRule(_ id: String, _ range: SourceRange) -> Bool {
        if LintRule.named(id) != nil { return true }
        let nearest = LintRule.nearest(to: id)
        report(
            range, "`\(id)` is not a rule of lint", fix: nearest.map { "write `\($0)`" } ?? "docs/rules.md lists them")
        return false
    }
}
