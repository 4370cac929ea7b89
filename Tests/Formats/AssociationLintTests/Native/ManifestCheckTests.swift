// The intent filters of a manifest: valid ones and each mistake.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct ManifestCheckTests {
    private static let data = ##"<data android:scheme="https"/><data android:host="shop.example.org"/>"##
    static let view = ##"<action android:name="android.intent.action.VIEW"/>"##
    static let categories =
        ##"<category android:name="android.intent.category.DEFAULT"/><category android:name="android.intent.category.BROWSABLE"/>"##

    static func manifest(_ verify: String, _ content: String) -> [UInt8] {
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
    func `reports paths and hosts that no URL has`(attribute: String, fix: String?, severity: Severity) {
        let content = Self.view + Self.categories + Self.data + "<data \(attribute)/>"
        let findings = Linter.lint(manifest: Self.manifest(#" android:autoVerify="true""#, content), file: "f")
        #expect(findings.rules == (fix == nil ? [] : [.ghst017]))
        #expect(findings.first?.fix == fix)
        if fix != nil { #expect(findings.first?.severity == severity) }
    }

    @Test(
        arguments: [
            (#" android:autoVerify="true""#, view + categories + data, nil),
            (" ", ##"<action android:name="android.intent.action.MAIN"/>"##, nil),
            (" ", view + categories + ##"<data android:scheme="shop"/>"##, nil),
            (" ", view + categories + data, "is missing android:autoVerify"),
            (#" android:autoVerify="false""#, view + categories + data, "is missing android:autoVerify"),
            (#" android:autoVerify="true""#, categories + data, "is missing action VIEW,"),
            (#" android:autoVerify="true""#, view + data, "is missing category DEFAULT and category BROWSABLE,"),
            (
                #" android:autoVerify="true""#, view + categories + ##"<data android:host="a.org"/>"##,
                "is missing scheme http"
            ),
            (
                #" android:autoVerify="true""#, view + categories + ##"<data android:scheme="https"/>"##,
                "is missing a host"
            ),
            (
                #" android:autoVerify="true""#, view + categories + data + ##"<data android:scheme="shop"/>"##,
                "has the scheme `shop` in addition"
            ),
        ] as [(String, String, String?)])
    func `reports filters that Android does not verify`(verify: String, content: String, wanted: String?) throws {
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
}
