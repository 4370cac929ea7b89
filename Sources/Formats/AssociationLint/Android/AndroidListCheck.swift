// Compares the dynamic rules of one app with each other: lists that only exclude, rules that are never reached, and paths
// that look the same to a person but have different results.

import Association
import SourceJSON

/// Lints one list of dynamic rules.
enum AndroidListCheck {
    static func report(_ rules: [AndroidRule], into findings: inout FindingList, _ budget: inout SearchBudget) {
        reportExcludeOnly(rules, &findings)
        reportOptionalParts(rules, &findings)
        reportUseless(rules, &findings, &budget)
        reportSimilarPaths(rules, &findings)
    }

    private static func reportExcludeOnly(_ rules: [AndroidRule], _ findings: inout FindingList) {
        guard let last = rules.last, rules.allSatisfy(\.exclude) else { return }
        findings.report(
            .dal031, at: last.range, "all dynamic rules exclude, so no URL opens the app",
            fix: "end the list with {\"/\": \"*\"}")
    }

    /// Reports rules that have no effect, as `Reachability` proves. Exclusions without effect are not reported, because
    /// Google's own examples end with a rule that excludes everything.
    private static func reportUseless(
        _ rules: [AndroidRule], _ findings: inout FindingList, _ budget: inout SearchBudget
    ) {
        let count = budget.take(rules.map(\.patternTexts))
        findings.reportRest(count, of: rules.map(\.range), .dal044)
        let useless = Reachability.uselessRules(
            of: AndroidMatcher(rules: Array(rules.prefix(count))), limits: SearchBudget.limits)
        let listed = rules.map { ListedRule(range: $0.range, excludes: $0.exclude, covered: .dal032) }
        findings.reportNeverReached(useless, listed, unmatched: .dal032)
    }

    /// Reports `"*"` for a part that other patterns of the rule do not need. On Android it requires the part to be present.
    private static func reportOptionalParts(_ rules: [AndroidRule], _ findings: inout FindingList) {
        for rule in rules {
            let stars = (rule.query ?? []).filter { $0.pattern == "*" }
            if rule.fragment == "*", rule.path != nil || rule.query != nil {
                findings.report(
                    .dal038, at: rule.range,
                    "the fragment pattern * requires a fragment on Android; on iOS it does not",
                    fix: "remove \"#\" if the fragment is optional")
            }
            if let star = stars.first, rule.path != nil || rule.fragment != nil || stars.count < rule.query?.count ?? 0
            {
                findings.report(
                    .dal038, at: rule.range,
                    "the pattern * requires the query parameter \(star.name.quoted) on Android; on iOS it does not",
                    fix: "remove the parameter if it is optional", severity: .note)
            }
        }
    }

    static func reportSimilarPaths(_ rules: [AndroidRule], _ findings: inout FindingList) {
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

    /// Number of decisions times number of rules, for one list.
    private static let decisionsMax = 100_000

    private static func reportBarePath(
        _ path: String, _ rule: AndroidRule, _ matcher: AndroidMatcher, _ findings: inout FindingList
    ) {
        let bare = path.dropping(lastBytes: 2)
        guard !bare.isEmpty, let opens = opens(bare, matcher), opens == rule.exclude else { return }
        findings.report(
            .dal033, at: rule.range,
            "unlike on iOS, \(path.quoted) does not match \(bare.quoted) on Android, so that path "
                + (opens ? "opens the app" : "stays in the browser"),
            fix: "add a rule for \(bare.quoted) before it")
    }

    private static func reportSlash(
        _ path: String, _ rule: AndroidRule, _ matcher: AndroidMatcher, _ findings: inout FindingList
    ) {
        let other = path.ends(with: "/") ? path.dropping(lastBytes: 1) : path + "/"
        // No link has a slash after a file name.
        let name = path.split(separator: "/").last ?? ""
        guard !other.isEmpty, !(other.ends(with: "/") && name.contains(run: ".")) else { return }
        guard let opens = opens(path, matcher), let otherOpens = self.opens(other, matcher), opens != otherOpens,
            opens != rule.exclude
        else { return }
        findings.report(
            .dal034, at: rule.range,
            "unlike on iOS, \(path.quoted) does not match \(other.quoted) on Android, so that path "
                + (otherOpens ? "opens the app" : "stays in the browser"),
            fix: "add a rule for \(other.quoted)")
    }

    private static func hasWildcard(_ path: Substring.UTF8View) -> Bool {
        path.contains { $0 == UInt8(ascii: "*") || $0 == UInt8(ascii: "?") }
    }

    /// Whether a decoded path opens the app; nil if it cannot be written as a URL.
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
