// The dynamic rules of one app against each other: what only excludes, what is never reached, and which neighbouring
// paths are decided differently although a person would take them for the same.

import Association
import SourceJSON

/// Lints one list of dynamic rules.
enum AndroidListCheck {
    static func report(_ rules: [AndroidRule], into findings: inout FindingList, _ scope: inout ListScope) {
        reportExcludeOnly(rules, &findings)
        reportOptionalParts(rules, &findings)
        reportUseless(rules, &findings, &scope)
        reportNeighbours(rules, &findings)
    }

    private static func reportExcludeOnly(_ rules: [AndroidRule], _ findings: inout FindingList) {
        guard let last = rules.last, rules.allSatisfy(\.exclude) else { return }
        findings.report(
            .dal031, at: last.range, "all rules exclude; what no rule allows does not open the app, so no URL does",
            fix: "end the list with {\"/\": \"*\"}")
    }

    /// Rules that never decide anything; proved by `Reachability`. That a last rule excludes everything is how Google's
    /// own examples end, so nothing is said of exclusions without effect.
    private static func reportUseless(
        _ rules: [AndroidRule], _ findings: inout FindingList, _ scope: inout ListScope
    ) {
        let count = scope.take(rules.map(\.patternTexts))
        if count < rules.count {
            findings.reportOnce(
                .dal044, at: rules[count].range,
                "the rules from here on are not compared with the others: the lists are too long for that, or this "
                    + "pattern is")
        }
        let matcher = AndroidMatcher(rules: Array(rules.prefix(count)))
        for entry in Reachability.uselessRules(of: matcher, limits: ListScope.limits)
        where rules.indices.contains(entry.rule) {
            let rule = rules[entry.rule]
            switch entry.reason {
            case .covered(let covering):
                let earlier = covering.filter(rules.indices.contains).map { rules[$0] }
                let isOpposite = earlier.contains { $0.exclude != rule.exclude }
                findings.report(
                    .dal032, at: rule.range,
                    ListWords.neverReached(after: earlier.map(\.range), isOpposite: isOpposite),
                    fix: isOpposite ? "put it before" : "remove it")
            case .matchesNothing:
                guard !findings.hasFinding(within: rule.range) else { continue }
                findings.report(
                    .dal032, at: rule.range, "the rule is never reached: no URL matches it",
                    fix: "correct its pattern")
            case .excludesNothing: continue
            }
        }
    }

    /// `"*"` reads like "whatever", and on Android means "has to be there".
    private static func reportOptionalParts(_ rules: [AndroidRule], _ findings: inout FindingList) {
        for rule in rules {
            let stars = (rule.query ?? []).filter { $0.pattern == "*" }
            if rule.fragment == "*", rule.path != nil || rule.query != nil {
                findings.report(
                    .dal038, at: rule.range,
                    "the fragment pattern * requires a fragment on Android; on Apple it does not",
                    fix: "drop \"#\" where the fragment is optional")
            }
            if let star = stars.first, rule.path != nil || rule.fragment != nil || stars.count < rule.query?.count ?? 0
            {
                findings.report(
                    .dal038, at: rule.range,
                    "the pattern * requires query item \(star.name.quoted) on Android; on Apple it does not",
                    fix: "drop the item where it is optional", severity: .note)
            }
        }
    }

    static func reportNeighbours(_ rules: [AndroidRule], _ findings: inout FindingList) {
        let matcher = AndroidMatcher(rules: rules)
        guard matcher.discardedBecauseOf == nil else { return }
        for rule in rules.prefix(decisionsMax / max(1, rules.count)) {
            guard let path = rule.path, rule.query == nil, rule.fragment == nil, path.begins(with: "/") else {
                continue
            }
            if path.ends(with: "/*"), !hasWildcard(path.utf8.dropLast()) {
                reportBarePath(path, rule, matcher, &findings)
            } else if !hasWildcard(path.utf8[...]), path != "/" {
                reportSlash(path, rule, matcher, &findings)
            }
        }
    }

    /// Rules times decisions for one list.
    private static let decisionsMax = 100_000

    private static func reportBarePath(
        _ path: String, _ rule: AndroidRule, _ matcher: AndroidMatcher, _ findings: inout FindingList
    ) {
        let bare = path.dropping(lastBytes: 2)
        guard !bare.isEmpty, let opens = opens(bare, matcher), opens == rule.exclude else { return }
        findings.report(
            .dal033, at: rule.range,
            "\(path.quoted) does not match \(bare.quoted) on Android, as it does on Apple, so "
                + (opens ? "that path opens the app" : "that path stays in the browser"),
            fix: "add a rule for \(bare.quoted) before it")
    }

    private static func reportSlash(
        _ path: String, _ rule: AndroidRule, _ matcher: AndroidMatcher, _ findings: inout FindingList
    ) {
        let other = path.ends(with: "/") ? path.dropping(lastBytes: 1) : path + "/"
        // Nobody asks for a file with a slash behind it.
        let name = path.split(separator: "/").last ?? ""
        guard !other.isEmpty, !(other.ends(with: "/") && name.contains(run: ".")) else { return }
        guard let opens = opens(path, matcher), let otherOpens = self.opens(other, matcher), opens != otherOpens,
            opens != rule.exclude
        else { return }
        findings.report(
            .dal034, at: rule.range,
            "\(path.quoted) does not match \(other.quoted) on Android, as it does on Apple, so "
                + (otherOpens ? "that path opens the app" : "that path stays in the browser"),
            fix: "add a rule for \(other.quoted)")
    }

    private static func hasWildcard(_ path: Substring.UTF8View) -> Bool {
        path.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// What happens to a decoded path; nil where it cannot be written as a URL.
    private static func opens(_ path: String, _ matcher: AndroidMatcher) -> Bool? {
        let encoded = path.unicodeScalars.map { scalar in
            switch scalar {
            case "%": "%25"
            case "#": "%23"
            default: String(scalar)
            }
        }.joined()
        return LinkURL("https://example.com" + encoded).flatMap { matcher.decide($0).opens }
    }
}
