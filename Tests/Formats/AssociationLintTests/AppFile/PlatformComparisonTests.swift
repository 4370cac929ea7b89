import AssociationSamples
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct PlatformComparisonTests {
    typealias Sample = AppFileSample

    @Test(arguments: [
        #"[{ "/": "/a" }, { "/": "/b/*" }, { "/": "/c*" }]"#,
        #"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }]"#, #"[{ "/": "*" }]"#, "[{}]",
        #"[{ "/": "/$(digit)/x" }]"#,
        // Only a URL of nine segments would show the difference.
        #"[{ "/": "/a/*/b" }]"#,
        // The omitted rule has no effect.
        #"[{ "/": "*" }, { "/": "/" }]"#,
    ])
    func `reports nothing if both platforms agree`(links: String) throws {
        let found = try findings(links)
        #expect(found.isEmpty, "\(found.map(\.message))")
    }

    @Test(
        arguments: [
            (
                #"[{ "/": "/a", "?": "b=1" }]"#, RuleID.app029, .warning,
                "https://shop.acme.test/a?b=1 opens the app on iOS"
            ),
            (#"[{ "/": "/a", "?": { b: "" } }]"#, .app029, .warning, "https://shop.acme.test/a opens the app on iOS"),
            (
                #"[{ "/": "/a", "?": "b=1", exclude: true }, { "/": "/a*" }]"#, .app029, .warning,
                "https://shop.acme.test/a?b=1 stays in the browser on iOS and opens the app on Android"
            ),
            (#"[{ "/": "/$(lang)/x" }]"#, .app029, .warning, "https://shop.acme.test/en/x opens the app on iOS"),
            (
                #"[{ "/": "/A", caseSensitive: false }]"#, .app030, .warning,
                "https://shop.acme.test/a opens the app on iOS"
            ),
            (#"[{ "/": "/a/??" }]"#, .app030, .note, "https://shop.acme.test/a/x/ stays in the browser on iOS"),
            (#"[{ "/": "/a/?b" }]"#, .app030, .note, "https://shop.acme.test/a/%C3%A9b stays in the browser on iOS"),
            (
                #"[{ "/": "/a/?b", percentEncoded: false }]"#, .app030, .note,
                "https://shop.acme.test/a/%F0%9F%98%80b opens the app on iOS"
            ),
            (
                ##"[{ "/": "/a", "#": "?" }]"##, .app030, .note,
                "https://shop.acme.test/a#%C3%A9 stays in the browser on iOS"
            ),
            (
                #"[{ "/": "/caf%c3%a9" }]"#, .app030, .note,
                "https://shop.acme.test/caf%C3%A9 stays in the browser on iOS"
            ),
            (
                #"[{ "/": "/?/ab", caseSensitive: false }]"#, .app030, .warning,
                "https://shop.acme.test/X/AB opens the app on iOS"
            ),
            (
                #"[{ "/": "/Ab/*/", caseSensitive: false }]"#, .app030, .warning,
                "https://shop.acme.test/ab/x opens the app on iOS"
            ),
        ] as [(String, RuleID, Severity, String)])
    func `reports a URL that the platforms handle differently`(
        links: String, rule: RuleID, severity: Severity, witness: String
    ) throws {
        let found = try findings(links)
        #expect(Set(found.rules) == [rule], "\(found.map(\.message))")
        #expect(found.first?.severity == severity)
        #expect(found.contains { $0.message.contains(witness) }, "\(found.map(\.message))")
        #expect(found.first?.range != nil)
    }

    @Test func `reports a difference that only a search of all URLs finds`() throws {
        let found = try findings(#"[{ "/": "/d/?*", "?": { id: "?*" } }]"#)
        #expect(found.rules == [.app030])
        #expect(found.first?.severity == .note)
        #expect(found.first?.message.hasPrefix("iOS requires every occurrence of a query parameter to match") == true)
    }

    @Test(
        arguments: [
            (
                #"[{ "/": "/help/*", "?": { print: "1" }, exclude: true }, { "/": "/help/website/*" }]"#,
                "/help/website?print=1 stays in the browser on iOS 13 and later and opens the app on iOS 9 to 12"
            ),
            (#"[{ "/": "/$(region)/home", exclude: true }, { "/": "/fr/*" }]"#, "/home stays in the browser on iOS"),
            (
                #"[{ "/": "/search", "?": { q: "a+b" } }]"#,
                "/search?q=a+b opens the app on iOS 13 and later and stays in the browser on iOS 9 to 12, but it is not known whether iOS ever reads"
            ),
        ])
    func `reports an omitted rule as a warning if a URL is handled differently`(
        links: String, witness: String
    ) throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let found = try findings(links, ios: ios, android: nil).filter { $0.rule == .app031 }
        #expect(found.first?.severity == .warning)
        #expect(found.first?.message.contains(witness) == true, "\(found.map(\.message))")
    }

    @Test(arguments: [("iOS", "Android"), ("iOS 13 and later", "iOS 9 to 12")])
    func `finds a URL for an omitted rule with hundreds of values`(source: String, platform: String) throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let found = try findings(
            #"[{ "/": "/ab/$(lang)/?*/", exclude: true }, { "/": "/ab/*/b" }]"#, ios: ios
        ).filter { $0.message.hasPrefix("the rule is omitted on \(platform)") }
        #expect(found.count == 1)
        #expect(
            found.first?.message.hasSuffix("/b stays in the browser on \(source) and opens the app on \(platform)")
                == true, "\(found.map(\.message))")
    }

    @Test func `finds a URL with a separator of parameters in a value`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let found = try findings(#"[{ "?": { id: "1", lang: "x;y" } }, { "/": "/" }]"#, ios: ios, android: nil)
        #expect(found.rules == [.app031])
        #expect(found.first?.message.contains("lang=x;y opens the app on iOS") == true, "\(found.map(\.message))")
    }

    @Test func `tries a path that no other rule has for a rule without a path`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let found = try findings(
            #"[{ "/": "/" }, { "/": "/$(lang)/$(region)" }, { "?": { id: "?*" }, exclude: true }, { "/": "*" }]"#,
            ios: ios, android: nil)
        #expect(
            found.contains {
                $0.message.contains("/x?id=xx stays in the browser on iOS 13 and later and opens the app on iOS 9")
            },
            "\(found.map(\.message))")
    }

    @Test func `reports each URL once for a rule`() throws {
        let found = try findings(#"[{ "/": "/?/*" }, { "/": "/*/*" }]"#).map(\.message)
        #expect(Set(found).count == found.count)
    }

    @Test func `does not say that a rule is not needed if the search stopped at its limits`() throws {
        let values = (0..<140).map { #""v\#($0)""# }.joined(separator: ",")
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: [\#(values)] } }"#
        let found = try findings(#"[{ "/": "/$(v)/*" }, { "/": "/v0/*" }]"#, ios: ios)
        #expect(found.first?.rule == .app029, "\(found.map(\.message))")
        #expect(found.first?.severity == .warning)
        #expect(found.first?.message.contains("URL was found") == false, "\(found.map(\.message))")
    }

    @Test(arguments: [
        #"[{ "/": "*/a/", exclude: true }, { "/": "*" }]"#, #"[{ "/": "*/foo" }]"#, #"[{ "/": "?x/*/y" }]"#,
    ])
    func `reports only URLs of the file's own hosts`(links: String) throws {
        let found = try findings(links)
        #expect(found.allSatisfy { $0.message.contains("https://shop.acme.test/") }, "\(found.map(\.message))")
    }

    @Test func `tries repeated query parameters even if the search does not reach them`() throws {
        let found = try findings(
            ##"[{ "/": "/a/a*/" }, { "/": "/b/b/?*" }, { "/": "/x.y", "?": { A: "$(digit)", b: "?*" }, "#": "X" }]"##)
        #expect(
            found.contains { $0.message.hasPrefix("iOS requires every occurrence of a query parameter") },
            "\(found.map(\.message))")
    }

    @Test func `reports once that case is ignored by default`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], defaults: { caseSensitive: false } }"#
        let found = try findings(#"[{ "/": "/a" }, { "/": "/b" }, { "/": "/1" }]"#, ios: ios)
        #expect(found.rules == [.app030])
        #expect(found.first?.message.hasPrefix("2 rules ignore case on iOS by default") == true)
    }

    @Test func `reports an omitted rule without effect as a note`() throws {
        let found = try findings(#"[{ "/": "*" }, { "/": "/a", "?": "b=1" }]"#)
        #expect(found.rules == [.app029])
        #expect(found.first?.severity == .note)
    }

    @Test func `compares with iOS 9 to 12 if the file supports them`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true }"#
        let found = try findings(#"[{ "/": "/a", "?": { id: "?*" } }]"#, ios: ios, android: nil)
        #expect(found.rules == [.app031])
        #expect(found.first?.message.contains("iOS 9 to 12") == true)
    }

    @Test func `reports nothing about Android if only the manifest decides`() throws {
        let app = try Sample.app(Sample.text(links: #"[{ "/": "/a", "?": "b=1" }]"#))
        #expect(app.platformFindings().isEmpty)
    }

    @Test func `reports omitted rules even without an iOS app`() throws {
        let text = Sample.text(ios: nil, android: Self.dynamic, links: #"[{ "/": "/a" }, { "/": "/b", "?": "c=1" }]"#)
        let found = try Sample.app(text).platformFindings()
        #expect(found.rules == [.app029])
        #expect(found.first?.message.hasSuffix("so its links stay in the browser") == true)
    }

    /// Each row: the wildcards of each of a hundred rules, and whether all are compared. Many would take minutes.
    @Test(arguments: [(2, true), (200, false)])
    func `rules of many wildcards use up the tries, and what is left out is said`(count: Int, isWhole: Bool) throws {
        let wildcards = String(repeating: "*a", count: count)
        let links = (0..<100).map { #"{ "/": "/\#(wildcards)\#($0)" }"# }.joined(separator: ",")
        #expect(try findings("[\(links)]").contains { $0.rule == .app043 } != isWhole)
    }

    @Test(arguments: [200, 201])
    func `compares two hundred rules, and reports where it stops`(count: Int) throws {
        let links = (0..<count).map { #"{ "/": "/a\#($0)/?" }"# }.joined(separator: ",")
        let found = try findings("[\(links)]").filter { $0.rule == .app043 }
        #expect(found.count == (count > 200 ? 1 : 0))
    }

    @Test func `reports once for many rules that escapes are read differently`() throws {
        let links = (0..<5).map { #"{ "/": "/a\#($0)/?" }"# } + [#"{ "/": "/b/?", exclude: true }, { "/": "/b/*" }"#]
        let found = try findings("[\(links.joined(separator: ","))]").filter {
            $0.message.hasPrefix("iOS compares percent-encoded")
        }
        #expect(found.count == 2, "\(found.map(\.message))")
        #expect(found.first?.message.contains("decodes them (5 rules have such characters): ") == true)
    }

    @Test func `reports at most a hundred differences`() throws {
        let links = (0..<150).map { #"{ "/": "/a\#($0)", "?": "b=1" }"# }.joined(separator: ",")
        #expect(try findings("[\(links)]").filter { $0.rule == .app029 }.count == 100)
    }

    @Test func `checks a large file within its time limit`() throws {
        let links = (0..<500).map { #"{ "/": "/a\#($0)/*/b", "?": { id: "?*" }, caseSensitive: false }"# }
        let app = try Sample.app(Sample.text(android: Self.dynamic, links: "[\(links.joined(separator: ","))]"))
        let time = processorTime { _ = app.platformFindings() }
        // With sanitizers it takes about ten times as long as a debug build.
        #expect(time < .seconds(60), "\(time)")
    }

    static let dynamic = #"{ package: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"], dynamicRules: true }"#

    private func findings(_ links: String, ios: String = Sample.ios, android: String? = dynamic) throws -> [Finding] {
        try Sample.app(Sample.text(ios: ios, android: android, links: links)).platformFindings()
    }
}
