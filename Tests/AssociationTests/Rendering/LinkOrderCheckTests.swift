import SourceJSON
import Testing

@testable import Association

@Suite struct LinkOrderCheckTests {
    @Test(
        arguments: [
            (#"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }]"#, []),
            (#"[{ "/": "/a/*" }, { "/": "/a/b" }]"#, ["APP-040"]),
            (#"[{ "/": "/a/*" }, { "/": "/a/private/*", exclude: true }]"#, ["APP-040"]),
            (#"[{ "/": "/a" }, { "/": "/b", exclude: true }]"#, ["APP-040"]),
            (#"[{ "/": "/a", exclude: true }]"#, ["AASA-039", "APP-040"]),
            (#"[{ "/": "/a/$(digit)" }, { "/": "/a/7" }]"#, ["APP-040"]),
        ] as [(String, [String])])
    func `finds rules that decide nothing`(links: String, rules: [String]) throws {
        let app = try AppFileSample.app(AppFileSample.text(links: links))
        let findings = LinkOrderCheck(app: app).findings()
        #expect(findings.rules == rules, "\(findings.map(\.message))")
        #expect(findings.allSatisfy { $0.severity != .error && $0.file == "shop.json" && $0.range != nil })
    }

    @Test func `names the rules that decide before`() throws {
        let text =
            "{ name: \"S\", hosts: \(AppFileSample.hosts), ios: \(AppFileSample.ios), links: [\n"
            + "{ \"/\": \"/a/*\" },\n{ \"/\": \"/a/b\" }] }"
        let findings = LinkOrderCheck(app: try AppFileSample.app(text)).findings()
        #expect(
            findings.map(\.message)
                == ["every URL of the rule is decided by links[0] (line 2) before, so it decides nothing"])
        #expect(findings.first?.range?.start.line == 3)
    }
}
