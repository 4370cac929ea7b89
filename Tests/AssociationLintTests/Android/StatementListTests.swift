// Statement lists: the model, and Google's published compatibility cases, with the result of Google's service and the known
// results of AOSP and Chromium.

import AssociationLint
import AssociationSamples
import SourceJSON
import Testing

@testable import Association

@Suite struct StatementListTests {
    private static let print = Texts.print
    private static let second = print.replacing("5B", with: "5C")
    private static let handle = Texts.handle

    private static func read(_ text: String) -> StatementReading {
        StatementList.read(Array(text.utf8), file: "assetlinks.json", host: "www.example.org")
    }

    @Test(arguments: [
        "https://a..b", "https://-x.com", "https://example,com", "https://ex%61mple.com", "https://exämple.com",
    ])
    func `a site needs a valid host name`(site: String) {
        let problems = WebSite.problems(in: site)
        #expect(problems.map(\.rule) == [.dal016])
        #expect(problems.map(\.severity) == [.warning])
        for good in ["https://a.b", "https://xn--exmple-cua.com", "https://127.0.0.1:8080", "https://[::1]"] {
            #expect(WebSite.problems(in: good).isEmpty, "\(good)")
        }
    }

    @Test func `keeps relations, targets, includes and dynamic rules`() throws {
        let text = """
            [
              {
                "relation": ["\(Self.handle)", "delegate_permission/common.get_login_creds"],
                "target": {
                  "namespace": "android_app",
                  "package_name": "com.acme.shop",
                  "sha256_cert_fingerprints": ["\(Self.print)", "\(Self.second)"]
                },
                "relation_extensions": {
                  "\(Self.handle)": {
                    "dynamic_app_link_components": [
                      { "/": "/a", "?": { "b": "c" }, "#": "d", "exclude": true, "comments": "e" },
                      { "/": "*" }
                    ]
                  }
                }
              },
              { "include": "https://example.com/more.json" },
              { "relation": ["delegate_permission/common.get_login_creds"],
                "target": { "namespace": "web", "site": "https://example.com" } },
              { "relation": ["\(Self.handle)"], "target": { "namespace": "ios_app", "appid": "9JA89QQLNQ.com.acme" } }
            ]
            """
        let reading = Self.read(text)
        #expect(reading.findings.filter { $0.severity == .error }.map(\.rule) == [.dal045])
        let list = try #require(reading.list)
        #expect(list.includes.map(\.text) == ["https://example.com/more.json"])
        #expect(list.flaws.map(\.rejectsListSince) == [.android12])
        #expect(list.statements.count == 3)
        let first = list.statements[0]
        #expect(first.relations.map(\.text) == [Self.handle, "delegate_permission/common.get_login_creds"])
        guard case .androidApp(let package, let fingerprints)? = first.target else {
            Issue.record("no app")
            return
        }
        #expect(package.text == "com.acme.shop")
        #expect(package.range.start.line == 6)
        #expect(fingerprints.map(\.text) == [Self.print, Self.second])
        let rules = try #require(first.dynamicRules)
        #expect(rules.map(\.path) == ["/a", "*"])
        #expect(rules[0].query == [QueryItemPattern(name: "b", pattern: "c")])
        #expect(rules[0].fragment == "d")
        #expect(rules.map(\.exclude) == [true, false])
        #expect(list.statements.map(\.consumers.count) == [3, 3, 1])
    }

    /// A list, and whether Google can use each of its statements.
    struct Case: Sendable, CustomTestStringConvertible {
        var name: String
        var text: String
        var rules: [RuleID]
        var google: [Bool]
        /// Android 12 and later reject the whole file.
        var endangers = false
        var testDescription: String { name }
    }

    private static func app(_ fingerprints: String, relation: String = "[\"\(handle)\"]") -> String {
        "{\"relation\": \(relation), \"target\": {\"namespace\": \"android_app\", \"package_name\": \"com.acme.shop\", "
            + "\"sha256_cert_fingerprints\": \(fingerprints)}}"
    }
    private static let good = app("[\"\(print)\", \"\(second)\"]")
    private static func web(_ site: String) -> String {
        "[{\"relation\": [\"delegate_permission/common.get_login_creds\"], "
            + "\"target\": {\"namespace\": \"web\", \"site\": \"\(site)\"}}]"
    }

