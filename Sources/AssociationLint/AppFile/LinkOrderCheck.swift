// The rules of an app file against each other, as Apple's systems read them: what no URL reaches, and what covers more
// than its author thought. Both are decided by the matcher and by automata, so nothing here is a guess about strings.

import Association
import SourceJSON

/// Checks the order of an app file's rules.
struct LinkOrderCheck {
    let app: AppFile
    /// All the rules.
    let source: AppleMatcher

    func findings() -> [Finding] {
        guard !app.links.isEmpty else { return [] }
        var findings = FindingList(file: app.file)
        let entry = AppleDetail(appIDs: [], components: app.links, range: app.ranges.links ?? app.ranges.root)
        AppleListCheck(
            entry: entry, defaults: [(app.ios?.defaults ?? AppleDefaults()).component],
            table: source.table, isForOldSystems: app.ios?.hasLegacyPaths == true, matcher: source
        ).report(into: &findings)
        reportUseless(into: &findings)
        return findings.sorted
    }

    /// Asked about the beginning of a long list only. What earlier rules cover is covered however the list goes on; an
    /// exclusion that excludes nothing takes the whole list to be sure of.
    private func reportUseless(into findings: inout FindingList) {
        var scope = ListScope()
        let count = scope.take(app.links.map(\.patternTexts), table: source.table)
        if count < app.links.count {
            findings.report(
                Finding(
                    .app043, in: app, at: app.links[count].range,
                    "the rules from here on are not compared with the others: the list is too long for that, or this "
                        + "pattern is"))
        }
        let useless = Reachability.uselessRules(
            of: app.sourceMatcher(first: count, table: source.table), limits: ListScope.limits)
        for entry in useless where entry.reason != .excludesNothing || count == app.links.count {
            findings.report(finding(entry))
        }
    }

    private func finding(_ useless: UselessRule) -> Finding {
        let range = app.links.element(at: useless.rule)?.range
        switch useless.reason {
        case .matchesNothing(let part):
            return Finding(
                .app040, in: app, at: range, "no URL has \(part.wanted), so it decides nothing",
                fix: "mend the pattern, or remove the rule")
        case .covered(let rules):
            let names = rules.map { "links[\($0)]\(line(of: $0))" }.joined(separator: " and ")
            return Finding(
                .app040, in: app, at: range,
                "every URL of the rule is decided by \(names) before, so it decides nothing",
                fix: "move it up, or remove it")
        case .excludesNothing:
            return Finding(
                .app040, in: app, at: range,
                "no later rule includes any of what this one excludes, so it changes nothing",
                fix: "move it before the rule that it is an exception of, or remove it", severity: .note)
        }
    }

    private func line(of link: Int) -> String {
        app.links.element(at: link)?.range.map { " (line \($0.start.line))" } ?? ""
    }
}

extension MatchStep.Part {
    /// What a rule asks of the part, as the object of "no URL has …".
    fileprivate var wanted: String {
        switch self {
        case .path: "the path of the rule"
        case .query: "the query of the rule"
        case .queryItem(let name): "what the rule wants of \(name.quoted)"
        case .fragment: "the fragment of the rule"
        case .rule: "what the rule asks for"
        }
    }
}
