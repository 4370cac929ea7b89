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

    /// Texts, and the severity of one rule's finding in them. Each rule that has two severities is here with both.
    private static let severities: [(String, RuleID, Severity)] = [
        (#"{"applink": {"details": []}}"#, .aasa008, .error),
        (#"{"applink": {}, "applinks": {"details": []}}"#, .aasa008, .warning),
        (#"{"applinks": {"details": []}, "x": 1}"#, .aasa008, .warning),
        (Texts.links(#""apps": ["a"]"#), .aasa014, .error),
        (Texts.links(#""apps": ["a"], "details": []"#), .aasa014, .warning),
        (Texts.details(#"{"appIDs": ["9JA89QQLNQ.com.*"]}"#), .aasa021, .error),
        (Texts.details(#"{"appIDs": ["9JA89QQLNQ.com.a,b"]}"#), .aasa021, .error),
        (Texts.details(#"{"appIDs": ["9JA89QQLNQ.com.a_b"]}"#), .aasa021, .warning),
        (Texts.entry(#""components": [{"/": "/a"}], "paths": ["/a"]"#), .aasa025, .warning),
        (
            Texts.links(
                #""apps": [], "details": [{"appID": "\#(Texts.app)", "appIDs": ["\#(Texts.app)"], "#
                    + #""components": [{"/": "/a"}], "paths": ["/a"]}]"#), .aasa025, .note
        ),
        (Texts.components(""), .aasa028, .error), (Texts.paths(""), .aasa028, .warning),
        (Texts.component(#""/": "/a", "exlude": true"#), .aasa035, .error),
        (Texts.component(#""/": "/a", "excluded": true"#), .aasa035, .error),
        (Texts.component(#""/": "/a", "excluded": true, "exclude": true"#), .aasa035, .warning),
        (Texts.component(#""/": "/a", "coment": "x""#), .aasa035, .warning),
        ("[\(Texts.statement(relation: "delegate_permission/common.handle_all_url"))]", .dal007, .error),
        ("[\(Texts.statement(relation: "delegate_permission/common.other"))]", .dal007, .warning),
        (Texts.web("example.com"), .dal016, .error), (Texts.web("https://a..b"), .dal016, .warning),
        (#"[{"include": "https://a.example/x.json"}]"#, .dal023, .warning),
        (
            #"[{"include": "https://a.example/x.json"}, \#(Texts.statement(relation: "delegate_permission/common.other"))]"#,
            .dal023, .warning
        ),
        (#"[{"include": "https://a.example/x.json"}, \#(Texts.statement())]"#, .dal023, .note),
        (#"[\#(Texts.statement()), {"include": "https://a.example/x.json"}]"#, .dal023, .note),
        ("[\(Texts.statement()), \(Texts.statement())]", .dal025, .warning),
        (
            "[\(Texts.statement(target: Texts.target("com.acme.shop", "\(Texts.print)\", \"\(Texts.print)")))]",
            .dal025,
            .note
        ),
        (Texts.rules(#"{"/": "*"}"#, key: "delegate_permission/common.get_login_creds"), .dal027, .error),
        (extended("dynamic_app_link_component"), .dal027, .error), (extended("components"), .dal027, .error),
        (extended("other"), .dal027, .warning), (Texts.rules(#"{"/": "*bar"}"#), .dal035, .warning),
        (Texts.rules(#"{"/": "/a*/b"}"#), .dal035, .note),
        (Texts.rules(##"{"/": "/a", "#": "*"}"##), .dal038, .warning),
        (Texts.rules(#"{"/": "/a", "?": {"b": "*"}}"#), .dal038, .note),
        ("[\(Texts.statement(more: #", "relations": "a""#))]", .dal041, .warning),
        ("[\(Texts.statement(more: #", "note": "a""#))]", .dal041, .note),
        (String(decoding: Texts.padded("[]", to: 262_145), as: UTF8.self), .ghst006, .warning),
        (String(decoding: Texts.padded("[]", to: 1_048_576), as: UTF8.self), .ghst006, .warning),
        (String(decoding: Texts.padded("[]", to: 1_048_577), as: UTF8.self), .ghst006, .error),
    ]

    /// A statement with another key in its extension.
    private static func extended(_ key: String) -> String {
        Texts.rules(#"{"/": "*"}"#).replacing("dynamic_app_link_components", with: key)
    }

    @Test(arguments: severities)
    func `each severity of a rule has its own condition`(text: String, rule: RuleID, severity: Severity) throws {
        let findings = try #require(Linter.lint(Array(text.utf8), file: "f"))
        #expect(findings.filter { $0.rule == rule }.map(\.severity) == [severity])
    }

    @Test func `each rule about documents that has two severities is tested with both`() {
        for rule in LintRule.all where rule.subject == .document && rule.id.family != .appFile {
            let tested = Set(Self.severities.filter { $0.1 == rule.id }.map(\.2))
            #expect(rule.otherSeverity == nil || tested == Set(rule.severities), "\(rule.id)")
        }
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
        let root = sources.deletingLastPathComponent().appendingPathComponent("../../../..").standardizedFileURL
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

            Generated from `Sources/Formats/AssociationLint/Rules`; do not edit by hand.

            - **error**: the association fails, or a rule cannot work. The server publishes nothing that has an error.
            - **warning**: it fails on some system versions or for some verifiers, or it is probably a mistake.
            - **note**: for information.

            Some rules have two severities; the first is the usual one. A finding's own message shows which one applies.

            - Rules marked *host* need network access: `associated check` finds them.
            - Rules marked *native project* need the app's entitlements or its AndroidManifest.xml.
            - Rules marked *server* concern the server's own files. The server finds them while it loads or runs.
            - All other rules need only the file: `associated lint` finds them.

            A rule without sources is inferred.

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
        let basis = sources == [.inference] ? "" : "\nSources: \(origins).\n"
        return """

            ### \(id)

            **\(severities.map(\.rawValue).joined(separator: "** or **"))**\(place): \(title)

            \(why)

            Fix: \(fix)
            \(basis)
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
