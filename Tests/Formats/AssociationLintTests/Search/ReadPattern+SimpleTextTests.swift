import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

struct ReadPatternSimpleTextTests {
    private static let table = SubstitutionTable([
        SubstitutionVariable(name: "v", values: ["a*b", "en", "fr/ca"]),
        SubstitutionVariable(name: "stars", values: ["*"]),
    ])

    private func apple(_ pattern: String, _ piece: Piece, decodes: Bool = false, folds: Bool = false) -> ReadPattern {
        var parsed = ParsedPattern(pattern)
        if piece == .path { parsed = AppleSlashes.normalised(parsed) }
        let glob = GlobPattern(parsed, folds: folds, table: Self.table)
        return ReadPattern(glob, URLReading(decodes: decodes, folds: folds), piece)
    }

    private func text(_ pattern: ReadPattern) -> String? {
        pattern.simpleText.map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(arguments: [
        ("/buy/*", "/buy/x"), ("buy", "/buy/"), ("*abc", "/xabc/"), ("*", "/x"), ("/a//b", "/a/b/"), ("?", "/"),
        ("/$(digit)/$(v)?", "/0/enx/"), ("/a%20b", "/a%20b/"),
    ])
    func `writes a path for an Apple pattern`(pattern: String, expected: String) {
        #expect(text(apple(pattern, .path)) == (pattern == "?" ? nil : expected))
    }

    @Test func `finds no text for a pattern that needs a search`() {
        for pattern in ["/a b", "/é", "/a#b", "/$(nosuch)", "/$(open", "/$(stars)"] {
            #expect(text(apple(pattern, .path)) == nil, "\(pattern)")
        }
        #expect(text(apple("a&b", .itemValue)) == nil)
        #expect(text(apple("a&b", .query)) == "a&b")
    }

    @Test func `escapes characters that a decoded pattern cannot have in a URL`() {
        #expect(text(apple("/a b/é", .path, decodes: true)) == "/a%20b/%C3%A9/")
        #expect(text(apple("50%", .itemValue, decodes: true)) == "50%25")
        #expect(text(apple("a&b", .itemValue, decodes: true)) == "a%26b")
        #expect(text(apple("/Shop", .path, folds: true)) == "/shop/")
    }

    @Test func `writes texts for Android's patterns`() {
        #expect(text(ReadPattern(AndroidGlob("/a/*/c?"), .path)) == "/a//cx")
        #expect(text(ReadPattern(AndroidGlob("/a b"), .path)) == "/a%20b")
        #expect(text(ReadPattern(AndroidGlob("q=*"), .item)) == "q=x")
        #expect(text(ReadPattern(AndroidGlob("q=a&b"), .item)) == nil)
        #expect(text(ReadPattern(AndroidGlob("shop"), .path)) == nil)
    }

    @Test func `writes only texts that the pattern matches`() {
        var generator = SplitMix(seed: 17)
        let pieces: [Piece] = [.path, .query, .fragment, .itemValue]
        var written = 0
        for _ in 0..<2_000 {
            let pattern = generator.text(
                of: ["a", "/", "*", "?", "$(v)", "$(alpha)", "%41", " ", "é", "&", "#"], upTo: 6)
            for piece in pieces {
                for (decodes, folds) in [(false, false), (true, false), (false, true), (true, true)] {
                    let read = apple(pattern, piece, decodes: decodes, folds: folds)
                    guard let text = text(read) else { continue }
                    written += 1
                    guard piece == .path else { continue }
                    let component = AppleComponent(path: pattern, caseSensitive: !folds, percentEncoded: !decodes)
                    let matcher = AppleMatcher(components: [component], defaults: [], table: Self.table)
                    let url = LinkURL("https://example.com" + text)
                    #expect(url.map { matcher.decide($0).opens } == true, "\(pattern) and \(text)")
                }
            }
        }
        #expect(written > 5_000)
    }
}
