// The associated domains in entitlements: valid ones and each mistake.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct EntitlementsCheckTests {
    static func entitlements(_ domain: String) -> String {
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
            ("applinks:shop.example.org?x=1", [.ahst021]), ("appclips:*.example.org", [.ahst023]),
            ("applinks:shop.example.org?mode=developer", [.ahst024]),
            ("applinks:shop.example.org?mode=developer+managed", [.ahst024]),
            ("applinks:localhost?mode=developer", [.ahst024]), ("applinks:localhost", [.ahst025]),
            ("applinks:192.0.2.1", [.ahst025]), ("applinks:[2001:db8::1]", [.ahst025]),
            ("applinks:café.example.org", [.ahst025]), ("applinks:.example.org", [.ahst025]),
            ("applinks:a..example.org", [.ahst025]), ("applinks:", [.ahst025]),
            ("applinks:www.*.example.org", [.ahst025]), ("applinks:localhost?mode=managed", [.ahst025, .ahst024]),
            ("applinks:192.0.2.1:80/", [.ahst021, .ahst021, .ahst025]),
        ] as [(String, [RuleID])])
    func `reports invalid domains`(domain: String, rules: [RuleID]) throws {
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
    func `proposes the domain that was probably meant`(domain: String, fix: String) {
        #expect(Linter.lint(entitlements: Array(Self.entitlements(domain).utf8), file: "f").first?.fix == fix)
    }

    @Test(arguments: [
        ("com.apple.developer.associated-domain", "array", "write com.apple.developer.associated-domains"),
        ("com.apple.associated-domains", "array", "write com.apple.developer.associated-domains"),
        ("com.apple.security.app-sandbox", "array", "copy what `associated snippet APP ios` prints"),
        ("com.apple.developer.associated-domains", "set", "write <array> with a <string> for each domain"),
    ])
    func `reports entitlements without the key`(key: String, element: String, fix: String) {
        let text = Self.entitlements("applinks:a.org").replacing("com.apple.developer.associated-domains", with: key)
            .replacing("array>", with: "\(element)>")
        let findings = Linter.lint(entitlements: Array(text.utf8), file: "f")
        #expect(findings.rules == [.ahst029] && findings.first?.severity == .error)
        #expect(findings.first?.fix == fix)
    }
}
