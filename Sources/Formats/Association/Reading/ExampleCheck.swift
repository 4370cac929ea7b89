// Checks the examples of an app file with the rules of each platform. A failing example is an error: either the rules or the
// example are wrong, and the file must not be published before that is clear.

import SourceJSON

/// Runs the examples of an app file.
package struct ExampleCheck {
    private let app: AppFile
    private let apple: AppleMatcher?
    private let android: AndroidMatcher?
    private let androidOrigins: [Int]
    /// Decides on Android 14 and earlier, and on later versions without dynamic rules.
    private let manifest: AndroidManifest?

    package init(_ app: AppFile) {
        self.app = app
        apple = app.appleMatcher
        let list = app.androidRules
        android = list.map { AndroidMatcher(rules: $0.rules) }
        androidOrigins = list?.origins ?? []
        let opensLinks = app.android?.relations.contains(AndroidApp.handleAllURLs) == true && !app.links.isEmpty
        manifest = opensLinks ? AndroidManifest(of: app) : nil
    }

    /// Why an example fails; `reason` follows "… on iOS, but".
    private struct Failure {
        var platform: String
        var expected: LinkExample.Outcome
        var reason: String
    }

    /// The rules and pattern steps for the examples of one file, in all of its readings: about 0.06 s, because other tenants
    /// wait meanwhile. It is enough for a thousand examples and 250 rules of each platform.
    package static let workMax = 1 << 25
    private static let workOfRule = 64
    private static let workOfPath = 8

    /// Checks examples until `workLeft` is used up, which is reported.
    package func report(into findings: inout FindingList, workLeft: inout Int) {
        var unkept: [(example: LinkExample, failure: Failure)] = []
        defer { if let first = unkept.first { reportUnkept(first, more: unkept.count - 1, into: &findings) } }
        for (index, example) in app.examples.enumerated() {
            guard workLeft > 0, let onIOS = onIOS(example, &workLeft) else {
                let rest = app.examples.count - index
                return findings.report(
                    Finding(
                        .app027, in: app, at: example.range,
                        "this example and the \(rest - 1) after it were not checked, because the rules and patterns are "
                            + "too many or too long",
                        fix: "use fewer examples, or simpler rules", severity: .warning))
            }
            let onAndroid = onAndroid(example, &workLeft)
            if let finding = failed(example, [onIOS, onAndroid].compactMap { $0 }) { findings.report(finding) }
            if let finding = unchecked(example) { findings.report(finding) }
            if onAndroid == nil, let failure = byManifest(example, &workLeft) { unkept.append((example, failure)) }
        }
    }

    /// The failure, if there is one; nil if `workLeft` is used up.
    private func onIOS(_ example: LinkExample, _ workLeft: inout Int) -> Failure?? {
        guard let expected = example.ios, app.ios != nil else { return .some(nil) }
        guard let apple else { return .some(failure("iOS", expected, opens: false, link: nil)) }
        return apple.decide(example.url, workLeft: &workLeft).map {
            failure("iOS", expected, opens: $0.opens, link: $0.rule)
        }
    }

    private func onAndroid(_ example: LinkExample, _ workLeft: inout Int) -> Failure? {
        guard let expected = example.android, let android else { return nil }
        let decision = android.decide(example.url)
        // At most one pass over the text for each rule, and mostly over its beginning.
        workLeft -= (decision.rule ?? android.count) * (Self.workOfRule + example.url.text.utf8.count / 16)
        guard let opens = decision.opens else { return nil }
        return failure(
            "Android", expected, opens: opens, link: decision.rule.flatMap { androidOrigins.element(at: $0) })
    }

    private func failure(_ platform: String, _ expected: LinkExample.Outcome, opens: Bool, link: Int?) -> Failure? {
        guard opens != (expected == .app) else { return nil }
        var reason = "no rule matches"
        if let link, let component = app.links.element(at: link) {
            let line = component.range.map { " (line \($0.start.line))" } ?? ""
            let verb = component.exclude == true ? "keeps it in the browser" : "opens the app"
            reason = "links[\(link)]\(line) \(verb)"
        }
        return Failure(platform: platform, expected: expected, reason: reason)
    }

    /// A failure with the manifest of the snippet. With dynamic rules, it covers everything that they include.
    private func byManifest(_ example: LinkExample, _ workLeft: inout Int) -> Failure? {
        // Examples on hosts of other environments are checked there.
        guard let manifest, manifest.names(example.url.host) else { return nil }
        let expected = android == nil ? [example.android, example.android14] : [example.android14]
        let isCertain = android != nil && example.android == .app && example.android14 == .app
        guard expected.contains(where: { $0 != nil }), !isCertain else { return nil }
        workLeft -= manifest.filters.reduce(0) { $0 + $1.paths.count } * Self.workOfPath
        let step = manifest.decide(example.url)
        guard let failed = expected.compactMap({ $0 }).first(where: { ($0 == .app) != (step.outcome == .opens) }) else {
            return nil
        }
        let platform = android == nil ? "Android" : "Android 14 and earlier"
        return Failure(platform: platform, expected: failed, reason: step.message)
    }

    private func reportUnkept(
        _ first: (example: LinkExample, failure: Failure), more: Int, into findings: inout FindingList
    ) {
        let others =
            more == 0 ? "" : "; \(Count.of(more, "more example")) of the file \(more == 1 ? "fails" : "fail") like this"
        let word = first.failure.expected == .app ? "web" : "app"
        // Dynamic rules would not open the app either.
        let isUncovered = android == nil && first.failure.expected == .app
        findings.report(
            Finding(
                .app047, in: app, at: first.example.range,
                sentence(first.example, first.failure.expected, "on \(first.failure.platform)")
                    + ", but \(first.failure.reason)\(others)",
                fix: isUncovered
                    ? "add a rule that matches the URL, or correct the example"
                    : [
                        android == nil ? "set `android.dynamicRules: true` for Android 15 and later" : nil,
                        first.example.android14 == nil
                            ? "write the example as an object with `android14: \"\(word)\"` if that is acceptable on "
                                + "Android 14 and earlier"
                            : android == nil ? nil : "correct `android14` of the example, or the rules",
                    ].compactMap { $0 }.joined(separator: ", and ")))
    }

    /// A note about an expectation for one platform if the file has no app for it.
    private func unchecked(_ example: LinkExample) -> Finding? {
        let platform: String
        switch (example.ios, example.android) {
        case (_?, nil) where app.ios == nil: platform = "iOS"
        case (nil, _?) where app.android == nil: platform = "Android"
        case (let ios?, let android?) where ios != android && (app.ios == nil || app.android == nil):
            platform = app.ios == nil ? "iOS" : "Android"
        default: return nil
        }
        return Finding(
            .app027, in: app, at: example.range,
            "the expectation for \(platform) was not checked, because the file has no app for it")
    }

    /// One finding for an example, on all platforms on which it fails.
    private func failed(_ example: LinkExample, _ failures: [Failure]) -> Finding? {
        guard let first = failures.first, let last = failures.last else { return nil }
        let message: String
        if first.expected != last.expected {
            message = failures.map { sentence(example, $0.expected, "on \($0.platform), but \($0.reason)") }
                .joined(separator: "; ")
        } else if first.reason.isIdentical(to: last.reason) {
            let platforms = failures.map(\.platform).joined(separator: " and ")
            message = sentence(example, first.expected, "on \(platforms), but \(first.reason)")
        } else {
            message = sentence(
                example, first.expected,
                "but " + failures.map { "on \($0.platform) \($0.reason)" }.joined(separator: ", "))
        }
        return Finding(.app026, in: app, at: example.range, message, fix: "fix the rule or the example")
    }

    private func sentence(_ example: LinkExample, _ expected: LinkExample.Outcome, _ rest: String) -> String {
        "\(example.url.text.quoted) must \(expected == .app ? "open the app" : "stay in the browser") \(rest)"
    }
}
