// Lists whose automata are too large for a search with all rules, each with a URL on which the platforms differ. Earlier
// versions did not find these URLs.

import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct PartSearchTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var links: String
        var url: String
        var platform: String
        var ios = ""

        var testDescription: String { "\(url) on \(platform)" }
    }

    private static let cases = [
        // One character on Android, three on iOS, and no text for the last star.
        Case(
            links: #"{ "/": "/a/?*/?/*" }, { exclude: true }, { "/": "/?*/a*/a*/shop" }"#, url: "/a/bab/%C3%A9/",
            platform: "Android"),
        // Two rules that differ in opposite directions.
        Case(
            links: #"""
                { "/": "/$(digit)/a*", exclude: true }, { "/": "/$(digit)/?" },
                { "/": "/shop/item/a/b", percentEncoded: false }
                """#, url: "/SHOP/ITEM/A/B", platform: "Android", ios: ", defaults: { caseSensitive: false }"),
        // A rule for every path, and another rule for one path.
        Case(
            links: ##"""
                { "?": { a: "a*b", b: "1" }, "#": "*x" }, { "/": "/a", exclude: true }, { "/": "*" }
                """##, url: "/a?a=ab&b=1&b=2#x", platform: "Android"),
    ]

    @Test(arguments: cases) func `finds a URL with the same difference`(_ example: Case) throws {
        let text = AppFileSample.text(
            ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true\#(example.ios) }"#,
            android: #"""
                { package: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"], dynamicRules: true }
                """#, links: "[\(example.links)]")
        let app = try AppFileSample.app(text)
        let url = try #require(LinkURL("https://shop.acme.test" + example.url))
        let opensOnIOS = app.sourceMatcher.decide(url).opens
        let other = try #require(example.platform == "Android" ? OtherPlatform.android(app) : .legacy(app))
        #expect(other.decide(url)?.opens == !opensOnIOS)
        let findings = app.platformFindings()
        #expect(findings.describe(url, opensOnIOS: opensOnIOS, example.platform), "\(findings.map(\.message))")
    }
}
