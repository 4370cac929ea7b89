import AssociationSamples
import Testing

@testable import Association

@Suite struct ExampleCheckTests {
    typealias Sample = AppFileSample

    static let links = #"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }, { "/": "/q", "?": { id: "?*" } }]"#
    static let dynamic = #"{ package: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"], dynamicRules: true }"#

    @Test(
        arguments: [
            (#""https://shop.acme.test/a/1": "app""#, []), (#""http://SHOP.acme.test/a": "app""#, []),
            (#""https://shop.acme.test/b": "web""#, []),
            // Android 14 and earlier cannot exclude; this is reported once.
            (#""https://shop.acme.test/a/private/1": "web""#, [RuleID.app047]),
            (#""https://shop.acme.test/a/private/1": { android: "web" }"#, [.app047]),
            (#""https://shop.acme.test/a/private/1": { ios: "web", android: "web", android14: "app" }"#, []),
            (#""https://shop.acme.test/a/private/1": { android14: "web" }"#, [.app047]),
            (#""https://shop.acme.test/b": { android14: "app" }"#, [.app047]),
            (#""https://shop.acme.test/a/private/1": "web", "https://shop.acme.test/a/private/2": "web""#, [.app047]),
            (#""https://shop.acme.test/q?id=1": "app", "https://shop.acme.test/q": "web""#, [.app047]),
            (#""https://shop.acme.test/a/1": "web""#, [.app026]),
            (#""https://shop.acme.test/a/private/1": "app""#, [.app026]),
            (#""https://shop.acme.test/b": { ios: "app", android: "app" }"#, [.app026]),
            (#""https://shop.acme.test/a/private/1": { ios: "app", android: "web", android14: "app" }"#, [.app026]),
            (#""https://shop.acme.test/b": { ios: "app", android: "web" }"#, [.app026]),
            (#""https://shop.acme.test/b": { android: "app" }"#, [.app026]), (#""https://shop.acme.test/b": {}"#, []),
            (#""https://other.acme.test/a/1": "app""#, [.app028]), (#""/a/1": "app""#, [.app025]),
            // One that cannot be checked does not hide others.
            (#""https://other.acme.test/a": "app", "https://shop.acme.test/b": { ios: "app" }"#, [.app028, .app026]),
            (#""ftp://shop.acme.test/a": "app""#, [.app025]), (#""https://me@shop.acme.test/a": "app""#, []),
            (#""https://shop.acme.test/a/1": "App""#, [.app007]), (#""https://shop.acme.test/a/1": true"#, [.app005]),
            (#""https://shop.acme.test/a/1": { iOS: "app" }"#, [.app003]),
            (#""https://shop.acme.test/a": "app", "https://shop.acme.test/a": "web""#, [.app004]),
            (#""https://shop.acme.test:99999999/a": "app""#, [.app025]),
        ] as [(String, [RuleID])])
    func `checks the examples`(examples: String, rules: [RuleID]) {
        let reading = read(examples)
        #expect(reading.findings.rules == rules, "\(reading.findings.map(\.message))")
        #expect(reading.findings.allSatisfy { $0.rule != .app047 || $0.fix?.isEmpty == false })
    }

    @Test(arguments: [(2_048, []), (2_049, [RuleID.app025])] as [(Int, [RuleID])])
    func `limits the length of a URL`(length: Int, rules: [RuleID]) {
        let start = "https://shop.acme.test/a/"
        let url = start + String(repeating: "x", count: length - start.utf8.count)
        #expect(read("\"\(url)\": \"app\"").findings.rules == rules)
    }

    @Test func `reports the first example that is not checked`() throws {
        let links = (0..<50).map { "{ \"/\": \"/\($0)/*\" }" }.joined(separator: ",")
        let examples = (0..<50).map { "\"https://shop.acme.test/\($0)/x\": \"web\"" }.joined(separator: ",")
        let text = Sample.text(links: "[\(links)]", more: "examples: {\(examples)}")
        let app = try Sample.app(text.replacing("web", with: "app"))
        func rules(_ work: Int) -> [String] {
            var findings = FindingList(file: "shop.json")
            var workLeft = work
            ExampleCheck(app).report(into: &findings, workLeft: &workLeft)
            return findings.sorted.map { "\($0.rule) \($0.severity) \($0.message.prefix(33))" }
        }
        #expect(rules(ExampleCheck.workMax) == [])
        #expect(rules(0) == ["APP-027 warning this example and the 49 after it "])
        // A decision that exceeds the limit is not a failure.
        for work in [100, 1_000, 10_000, 20_000] { #expect(rules(work).count == 1, "\(work)") }
        #expect(rules(10_000) != rules(0))
    }

    @Test(arguments: [nil, "staging"])
    func `all readings of a file share the limit on work for its examples`(environment: String?) throws {
        // Patterns that try every position for every star.
        let pattern = String(repeating: "a*", count: 250) + "b"
        let links = (0..<400).map { "{ \"/\": \"/\($0)/\(pattern)\" }" }.joined(separator: ",")
        let path = String(repeating: "a", count: 1_900)
        let examples = (0..<1_000).map { "\"https://shop.acme.test/399/\(path)\($0)\": \"web\"" }.joined(separator: ",")
        let text = Sample.text(links: "[\(links)]", more: "examples: {\(examples)}, environments: { staging: {} }")
        let reading = AppFile.read(Array(text.utf8), file: "shop.json", environment: environment)
        let unchecked = reading.findings.filter { $0.rule == .app027 }
        #expect(unchecked.count == 1)
        #expect(unchecked.first?.message.hasPrefix("this example") == true, "not a matter of the environment")
    }

    @Test func `reports the rule that decides, or that none matches`() {
        let excluded = read(#""https://shop.acme.test/a/private/1": "app""#).findings
        #expect(
            excluded.map(\.message) == [
                "`https://shop.acme.test/a/private/1` must open the app on iOS and Android, but "
                    + "links[0] (line 1) keeps it in the browser"
            ])
        let nothing = read(#""https://shop.acme.test/b": { ios: "app" }"#).findings
        #expect(nothing.first?.message.hasSuffix("but no rule matches") == true)
        let opens = read(#""https://shop.acme.test/a/1": { ios: "web" }"#).findings
        #expect(opens.first?.message.hasSuffix("links[1] (line 1) opens the app") == true)
    }

    /// The examples of an app whose manifest decides on Android, and the message, if there is one.
    @Test(
        arguments: [
            (#""https://shop.acme.test/b": "web", "https://shop.acme.test/a/1": "app""#, nil),
            (
                #""https://shop.acme.test/a/private/1": "web", "https://shop.acme.test/a/private/2": "web""#,
                "`https://shop.acme.test/a/private/1` must stay in the browser on Android, but "
                    + "the manifest of `associated snippet` covers the URL with android:pathPrefix=\"/a/\", so the app opens; 1 more example of the file fails like this"
            ),
            (
                #""https://shop.acme.test/b": { android: "app" }"#,
                "`https://shop.acme.test/b` must open the app on Android, but no path of the manifest of `associated snippet` "
                    + "covers the URL, so it stays in the browser"
            ), (#""https://shop.acme.test/a/private/1": { ios: "web" }"#, nil),
            (#""https://shop.acme.test/a/private/1": { ios: "web", android: "app" }"#, nil),
        ] as [(String, String?)])
    func `checks the manifest if there are no dynamic rules`(examples: String, message: String?) {
        let findings = Sample.read(Sample.text(links: Self.links, more: "examples: { \(examples) }")).findings
        #expect(findings.map(\.message) == [message].compactMap { $0 })
        #expect(findings.allSatisfy { $0.rule == .app047 && $0.severity == .warning })
    }

    @Test(arguments: [
        (#"{ android: "web" }"#, [RuleID.app027]), (#"{ ios: "app", android: "web" }"#, [.app027]), (#""app""#, []),
    ])
    func `reports an expectation for a platform without an app`(outcome: String, rules: [RuleID]) {
        let text = Sample.text(
            android: nil, links: Self.links, more: #"examples: { "https://shop.acme.test/a/1": \#(outcome) }"#)
        #expect(Sample.read(text).findings.rules == rules)
    }

    @Test func `fails if a rule is lost in the translation for Android`() {
        let links = #"[{ "/": "/a", "?": "b=1" }]"#
        let text = Sample.text(
            android: Self.dynamic, links: links, more: #"examples: { "https://shop.acme.test/a?b=1": "app" }"#)
        let findings = Sample.read(text).findings
        #expect(findings.rules == [.aasa058, .app026])
        #expect(findings.last?.message.contains("on Android") == true)
    }

    private func read(_ examples: String) -> AppFileReading {
        Sample.read(Sample.text(android: Self.dynamic, links: Self.links, more: "examples: { \(examples) }"))
    }
}
