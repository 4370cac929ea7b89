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
        // Without links on either platform, nothing is missing.
        let apps = Self.apps(
            """
            { name: "A", hosts: ["shop.example.org", "*.sub.example.org"],
              ios: { appIDs: ["9JA89QQLNQ.org.a"], services: ["webcredentials"] } }
            """)
        let entitlements = Linter.lint(
            entitlements: Array(EntitlementsCheckTests.entitlements("applinks:\(host)").utf8), file: "f",
            appFiles: apps)
        #expect(entitlements.rules.filter { $0 == .ahst028 }.count == found.count)
        if host.contains("?") { return }
        let data = ##"<data android:scheme="https"/><data android:host="\##(host)"/>"##
        let manifest = Linter.lint(
            manifest: ManifestCheckTests.manifest(
                #" android:autoVerify="true""#, ManifestCheckTests.view + ManifestCheckTests.categories + data),
            file: "f", appFiles: apps)
        #expect(manifest.rules == found.map { _ in .ghst016 })
    }

    private static func apps(_ texts: String...) -> [AppFile] { apps(texts) }

    private static func apps(_ texts: [String]) -> [AppFile] {
        texts.enumerated().map { index, text in
            let reading = AppFile.read(Array(text.utf8), file: "\(index).json", environment: nil)
            guard let app = reading.appFile else { fatalError("\(reading.findings)") }
            return app
        }
    }

    private static func app(_ hosts: String, ios: String = "", android: String = "", examples: String = "") -> String {
        """
        { name: "A", hosts: [\(hosts)], ios: { appIDs: ["9JA89QQLNQ.org.a"]\(ios) },
          android: { package: "org.a", fingerprints: ["\(print)"]\(android) },
          links: [{ "/": "/*" }], examples: { \(examples) } }
        """
    }

    private static let androidApp = """
        { name: "B", hosts: ["b.org"], android: { package: "org.b", fingerprints: ["\(print)"] }, links: [{ "/": "/*" }] }
        """

    private static let print = (0x60..<0x80).map { String($0, radix: 16, uppercase: true) }.joined(separator: ":")

    @Test(arguments: [
        // What the app file has and the project lacks.
        (["applinks:a.org"], [app(#""a.org", "b.org""#)], ["applinks:b.org"]),
        (["applinks:a.org", "applinks:b.org"], [app(#""a.org", "b.org""#)], []),
        (["applinks:*.a.org"], [app(#""x.a.org", "*.a.org""#)], []),
        (["applinks:a.org?mode=developer", "applinks:b.org"], [app(#""a.org", "b.org""#)], []),
        // Links are always compared, other services if the project uses them.
        (["webcredentials:a.org"], [app(#""a.org""#)], ["applinks:a.org"]),
        (
            ["applinks:a.org", "applinks:b.org", "webcredentials:a.org"], [app(#""a.org", "b.org""#)],
            ["webcredentials:b.org"]
        ),
        (["webcredentials:a.org"], [app(#""a.org""#, ios: #", services: ["webcredentials"]"#)], []),
        // Another app's hosts are its own, also if the other app is only for Android.
        (["applinks:b.org"], [androidApp, app(#""b.org", "d.org""#)], ["applinks:d.org"]),
        (["applinks:a.org"], [app(#""b.org""#), app(#""a.org""#)], []),
        (["applinks:a.org"], [app(#""a.org", "b.org""#), app(#""a.org""#)], []),
        // Without a shared host, the only app file of the platform is that of the project.
        (["applinks:c.org"], [app(#""a.org""#)], ["applinks:a.org"]),
        (["applinks:c.org"], [app(#""a.org""#), androidApp], ["applinks:a.org"]),
        (["applinks:c.org"], [app(#""a.org""#), app(#""b.org""#)], []), (["applinks:c.org"], [androidApp], []),
    ])
    func `reports hosts of the app file that entitlements lack`(domains: [String], apps: [String], lacking: [String]) {
        let text = EntitlementsCheckTests.entitlements(domains.joined(separator: "</string><string>"))
        let findings = Linter.lint(
            entitlements: Array(text.utf8), file: "f", appFiles: Self.apps(apps)
        ).filter { $0.message.hasPrefix("the entitlements lack ") }
        #expect(findings.compactMap { $0.message.split(separator: "`").dropFirst().first.map(String.init) } == lacking)
        #expect(findings.allSatisfy { $0.rule == .ahst028 && $0.range?.start.line == 8 })
    }

    @Test(arguments: [
        (["a.org"], "", app(#""a.org", "b.org""#), ["no intent filter with autoVerify names `b.org`"]),
        (["a.org", "b.org"], "", app(#""a.org", "b.org""#), []),
        (["a.org", "${host}"], "", app(#""a.org", "b.org""#), []),
        (["a.org"], "", app(#""a.org", "b.org""#, android: #", relations: ["get_login_creds"]"#), []),
        (
            ["a.org"], ##"<data android:pathPrefix="/product/"/>"##,
            app(#""a.org""#, examples: #""https://a.org/products/1": "app", "https://a.org/x": "app""#),
            ["no intent filter lets `https://a.org/products/1` through"]
        ),
        (
            ["a.org"], ##"<data android:pathPrefix="/products/"/>"##,
            app(#""a.org""#, examples: #""https://a.org/products/1": "app""#), []
        ),
        (["c.org"], "", app(#""a.org""#), ["no intent filter with autoVerify names `a.org`"]),
    ])
    func `reports hosts and examples of the app file that the manifest does not let through`(
        hosts: [String], path: String, app: String, found: [String]
    ) {
        let data =
            ##"<data android:scheme="https"/>"## + hosts.map { ##"<data android:host="\##($0)"/>"## }.joined() + path
        let findings = Linter.lint(
            manifest: ManifestCheckTests.manifest(
                #" android:autoVerify="true""#, ManifestCheckTests.view + ManifestCheckTests.categories + data),
            file: "f", appFiles: Self.apps(app)
        ).filter { $0.message.hasPrefix("no intent filter ") }
        #expect(findings.map(\.rule) == found.map { _ in .ghst016 })
        for (finding, text) in zip(findings, found) { #expect(finding.message.hasPrefix(text), "\(finding.message)") }
    }

    @Test(arguments: [("LAUNCHER", 1), ("HOME", 0)])
    func `a manifest without hosts is that of the app if a launcher starts it`(category: String, count: Int) {
        let content = ##"<category android:name="android.intent.category.\##(category)"/>"##
        let findings = Linter.lint(
            manifest: ManifestCheckTests.manifest("", content), file: "f", appFiles: Self.apps(Self.app(#""a.org""#)))
        #expect(findings.rules == Array(repeating: .ghst016, count: count))
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
