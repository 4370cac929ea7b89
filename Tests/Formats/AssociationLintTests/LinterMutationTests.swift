// Linting any bytes terminates with findings that can be shown. The files are random mutations, the same in every run.

import Association
import AssociationLint
import AssociationSamples
import SourceJSON
import TestSupport
import Testing

@Suite struct LinterMutationTests {
    private static let seeds: [(kind: DocumentKind, bytes: [UInt8])] = [
        (.appleAssociation, Array(LintExample.query("\"a\": \"?*\", \"b\": \"%20\"").utf8)),
        (.appleAssociation, Array(LintExample.paths("\"NOT /a/*\", \"/b?\", \"*\"").utf8)),
        (.appleAssociation, Array(LintExample.variables("\"v\": [\"a*\"]", use: "$(v)/$(digit)").utf8)),
        (.appleAssociation, Array("{\"webcredentials\":{\"apps\":[\"9JA89QQLNQ.com.acme.shop\"]}}".utf8)),
        (.statementList, Array(LintExample.rules("{\"/\": \"/a/*\", \"?\": {\"b\": \"c\"}}, {\"#\": \"*\"}").utf8)),
        (.statementList, Array((LintExample.web("https://example.com") + " ").utf8)),
    ]

    /// Texts that have a meaning for the readers.
    private static let pieces: [[UInt8]] = [
        "\"", "{", "}", "[", "]", ",", ":", "null", "1e9", "true", "\\", "\\u00", "$(", ")", "*", "?", "%", "//", "/*",
        "NOT ", "“", "\u{0}", "é", "\u{FEFF}", "\"/\":", "\"components\":", "\"relation\":", "\"include\":",
        "\"defaults\":", "\"details\":{", "\"appIDs\":[]", "\"exclude\":true", "www.", ".com", "://", "<!DOCTYPE html>",
    ].map { Array($0.utf8) }

    private static func mutate(_ bytes: [UInt8], _ random: inout SplitMix) -> [UInt8] {
        var bytes = bytes
        for _ in 0...Int.random(in: 0..<3, using: &random) {
            let place = Int.random(in: 0..<(bytes.count + 1), using: &random)
            let end = min(bytes.count, place + Int.random(in: 0..<12, using: &random))
            switch Int.random(in: 0..<5, using: &random) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: pieces[Int.random(in: 0..<pieces.count, using: &random)], at: place)
            case 2: bytes.replaceSubrange(place..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &random)])
            case 3:
                bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0..<(bytes.count + 1), using: &random))
            default: if place < bytes.count { bytes[place] = UInt8(Int.random(in: 0..<256, using: &random)) }
            }
        }
        return bytes
    }

    /// More with optimisation, because a debug build is several times slower.
    private static var count: Int {
        var isDebug = false
        assert({ isDebug = true }() == ())
        return isDebug ? 8_000 : 100_000
    }

    @Test(arguments: seeds.indices)
    func `any bytes give a result or an error, and findings within the text`(seed: Int) {
        var random = SplitMix(seed: UInt64(seed) &* 1_000_003 &+ 7)
        let (kind, bytes) = Self.seeds[seed]
        for _ in 0..<(Self.count / Self.seeds.count) {
            let mutated = Self.mutate(bytes, &random)
            let findings: [Finding]
            let isRead: Bool
            if kind == .statementList {
                let reading = StatementList.read(mutated, file: "f")
                (findings, isRead) = (reading.findings, reading.list != nil)
            } else {
                let reading = AppleAssociation.read(mutated, file: "f")
                (findings, isRead) = (reading.findings, reading.association != nil || reading.isSigned)
            }
            let problem = fault(findings, isRead: isRead, mutated)
            #expect(problem == nil, "\(problem ?? "") in \(mutated)")
        }
    }

    /// What is wrong with the result; nil if nothing is wrong.
    private func fault(_ findings: [Finding], isRead: Bool, _ bytes: [UInt8]) -> String? {
        if !isRead, !findings.contains(where: { $0.severity == .error }) { return "neither a reading nor an error" }
        // The limit for the decoded text: UTF-16 grows by half, and bytes that are not UTF-8 grow to three bytes.
        let longest = bytes.count * 3
        let isSimple = bytes.allSatisfy { $0 < 0x80 && $0 != 0 }
        for finding in findings {
            for range in [finding.range, finding.edit?.range].compactMap({ $0 }) {
                let end = range.end.offset
                if range.start.offset < 0 || range.start.offset > end || end > (isSimple ? bytes.count : longest) {
                    return "\(finding.rule) at \(range)"
                }
            }
        }
        return nil
    }
}
