import Foundation
import SourceJSON
import Testing

@testable import Association

/// Each rule with a file that breaks it and one that only just does not.
@Suite struct AppFileReaderTests {
    typealias Sample = AppFileSample

    @Test func `finds nothing wrong with a good file`() {
        let reading = Sample.read(Sample.text())
        #expect(reading.findings.isEmpty, "\(reading.findings)")
        #expect(reading.appFile != nil)
    }

    @Test(
        arguments: [
            // The whole
            ("{ name: ", ["APP-001"]), ("<html>", ["APP-001"]), ("", ["APP-001"]), ("[]", ["APP-002"]),
            (Sample.text(name: nil), ["APP-006"]), (Sample.text(name: #""""#), ["APP-007"]),
            (Sample.text(name: "7"), ["APP-005"]), (Sample.text(more: "linkz: []"), ["APP-003"]),
            (Sample.text(more: #"name: "Again""#), ["APP-004"]), (Sample.text(ios: nil, android: nil), ["APP-016"]),
            (Sample.text(more: "priority: -5"), []), (Sample.text(more: "priority: 1.5"), ["APP-020"]),
            (Sample.text(more: "cacheControl: 0"), []), (Sample.text(more: "cacheControl: -1"), ["APP-020"]),
            (Sample.text(more: "cacheControl: 31536000"), []),
            (Sample.text(more: "cacheControl: 31536001"), ["APP-020"]),
            (Sample.text(more: #"cacheControl: "1h""#), ["APP-005"]), (Sample.text(more: #"guard: "warn""#), []),
            (Sample.text(more: #"guard: "warm""#), ["APP-007"]), (Sample.text(more: "guard: false"), ["APP-005"]),
            (Sample.text(more: #"scheme: "dev.acme.shop""#), []), (Sample.text(more: #"scheme: "Shop""#), ["APP-018"]),
            (Sample.text(more: #"scheme: "shop://""#), ["APP-018"]),
            (Sample.text(more: #"scheme: "https""#), ["APP-018"]),
            (Sample.text(more: #"scheme: "1shop""#), ["APP-018"]),
            (Sample.text(more: "pages: { spa: true, landing: false }"), []),
            (Sample.text(more: "pages: { spa: 1 }"), ["APP-005"]),
            (Sample.text(more: "pages: { spaa: true }"), ["APP-003"]),
            (Sample.text(more: "pages: []"), ["APP-005"]),
            // Hosts
            (Sample.text(hosts: nil), ["APP-006"]), (Sample.text(hosts: "[]"), ["APP-006"]),
            (Sample.text(hosts: #""shop.acme.test""#), ["APP-005"]), (Sample.text(hosts: "[7]"), ["APP-005"]),
            (Sample.text(hosts: #"["https://shop.acme.test"]"#), ["APP-008"]),
            (Sample.text(hosts: #"["Shop.acme.test"]"#), ["APP-009"]),
            (Sample.text(hosts: #"["shop.acme.test", "shop.acme.test"]"#), ["APP-010"]),
            (Sample.text(hosts: #"["*.acme.test"]"#), ["APP-011"]),
            (Sample.text(hosts: #"["*.acme.test", "acme.test"]"#), []),
            (Sample.text(hosts: #"["intranet"]"#), ["APP-012"]),
            (Sample.text(hosts: #"["localhost"]"#), []),
            (Sample.text(hosts: #"["*.com", "com"]"#), ["APP-012", "APP-012"]),
            // Retired
            (Sample.text(more: #"retired: { appIDs: ["ZZ99ZZ99ZZ.dev.acme.old"], hosts: ["old.acme.test"] }"#), []),
            (Sample.text(more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }"#), ["APP-021"]),
            (Sample.text(more: #"retired: { hosts: ["shop.acme.test"] }"#), ["APP-021"]),
            (Sample.text(more: #"retired: { fingerprints: ["30"] }"#), ["DAL-011"]),
        ] as [(String, [String])])
    func `reads the top level`(text: String, rules: [String]) {
        check(text, rules)
    }

    @Test(
        arguments: [
            ("{}", ["APP-006"]), ("{ appIDs: [] }", ["APP-006"]),
            (#"{ appIDs: "8KQ2V7M4XN.dev.acme.shop" }"#, ["APP-005"]),
            (#"{ appIDs: ["dev.acme.shop"] }"#, ["AASA-019"]),
            (#"{ appIDs: ["8kq2v7m4xn.dev.acme.shop"] }"#, ["AASA-020"]),
            (#"{ appIDs: ["8KQ2V7M4XN.dev.acme.*"] }"#, ["AASA-021"]),
            (#"{ appIDs: ["ABCDE12345.com.example.shop"] }"#, ["AASA-022"]),
            (#"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop", "8KQ2V7M4XN.dev.acme.shop"] }"#, ["APP-014"]),
            (Self.ios(#"services: ["applinks", "activitycontinuation"]"#), []),
            (Self.ios(#"services: ["applink"]"#), ["APP-007"]), (Self.ios(#"services: ["appclips"]"#), ["APP-007"]),
            (Self.ios(#"services: ["applinks", "applinks"]"#), ["APP-014"]), (Self.ios("services: []"), []),
            (Self.ios(#"appClips: ["8KQ2V7M4XN.dev.acme.shop.Clip"]"#), []), (Self.ios(#"storeID: "640199958""#), []),
            (Self.ios("storeID: 640199958"), ["APP-005"]), (Self.ios(#"storeID: "id640199958""#), ["APP-019"]),
            (Self.ios("legacyPaths: true"), []), (Self.ios(#"legacyPaths: "yes""#), ["APP-005"]),
            (Self.ios("signed: true"), []), (Self.ios(#"signed: "root""#), []),
            (Self.ios(#"signed: "all""#), ["APP-007"]),
            (Self.ios("defaults: { caseSensitive: false }"), []), (Self.ios(#"defaults: { "/": "/x" }"#), ["APP-003"]),
            (Self.ios(#"variables: { page: ["a", "b"] }"#), ["AASA-065"]),
            (Self.ios(#"variables: { page: [] }"#), ["AASA-065", "APP-024"]),
            (Self.ios(#"variables: { page: "a" }"#), ["AASA-065", "APP-005", "APP-024"]),
            (Self.ios(#"variables: { "a(b": ["a"] }"#), ["APP-024"]),
            (Self.ios(#"variables: { page: ["$(digit)"] }"#), ["AASA-065", "AASA-062"]),
            (Self.ios(#"variables: { page: ["a"], page: ["b"] }"#), ["AASA-065", "APP-004"]),
        ] as [(String, [String])])
    func `reads ios`(ios: String, rules: [String]) {
        check(Sample.text(ios: ios), rules)
    }

    @Test(
        arguments: [
            (#"{ fingerprints: ["\#(Sample.fingerprint)"] }"#, ["APP-006"]),
            (#"{ package: "dev.acme.shop" }"#, ["APP-006"]),
            (#"{ package: "shop", fingerprints: ["\#(Sample.fingerprint)"] }"#, ["DAL-009"]),
            (Self.android("relations: []"), ["APP-006"]), (Self.android(#"relations: ["handle_all_urls"]"#), []),
            (Self.android(#"relations: ["delegate_permission/common.get_login_creds"]"#), []),
            (Self.android(#"relations: ["handle_all_url"]"#), ["DAL-007"]),
            (Self.android(#"relations: ["Handle_All_Urls"]"#), ["DAL-006"]),
            (Self.android(#"relations: ["a/b/c"]"#), ["DAL-006"]),
            (
                Self.android(#"relations: ["handle_all_urls", "delegate_permission/common.handle_all_urls"]"#),
                ["APP-014"]
            ),
            (Self.android("dynamicRules: true"), []),
            (Self.android(#"dynamicRules: true, relations: ["get_login_creds"]"#), ["APP-023"]),
            (Self.android("playStore: false"), []),
            (Self.fingerprinted(Sample.fingerprint.lowercased()), ["APP-015"]),
            (Self.fingerprinted(Sample.fingerprint.filter { $0 != ":" }), ["APP-015"]),
            (Self.fingerprinted(String(Sample.fingerprint.prefix(59))), ["DAL-011"]),
            (Self.fingerprinted(String(repeating: "AB:", count: 31) + "AB"), ["DAL-013"]),
            (#"{ packages: [{ name: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"] }] }"#, []),
            (#"{ packages: [] }"#, ["APP-006"]), (#"{ packages: [{ name: "dev.acme.shop" }] }"#, ["APP-006"]),
            (#"{ packages: [{ fingerprints: ["\#(Sample.fingerprint)"] }] }"#, ["APP-006"]),
            (Self.android("packages: []"), ["APP-007", "APP-006"]),
        ] as [(String, [String])])
    func `reads android`(android: String, rules: [String]) {
        check(Sample.text(android: android), rules)
    }

    @Test(
        arguments: [
            (##"[{ "/": "/a", "?": { id: "?*" }, "#": "top", exclude: true, comment: "x" }]"##, []),
            (#"[{ "/": "/a", "?": "id=*", caseSensitive: false, percentEncoded: false }]"#, []),
            ("[]", ["APP-017"]), ("{}", ["APP-005"]), (#"["/a"]"#, ["APP-005"]), (#"[{ "/": 7 }]"#, ["APP-005"]),
            (#"[{ "/": "" }]"#, ["APP-007"]), (#"[{ "?": { id: 7 } }]"#, ["APP-005"]), (#"[{ "?": 7 }]"#, ["APP-005"]),
            (#"[{ "/": "/a", Exclude: true }]"#, ["APP-003"]), (#"[{ "/": "/a", exclude: "yes" }]"#, ["APP-005"]),
            (#"[{ "/": "/$(nosuch)" }]"#, ["AASA-060"]), (#"[{ "/": "/$(digit" }]"#, ["AASA-061"]),
            (#"[{ "/": "/$(digit)" }]"#, []), (#"[{ "?": { a: "1", a: "2" } }]"#, ["APP-004"]),
            ("[{ '/': '/\(String(repeating: "a", count: 2_047))' }]", []),
            ("[{ '/': '/\(String(repeating: "a", count: 2_048))' }]", ["APP-020"]),
        ] as [(String, [String])])
    func `reads links`(links: String, rules: [String]) {
        check(Sample.text(links: links), rules)
    }

    @Test func `warns of App Clips on a wildcard`() {
        let ios = Self.ios(#"appClips: ["8KQ2V7M4XN.dev.acme.shop.Clip"]"#)
        check(Sample.text(hosts: #"["acme.test", "*.acme.test"]"#, ios: ios), ["APP-013"])
    }

    @Test func `says that there are no links only where links are wanted`() {
        check(Sample.text(links: nil), ["APP-017"])
        check(Sample.text(ios: Self.ios(#"services: ["webcredentials"]"#), links: nil), [])
        check(Sample.text(ios: nil, links: nil), [])
        check(Sample.text(ios: nil, android: Self.android("dynamicRules: true"), links: nil), ["APP-017"])
    }

    @Test func `points to the line and column`() {
        let text = "{\n  name: \"Shop\",\n  hosts: [\"shop.acme.test\",\n    \"no host\"],\n  ios: \(Sample.ios)\n}"
        let finding = Sample.read(text).findings.first { $0.rule == "APP-008" }
        #expect(finding?.file == "shop.json")
        #expect(finding?.range?.start.line == 4)
        #expect(finding?.range?.start.column == 5)
    }

    @Test(
        arguments: [
            (Sample.text(links: #"[{ "/": "/private/*", exlude: true }]"#), .error),
            (Sample.text(links: #"[{ path: "/a/*" }]"#), .error),
            (Sample.text(links: #"[{ "/": "/a", note: 1 }]"#), .error),
            (Self.ios("x: 1"), .error), (Sample.text(more: "enviroments: {}"), .error),
            (Sample.text(ios: #"{ appIds: ["8KQ2V7M4XN.dev.acme.shop"] }"#), .error),
            (Sample.text(android: #"{ pakage: "dev.acme.shop" }"#), .error),
            (Sample.text(hosts: nil, more: #"hots: ["shop.acme.test"]"#), .error),
            (Sample.text(links: nil, more: "linkz: []"), .error),
            (Sample.text(more: "pages: { spaa: true }"), .error), (Sample.text(more: "x_owner: 1"), .warning),
        ] as [(String, Severity)])
    func `an unknown key is an error in rules and platforms, and where it is misspelt`(text: String, severity: Severity)
    {
        let text = text.hasPrefix("{ name") ? text : Sample.text(ios: text)
        let findings = AppFile.lint(Array(text.utf8), file: "shop.json")
        #expect(findings.rules == ["APP-003"], "one finding for one cause: \(findings.map(\.message))")
        #expect(findings.map(\.severity) == [severity])
    }

    @Test func `a path of iOS 12 in place of a rule is rewritten with what it means`() {
        let findings = Sample.read(Sample.text(links: #"["/a", "NOT /b"]"#)).findings
        #expect(findings.map { $0.edit?.replacement } == [#"{ "/": "/a" }"#, #"{ "/": "/b", exclude: true }"#])
    }

    @Test func `suggests the nearest key and the text to put there`() {
        let text = Sample.text(links: nil, more: "linkz: []")
        let finding = Sample.read(text).findings.first { $0.rule == "APP-003" }
        #expect(finding?.fix == "write `links`")
        #expect(finding?.edit?.replacement == "links")
        #expect(finding?.edit?.range == finding?.range)
    }

    @Test func `reads everything into the model`() throws {
        let text = Sample.text(
            hosts: #"["shop.acme.test", "*.acme.test", "acme.test"]"#,
            ios: #"""
                { appIDs: ["8KQ2V7M4XN.dev.acme.shop"], services: ["applinks"], storeID: "7", signed: "root",
                  legacyPaths: true, defaults: { percentEncoded: false }, variables: { v: ["a", "b"] } }
                """#,
            android: #"""
                { packages: [{ name: "dev.acme.a", fingerprints: ["\#(Sample.fingerprint)"] },
                  { name: "dev.acme.b", fingerprints: ["\#(Sample.otherFingerprint)"] }],
                  relations: ["get_login_creds"], playStore: true }
                """#,
            links: #"[{ "/": "/$(v)", exclude: true, comment: "c" }]"#,
            more: #"""
                scheme: "dev.acme.shop", priority: 3, cacheControl: 60, guard: "off",
                pages: { spa: true, landing: false, tagline: "Rope" },
                retired: { fingerprints: ["\#(Sample.fingerprint.filter { $0 != ":" }.replacing("3", with: "4"))"] },
                environments: { staging: {} }
                """#)
        let app = try Sample.app(text)
        #expect(app.hosts.map(\.text) == ["shop.acme.test", "*.acme.test", "acme.test"])
        #expect(app.ranges.hosts.count == 3)
        #expect(app.ios?.services == [.applinks])
        #expect(app.ios?.signing == .root)
        #expect(app.ios?.defaults.percentEncoded == false)
        #expect(app.ios?.variables == [SubstitutionVariable(name: "v", values: ["a", "b"])])
        #expect(app.android?.packages.map(\.name) == ["dev.acme.a", "dev.acme.b"])
        #expect(app.android?.relations == ["delegate_permission/common.get_login_creds"])
        #expect(app.links.map(\.path) == ["/$(v)"])
        #expect(app.links.map(\.exclude) == [true])
        #expect(app.scheme == "dev.acme.shop" && app.priority == 3 && app.cacheSeconds == 60)
        #expect(app.removalGuard == .off)
        #expect(app.pages == PageOptions(isSinglePageApp: true, hasLandingPage: false, tagline: "Rope"))
        #expect(app.retired.fingerprints.first?.hasPrefix("40:EF:") == true)
        #expect(app.environments == ["staging"])
        #expect(app.appStoreURL == "https://apps.apple.com/app/id7")
        #expect(app.playStoreURL == "https://play.google.com/store/apps/details?id=dev.acme.a")
    }

    @Test func `has its defaults`() throws {
        let app = try Sample.app(Sample.text())
        #expect(app.cacheSeconds == 3600 && app.priority == 0 && app.removalGuard == .block)
        #expect(app.pages == PageOptions(isSinglePageApp: false, hasLandingPage: true))
        #expect(app.ios?.services == [.applinks, .webcredentials])
        #expect(app.android?.relations == ["delegate_permission/common.handle_all_urls"])
        #expect(app.android?.hasDynamicRules == false)
    }

    @Test func `stops counting findings and still knows that there are errors`() {
        let text = Sample.text(hosts: "[" + String(repeating: "7,", count: 2_000) + "]")
        let reading = Sample.read(text)
        #expect(reading.findings.count == FindingList.findingsMax)
        #expect(reading.appFile == nil)
        #expect(Sample.read(Sample.text(more: String(repeating: "x: 1,", count: 2_000) + "name: 7")).appFile == nil)
    }

    @Test func `refuses more entries than make sense`() {
        let hosts = (0...AppFileReader.elementsMax).map { #""h\#($0).acme.test","# }.joined()
        check(Sample.text(hosts: "[\(hosts)]"), ["APP-020"])
    }

    @Test(arguments: [(500, []), (501, ["APP-020"])])
    func `refuses more hosts times app ids than make sense`(count: Int, rules: [String]) {
        let hosts = (0..<count).map { #""h\#($0).acme.test""# }.joined(separator: ",")
        let ids = (0..<499).map { #""8KQ2V7M4XN.dev.associated.n\#($0)""# }.joined(separator: ",")
        let text = "{ name: \"A\", hosts: [\(hosts)], ios: { appIDs: [\(ids)] }, links: [{ \"/\": \"*\" }] }"
        #expect(Sample.read(text).findings.filter { $0.severity == .error }.map(\.rule) == rules)
    }

    @Test func `has each of its rules in the catalogue`() {
        for rule in AppFileRule.allCases { #expect(LintRule.named(rule.rawValue) != nil, "\(rule)") }
        // What is about the files in service is found by the server.
        let found = LintRule.appFile.filter { $0.subject == .document }.map(\.id)
        #expect(Set(found) == Set(AppFileRule.allCases.map(\.rawValue)))
    }

    @Test func `has each of its keys in docs app-file md`() throws {
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let file = tests.appendingPathComponent("../../../docs/app-file.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let keys = AppFileReader.rootKeys + AppFileReader.iosKeys + AppFileReader.androidKeys
        for key in keys { #expect(text.contains("`\(key)`"), "\(key)") }
    }

    private func check(_ text: String, _ rules: [String], _ location: SourceLocation = #_sourceLocation) {
        let reading = Sample.read(text)
        #expect(reading.findings.rules == rules, "\(reading.findings.map(\.message))", sourceLocation: location)
        let hasError = reading.findings.contains { $0.severity == .error }
        #expect((reading.appFile == nil) == hasError, sourceLocation: location)
        for finding in reading.findings {
            #expect(finding.message.first?.isUppercase != true || finding.message.hasPrefix("App"), "\(finding)")
            #expect(!finding.message.hasSuffix("."), "\(finding.message)", sourceLocation: location)
        }
    }

    private static func ios(_ more: String) -> String { #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], \#(more) }"# }

    private static func android(_ more: String) -> String {
        #"{ package: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"], \#(more) }"#
    }

    private static func fingerprinted(_ print: String) -> String {
        #"{ package: "dev.acme.shop", fingerprints: ["\#(print)"] }"#
    }
}
