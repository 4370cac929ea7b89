// What entitlements and manifests have in common: detection, XML, and the comparison with app files.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct NativeFileTests {
    @Test(arguments: [
        ("shop.example.org", []), ("a.sub.example.org", []), ("*.sub.example.org", []), ("other.example.org", [1]),
        ("sub.example.org", [1]), ("*.example.org", [1]), ("localhost?mode=developer", []), ("192.0.2.1", []),
    ])
    func `compares hosts with those of the app files`(host: String, found: [Int]) {
        let hosts = ["shop.example.org", "*.sub.example.org"].compactMap { try? HostPattern.parse($0).get() }
        let entitlements = Linter.lint(
            entitlements: Array(EntitlementsCheckTests.entitlements("applinks:\(host)").utf8), file: "f",
            appHosts: hosts)
        #expect(entitlements.rules.filter { $0 == .ahst028 }.count == found.count)
        if host.contains("?") { return }
        let data = ##"<data android:scheme="https"/><data android:host="\##(host)"/>"##
        let manifest = Linter.lint(
            manifest: ManifestCheckTests.manifest(
                #" android:autoVerify="true""#, ManifestCheckTests.view + ManifestCheckTests.categories + data),
            file: "f", appHosts: hosts)
        #expect(manifest.rules == found.map { _ in .ghst016 })
    }

    @Test func `reports where a file is not well-formed XML`() {
        let entitlements = Array(
            EntitlementsCheckTests.entitlements("applinks:a.org").replacing("</array>", with: "").utf8)
        let findings = Linter.lint(entitlements: entitlements, file: "f")
        #expect(findings.rules == [.ahst021] && findings.first?.range?.start.line == 11)
        let manifest = Array("<manifest>\n<application>".utf8)
        #expect(Linter.lint(manifest: manifest, file: "f").rules == [.ghst015])
        #expect(Linter.lint(manifest: manifest, file: "f").first?.severity == .error)
    }

    @Test func `does not recognise other texts`() {
        #expect(Linter.recognise(Array("<html><body>applinks</body></html>".utf8)) == .appleAssociation)
        #expect(Linter.recognise(Array("<plist><dict/></plist>".utf8)) == .unknown)
        let key = EntitlementsCheck.domainsKey
        #expect(Linter.recognise(Array("{\"applinks\": {\"\(key)\": 1}}".utf8)) == .appleAssociation)
    }
}
