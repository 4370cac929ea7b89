// A character with two encodings (`é` as one scalar or as two, the Kelvin sign and K) is two different texts for every
// phone: two keys, two names, two paths. Swift's string comparison treats them as equal.

import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct SpellingOfCharactersTests {
    private static let one = "\u{E9}"
    private static let two = "e\u{301}"
    private static let app = #"appIDs: ["8KQ2V7M4XN.dev.acme.shop"]"#

    private func appFile(_ ios: String = "", links: String, more: String = "", environment: String? = nil)
        -> AppFileReading
    {
        AppFileSample.read(
            AppFileSample.text(ios: "{ \(Self.app), \(ios) }", links: links, more: more), environment: environment)
    }

    private func aasa(_ text: String) -> AppleReading { AppleAssociation.read(Array(text.utf8), file: "f") }

    @Test func `two encodings of a name are not a duplicate key`() throws {
        let reading = appFile(
            #"variables: { "\#(Self.one)": ["a"], "\#(Self.two)": ["b"] }"#,
            links: #"[{ "/": "/$(\#(Self.one))/$(\#(Self.two))", "?": { "\#(Self.one)": "1", "\#(Self.two)": "2" } }]"#)
        #expect(reading.findings.isEmpty, "\(reading.findings)")
        let app = try #require(reading.appFile)
        #expect(app.ios?.variables.count == 2)
        let matcher = try #require(app.appleMatcher)
        let url = { (first: String, second: String) in
            LinkURL("https://shop.acme.test/\(first)/\(second)?%C3%A9=1&e%CC%81=2")
        }
        // Names of query parameters are compared with the URL, where they are escaped.
        #expect(
            appFile(
                #"variables: { "\#(Self.one)": ["a"], "\#(Self.two)": ["b"] }"#,
                links: #"[{ "/": "/$(\#(Self.one))/$(\#(Self.two))" }]"#
            ).appFile?.appleMatcher?.decide(try #require(url("a", "b"))) == .match(rule: 0))
        #expect(matcher.decide(try #require(url("b", "a"))) == .none)
    }

    @Test func `a variable in another encoding is not defined`() throws {
        let links = #"[{ "/": "/$(\#(Self.two))" }]"#
        let reading = appFile(#"variables: { "\#(Self.one)": ["a"] }"#, links: links)
        #expect(reading.findings.rules == [.aasa065, .aasa060])
        let text = #"""
            {"applinks": {"substitutionVariables": {"\#(Self.one)": ["a"]},
              "details": [{"appIDs": ["8KQ2V7M4XN.dev.acme.shop"], "components": [{"/": "/$(\#(Self.two))"}]}]}}
            """#
        let apple = aasa(text)
        #expect(apple.findings.rules.contains(.aasa060) && apple.findings.rules.contains(.aasa065))
        let applinks = try #require(apple.association?.applinks)
        let matcher = try #require(applinks.details.first).matcher(in: applinks)
        #expect(matcher.decide(try #require(LinkURL("https://h.test/a"))) == .none)
    }

    @Test func `two encodings of a path are two rules`() throws {
        let components = { (first: String, second: String) in
            LintExample.components(
                #"{"/": "\#(first)", "percentEncoded": false}, {"/": "\#(second)", "percentEncoded": false}"#)
        }
        let rules = { (text: String) in Linter.lint(apple: Array(text.utf8), file: "f").rules }
        let ids = rules(components("/\(Self.one)/*", "/\(Self.two)"))
        #expect(!ids.contains(.aasa037) && !ids.contains(.aasa047), "\(ids)")
        // With the same encoding the rules are compared.
        #expect(rules(components("/\(Self.one)/*", "/\(Self.one)")).contains(.aasa047))
        #expect(!rules(components("/\(Self.one)x", "/\(Self.two)*")).contains(.aasa048))
        #expect(rules(components("/\(Self.one)x", "/\(Self.one)*")).contains(.aasa048))
    }

    @Test func `Android compares the bytes of paths and parameter names too`() throws {
        let matcher = AndroidMatcher(rules: [
            AndroidRule(path: "/\(Self.one)"), AndroidRule(query: [QueryItemPattern(name: Self.one, pattern: "1")]),
        ])
        #expect(matcher.decide(try #require(LinkURL("https://h.test/%C3%A9"))) == .allow(rule: 0))
        #expect(matcher.decide(try #require(LinkURL("https://h.test/e%CC%81"))) == .none)
        #expect(matcher.decide(try #require(LinkURL("https://h.test/?%C3%A9=1"))) == .allow(rule: 1))
        #expect(matcher.decide(try #require(LinkURL("https://h.test/?e%CC%81=1"))) == .none)
    }

    @Test func `parameters of two lists are equal only if their bytes are`() {
        let list = { (name: String) in
            RuleList.android(AndroidMatcher(rules: [AndroidRule(query: [QueryItemPattern(name: name, pattern: "1")])]))
        }
        let found = RuleComparison.differences(between: list(Self.one), and: list(Self.two), host: "h.test")
        #expect(found.witnesses.count == 2)
        let same = RuleComparison.differences(between: list(Self.one), and: list(Self.one), host: "h.test")
        #expect(same == .noneFound)
    }

    @Test func `a translated rule keeps both encodings`() throws {
        let app = try #require(
            appFile(
                #"variables: { v: ["\#(Self.one)", "\#(Self.two)"] }, defaults: { percentEncoded: false }"#,
                links: #"[{ "/": "/x/$(v)y" }]"#
            ).appFile)
        let rules = AndroidTranslator(
            defaults: AppleDefaults(percentEncoded: false), variables: app.ios?.variables ?? []
        ).translate(app.links[0]).rules
        #expect(rules.count == 4)
    }

    @Test func `apps do not share a variable whose values have different encodings`() throws {
        var table = VariableTable()
        for value in [Self.one, Self.two] {
            _ = table.add(
                try #require(appFile(#"variables: { v: ["\#(value)"] }"#, links: #"[{ "/": "/x/$(v)" }]"#).appFile))
        }
        #expect(table.variables.map(\.name) == ["v", "v_2"])
    }

    @Test func `an overlay replaces only a key with the same encoding`() throws {
        let more = #"environments: { staging: { ios: { variables: { "\#(Self.two)": ["b"] } } } }"#
        let reading = appFile(
            #"variables: { "\#(Self.one)": ["a"] }"#, links: #"[{ "/": "/$(\#(Self.one))" }]"#, more: more,
            environment: "staging")
        #expect(reading.appFile?.ios?.variables.map(\.values) == [["a"], ["b"]])
    }

    @Test func `a combining mark does not hide a wildcard`() {
        #expect(AndroidPatternCheck.problems(in: "/a**\u{301}", isPath: true).map(\.rule).contains(.dal036))
        #expect(AndroidPatternCheck.problems(in: "/$(\u{301}x)", isPath: true).map(\.rule).contains(.dal039))
        let value = aasa(LintExample.variables(#""v": ["$(\#u{301}x)"]"#)).findings.rules
        #expect(value.contains(.aasa062))
        let path = aasa(LintExample.paths(#""NOT \#u{301}/x""#)).association?.applinks?.details.first?.paths?.first
        #expect(path?.pattern.utf8.elementsEqual("\u{301}/x".utf8) == true)
    }

    @Test func `apps and certificates are verified by their bytes`() throws {
        let list =
            "[{\"relation\": [\"\(LintExample.handle)\"], \"target\": \(LintExample.target("org.acme.\(Self.one)"))}]"
        let verdict = { (package: String) in
            AndroidBinding(package: package, fingerprints: [LintExample.print], relation: LintExample.handle)
                .verdict(of: .chromium, on: Array(list.utf8), file: "f").kind
        }
        #expect(verdict("org.acme.\(Self.one)") == .verified)
        #expect(verdict("org.acme.\(Self.two)") == .notVerified)
        let aasa = LintExample.path("/x").replacing(LintExample.app, with: "9JA89QQLNQ.\(Self.one)")
        let apple = { (id: String) in
            AppleBinding(appID: id, service: .applinks).verdict(on: Array(aasa.utf8), file: "f").kind
        }
        #expect(apple("9JA89QQLNQ.\(Self.one)") == .verified)
        #expect(apple("9JA89QQLNQ.\(Self.two)") == .notVerified)
    }

    @Test(arguments: [("/\u{212A}", false), ("/x\u{212A}", false), ("/\u{212B}", true), ("/\u{E9}", true)])
    func `says that a pattern never matches only if that is true without case`(path: String, isNever: Bool) throws {
        let text = LintExample.component(#""/": "\#(path)", "caseSensitive": false"#)
        let messages = aasa(text).findings.filter { $0.rule == .aasa051 }.map(\.message)
        #expect(messages.count == 1)
        #expect(messages.allSatisfy { $0.contains("never matches") == isNever })
        let matcher = AppleMatcher(components: [AppleComponent(path: path, caseSensitive: false)])
        let url = try #require(LinkURL("https://h.test" + path.replacing("\u{212A}", with: "k")))
        #expect((matcher.decide(url) == .match(rule: 0)) == !isNever)
        // With case it never matches.
        let exact = aasa(LintExample.component(#""/": "\#(path)""#)).findings.filter { $0.rule == .aasa051 }
        #expect(exact.allSatisfy { $0.message.contains("never matches") })
    }
}
