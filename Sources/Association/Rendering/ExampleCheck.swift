// The contract tests of an app file: each example is put to the rules as each platform will get them. A failing one is
// an error: either the rules or the file's own promise are wrong, and publishing would settle it by accident.

import SourceJSON

/// Runs the examples of an app file.
struct ExampleCheck {
    private let app: AppFile
    private let apple: AppleMatcher?
    private let android: AndroidMatcher?
    private let androidOrigins: [Int]

    init(_ app: AppFile) {
        self.app = app
        apple = app.appleMatcher
        let list = app.androidRules
        android = list.map { AndroidMatcher(rules: $0.rules) }
        androidOrigins = list?.origins ?? []
    }

    /// Rules tried and steps of patterns that the examples of one file may take, in all of its readings: some 0.06 s, because
    /// other tenants wait meanwhile. A thousand examples for 250 rules of each platform fit.
    static let workMax = 1 << 25
    private static let workOfRule = 64

    /// Goes on as long as `workLeft` lasts, and says so where it does not.
    func report(into findings: inout FindingList, workLeft: inout Int) {
        for (index, example) in app.examples.enumerated() {
            guard workLeft > 0, let iOSFinding = onIOS(example, &workLeft) else {
                let rest = app.examples.count - index
                return findings.report(
                    Finding(
                        .exampleNotChecked, in: app, at: example.range,
                        "this example and the \(rest - 1) after it are not checked: with as many rules and as long "
                            + "patterns as the file has, that would take too long",
                        fix: "take fewer examples, or simpler rules", severity: .warning))
            }
            for finding in [iOSFinding, onAndroid(example, &workLeft)].compactMap({ $0 }) { findings.report(finding) }
        }
    }

    /// The finding, if there is one; nil instead where the work did not suffice.
    private func onIOS(_ example: LinkExample, _ workLeft: inout Int) -> Finding?? {
        guard let expected = example.ios, app.ios != nil else { return unchecked(example, "iOS", app.ios == nil) }
        guard let apple else { return .some(result(of: .none, example, expected)) }
        return apple.decide(example.url, workLeft: &workLeft).map { result(of: $0, example, expected) }
    }

    private func result(
        of decision: AppleDecision, _ example: LinkExample, _ expected: LinkExample.Outcome
    ) -> Finding? {
        guard decision.opens != (expected == .app) else { return nil }
        return failure(example, expected, platform: "iOS", link: decision.rule)
    }

    private func onAndroid(_ example: LinkExample, _ workLeft: inout Int) -> Finding? {
        guard let expected = example.android, let android else {
            return unchecked(example, "Android", android == nil)
        }
        let decision = android.decide(example.url)
        // One pass over the text for each rule at most, and mostly over its beginning.
        workLeft -= (decision.rule ?? android.count) * (Self.workOfRule + example.url.text.utf8.count / 16)
        guard let opens = decision.opens, opens != (expected == .app) else { return nil }
        let link = decision.rule.flatMap { androidOrigins.element(at: $0) }
        return failure(example, expected, platform: "Android", link: link)
    }

    /// An expectation that was stated for one platform alone deserves a word when nothing can be said about it.
    private func unchecked(_ example: LinkExample, _ platform: String, _ isUnknown: Bool) -> Finding? {
        let isAlone = (platform == "iOS" ? example.ios : example.android) != nil && example.ios != example.android
        guard isUnknown, isAlone else { return nil }
        let reason =
            app.android != nil && platform == "Android"
            ? "without dynamic rules the app's manifest decides there" : "the file has no app for it"
        return Finding(
            .exampleNotChecked, in: app, at: example.range, "what is expected on \(platform) is not checked: \(reason)")
    }

    private func failure(
        _ example: LinkExample, _ expected: LinkExample.Outcome, platform: String, link: Int?
    ) -> Finding {
        let wanted = expected == .app ? "must open the app" : "must stay in the browser"
        var reason = "no rule matches it"
        if let link, let component = app.links.element(at: link) {
            let line = component.range.map { " (line \($0.start.line))" } ?? ""
            let verb = component.exclude == true ? "keeps it in the browser" : "opens the app"
            reason = "links[\(link)]\(line) \(verb)"
        }
        return Finding(
            .exampleFails, in: app, at: example.range,
            "\(example.url.text.quoted) \(wanted) on \(platform), and \(reason)",
            fix: "mend the rule, or the example")
    }
}
