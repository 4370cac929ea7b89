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
        #expect(problems.rules == [.dal016])
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
        var endangers: Bool
        var testDescription: String { name }

        init(_ name: String, _ text: String, _ rules: [RuleID], _ google: [Bool], endangers: Bool = false) {
            (self.name, self.text, self.rules, self.google, self.endangers) = (name, text, rules, google, endangers)
        }
    }

    private static func app(_ fingerprints: String, relation: String = "[\"\(handle)\"]") -> String {
        "{\"relation\": \(relation), \"target\": {\"namespace\": \"android_app\", \"package_name\": \"com.acme.shop\", "
            + "\"sha256_cert_fingerprints\": \(fingerprints)}}"
    }
    private static let prints = "[\"\(print)\", \"\(second)\"]"
    private static let good = app(prints)
    private static func relating(_ relation: String) -> String { "[\(app(prints, relation: relation))]" }
    private static func web(_ site: String) -> String {
        "[{\"relation\": [\"delegate_permission/common.get_login_creds\"], "
            + "\"target\": {\"namespace\": \"web\", \"site\": \"\(site)\"}}]"
    }

    static let cases = [
        Case("an empty list", "[]", [.dal003], []), Case("one statement without an array", good, [.dal002], []),
        Case("a trailing comma", "[\(good),]", [.dal001], [true]), Case("a number", "42", [.dal002], []),
        Case("a string", "\"foo\"", [.dal002], []), Case("a text cut short", "[{", [.dal001], []),
        Case("a bad statement next to a good one", "[{}, \(good)]", [.dal004], [false, true]),
        Case("relation as a string", relating("\"\(handle)\""), [.dal005], [false]),
        Case("relation as an object", relating("{}"), [.dal005], [false]),
        Case("a wildcard relation", relating("[\"delegate_permission/*\"]"), [.dal006], [false], endangers: true),
        Case("an unknown, well-formed relation", relating("[\"navigate/yellow_brick_road\"]"), [.dal007], [true]),
        Case("a relation without detail", relating("[\"delegate_permission/\"]"), [.dal006], [false], endangers: true),
        Case("a relation without kind", relating("[\"write_on_the_walls\"]"), [.dal006], [false], endangers: true),
        Case("a site with a slash", web("https://example.com/"), [.dal016], [false]),
        Case("a site with the default port", web("https://example.com:443"), [.dal018], [true]),
        Case("a site in capitals with a dot", web("HTTPS://example.com."), [], [true]),
        Case("a site without scheme", web("example.com"), [.dal016], [false], endangers: true),
        Case("a site by ftp", web("ftp://example.com"), [.dal016], [false], endangers: true),
        Case("a site with a user", web("https://u:p@example.com"), [.dal016], [false], endangers: true),
        Case("a site with a bad port", web("https://example.com:x"), [.dal016], [false], endangers: true),
        Case("lower-case fingerprints", "[\(app("[\"\(print.lowercased())\", \"\(second)\"]"))]", [.dal010], [false]),
        Case("a bare fingerprint", "[\(app("\"\(print)\""))]", [.dal012], [false], endangers: true),
        Case("no fingerprints", "[\(app("[]"))]", [.dal012], [false], endangers: true),
        Case("31 bytes", "[\(app("[\"\(print.dropLast(3))\", \"\(second)\"]"))]", [.dal011], [false]),
        Case(
            "no hex digits", "[\(app("[\"\(print.replacing("5B", with: "5G"))\", \"\(second)\"]"))]", [.dal011], [false]
        ),
        Case("an empty fingerprint", "[\(app("[\"\", \"\(second)\"]"))]", [.dal011], [false]),
        Case("two fingerprints", "[\(good)]", [], [true]),
        Case("an include", "[{\"include\": \"https://cdn.example.com/x.json\"}]", [.dal023], []),
        Case(
            "an include with a relation",
            "[{\"include\": \"https://cdn.example.com/x.json\", \"relation\": [\"\(handle)\"]}]", [.dal023, .dal021], []
        ),
        Case(
            "an include with another field", "[{\"include\": \"https://cdn.example.com/x.json\", \"a\": 1}]", [.dal023],
            [], endangers: true),
        Case("an insecure include", "[{\"include\": \"http://cdn.example.com/x.json\"}]", [.dal022], []),
        Case(
            "an include of itself", "[{\"include\": \"https://www.example.org/.well-known/assetlinks.json\"}]",
            [.dal024, .dal023], []),
        Case(
            "an unknown namespace",
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"windows_app\"}}, \(good)]", [.dal008],
            [false, true], endangers: true),
        Case(
            "a number for a string",
            "[{\"relation\": [\"\(handle)\"], \"target\": {\"namespace\": \"android_app\", \"package_name\": 1, "
                + "\"sha256_cert_fingerprints\": [\"\(print)\", \"\(second)\"]}}, \(good)]", [.dal009], [false, true],
            endangers: true),
    ]

    @Test(arguments: cases)
    func `agrees with the compatibility cases`(example: Case) {
        let reading = Self.read(example.text)
        let findings = Linter.lint(statements: Array(example.text.utf8), file: "f", host: "www.example.org")
        #expect(findings.rules == example.rules)
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
        #expect(malformed.doubt.hasPrefix("rule \(index): it is not known whether "))
    }

    @Test func `names no rule if the rules are valid or belong to another relation`() throws {
        let good = try #require(Self.read(Texts.rules("{\"/\": \"/x\"}")).list?.statements.first)
        #expect(good.malformedRule == nil && good.dynamicRules?.count == 1)
        let key = "delegate_permission/common.get_login_creds"
        let other = try #require(Self.read(Texts.rules("{\"/\": 1}", key: key)).list?.statements.first)
        #expect(other.malformedRule == nil)
    }

    @Test func `the last of two query parameters with the same name counts`() throws {
        let list = try #require(Self.read(Texts.rules("{\"?\": {\"a\": \"1\", \"b\": \"2\", \"a\": \"3\"}}")).list)
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