    static let cases = [
        Case(name: "an empty list", text: "[]", rules: [.dal003], google: []),
        Case(name: "one statement without an array", text: good, rules: [.dal002], google: []),
        Case(name: "a trailing comma", text: "[\(good),]", rules: [.dal001], google: [true]),
        Case(name: "a number", text: "42", rules: [.dal002], google: []),
        Case(name: "a string", text: "\"foo\"", rules: [.dal002], google: []),
        Case(name: "a text cut short", text: "[{", rules: [.dal001], google: []),
        Case(
            name: "a bad statement next to a good one", text: "[{}, \(good)]", rules: [.dal004], google: [false, true]),
        Case(
            name: "relation as a string", text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "\"\(handle)\""))]",
            rules: [.dal005], google: [false]),
        Case(
            name: "relation as an object", text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "{}"))]",
            rules: [.dal005], google: [false]),
        Case(
            name: "a wildcard relation",
            text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "[\"delegate_permission/*\"]"))]",
            rules: [.dal006],
            google: [false], endangers: true),
        Case(
            name: "an unknown, well-formed relation",
            text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "[\"navigate/yellow_brick_road\"]"))]",
            rules: [.dal007], google: [true]),
        Case(
            name: "a relation without detail",
            text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "[\"delegate_permission/\"]"))]",
            rules: [.dal006],
            google: [false], endangers: true),
        Case(
            name: "a relation without kind",
            text: "[\(app("[\"\(print)\", \"\(second)\"]", relation: "[\"write_on_the_walls\"]"))]", rules: [.dal006],
            google: [false], endangers: true),
        Case(
            name: "a site with a slash", text: web("https://example.com/"), rules: [.dal016], google: [false]),
        Case(
            name: "a site with the default port", text: web("https://example.com:443"), rules: [.dal018],
            google: [true]),
        Case(name: "a site in capitals with a dot", text: web("HTTPS://example.com."), rules: [], google: [true]),
        Case(
            name: "a site without scheme", text: web("example.com"), rules: [.dal016], google: [false],
            endangers: true),
        Case(
            name: "a site by ftp", text: web("ftp://example.com"), rules: [.dal016], google: [false], endangers: true),
        Case(
            name: "a site with a user", text: web("https://u:p@example.com"), rules: [.dal016], google: [false],
            endangers: true),
        Case(
            name: "a site with a bad port", text: web("https://example.com:x"), rules: [.dal016], google: [false],
            endangers: true),
        Case(
            name: "lower-case fingerprints", text: "[\(app("[\"\(print.lowercased())\", \"\(second)\"]"))]",
            rules: [.dal010], google: [false]),
        Case(
            name: "a bare fingerprint", text: "[\(app("\"\(print)\""))]", rules: [.dal012], google: [false],
            endangers: true),
        Case(name: "no fingerprints", text: "[\(app("[]"))]", rules: [.dal012], google: [false], endangers: true),
        Case(
            name: "31 bytes", text: "[\(app("[\"\(print.dropLast(3))\", \"\(second)\"]"))]", rules: [.dal011],
            google: [false]),
        Case(
            name: "no hex digits", text: "[\(app("[\"\(print.replacing("5B", with: "5G"))\", \"\(second)\"]"))]",
            rules: [.dal011], google: [false]),
        Case(
            name: "an empty fingerprint", text: "[\(app("[\"\", \"\(second)\"]"))]", rules: [.dal011], google: [false]
        ),
        Case(name: "two fingerprints", text: "[\(good)]", rules: [], google: [true]),
        Case(
            name: "an include", text: "[{\"include\": \"https://cdn.example.com/x.json\"}]", rules: [.dal023],
            google: []),
        Case(
            name: "an include with a relation",
            text: "[{\"include\": \"https://cdn.example.com/x.json\", \"relation\": [\"\(handle)\"]}]",
            rules: [.dal023, .dal021], google: []),
        Case(
            name: "an include with another field",
            text: "[{\"include\": \"https://cdn.example.com/x.json\", \"a\": 1}]",
            rules: [.dal023], google: [], endangers: true),
        Case(
            name: "an insecure include", text: "[{\"include\": \"http://cdn.example.com/x.json\"}]", rules: [.dal022],
            google: []),
        Case(
            name: "an include of itself",
            text: "[{\"include\": \"https://www.example.org/.well-known/assetlinks.json\"}]",
            rules: [.dal024, .dal023], google: []),
        Case(
            name: "an unknown namespace",
            text: "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"windows_app\"}}, \(good)]",
            rules: [.dal008], google: [false, true], endangers: true),
        Case(
            name: "a number for a string",
            text: "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"android_app\", \"package_name\": 1, "
                + "\"sha256_cert_fingerprints\": [\"\(print)\", \"\(second)\"]}}, \(good)]", rules: [.dal009],
            google: [false, true], endangers: true),
    ]

    @Test(arguments: cases)
    func `agrees with the compatibility cases`(example: Case) {
        let reading = Self.read(example.text)
        let findings = Linter.lint(statements: Array(example.text.utf8), file: "f", host: "www.example.org")
        #expect(findings.map(\.rule) == example.rules)
        let hasFatalError = [.dal001, .dal002].contains { example.rules.contains($0) }
        #expect((reading.list == nil) == hasFatalError)
        guard let list = reading.list else { return }
        #expect(list.statements.map { $0.consumers.contains(.google) } == example.google)
        #expect(list.statements(for: .google).count == example.google.filter { $0 }.count)
        #expect((list.rejection(on: .android12) != nil) == example.endangers)
    }

    @Test func `a broken dynamic rule drops the rules and keeps the statement`() throws {
        let list = try #require(Self.read(Texts.rules("{\"/\": 1}")).list)
        #expect(list.statements.first?.consumers.contains(.google) == true)
        #expect(list.statements.first?.dynamicRules == nil)
    }

    @Test(arguments: [
        ("{\"?\": \"a=1\"}", 0), ("{\"/\": \"/x\"}, {\"/\": 1}", 1), ("7", 0), ("{\"/\": \"*\", \"exclude\": 1}", 0),
        ("{\"?\": {\"a\": 1}}, {\"#\": false}", 0),
    ])
    func `names the rule because of which Android may discard all rules`(
        rules: String, index: Int
    ) throws {
        let statement = try #require(Self.read(Texts.rules(rules)).list?.statements.first)
        #expect(statement.dynamicRules == nil)
        let malformed = try #require(statement.malformedRule)
        #expect(malformed.index == index)
        #expect(malformed.step.rule == index && malformed.step.outcome == .leftOpen)
        #expect(malformed.unsettled == UnsettledPoint(.malformedRule, rule: index))
    }

    @Test func `names no rule if the rules are valid or belong to another relation`() throws {
        let good = try #require(Self.read(Texts.rules("{\"/\": \"/x\"}")).list?.statements.first)
        #expect(good.malformedRule == nil && good.dynamicRules?.count == 1)
        let key = "delegate_permission/common.get_login_creds"
        let other = try #require(Self.read(Texts.rules("{\"/\": 1}", key: key)).list?.statements.first)
        #expect(other.malformedRule == nil)
    }

    @Test func `the last of two query parameters with the same name counts`() throws {
        let list = try #require(
            Self.read(Texts.rules("{\"?\": {\"a\": \"1\", \"b\": \"2\", \"a\": \"3\"}}")).list)
        let query = try #require(list.statements.first?.dynamicRules?.first?.query)
        #expect(query.map(\.name) == ["a", "b"])
        #expect(query.map(\.pattern) == ["3", "2"])
    }

    @Test func `rules under another relation are not the app's rules`() throws {
        let key = "delegate_permission/common.get_login_creds"
        let list = try #require(Self.read(Texts.rules("{\"/\": \"*\"}", key: key)).list)
        #expect(list.statements.first?.dynamicRules == nil)
    }

    @Test func `checks both sides of AOSP's size limit`() {
        let size = StatementList.bytesMax
        let text = "[\(Self.good)]"
        let inside = StatementList.read(Texts.padded(text, to: size), file: "f")
        let outside = StatementList.read(Texts.padded(text, to: size + 1), file: "f")
        #expect(inside.findings.map(\.severity) == [.warning])
        #expect(inside.list != nil)
        #expect(outside.findings.map(\.severity) == [.error])
        #expect(outside.list != nil)
    }
}
