import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct LinkOrderCheckTests {
    @Test(
        arguments: [
            (#"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }]"#, []),
            (#"[{ "/": "/a/*" }, { "/": "/a/b" }]"#, [RuleID.app040]),
            (#"[{ "/": "/a/*" }, { "/": "/a/private/*", exclude: true }]"#, [.app040]),
            (#"[{ "/": "/a" }, { "/": "/b", exclude: true }]"#, [.app040]),
            (#"[{ "/": "/a", exclude: true }]"#, [.aasa039, .app040]),
            (#"[{ "/": "/a/$(digit)" }, { "/": "/a/7" }]"#, [.app040]),
        ] as [(String, [RuleID])])
    func `finds rules without effect`(links: String, rules: [RuleID]) throws {
        let app = try AppFileSample.app(AppFileSample.text(links: links))
        let findings = LinkOrderCheck(app: app, source: app.sourceMatcher).findings()
        #expect(findings.rules == rules, "\(findings.map(\.message))")
        #expect(findings.allSatisfy { $0.severity != .error && $0.file == "shop.json" && $0.range != nil })
    }

    @Test func `names the earlier rules that match all URLs`() throws {
        let text =
            "{ name: \"S\", hosts: \(AppFileSample.hosts), ios: \(AppFileSample.ios), links: [\n"
            + "{ \"/\": \"/a/*\" },\n{ \"/\": \"/a/b\" }] }"
        let app = try AppFileSample.app(text)
        let findings = LinkOrderCheck(app: app, source: app.sourceMatcher).findings()
        #expect(findings.map(\.message) == ["this rule has no effect: links[0] (line 2) already matches all its URLs"])
        #expect(findings.first?.range?.start.line == 3)
    }

    @Test(arguments: [
        (#"[{ "/": "/a/*" }, { "/": "/a/b" }]"#, "remove this rule"),
        (
            #"[{ "/": "/a/*" }, { "/": "/a/private/*", exclude: true }]"#,
            "move this rule above links[0], or remove this rule"
        ),
    ])
    func `proposes another place only for a rule with the opposite result`(links: String, fix: String) throws {
        let app = try AppFileSample.app(AppFileSample.text(links: links))
        let findings = LinkOrderCheck(app: app, source: app.sourceMatcher).findings()
        #expect(findings.filter { $0.rule == .app040 }.map(\.fix) == [fix])
    }

    @Test func `checks the beginning of a list that is too long`() throws {
        let many = (1..<250).map { #"{ "/": "/b\#($0)" }"# }
        let links = [#"{ "/": "/a/*" }"#, #"{ "/": "/a/1" }"#, #"{ "/": "/c", exclude: true }"#] + many
        let text = AppFileSample.text(links: "[" + (links + [#"{ "/": "/a/2" }"#]).joined(separator: ", ") + "]")
        let app = try AppFileSample.app(text)
        // The second rule is within the limits, the last is not. /c is not reported, because that needs the whole list.
        let useless = LinkOrderCheck(app: app, source: app.sourceMatcher).findings().filter { $0.rule == .app040 }
        #expect(useless.map(\.range) == [app.links[1].range])
    }
}
