// Which URLs open an app by its manifest alone.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct AndroidManifestTests {
    private static let web = #"<data android:scheme="https"/>"#
    private static let host = #"<data android:host="shop.acme.test"/>"#

    private static func filter(_ data: String, verify: Bool = true, category: String = "BROWSABLE") -> String {
        """
        <intent-filter\(verify ? #" android:autoVerify="true""# : "")>
          <action android:name="android.intent.action.VIEW"/>
          <category android:name="android.intent.category.DEFAULT"/>
          <category android:name="android.intent.category.\(category)"/>\(data)
        </intent-filter>
        """
    }

    private static let rows: [(String, String, MatchStep.Outcome, String)] = [
        (filter(web + host), "/x", .opens, "covers every URL of the host"),
        (filter(web + host + #"<data android:pathPrefix="/a"/>"#), "/ab", .opens, #"with android:pathPrefix="/a""#),
        (filter(web + host + #"<data android:pathPrefix="/a"/>"#), "/b", .staysInBrowser, "no path of the manifest"),
        (filter(web + host + #"<data android:pathPrefix="/a b"/>"#), "/a%20b", .opens, "so the app opens"),
        (filter(web + #"<data android:host="*.acme.test"/>"#), "/", .opens, "every URL"),
        (filter(web + #"<data android:host="*"/>"#), "/", .opens, "every URL"),
        (filter(web + #"<data android:host="acme.test"/>"#), "/", .staysInBrowser, "no verified filter for shop.acme"),
        (filter(#"<data android:scheme="http"/>"# + host), "/", .staysInBrowser, "no path"),
        (filter(web + host, verify: false), "/", .staysInBrowser, "no verified filter"),
        (filter(web + host, category: "LAUNCHER"), "/", .staysInBrowser, "no verified filter"),
        // A host that one filter verifies counts for all filters.
        (
            filter(web + host + #"<data android:path="/a"/>"#) + filter(web + host, verify: false), "/b", .opens,
            "every URL"
        ),
        (
            filter(web + host + #"<data android:pathAdvancedPattern="/[ab]"/>"#), "/a", .leftOpen,
            #"android:pathAdvancedPattern="/[ab]", which is not evaluated"#
        ),
        (
            filter(web + host + #"<data android:pathAdvancedPattern="/b"/><data android:path="/a"/>"#), "/a", .opens,
            "so the app opens"
        ),
        (filter(web + #"<data android:host="@string/host"/>"#), "/a", .leftOpen, "hosts that a build fills in"),
    ]

    @Test(arguments: rows)
    func `decides by its filters`(filters: String, path: String, outcome: MatchStep.Outcome, words: String) throws {
        var findings: [Finding] = []
        let text = "<manifest><application><activity>\(filters)</activity></application></manifest>"
        let manifest = try #require(AndroidManifest(Array(text.utf8), file: "m.xml", findings: &findings))
        let step = manifest.decide(try #require(LinkURL("https://shop.acme.test\(path)")))
        #expect(step.outcome == outcome, "\(step.message)")
        #expect(step.message.contains(words), "\(step.message)")
        #expect(findings.isEmpty)
        #expect(outcome != .opens || step.range?.start.line != nil)
    }

    @Test func `a text that is not well-formed gives no manifest`() {
        var findings: [Finding] = []
        #expect(AndroidManifest(Array("<manifest>".utf8), file: "m.xml", findings: &findings) == nil)
        #expect(findings.rules == [.ghst015])
    }
}
