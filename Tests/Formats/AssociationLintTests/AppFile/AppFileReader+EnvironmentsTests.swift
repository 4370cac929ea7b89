import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct AppFileEnvironmentsTests {
    typealias Sample = AppFileSample

    static let text = Sample.text(
        ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], storeID: "7", defaults: { caseSensitive: false } }"#,
        more: #"""
            examples: { "https://shop.acme.test/products/1": "app" },
            environments: {
              staging: { hosts: ["staging.acme.test"], ios: { appIDs: ["8KQ2V7M4XN.dev.acme.shop.beta"], storeID: null } },
              ios_only: { hosts: ["ios.acme.test"], android: null },
            },
            """#)

    @Test func `reads the plain file without an environment`() throws {
        let reading = Sample.read(Self.text)
        #expect(reading.appFile?.hosts.map(\.text) == ["shop.acme.test"])
        #expect(reading.environments == ["staging", "ios_only"])
    }

    @Test func `nulls in an object that the plain file lacks have no effect`() throws {
        let text = Sample.text(more: "environments: { staging: { pages: { tagline: null, spa: true } } },")
        let reading = Sample.read(text, environment: "staging")
        #expect(reading.findings.isEmpty, "\(reading.findings)")
        #expect(reading.appFile?.pages.isSinglePageApp == true)
    }

    @Test func `an environment that is not an object still counts as defined`() {
        let reading = Sample.read(Sample.text(more: "environments: { s3: 5 },"), environment: "s3")
        #expect(reading.findings.rules == [.app005], "\(reading.findings)")
    }

    @Test func `merges objects and replaces arrays`() throws {
        let app = try #require(Sample.read(Self.text, environment: "staging").appFile)
        #expect(app.hosts.map(\.text) == ["staging.acme.test"])
        #expect(app.ios?.appIDs == ["8KQ2V7M4XN.dev.acme.shop.beta"])
        #expect(app.ios?.defaults.caseSensitive == false)
        #expect(app.android?.packages.map(\.name) == ["dev.acme.shop"])
        #expect(app.links.map(\.path) == ["/products/?*"])
    }

    @Test func `corrects a misspelled key of an overlay, even if the plain file has the right key`() {
        let misspelled = Sample.text(
            more: #"environments: { staging: { ios: { appIds: ["8KQ2V7M4XN.dev.acme.beta"] } } },"#)
        let findings = Sample.read(misspelled, environment: "staging").findings
        #expect(findings.rules == [.app003])
        #expect(findings.first?.fix == "write `appIDs`" && findings.first?.edit?.replacement == "appIDs")
        let both = misspelled.replacing("{ appIds:", with: "{ appIDs: [], appIds:")
        #expect(Sample.read(both, environment: "staging").findings.contains { $0.fix?.hasPrefix("remove it;") == true })
    }

    @Test func `an overlay may have its own rules, and findings about them name it`() throws {
        func text(_ links: String) -> String {
            Sample.text(more: "environments: { staging: { links: \(links), examples: {} } },")
        }
        let tried = text(#"[{ "/": "/new/?*" }]"#)
        #expect(try Sample.app(tried).links.map(\.path) == ["/products/?*"])
        #expect(Sample.read(tried, environment: "staging").appFile?.links.map(\.path) == ["/new/?*"])
        let findings = AppFile.lint(Array(text(#"[{ "/": "/new/*" }, { "/": "/new/1" }]"#).utf8), file: "shop.json")
        #expect(findings.rules == [.app040])
        #expect(findings.first?.message.hasPrefix("in the environment `staging`, ") == true)
    }

    @Test func `removes keys that are null in an overlay`() throws {
        #expect(try #require(Sample.read(Self.text, environment: "staging").appFile).ios?.storeID == nil)
        #expect(try #require(Sample.read(Self.text, environment: "ios_only").appFile).android == nil)
    }

    @Test(arguments: [
        (nil, ["ios.acme.test", "staging.acme.test"]), ("staging", ["ios.acme.test", "shop.acme.test"]),
        ("stagign", ["ios.acme.test", "staging.acme.test"]),
    ])
    func `knows the hosts of the other environments`(environment: String?, hosts: [String]) {
        #expect(Sample.read(Self.text, environment: environment).otherHosts.map(\.text) == hosts)
    }

    @Test func `compares the rules for the first different settings, and reports where it stops`() {
        func lint(_ count: Int) -> [Finding] {
            let overlays = (0..<count).map { "e\($0): { ios: { variables: { v: [\"\($0)\"] } } }" }
            let text = Sample.text(
                links: #"[{ "/": "/$(v)" }]"#, more: "environments: { \(overlays.joined(separator: ",")) }")
            return AppFile.lint(
                Array(text.replacing("dev.acme.shop\"]", with: "dev.acme.shop\"], variables: { v: [\"x\"] }").utf8),
                file: "shop.json")
        }
        #expect(lint(4).rules == [])
        #expect(lint(5).rules == [.app043])
        #expect(lint(5).first?.message.contains("`e4`") == true)
    }

    @Test func `accepts examples on the hosts of any environment`() {
        #expect(Sample.read(Self.text, environment: "staging").findings.isEmpty)
    }

    @Test func `serves the plain file in an environment it does not have`() throws {
        let reading = Sample.read(Self.text, environment: "stagign")
        #expect(reading.findings.isEmpty)
        #expect(reading.appFile?.hosts.map(\.text) == ["shop.acme.test"])
        // A file without environments is the same in all of them.
        #expect(Sample.read(Sample.text(), environment: "staging").findings.isEmpty)
    }

    @Test(
        arguments: [
            ("[]", [RuleID.app005]), ("{ staging: 7 }", [.app005]), ("{ staging: { priority: 1 } }", [.app003]),
            ("{ staging: {}, staging: {} }", [.app004]), ("{ staging: {} }", []),
        ] as [(String, [RuleID])])
    func `reports invalid environments and keys of overlays`(environments: String, rules: [RuleID]) {
        #expect(Sample.read(Sample.text(more: "environments: \(environments)")).findings.rules == rules)
    }

    @Test func `lists the environments of a file`() {
        func names(_ text: String) -> [String]? { AppFile.environments(in: AppFile.parse(Array(text.utf8))) }
        #expect(names(Self.text) == ["staging", "ios_only"])
        #expect(names(Sample.text()) == [])
        #expect(names("{ environments: 7 }") == [])
        #expect(
            names("{ environments: { a: {}, b: {} ") == nil || names("{ environments: { a: {}, b: {} ") == ["a", "b"])
        #expect(names("7") == nil)
    }

    @Test func `lints every environment and reports each finding once`() {
        let text = Sample.text(more: #"linkz: 1, environments: { staging: { hosts: ["no host"] } }"#)
        let findings = AppFile.lint(Array(text.utf8), file: "shop.json")
        #expect(findings.rules == [.app003, .app008, .app006] || findings.rules == [.app003, .app008])
    }
}
