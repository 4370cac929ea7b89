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

    func report(into findings: inout FindingList) {
        for example in app.examples {
            for finding in [onIOS(example), onAndroid(example)].compactMap({ $0 }) { findings.report(finding) }
        }
    }

    private func onIOS(_ example: LinkExample) -> Finding? {
        guard let expected = example.ios, app.ios != nil else { return unchecked(example, "iOS", app.ios == nil) }
        let decision = apple?.decide(example.url) ?? .none
        guard decision.opens != (expected == .app) else { return nil }
        return failure(example, expected, platform: "iOS", link: decision.rule)
    }

    private func onAndroid(_ example: LinkExample) -> Finding? {
        guard let expected = example.android, let android else {
            return unchecked(example, "Android", android == nil)
        }
        let decision = android.decide(example.url)
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
