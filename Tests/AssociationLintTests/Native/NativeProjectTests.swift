// Entitlements and manifests on both sides of each rule.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct NativeProjectTests {
    private static func entitlements(_ domain: String) -> String {
        """
        <?xml version="1.0" encoding="UTF-8"?>
        <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
        <plist version="1.0">
        <dict>
          <key>aps-environment</key>
          <string>https://other.example.org</string>
          <key>com.apple.developer.associated-domains</key>
          <array>
            <string>\(domain)</string>
          </array>
        </dict>
        </plist>
        """
    }

    @Test(
        arguments: [
            ("applinks:shop.example.org", []), ("webcredentials:*.example.org", []), ("appclips:shop.example.org", []),
            ("applinks:$(HOST)", []), ("spotlight:anything at all", []), ("applink:shop.example.org", [RuleID.ahst021]),
            ("webcredential:shop.example.org", [.ahst021]), ("applinks:xn--caf-dma.example.org", []),
            ("applinks:https://shop.example.org", [.ahst021]), ("https://shop.example.org", [.ahst021]),
            ("shop.example.org", [.ahst021]), ("applinks:shop.example.org:443", [.ahst021]),
            ("applinks:shop.example.org/", [.ahst021]), ("applinks:shop.example.org/buy", [.ahst021]),
            ("applinks:shop.example.org?x=1", [.ahst021]),
            ("appclips:*.example.org", [.ahst023]),
            ("applinks:shop.example.org?mode=developer", [.ahst024]),
            ("applinks:shop.example.org?mode=developer+managed", [.ahst024]),
            ("applinks:localhost?mode=developer", [.ahst024]),
            ("applinks:localhost", [.ahst025]), ("applinks:192.0.2.1", [.ahst025]),
            ("applinks:[2001:db8::1]", [.ahst025]), ("applinks:café.example.org", [.ahst025]),
            ("applinks:.example.org", [.ahst025]), ("applinks:a..example.org", [.ahst025]),
            ("applinks:", [.ahst025]), ("applinks:www.*.example.org", [.ahst025]),
            ("applinks:localhost?mode=managed", [.ahst025, .ahst024]),
            ("applinks:192.0.2.1:80/", [.ahst021, .ahst021, .ahst025]),
        ] as [(String, [RuleID])])
    func `reads the domains of entitlements`(domain: String, rules: [RuleID]) throws {
        let bytes = Array(Self.entitlements(domain).utf8)
        #expect(Linter.recognise(bytes) == .entitlements)
        let findings = try #require(Linter.lint(bytes, file: "App.entitlements"))
        #expect(findings.rules == rules, "\(findings.map(\.message))")
        for finding in findings {
            let range = try #require(finding.range)
            #expect(range.start.line == 9 && range.start.column == 13)
            #expect(finding.severity == finding.rule.severity)
            #expect(String(decoding: bytes[range.start.offset..<range.end.offset], as: UTF8.self) == domain)
        }
    }

    @Test(arguments: [
        ("shop.example.org", "write applinks:shop.example.org"),
        ("applinks:https://shop.example.org/a", "write applinks:shop.example.org"),
        ("https://shop.example.org:8443/a", "write applinks:shop.example.org"),
        ("webcredentials:shop.example.org:443", "write webcredentials:shop.example.org"),
        ("applinks:shop.example.org?mode=development", "write applinks:shop.example.org?mode=developer"),
        ("applinks:shop.example.org?x=1", "write applinks:shop.example.org"),
    ])
    func `writes out what is meant`(domain: String, fix: String) {
        #expect(Linter.lint(entitlements: Array(Self.entitlements(domain).utf8), file: "f").first?.fix == fix)
    }

    @Test(arguments: [
        ("com.apple.developer.associated-domain", "array", "write com.apple.developer.associated-domains"),
        ("com.apple.associated-domains", "array", "write com.apple.developer.associated-domains"),
        ("com.apple.security.app-sandbox", "array", "take over what `associated snippet APP ios` prints"),
        ("com.apple.developer.associated-domains", "set", "write <array> with a <string> for each domain"),
    ])
    func `entitlements without the key associate nothing`(key: String, element: String, fix: String) {
        let text = Self.entitlements("applinks:a.org").replacing("com.apple.developer.associated-domains", with: key)
            .replacing("array>", with: "\(element)>")
        let findings = Linter.lint(entitlements: Array(text.utf8), file: "f")
        #expect(findings.rules == [.ahst029] && findings.first?.severity == .error)
        #expect(findings.first?.fix == fix)
    }

    @Test(
        arguments: [
            (##"android:pathPrefix="buy/""##, "write `/buy/`", Severity.warning),
            (##"android:path="buy""##, "write `/buy`", .warning), (##"android:path="/buy""##, nil, .note),
            (##"android:path="@string/path""##, nil, .note), (##"android:pathPattern=".*/buy""##, nil, .note),
            (
                ##"android:pathPrefix="/buy/*""##,
                "use android:pathPattern with `.*`, or android:pathPrefix with `/buy/`",
                .warning
            ),
            (##"android:path="/*/buy""##, "use android:pathPattern with `.*`", .warning),
            (##"android:host="Shop.example.org""##, "write `shop.example.org`", .error),
        ] as [(String, String?, Severity)])
    func `paths and hosts that no URL has`(attribute: String, fix: String?, severity: Severity) {
        let content = Self.view + Self.categories + Self.data + "<data \(attribute)/>"
        let findings = Linter.lint(manifest: Self.manifest(#" android:autoVerify="true""#, content), file: "f")
        #expect(findings.rules == (fix == nil ? [] : [.ghst017]))
        #expect(findings.first?.fix == fix)
        if fix != nil { #expect(findings.first?.severity == severity) }
    }

    @Test(arguments: [
        ("shop.example.org", []), ("a.sub.example.org", []), ("*.sub.example.org", []), ("other.example.org", [1]),
        ("sub.example.org", [1]), ("*.example.org", [1]), ("localhost?mode=developer", []), ("192.0.2.1", []),
    ])
    func `compares hosts with those of the app files`(host: String, found: [Int]) {
        let hosts = ["shop.example.org", "*.sub.example.org"].compactMap { try? HostPattern.parse($0).get() }
        let entitlements = Linter.lint(
            entitlements: Array(Self.entitlements("applinks:\(host)").utf8), file: "f", appHosts: hosts)
        #expect(entitlements.rules.filter { $0 == .ahst028 }.count == found.count)
        if host.contains("?") { return }
        let data = ##"<data android:scheme="https"/><data android:host="\##(host)"/>"##
        let manifest = Linter.lint(
            manifest: Self.manifest(#" android:autoVerify="true""#, Self.view + Self.categories + data), file: "f",
            appHosts: hosts)
        #expect(manifest.rules == found.map { _ in .ghst016 })
    }

    private static let data = ##"<data android:scheme="https"/><data android:host="shop.example.org"/>"##
    private static let view = ##"<action android:name="android.intent.action.VIEW"/>"##
    private static let categories =
        ##"<category android:name="android.intent.category.DEFAULT"/><category android:name="android.intent.category.BROWSABLE"/>"##

    private static func manifest(_ verify: String, _ content: String) -> [UInt8] {
        Array(
            """
            <?xml version="1.0" encoding="utf-8"?>
            <manifest xmlns:android="http://schemas.android.com/apk/res/android">
              <application><activity android:name=".Main">
                <intent-filter\(verify)>\(content)</intent-filter>
              </activity></application>
            </manifest>
            """.utf8)
    }

    @Test(
        arguments: [
            (#" android:autoVerify="true""#, view + categories + data, nil),
            (" ", ##"<action android:name="android.intent.action.MAIN"/>"##, nil),
            (" ", view + categories + ##"<data android:scheme="shop"/>"##, nil),
            (" ", view + categories + data, "lacks android:autoVerify"),
            (#" android:autoVerify="false""#, view + categories + data, "lacks android:autoVerify"),
            (#" android:autoVerify="true""#, categories + data, "lacks the action VIEW,"),
            (#" android:autoVerify="true""#, view + data, "lacks the category DEFAULT and the category BROWSABLE,"),
            (
                #" android:autoVerify="true""#, view + categories + ##"<data android:host="a.org"/>"##,
                "lacks the scheme"
            ),
            (#" android:autoVerify="true""#, view + categories + ##"<data android:scheme="https"/>"##, "lacks a host"),
            (
                #" android:autoVerify="true""#, view + categories + data + ##"<data android:scheme="shop"/>"##,
                "has the scheme `shop` beside"
            ),
        ] as [(String, String, String?)])
    func `reads the filters of a manifest`(verify: String, content: String, wanted: String?) throws {
        let bytes = Self.manifest(verify, content)
        #expect(Linter.recognise(bytes) == .androidManifest)
        let findings = try #require(Linter.lint(bytes, file: "AndroidManifest.xml"))
        #expect(findings.rules == (wanted == nil ? [] : [.ghst015]), "\(findings.map(\.message))")
        if let wanted {
            #expect(findings.first?.message.contains(wanted) == true, "\(findings.map(\.message))")
            #expect(findings.first?.range?.start.line == 4)
            #expect(findings.first?.severity == .warning)
        }
    }

    @Test func `says where one of them is no XML`() {
        let entitlements = Array(Self.entitlements("applinks:a.org").replacing("</array>", with: "").utf8)
        let findings = Linter.lint(entitlements: entitlements, file: "f")
        #expect(findings.rules == [.ahst021] && findings.first?.range?.start.line == 11)
        let manifest = Array("<manifest>\n<application>".utf8)
        #expect(Linter.lint(manifest: manifest, file: "f").rules == [.ghst015])
        #expect(Linter.lint(manifest: manifest, file: "f").first?.severity == .error)
    }

    @Test func `takes no other text for one of them`() {
        #expect(Linter.recognise(Array("<html><body>applinks</body></html>".utf8)) == .appleAssociation)
        #expect(Linter.recognise(Array("<plist><dict/></plist>".utf8)) == .unknown)
        let key = NativeProject.domainsKey
        #expect(Linter.recognise(Array("{\"applinks\": {\"\(key)\": 1}}".utf8)) == .appleAssociation)
    }
}
