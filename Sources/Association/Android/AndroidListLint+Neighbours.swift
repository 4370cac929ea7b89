// Paths that a person takes for the same and Android does not: `/shoes` and `/shoes/`, `/shop/*` and `/shop`. The
// matcher decides both; a finding says that the decisions differ.

extension AndroidListLint {
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
