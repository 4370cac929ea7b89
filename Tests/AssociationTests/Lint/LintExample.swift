// One example for each lint rule: a text that breaks it, the very words the finding points at, and texts that do not.

import Association
import Testing

/// A rule with texts on both sides of it.
struct LintExample: Sendable, CustomTestStringConvertible {
    var rule: RuleID
    var kind: DocumentKind
    /// Breaks the rule; it may break others too.
    var bad: [UInt8]
    /// The text of the finding's range; nil where the finding is about the file as a whole.
    var marked: String?
    /// Do not break the rule.
    var good: [[UInt8]]

    init(_ rule: RuleID, _ kind: DocumentKind, bad: [UInt8], marked: String?, good: [[UInt8]]) {
        self.rule = rule
        self.kind = kind
        self.bad = bad
        self.marked = marked
        self.good = good
    }

    init(_ rule: RuleID, _ kind: DocumentKind, _ bad: String, marks marked: String?, good: String...) {
        self.init(rule, kind, bad: Array(bad.utf8), marked: marked, good: good.map { Array($0.utf8) })
    }

    var testDescription: String { rule.description }

    func lint(_ bytes: [UInt8]) -> [Finding] {
        kind == .statementList
            ? Linter.lint(statements: bytes, file: "f", host: "example.org") : Linter.lint(apple: bytes, file: "f")
    }
}

extension LintExample {
    static let all = appleStructure + applePatterns + statements + dynamicRules

    /// Texts around the part that an example is about, good in themselves.
    static let app = "9JA89QQLNQ.com.acme.shop"
    static let other = "9JA89QQLNQ.com.acme.bank"
    static let print = FingerprintTests.good

    static func links(_ members: String) -> String { "{\"applinks\": {\(members)}}" }
    static func details(_ entries: String) -> String { links("\"details\": [\(entries)]") }
    static func entry(_ members: String) -> String { details("{\"appIDs\": [\"\(app)\"], \(members)}") }
    static func components(_ components: String) -> String { entry("\"components\": [\(components)]") }
    static func component(_ members: String) -> String { components("{\(members)}") }
    static func path(_ pattern: String) -> String { component("\"/\": \"\(pattern)\"") }
    static func paths(_ paths: String) -> String {
        links("\"apps\": [], \"details\": [{\"appID\": \"\(app)\", \"paths\": [\(paths)]}]")
    }
    static func query(_ members: String) -> String { component("\"/\": \"/q\", \"?\": {\(members)}") }
    static func variables(_ members: String, use: String = "$(v)") -> String {
        links(
            "\"substitutionVariables\": {\(members)}, \"details\": [{\"appIDs\": [\"\(app)\"], \"components\": [{\"/\": \"/\(use)\"}]}]"
        )
    }

    static let handle = "delegate_permission/common.handle_all_urls"
    static func target(_ package: String = "com.acme.shop", _ fingerprint: String = print) -> String {
        "{\"namespace\": \"android_app\", \"package_name\": \"\(package)\", \"sha256_cert_fingerprints\": [\"\(fingerprint)\"]}"
    }
    static func statement(relation: String = handle, target: String = target(), more: String = "") -> String {
        "{\"relation\": [\"\(relation)\"], \"target\": \(target)\(more)}"
    }
    static func web(_ site: String, relation: String = "delegate_permission/common.get_login_creds") -> String {
        "[" + statement(relation: relation, target: "{\"namespace\": \"web\", \"site\": \"\(site)\"}") + "]"
    }
    static func rules(_ rules: String, key: String = handle) -> String {
        "["
            + statement(
                more: ", \"relation_extensions\": {\"\(key)\": {\"dynamic_app_link_components\": [\(rules)]}}") + "]"
    }
}
