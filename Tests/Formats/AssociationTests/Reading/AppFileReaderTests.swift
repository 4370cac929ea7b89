import AssociationSamples
import Foundation
import SourceJSON
import TestSupport
import Testing

@testable import Association

/// Each rule with a file that breaks it, and with one that is just valid.
@Suite struct AppFileReaderTests {
    typealias Sample = AppFileSample

    @Test func `finds nothing in a valid file`() {
        let reading = Sample.read(Sample.text())
        #expect(reading.findings.isEmpty, "\(reading.findings)")
        #expect(reading.appFile != nil)
    }

    @Test(
        arguments: [
            // The whole
            ("{ name: ", [RuleID.app001]), ("<html>", [.app001]), ("", [.app001]), ("[]", [.app002]),
            (Sample.text(name: nil), [.app006]), (Sample.text(name: #""""#), [.app007]),
            (Sample.text(name: "7"), [.app005]), (Sample.text(more: "linkz: []"), [.app003]),
            (Sample.text(more: #"name: "Again""#), [.app004]), (Sample.text(ios: nil, android: nil), [.app016]),
            (Sample.text(more: "priority: -5"), []), (Sample.text(more: "priority: 1.5"), [.app020]),
            (Sample.text(more: "cacheControl: 0"), []), (Sample.text(more: "cacheControl: -1"), [.app020]),
            (Sample.text(more: "cacheControl: 31536000"), []), (Sample.text(more: "cacheControl: 31536001"), [.app020]),
            (Sample.text(more: #"cacheControl: "1h""#), [.app005]), (Sample.text(more: #"guard: "warn""#), []),
            (Sample.text(more: #"guard: "warm""#), [.app007]), (Sample.text(more: "guard: false"), [.app005]),
            (Sample.text(more: #"scheme: "dev.acme.shop""#), []), (Sample.text(more: #"scheme: "Shop""#), [.app018]),
            (Sample.text(more: #"scheme: "shop://""#), [.app018]), (Sample.text(more: #"scheme: "https""#), [.app018]),
            (Sample.text(more: #"scheme: "1shop""#), [.app018]),
            (Sample.text(more: "pages: { spa: true, landing: false }"), []),
            (Sample.text(more: "pages: { spa: 1 }"), [.app005]),
            (Sample.text(more: "pages: { spaa: true }"), [.app003]), (Sample.text(more: "pages: []"), [.app005]),
            // Hosts
            (Sample.text(hosts: nil), [.app006]), (Sample.text(hosts: "[]"), [.app006]),
            (Sample.text(hosts: #""shop.acme.test""#), [.app005]), (Sample.text(hosts: "[7]"), [.app005]),
            (Sample.text(hosts: #"["https://shop.acme.test"]"#), [.app008]),
            (Sample.text(hosts: #"["Shop.acme.test"]"#), [.app009]),
            (Sample.text(hosts: #"["shop.acme.test", "shop.acme.test"]"#), [.app010]),
            (Sample.text(hosts: #"["*.acme.test"]"#), [.app011]),
            (Sample.text(hosts: #"["*.acme.test", "acme.test"]"#), []),
            (Sample.text(hosts: #"["intranet"]"#), [.app012]), (Sample.text(hosts: #"["localhost"]"#), []),
            (Sample.text(hosts: #"["*.com", "com"]"#), [.app012, .app012]),
            (Sample.text(hosts: #"["ab--c.example", "a--b.example"]"#), [.app049]),
            (Sample.text(hosts: #"["xn--i-7iq.example", "xn--mnchen-3ya.example"]"#), [.app049]),
            (Sample.text(hosts: #"["xn--a-xbb.example"]"#), [.app008]),
            // Retired
            (Sample.text(more: #"retired: { appIDs: ["ZZ99ZZ99ZZ.dev.acme.old"], hosts: ["old.acme.test"] }"#), []),
            (Sample.text(more: #"retired: { appIDs: ["8KQ2V7M4XN.dev.acme.shop"] }"#), [.app021]),
            (Sample.text(more: #"retired: { hosts: ["shop.acme.test"] }"#), [.app021]),
            (Sample.text(more: #"retired: { fingerprints: ["30"] }"#), [.dal011]),
        ] as [(String, [RuleID])])
    func `reads the top level`(text: String, rules: [RuleID]) {
        check(text, rules)
    }

    @Test(
        arguments: [
            ("{}", [RuleID.app006]), ("{ appIDs: [] }", [.app006]), (Self.ios("links: []"), [.app003]),
            (Self.ios(#"paths: ["/a"], hosts: []"#), [.app003, .app003]), (Self.ios("name: 1"), [.app003]),
            (#"{ appIDs: "8KQ2V7M4XN.dev.acme.shop" }"#, [.app005]), (#"{ appIDs: ["dev.acme.shop"] }"#, [.aasa019]),
            (#"{ appIDs: ["8kq2v7m4xn.dev.acme.shop"] }"#, [.aasa020]),
            (#"{ appIDs: ["8KQ2V7M4XN.dev.acme.*"] }"#, [.aasa021]),
            (#"{ appIDs: ["ABCDE12345.com.example.shop"] }"#, [.aasa022]),
            (#"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop", "8KQ2V7M4XN.dev.acme.shop"] }"#, [.app014]),
            (Self.ios(#"services: ["applinks", "activitycontinuation"]"#), []),
            (Self.ios(#"services: ["applink"]"#), [.app007]), (Self.ios(#"services: ["appclips"]"#), [.app007]),
            (Self.ios(#"services: ["applinks", "applinks"]"#), [.app014]), (Self.ios("services: []"), []),
            (Self.ios(#"appClips: ["8KQ2V7M4XN.dev.acme.shop.Clip"]"#), []), (Self.ios(#"storeID: "640199958""#), []),
            (Self.ios("storeID: 640199958"), [.app005]), (Self.ios(#"storeID: "id640199958""#), [.app019]),
            (Self.ios("legacyPaths: true"), []), (Self.ios(#"legacyPaths: "yes""#), [.app005]),
            (Self.ios("signed: true"), []), (Self.ios(#"signed: "root""#), []),
            (Self.ios(#"signed: "all""#), [.app007]),
            (Self.ios("defaults: { caseSensitive: false }"), []), (Self.ios(#"defaults: { "/": "/x" }"#), [.app003]),
            (Self.ios(#"variables: { page: ["a", "b"] }"#), [.aasa065]),
            (Self.ios(#"variables: { page: [] }"#), [.aasa065, .app024]),
            (Self.ios(#"variables: { page: "a" }"#), [.aasa065, .app005, .app024]),
            (Self.ios(#"variables: { "a(b": ["a"] }"#), [.app024]),
            (Self.ios(#"variables: { page: ["$(digit)"] }"#), [.aasa065, .aasa062]),
            (Self.ios(#"variables: { page: ["a"], page: ["b"] }"#), [.aasa065, .app004]),
        ] as [(String, [RuleID])])
    func `reads ios`(ios: String, rules: [RuleID]) {
        check(Sample.text(ios: ios), rules)
    }

    @Test(
        arguments: [
            (#"{ fingerprints: ["\#(Sample.fingerprint)"] }"#, [.app006]),
            (#"{ package: "dev.acme.shop" }"#, [.app006]),
            (#"{ package: "shop", fingerprints: ["\#(Sample.fingerprint)"] }"#, [.dal009]),
            (Self.android("relations: []"), [.app006]), (Self.android(#"relations: ["handle_all_urls"]"#), []),
            (Self.android(#"relations: ["delegate_permission/common.get_login_creds"]"#), []),
            (Self.android(#"relations: ["handle_all_url"]"#), [.dal007]),
            (Self.android(#"relations: ["Handle_All_Urls"]"#), [.dal006]),
            (Self.android(#"relations: ["a/b/c"]"#), [.dal006]),
            (Self.android(#"relations: ["handle_all_urls", "delegate_permission/common.handle_all_urls"]"#), [.app014]),
            (Self.android("dynamicRules: true"), []),
            (Self.android(#"dynamicRules: true, relations: ["get_login_creds"]"#), [.app023]),
            (Self.android("playStore: false"), []), (Self.fingerprinted(Sample.fingerprint.lowercased()), [.app015]),
            (Self.fingerprinted(Sample.fingerprint.filter { $0 != ":" }), [.app015]),
            (Self.fingerprinted(String(Sample.fingerprint.prefix(59))), [.dal011]),
            (Self.fingerprinted(String(repeating: "AB:", count: 31) + "AB"), [.dal013]),
            (Self.noted(#"sha256: "\#(Sample.fingerprint)", note: "Play""#), []),
            (Self.noted(#"sha256: "\#(Sample.fingerprint)""#), []),
            (Self.noted(#"sha256: "\#(Sample.fingerprint.lowercased())", note: "Play""#), [.app015]),
            (Self.noted(#"note: "Play""#), [.app006]), (Self.noted(#"sha256: 7"#), [.app005]),
            (Self.noted(#"sha256: "\#(Sample.fingerprint)", note: """#), [.app007]),
            (Self.noted(#"sha256: "\#(Sample.fingerprint)", notes: "Play""#), [.app003]),
            (Self.noted(#"sha256: "\#(Sample.fingerprint)", note: "\#(String(repeating: "a", count: 100))""#), []),
            (
                Self.noted(#"sha256: "\#(Sample.fingerprint)", note: "\#(String(repeating: "a", count: 101))""#),
                [.app020]
            ),
            (#"{ packages: [{ name: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"] }] }"#, []),
            (#"{ packages: [] }"#, [.app006]), (#"{ packages: [{ name: "dev.acme.shop" }] }"#, [.app006]),
            (#"{ packages: [{ fingerprints: ["\#(Sample.fingerprint)"] }] }"#, [.app006]),
            (Self.android("packages: []"), [.app007, .app006]),
        ] as [(String, [RuleID])])
    func `reads android`(android: String, rules: [RuleID]) {
        check(Sample.text(android: android), rules)
    }

    @Test(
        arguments: [
            (##"[{ "/": "/a", "?": { id: "?*" }, "#": "top", exclude: true, comment: "x" }]"##, []),
            (#"[{ "/": "/a", "?": "id=*", caseSensitive: false, percentEncoded: false }]"#, []),
            ("[]", [.app017]), ("{}", [.app005]), (#"["/a"]"#, [.app005]), (#"[{ "/": 7 }]"#, [.app005]),
            (#"[{ "/": "" }]"#, [.app007]), (#"[{ "?": { id: 7 } }]"#, [.app005]), (#"[{ "?": 7 }]"#, [.app005]),
            (#"[{ "/": "/a", Exclude: true }]"#, [.app003]), (#"[{ "/": "/a", exclude: "yes" }]"#, [.app005]),
            (#"[{ "/": "/$(nosuch)" }]"#, [.aasa060]), (#"[{ "/": "/$(digit" }]"#, [.aasa061]),
            (#"[{ "/": "/$(digit)" }]"#, []), (#"[{ "?": { a: "1", a: "2" } }]"#, [.app004]),
            ("[{ '/': '/\(String(repeating: "a", count: 2_047))' }]", []),
            ("[{ '/': '/\(String(repeating: "a", count: 2_048))' }]", [.app020]),
        ] as [(String, [RuleID])])
    func `reads links`(links: String, rules: [RuleID]) {
        check(Sample.text(links: links), rules)
    }

    private static func noted(_ members: String) -> String {
        "{ package: \"dev.acme.shop\", fingerprints: [{ \(members) }] }"
    }

    @Test func `a note of a fingerprint is kept, quoted in findings, and not served`() throws {
        let plain = try Sample.app(Sample.text())
        let app = try Sample.app(
            Sample.text(android: Self.noted(#"sha256: "\#(Sample.fingerprint)", note: "Play""#)))
        #expect(app.android?.packages.first?.notes == [Sample.fingerprint: "Play"])
        let documents = [plain, app].map { Renderer.documents(for: [$0]).statementBytes }
        #expect(documents[0] != nil && documents[0] == documents[1])

        let (good, short) = (Sample.fingerprint, String(Sample.fingerprint.prefix(59)))
        let android =
            #"{ package: "dev.acme.shop", fingerprints: ["\#(good)", { sha256: "\#(good)", note: "Play" }, "#
            + #"{ sha256: "\#(short)", note: "a\nb" }] }"#
        let messages = Sample.read(Sample.text(android: android)).findings.map(\.message)
        #expect(messages.contains { $0.hasSuffix("lists 30:EF:E5:5E… (`Play`) twice") })
        #expect(messages.contains { $0.contains("b`: fingerprint has 20 bytes, so it is SHA-1") && !$0.contains("\n") })
    }

    @Test func `fixing the spelling of a fingerprint keeps its note`() throws {
        let text = Sample.text(android: Self.noted(#"note: "Play", sha256: "\#(Sample.fingerprint.lowercased())""#))
        let edits = Sample.read(text).findings.compactMap(\.edit)
        let fixed = String(decoding: SourceEdit.apply(edits, to: Array(text.utf8)).text, as: UTF8.self)
        #expect(fixed.contains(#"{ note: "Play", sha256: "\#(Sample.fingerprint)" }"#))
    }

    @Test func `warns about App Clips on a wildcard`() {
        let ios = Self.ios(#"appClips: ["8KQ2V7M4XN.dev.acme.shop.Clip"]"#)
        check(Sample.text(hosts: #"["acme.test", "*.acme.test"]"#, ios: ios), [.app013])
    }

    @Test func `reports missing links only if a service needs them`() {
        check(Sample.text(links: nil), [.app017])
        check(Sample.text(ios: Self.ios(#"services: ["webcredentials"]"#), links: nil), [])
        check(Sample.text(ios: nil, links: nil), [])
        check(Sample.text(ios: nil, android: Self.android("dynamicRules: true"), links: nil), [.app017])
    }

    @Test func `reports the line and column`() {
        let text = "{\n  name: \"Shop\",\n  hosts: [\"shop.acme.test\",\n    \"no host\"],\n  ios: \(Sample.ios)\n}"
        let finding = Sample.read(text).findings.first { $0.rule == .app008 }
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
    func `an unknown key is an error in rules and platforms, and if it is misspelt`(text: String, severity: Severity) {
        let text = text.hasPrefix("{ name") ? text : Sample.text(ios: text)
        let findings = Sample.read(text).findings
        #expect(findings.rules == [.app003], "one finding for one cause: \(findings.map(\.message))")
        #expect(findings.map(\.severity) == [severity])
    }

    @Test func `suggests the rule for a path of iOS 12 in its place`() {
        let findings = Sample.read(Sample.text(links: #"["/a", "NOT /b"]"#)).findings
        #expect(findings.map { $0.edit?.replacement } == [#"{ "/": "/a" }"#, #"{ "/": "/b", exclude: true }"#])
    }

    @Test func `suggests the nearest key, with an edit`() {
        let text = Sample.text(links: nil, more: "linkz: []")
        let finding = Sample.read(text).findings.first { $0.rule == .app003 }
        #expect(finding?.fix == "write `links`")
        #expect(finding?.edit?.replacement == "links")
        #expect(finding?.edit?.range == finding?.range)
    }

    @Test(
        arguments: [
            (Sample.text(links: #"[{ path: "/a/*" }]"#), #""/""#), (Sample.text(links: #"[{ query: "a" }]"#), #""?""#),
            (Sample.text(android: #"{ package_name: "dev.acme.shop" }"#), "package"),
            (Sample.text(android: Self.android("sha256_cert_fingerprints: []")), nil),
        ] as [(String, String?)])
    func `knows the keys of the files on the phone's side`(text: String, replacement: String?) throws {
        let finding = try #require(Sample.read(text).findings.first { $0.rule == .app003 })
        #expect(finding.edit?.replacement == replacement)
        #expect(
            finding.fix?.contains(replacement.map { "write `\($0.filter { $0 != "\"" })`" } ?? "`fingerprints`") == true
        )
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
                """#, links: #"[{ "/": "/$(v)", exclude: true, comment: "c" }]"#,
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
        #expect(app.appStoreURL == "https://apps.apple.com/app/id7")
        #expect(app.playStoreURL == "https://play.google.com/store/apps/details?id=dev.acme.a")
    }

    @Test func `has default values`() throws {
        let app = try Sample.app(Sample.text())
        #expect(app.cacheSeconds == 3600 && app.priority == 0 && app.removalGuard == .block)
        #expect(app.pages == PageOptions(isSinglePageApp: false, hasLandingPage: true))
        #expect(app.ios?.services == [.applinks, .webcredentials])
        #expect(app.android?.relations == ["delegate_permission/common.handle_all_urls"])
        #expect(app.android?.hasDynamicRules == false)
    }

    @Test func `limits the findings and still rejects the file`() {
        let text = Sample.text(hosts: "[" + String(repeating: "7,", count: 2_000) + "]")
        let reading = Sample.read(text)
        #expect(reading.findings.count == FindingList.findingsMax)
        #expect(reading.appFile == nil)
        #expect(Sample.read(Sample.text(more: String(repeating: "x: 1,", count: 2_000) + "name: 7")).appFile == nil)
    }

    @Test func `limits the entries of an array`() {
        let hosts = (0...AppFileReader.elementsMax).map { #""h\#($0).acme.test","# }.joined()
        check(Sample.text(hosts: "[\(hosts)]"), [.app020])
    }

    @Test(arguments: [(500, []), (501, [RuleID.app020])])
    func `limits the hosts times app ids`(count: Int, rules: [RuleID]) {
        let hosts = (0..<count).map { #""h\#($0).acme.test""# }.joined(separator: ",")
        let ids = (0..<499).map { #""8KQ2V7M4XN.dev.associated.n\#($0)""# }.joined(separator: ",")
        let text = "{ name: \"A\", hosts: [\(hosts)], ios: { appIDs: [\(ids)] }, links: [{ \"/\": \"*\" }] }"
        #expect(Sample.read(text).findings.filter { $0.severity == .error }.map(\.rule) == rules)
    }

    @Test func `docs app-file md has every key`() throws {
        let tests = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath().deletingLastPathComponent()
        let file = tests.appendingPathComponent("../../../../docs/app-file.md").standardized
        let text = try String(contentsOf: file, encoding: .utf8)
        let keys = AppFileSchema.rootKeys + AppFileSchema.iosKeys + AppFileSchema.androidKeys
        for key in keys { #expect(text.contains("`\(key)`"), "\(key)") }
    }

    private static let schema = AppFileSchema.value

    private func check(_ text: String, _ rules: [RuleID], _ location: SourceLocation = #_sourceLocation) {
        let reading = Sample.read(text)
        #expect(reading.findings.map(\.rule) == rules, "\(reading.findings.map(\.message))", sourceLocation: location)
        let hasError = reading.findings.contains { $0.severity == .error }
        #expect((reading.appFile == nil) == hasError, sourceLocation: location)
        if !hasError, !rules.contains(.app003), let value = SourceReader.read(Array(text.utf8), as: .json5).value {
            #expect(SchemaCheck.accepts(Self.schema, value), sourceLocation: location)
        }
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

    @Test(arguments: [
        ("ios", "links: [{}]", "move it to the top level of the file, beside `ios`"),
        ("ios", "paths: []", "write `links` to the top level of the file, beside `ios`"),
        ("android", "hosts: []", "move it to the top level of the file, beside `android`"),
        ("ios", "package: 1", "remove it; known keys are "),
    ])
    func `a key of the top level in the section of a platform is moved, and missed nowhere else`(
        section: String, member: String, fix: String
    ) throws {
        let text = #"{ name: "A", hosts: ["a.acme.test"], \#(section): { \#(member) } }"#
        let findings = AppFile.read(Array(text.utf8), file: "a.json").findings
        let finding = try #require(findings.first { $0.rule == .app003 })
        #expect(finding.severity == .error && finding.fix?.hasPrefix(fix) == true, "\(finding)")
        #expect(!findings.contains { $0.rule == .app017 } || member.hasPrefix("hosts") || member.hasPrefix("package"))
    }

    @Test func `the section of a platform under another name is an error`() {
        let text = #"{ name: "A", hosts: ["a.acme.test"], apple: { appIDs: [] } }"#
        let findings = AppFile.read(Array(text.utf8), file: "a.json").findings
        #expect(findings.map(\.rule) == [.app003] && findings.first?.fix == "write `ios`", "\(findings)")
    }
}
