// Mechanical fixes work: after a fix, the finding is gone and there is no new error.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association
@testable import AssociationLint

struct RemedyTests {
    /// App files with a finding that has a mechanical fix.
    private static let appFiles: [String] = [
        AppFileSample.text(links: nil, more: #"linkz: [{ "/": "/a" }]"#),
        AppFileSample.text(links: #"[{ "/": "/a", exlude: true }, { "/": "/*" }]"#),
        AppFileSample.text(links: #"["/a", "NOT /b"]"#), AppFileSample.text(links: #"[{ "/": "a/*" }]"#),
        AppFileSample.text(links: #"[{ "/": "/a", "?": { id: "*" } }]"#),
        AppFileSample.text(hosts: #""shop.acme.test""#), AppFileSample.text(hosts: #"["Shop.acme.test."]"#),
        AppFileSample.text(ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], storeID: 640199958 }"#),
        AppFileSample.text(ios: #"{ appIDs: ["8kq2v7m4xn.dev.acme.shop"] }"#),
        AppFileSample.text(
            android: #"{ package: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint.lowercased())"] }"#),
        "{ name: \"Shop\", hosts: [\"shop.acme.test\"], ios: \(AppFileSample.ios), links: [{ \"/\": \"/a\" }] ",
    ]

    /// Association files with such a finding, in addition to the examples of the rules.
    private static let published: [String] = [
        #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a.b"], "components": [{"/": "/a", "?": {"b": 1}}]}]}}"#,
        #"{"applinks": {"apps": [], "details": [{"appID": "9JA89QQLNQ.a.b", "paths": "/a"}]}}"#,
        #"{"webcredentials": {"apps": "9JA89QQLNQ.a.b"}}"#, #"{"webcredentials": ["9JA89QQLNQ.a.b"]}"#,
        LintExample.rules(#"{"/": 1}"#), LintExample.rules(#"{"/": "/a", "exclude": "true"}"#),
        "["
            + LintExample.statement(target: LintExample.target()).replacing(
                "[\"\(LintExample.print)\"]", with: "\"\(LintExample.print)\"") + "]",
    ]

    private struct Linted {
        let text: [UInt8]
        let lint: ([UInt8]) -> [Finding]

        /// The text with one edit.
        func applying(_ edit: SourceEdit) -> [UInt8] {
            Array(text[..<edit.range.start.offset]) + Array(edit.replacement.utf8)
                + Array(text[edit.range.end.offset...])
        }
    }

    private static var all: [Linted] {
        LintExample.all.map { example in
            Linted(text: SourceReader.read(example.bad, as: .json).text, lint: example.lint)
        } + published.map { text in Linted(text: Array(text.utf8)) { Linter.lint($0, file: "f") ?? [] } }
            + appFiles.map { text in Linted(text: Array(text.utf8)) { AppFile.lint($0, file: "f") } }
    }

    @Test func `each mechanical fix removes its finding and causes no error`() {
        var rules: Set<RuleID> = []
        for linted in Self.all {
            let before = linted.lint(linted.text)
            for finding in before {
                guard let edit = finding.edit else { continue }
                rules.insert(finding.rule)
                let after = linted.lint(linted.applying(edit))
                let text = String(decoding: linted.applying(edit).prefix(400), as: UTF8.self)
                func count(_ findings: [Finding]) -> Int { findings.count { $0.rule == finding.rule } }
                #expect(count(after) < count(before), "\(finding.rule) is still there in \(text)")
                // Fixing an unreadable text or a misspelled name may reveal other errors.
                guard !before.contains(where: \.isFatal), !Self.naming.contains(finding.rule) else { continue }
                let errors = Set(before.filter { $0.severity == .error }.map(\.rule))
                let new = after.filter { $0.severity == .error && !errors.contains($0.rule) }
                #expect(new.isEmpty, "\(finding.rule) causes \(new.map(\.rule)) in \(text)")
            }
        }
        #expect(
            Self.mechanical.isSubset(of: rules), "without an example: \(Self.mechanical.subtracting(rules).sorted())")
    }

    @Test func `removes a misspelled relation if the right one is there`() {
        let names = #"["handle_all_urls", "handle_all_url"]"#
        let app = AppFileSample.text(
            android:
                #"{ package: "dev.acme.shop", fingerprints: ["\#(AppFileSample.fingerprint)"], relations: \#(names) }"#)
        let full = LintExample.handle
        let list = "[\(LintExample.statement(relation: "\(full)\", \"\(full.dropLast())"))]"
        for finding in [
            AppFileSample.read(app).findings.first, Linter.lint(statements: Array(list.utf8), file: "f").first,
        ] { #expect(finding?.rule == .dal007 && finding?.fix == "remove it" && finding?.edit == nil) }
    }

    /// The rules whose fix corrects a name, so that the linter can check the value.
    private static let naming: Set<RuleID> = [.aasa008, .aasa035, .dal008, .dal041, .app003]

    /// The rules that have a mechanical fix.
    private static let mechanical: Set<RuleID> = [
        .aasa001, .aasa008, .aasa014, .aasa018, .aasa020, .aasa031, .aasa033, .aasa035, .aasa036, .aasa049, .aasa051,
        .aasa053, .aasa057, .aasa060, .aasa071, .aasa074, .app001, .app003, .app005, .app009, .app015, .dal001, .dal002,
        .dal005, .dal007, .dal008, .dal010, .dal012, .dal016, .dal022, .dal027, .dal029, .dal036, .dal041, .dal043,
    ]
}
