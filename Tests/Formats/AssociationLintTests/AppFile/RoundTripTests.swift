// The served files must mean the same as the app file. The test makes random rules, renders them, reads them back with the
// readers of association files, and matches random URLs. iOS must agree on all URLs. The other platforms must agree on
// ordinary URLs, except for differences that a finding describes for the same direction.

import AssociationSamples
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct RoundTripTests {
    @Test(arguments: 0..<8) func `documents mean the same as the app file, or a finding describes the difference`(
        seed: Int
    ) throws {
        var maker = Maker(seed: UInt64(seed))
        var (agreeing, differing) = (0, 0)
        for _ in 0..<6 {
            let file = maker.appFile()
            let app = try #require(AppFileSample.read(file).appFile, "\(file) \(AppFileSample.read(file).findings)")
            let documents = Renderer.documents(for: [app])
            let apple = try applinks(documents)
            let dynamic = try dynamicRules(documents)
            let findings = app.platformFindings()
            for _ in 0..<120 {
                let (text, isOrdinary) = maker.url()
                let url = try #require(LinkURL(text))
                let source = app.sourceMatcher.decide(url)
                #expect(apple.modern.decide(url) == source, "\(url) \(file)")
                guard isOrdinary, app.sourceMatcher.unsettled(url).isEmpty else { continue }
                for (platform, opens) in [
                    ("Android", dynamic.decide(url).opens), ("iOS 9 to 12", apple.legacy.decide(url).opens),
                ] {
                    if opens == source.opens {
                        agreeing += 1
                    } else {
                        differing += 1
                        #expect(
                            findings.describe(url, opensOnIOS: source.opens, platform),
                            "\(platform) \(url) \(file) \(findings.map(\.message))")
                    }
                }
            }
        }
        // Otherwise the test would have tested nothing.
        #expect(agreeing > 500 && differing > 0)
    }

    /// The rules of the one app in the association document, as the linter's reader reads them.
    private func applinks(_ documents: HostDocuments) throws -> (modern: AppleMatcher, legacy: AppleMatcher) {
        let reading = AppleAssociation.read(try #require(documents.appleBytes), file: "apple-app-site-association")
        #expect(!reading.findings.contains { $0.severity == .error }, "\(reading.findings)")
        let links = try #require(reading.association?.applinks)
        let detail = try #require(links.details.first)
        let defaults = [detail.defaults, links.defaults].compactMap { $0 }
        let components = try #require(detail.components)
        return (
            AppleMatcher(components: components, defaults: defaults, variables: links.variables),
            AppleMatcher(paths: detail.paths?.map(\.text) ?? [])
        )
    }

    private func dynamicRules(_ documents: HostDocuments) throws -> AndroidMatcher {
        let reading = StatementList.read(try #require(documents.statementBytes), file: "assetlinks.json", host: nil)
        #expect(!reading.findings.contains { $0.severity == .error }, "\(reading.findings)")
        let statement = try #require(reading.list?.statements.first)
        return AndroidMatcher(rules: try #require(statement.dynamicRules))
    }
}

extension [Finding] {
    /// Whether one of them describes a difference in the same direction.
    func describe(_ url: LinkURL, opensOnIOS: Bool, _ platform: String) -> Bool {
        let source = platform == "Android" ? "iOS" : "iOS 13 and later"
        let difference =
            opensOnIOS
            ? "opens the app on \(source) and stays in the browser on \(platform)"
            : "stays in the browser on \(source) and opens the app on \(platform)"
        return contains { $0.message.contains(difference) }
    }
}

/// Makes random rules, and URLs that they may match.
private struct Maker {
    private var random: SplitMix

    init(seed: UInt64) { random = SplitMix(seed: seed) }

    mutating func appFile() -> String {
        let links = (0..<Int.random(in: 1...4, using: &random)).map { _ in link() }
        let defaults = oneIn(8) ? ", defaults: { caseSensitive: false }" : ""
        return AppFileSample.text(
            ios: #"""
                { appIDs: ["8KQ2V7M4XN.dev.acme.shop"], legacyPaths: true, variables: { v: ["a", "1*", "caf%C3%A9"] }\#(defaults) }
                """#,
            android: #"""
                { package: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"], dynamicRules: true }
                """#, links: "[\(links.joined(separator: ", "))]")
    }

    private mutating func link() -> String {
        var parts: [String] = []
        if !oneIn(8) { parts.append(#""/": "\#(path())""#) }
        if oneIn(3) { parts.append(#""?": \#(query())"#) }
        if oneIn(6) { parts.append(##""#": "\##(pick(["t", "*", "t*", "*t", "?*"]))""##) }
        if oneIn(4) { parts.append("exclude: true") }
        if oneIn(8) { parts.append("caseSensitive: false") }
        if oneIn(12) { parts.append("percentEncoded: false") }
        return "{ \(parts.joined(separator: ", ")) }"
    }

    private mutating func path() -> String {
        let segments = [
            "a", "b", "Ab", "x%20y", "caf%C3%A9", "$(v)", "$(digit)", "*", "?*", "??", "a*", "*b", "a?c", "*1*",
        ]
        let count = Int.random(in: 1...3, using: &random)
        let path = "/" + (0..<count).map { _ in pick(segments) }.joined(separator: "/")
        return path + pick(["", "", "/", "/*", "*", "/?*"])
    }

    private mutating func query() -> String {
        if oneIn(4) { return #""\#(pick(["*", "id=*", "id=1", "?*"]))""# }
        let items = oneIn(3) ? ["id", "page"] : ["id"]
        let patterns = ["?*", "1", "*", "a*b", "", "$(v)", "*b", "x%20y"]
        return "{ \(items.map { "\($0): \"\(pick(patterns))\"" }.joined(separator: ", ")) }"
    }

    /// A URL, and whether it is written as most links are.
    mutating func url() -> (text: String, isOrdinary: Bool) {
        let segments = ["a", "b", "Ab", "ab", "x%20y", "caf%C3%A9", "1", "77", "aa", "abc", "b1b", "bb"]
        let count = Int.random(in: 0...4, using: &random)
        let path = "/" + (0..<count).map { _ in pick(segments) }.joined(separator: "/")
        let queries = [
            "", "", "?id=1", "?id=", "?id=axb", "?id=x%20y&page=1", "?page=2&id=a", "?id=1&utm_source=mail", "?other=1",
            "?page=b&id=b1b", "?id=1&id=2",
        ]
        let unusual = (path: oneIn(6), query: oneIn(6), fragment: oneIn(6))
        let text =
            "https://shop.acme.test" + (unusual.path ? self.unusual(path) : path) + (count > 0 && oneIn(4) ? "/" : "")
            + pick(unusual.query ? Self.unusualQueries : queries)
            + pick(unusual.fragment ? ["#%74", "#caf%c3%a9"] : ["", "", "", "#t", "#top", "#bt"])
        return (text, !unusual.path && !unusual.query && !unusual.fragment)
    }

    private static let unusualQueries = [
        "?id=1%26x", "?x=2%26id=1", "?id%3D1", "?id=1;page=2", "?page=2;id=axb", "?%69d=1", "?id=%31", "?id=x%2c",
        "?id=%26", "?id=a;b",
    ]

    /// The path with an unusual change.
    private mutating func unusual(_ path: String) -> String {
        let places = path.indices.filter { path[$0] == "/" }
        let place = places[Int.random(in: places.indices, using: &random)]
        switch Int.random(in: 0..<5, using: &random) {
        case 0: return String(path[...place] + path[place...])
        case 1:
            return String(
                path[..<place] + "/%2F".dropFirst(place == path.startIndex ? 0 : 1) + path[place...].dropFirst())
        case 2: return path.replacing("a", with: "%61")
        case 3: return path.replacing("%C3%A9", with: "%c3%a9")
        default: return path + "*"
        }
    }

    private mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func pick(_ texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
}
