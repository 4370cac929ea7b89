// Files and answers of others: neighbours in `/.well-known/`, robots.txt, templates of landing pages, and what a server
// that is looked at from outside sends.

import Association
import AssociationLint
import Catalogue
import SourceJSON

@testable import Client
@testable import Hosting
@testable import Verifier

extension FuzzTarget {
    static let neighbours = FuzzTarget(
        name: "neighbours",
        summary: "webauthn, security.txt, merchant, Windows and Huawei files, robots.txt, entitlements, manifests"
    ) { bytes in
        var choices = Choices(bytes)
        let names = WellKnownFile.names
        let number = choices.number(below: names.count + 1)
        let text = Array(choices.rest)
        let findings =
            number < names.count
            ? WellKnownFile.lint(
                text, name: names[number], file: "f", isWildcard: text.count % 2 == 1, now: 1_800_000_000)
            : [RobotsFile.finding(text, file: "f")].compactMap { $0 }
        let native = Linter.lint(entitlements: text, file: "f") + Linter.lint(manifest: text, file: "f")
        for finding in findings + native {
            guard let range = finding.range else { continue }
            try demand(range.start.offset <= range.end.offset, "\(finding.rule) ends before it begins")
            // As long as the text after decoding can be.
            try demand(range.end.offset <= text.count * 3, "\(finding.rule) lies beyond the file")
            try demand(range.start.line <= text.count + 1, "\(finding.rule) is on line \(range.start.line)")
        }
    }

    static let template = FuzzTarget(
        name: "template", summary: "templates of landing pages, filled with an app that has markup in every value"
    ) { bytes in
        guard let template = try? LandingTemplate(bytes, file: "f"), let app = TemplateInput.app else { return }
        guard let page = template.page(for: app, rules: []) else { return }
        let text = page.segments.flatMap(\.text)
        // No value brings markup of its own: what is dangerous in it is only ever there in its escaped form.
        let danger = Array(TemplateInput.danger.utf8)
        let isInTemplate = TemplateInput.contains(bytes, danger)
        try demand(isInTemplate || !TemplateInput.contains(text, danger), "a value goes in as it is")
    }

    static let response = FuzzTarget(
        name: "response",
        summary: "answers of servers that are looked at: the same however they are cut; gzip; meta tags"
    ) { bytes in
        var choices = Choices(bytes)
        let hasBody = choices.isTrue()
        let input = Array(choices.rest)
        let whole = ResponseInput.read([input], hasBody)
        let single = ResponseInput.read(input.map { [$0] }, hasBody)
        try demand(whole == single, "\(whole)\nin one piece, and in many\n\(single)")
        if let plain = Gunzip.expand(input, bytesMax: 1 << 16) {
            try demand(plain.count <= 1 << 16, "\(plain.count) bytes of gzip")
        }
        _ = MetaTag.content(named: "apple-itunes-app", in: input)
    }
}

private enum TemplateInput {
    static let danger = "<b a=\"'"

    private static let fingerprint = (1...32).map { String($0 + 16, radix: 16) }.joined(separator: ":")

    static let app: AppFile? = AppFile.read(
        Array(
            """
            { name: "<b a=\\"'&", hosts: ["a.example"], scheme: "a", links: [{ "/": "*" }],
              pages: { tagline: "<b a=\\"'&" },
              ios: { appIDs: ["8KQ2V7M4XN.dev.example.a"], storeID: "640199958" },
              android: { package: "dev.example.a", fingerprints: ["\(fingerprint)"] } }
            """.utf8), file: "f"
    ).appFile

    static func contains(_ bytes: [UInt8], _ part: [UInt8]) -> Bool {
        guard let first = part.first else { return true }
        return bytes.indices.contains { bytes[$0] == first && bytes[$0...].starts(with: part) }
    }
}

private enum ResponseInput {
    static func read(_ pieces: [[UInt8]], _ hasBody: Bool) -> String {
        var limits = FetchLimits()
        limits.headBytesMax = 512
        limits.bodyBytesMax = 300
        var reader = ResponseReader(limits: limits, hasBody: hasBody)
        do throws(FetchError) {
            for piece in pieces where !reader.isComplete { try reader.take(piece) }
            try reader.end()
        } catch {
            // What it quotes is what had come.
            if case .malformed = error { return "malformed" }
            return "\(error)"
        }
        let response = reader.response(firstByte: 0, total: 0)
        return "\(response.status) \(response.fields) \(response.body) \(response.isTruncated)"
    }
}
