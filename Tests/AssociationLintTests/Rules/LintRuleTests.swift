// The rule tables are complete, without duplicates, and the same as docs/rules.md.

import AssociationSamples
import Foundation
import Testing

@testable import Association
@testable import AssociationLint

@Suite struct LintRuleTests {
    @Test func `each id has one rule in its family, in the order of the numbers`() {
        #expect(LintRule.all.map(\.id) == RuleID.allCases)
        for family in RuleID.Family.allCases {
            #expect(family.rules.map(\.id) == RuleID.allCases.filter { $0.family == family })
            #expect(family.rules.map(\.id.description) == family.rules.map(\.id.description).sorted())
        }
    }

    @Test(arguments: LintExample.all)
    func `findings have a severity of their rule`(example: LintExample) {
        for finding in example.lint(example.bad) {
            #expect(LintRule.named(finding.rule).severities.contains(finding.severity), "\(finding)")
        }
    }

    /// Texts, and the severity of one rule's finding in them.
    @Test(arguments: [
        (#"{"applink": {"details": []}}"#, RuleID.aasa008, Severity.error),
        (#"{"applink": {}, "applinks": {"details": []}}"#, .aasa008, .warning),
        (#"{"applinks": {"details": []}, "x": 1}"#, .aasa008, .warning),
        (LintExample.component(#""/": "/a", "exlude": true"#), .aasa035, .error),
        (LintExample.component(#""/": "/a", "excluded": true"#), .aasa035, .error),
        (LintExample.component(#""/": "/a", "excluded": true, "exclude": true"#), .aasa035, .warning),
        (LintExample.component(#""/": "/a", "coment": "x""#), .aasa035, .warning),
        ("[\(LintExample.statement(relation: "delegate_permission/common.handle_all_url"))]", .dal007, .error),
        ("[\(LintExample.statement(relation: "delegate_permission/common.other"))]", .dal007, .warning),
    ])
    func `a misspelled key that changes what is published is an error`(text: String, rule: RuleID, severity: Severity)
        throws
    {
        let findings = try #require(Linter.lint(Array(text.utf8), file: "f"))
        #expect(findings.filter { $0.rule == rule }.map(\.severity) == [severity])
    }

    @Test func `titles are phrases, explanations and fixes are sentences`() {
        for rule in LintRule.all {
            #expect(!rule.title.hasSuffix(".") && rule.title.count <= 80, "\(rule.id)")
            #expect(rule.why.hasSuffix("."), "\(rule.id)")
            #expect(rule.fix.hasSuffix(".") && rule.fix.first?.isUppercase == true, "\(rule.id)")
            #expect(!rule.sources.isEmpty, "\(rule.id)")
        }
    }

    /// `ASSOCIATED_UPDATE_DOCS=1 swift test --filter LintRuleTests` writes the file.
    @Test func `docs/rules.md is up to date`() throws {
        let sources = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
        let root = sources.deletingLastPathComponent().appendingPathComponent("../../..").standardizedFileURL
        let file = root.appendingPathComponent("docs/rules.md")
        if ProcessInfo.processInfo.environment["ASSOCIATED_UPDATE_DOCS"] != nil {
            try LintRule.markdown().write(to: file, atomically: true, encoding: .utf8)
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        #expect(written == LintRule.markdown(), "docs/rules.md is out of date")
    }
}

extension LintRule {
    /// The text of docs/rules.md.
    fileprivate static func markdown() -> String {
        var text = """
            # Lint rules

            Generated from `Sources/AssociationLint/Rules`; do not edit by hand.

            - **error**: the association fails, or a rule cannot work. The server publishes nothing that has an error.
            - **warning**: it fails on some system versions or for some verifiers, or it is probably a mistake.
            - **note**: for information.

            Some rules have two severities; the first is the usual one. A finding's own message shows which one applies.

            - Rules marked *host* need network access: `associated check` finds them.
            - Rules marked *native project* need the app's entitlements or its AndroidManifest.xml.
            - Rules marked *server* concern the server's own files. The server finds them while it loads or runs.
            - All other rules need only the file: `associated lint` finds them.

            """
        for family in RuleID.Family.allCases where !family.rules.isEmpty {
            text += "\n## \(family.title)\n"
            for rule in family.rules { text += rule.section }
        }
        return text
    }

    fileprivate var section: String {
        let place =
            switch subject {
            case .document: ""
            case .nativeProject: " (*native project*)"
            case .host: " (*host*)"
            case .installation: " (*server*)"
            }
        let origins = sources.map(\.title).joined(separator: "; ")
        return """

            ### \(id)

            **\(severities.map(\.rawValue).joined(separator: "** or **"))**\(place): \(title)

            \(why)

            Fix: \(fix)

            Sources: \(origins).

            """
    }
}

extension RuleID.Family {
    /// The heading for the family.
    fileprivate var title: String {
        switch self {
        case .apple: "apple-app-site-association"
        case .appleHosting: "Hosting for Apple"
        case .statements: "assetlinks.json"
        case .androidHosting: "Hosting for Android"
        case .appFile: "App files"
        case .server: "The server as a whole"
        case .certificate: "Certificates in config/hosts"
        case .configuration: "Settings and pages"
        }
    }
}
