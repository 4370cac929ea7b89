// What is served must mean what the app file says. Rules are made up, rendered, read back by the readers of association
// files, and put to the matchers with made-up URLs: iOS has to agree always, the other dialects wherever the app file's
// findings do not speak of a difference.

import SourceJSON
import Testing

@testable import Association

@Suite struct RoundTripTests {
    @Test(arguments: 0..<8) func `documents mean what the app file says`(seed: Int) throws {
        var maker = Maker(seed: UInt64(seed))
        var silent = 0
        for _ in 0..<12 {
            let text = maker.appFile()
            let app = try #require(AppFileSample.read(text).appFile, "\(text) \(AppFileSample.read(text).findings)")
            let documents = Renderer.documents(for: [app])
            let apple = try applinks(documents)
            let dynamic = try dynamicRules(documents)
            let findings = app.platformFindings()
            let saysAndroid = findings.contains { ["APP-029", "APP-030"].contains($0.rule) }
            let saysLegacy = findings.contains { ["APP-031", "APP-032"].contains($0.rule) }
            if !saysAndroid { silent += 1 }
            for _ in 0..<60 {
                let url = try #require(LinkURL(maker.url()))
                let source = app.sourceMatcher.decide(url)
                #expect(apple.modern.decide(url) == source, "\(url) \(text)")
                guard app.sourceMatcher.unsettled(url).isEmpty else { continue }
                if !saysAndroid { #expect(dynamic.decide(url).opens == source.opens, "\(url) \(text)") }
                if !saysLegacy { #expect(apple.legacy.decide(url).opens == source.opens, "\(url) \(text)") }
            }
        }
        // Otherwise the test would have tested nothing.
        #expect(silent >= 1)
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

/// Makes rules and URLs that have something to do with each other.
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
                """#,
            links: "[\(links.joined(separator: ", "))]")
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

    mutating func url() -> String {
        let segments = ["a", "b", "Ab", "ab", "x%20y", "caf%C3%A9", "1", "77", "aa", "abc", "b1b", "bb"]
        let count = Int.random(in: 0...4, using: &random)
        let path = "/" + (0..<count).map { _ in pick(segments) }.joined(separator: "/")
        let queries = [
            "", "", "?id=1", "?id=", "?id=axb", "?id=x%20y&page=1", "?page=2&id=a", "?id=1&utm_source=mail", "?other=1",
            "?page=b&id=b1b",
        ]
        return "https://shop.acme.test" + path + (count > 0 && oneIn(4) ? "/" : "") + pick(queries)
            + pick(["", "", "", "#t", "#top", "#bt"])
    }

    private mutating func oneIn(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }

    private mutating func pick(_ texts: [String]) -> String { texts[Int.random(in: 0..<texts.count, using: &random)] }
}
