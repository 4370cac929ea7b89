// Reading any bytes as an app file gives values and findings. The test damages valid files in many ways. Files that are
// still readable are rendered and compared too.

import AssociationSamples
import TestSupport
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct AppFileMutationTests {
    @Test(arguments: 0..<10) func `damaged files never trap the reader`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed) &* 977)
        let seeds = Self.files.map { Array($0.utf8) }
        var readable = 0
        for round in 0..<5_000 {
            var bytes = seeds[round % seeds.count]
            for _ in 0..<Int.random(in: 1...4, using: &random) { damage(&bytes, seeds, &random) }
            let environment = round % 3 == 0 ? "staging" : nil
            let reading = AppFile.read(bytes, file: "shop.json", environment: environment)
            #expect((reading.appFile == nil) == reading.findings.contains { $0.severity == .error })
            guard let app = reading.appFile else { continue }
            readable += 1
            guard readable % 40 == 0 else { continue }
            _ = Renderer.documents(for: [app, app])
            if readable % 400 == 0 { _ = app.ruleFindings() }
        }
        // Otherwise the test would have tested only the parser.
        #expect(readable > 150)
    }

    private func damage(_ bytes: inout [UInt8], _ seeds: [[UInt8]], _ random: inout SplitMix) {
        let start = Int.random(in: 0...bytes.count, using: &random)
        let end = min(bytes.count, start + Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<8, using: &random) {
        case 0: bytes.removeSubrange(start..<end)
        case 1: bytes.insert(contentsOf: bytes[start..<end], at: start)
        case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: start)
        case 3: if start < bytes.count { bytes[start] ^= 1 << UInt8.random(in: 0...7, using: &random) }
        case 4, 5:
            let tokens = Self.tokens
            bytes.replaceSubrange(start..<end, with: tokens[Int.random(in: 0..<tokens.count, using: &random)].utf8)
        case 6: replaceValue(&bytes, &random)
        default:
            let other = seeds[Int.random(in: 0..<seeds.count, using: &random)]
            let from = Int.random(in: 0..<other.count, using: &random)
            bytes.insert(contentsOf: other[from..<min(other.count, from + 30)], at: start)
        }
    }

    /// Replaces the value after a colon, which usually leaves the file readable.
    private func replaceValue(_ bytes: inout [UInt8], _ random: inout SplitMix) {
        let colons = bytes.indices.filter { bytes[$0] == UInt8(ascii: ":") }
        guard !colons.isEmpty else { return }
        let colon = colons[Int.random(in: 0..<colons.count, using: &random)]
        let end = bytes[colon...].firstIndex { $0 == UInt8(ascii: ",") || $0 == UInt8(ascii: "}") } ?? bytes.endIndex
        let values = Self.values
        bytes.replaceSubrange((colon + 1)..<end, with: values[Int.random(in: 0..<values.count, using: &random)].utf8)
    }

    private static let tokens = [
        "*", "?", "**", "$(", "$(v)", "$(digit)", "%", "%2F", "%zz", "/", "//", "\\u0000", "\\ud800", "é", "\u{1F600}",
        "\"", "'", "{", "}", "[", "]", ",", ":", "null", "true", "1e999", "-0", "xn--", "*.", ".", "..", "NOT ", "#",
        "/*",
    ]
    private static let values = [
        "null", "true", "false", "0", "-1", "1e400", "99999999999999999999", "\"\"", "\"*\"", "\"/\"", "\"root\"", "[]",
        "{}", "[[]]", "[null]", "\"\u{301}\"", "\"xn--a\"", "\"$(v)$(v)$(v)\"", "[\"*.a\", \"a\"]", "\"%\"",
    ]

    private static let files = [
        AppFileSample.text(),
        AppFileSample.text(
            hosts: #"["shop.acme.test", "*.acme.test", "acme.test", "münchen.acme.test"]"#,
            ios: #"""
                { appIDs: ["8KQ2V7M4XN.dev.acme.shop"], services: ["applinks"], appClips: [], storeID: "7", signed: "root",
                  legacyPaths: true, defaults: { caseSensitive: false }, variables: { v: ["a", "b*"], lang: ["en"] } }
                """#,
            android: #"""
                { packages: [{ name: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"] }],
                  relations: ["handle_all_urls"], dynamicRules: true, playStore: false }
                """#,
            links: ##"""
                [ { "/": "/a/*/$(v)", "?": { id: "?*", x: "" }, "#": "t*", exclude: true },
                  { "/": "/caf%C3%A9/??", "?": "a=*" }, { "/": "/$(lang)/é", percentEncoded: false }, {} ]
                """##,
            more: #"""
                scheme: "dev.acme.shop", priority: -1, cacheControl: 60, guard: "warn", pages: { spa: true, tagline: "x" },
                retired: { hosts: ["old.acme.test"] }, examples: { "https://shop.acme.test/b": { ios: "app" } },
                environments: { staging: { hosts: ["s.acme.test"], ios: { storeID: null }, android: null } }
                """#),
    ]
}
