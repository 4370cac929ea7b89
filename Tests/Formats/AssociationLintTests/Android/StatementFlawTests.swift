// The mistakes because of which AOSP's verifier skips an entry or rejects the whole list, each before and after the statement
// of an app, in every Android version that differs.

import Association
import AssociationLint
import Testing

struct StatementFlawTests {
    private static let handle = AndroidApp.handleAllURLs
    private static let print =
        "30:EF:E5:5E:0D:22:30:3C:BB:F9:A7:DC:E6:9D:A3:BA:34:70:12:C5:F6:DE:C0:92:69:57:16:94:A2:3D:90:BC"
    private static let binding = AndroidBinding(package: "org.acme.shop", fingerprints: [print], relation: handle)
    private static let own = statement(app("org.acme.shop"))

    private static func app(_ package: String, _ prints: String = "[\"\(print)\"]") -> String {
        #"{"namespace": "android_app", "package_name": "\#(package)", "sha256_cert_fingerprints": \#(prints)}"#
    }

    private static func statement(_ target: String, relation: String = "[\"\(handle)\"]", more: String = "") -> String {
        #"{"relation": \#(relation), "target": \#(target)\#(more)}"#
    }

    private static func site(_ site: String) -> String { statement(#"{"namespace": "web", "site": "\#(site)"}"#) }

    private static func rules(_ rules: String) -> String {
        statement(
            app("org.acme.bank"),
            more: #", "relation_extensions": {"\#(handle)": {"dynamic_app_link_components": \#(rules)}}"#)
    }

    /// One entry, and the first Android version that rejects the list because of it.
    struct Row: Sendable, CustomTestStringConvertible {
        let name: String
        let entry: String
        let since: AndroidRelease?

        init(_ name: String, _ entry: String, since: AndroidRelease?) {
            (self.name, self.entry, self.since) = (name, entry, since)
        }

        var testDescription: String { name }
    }

    static let rejecting: [Row] = [
        Row("a number in a statement", statement(app("a.b"), more: #", "note": 1"#), since: .android6),
        Row("a null in a statement", statement(app("a.b"), more: #", "note": null"#), since: .android6),
        Row("a number deep in a statement", rules(#"[{"/": "/a", "x": {"y": [{"z": 1}]}}]"#), since: .android6),
        Row(
            "a number as a package name", statement(#"{"namespace": "android_app", "package_name": 1}"#),
            since: .android6),
        Row("a boolean in an array", statement(app("a.b"), more: #", "flags": [true]"#), since: .android6),
        Row("a number next to an include", #"{"include": "https://a.example/x.json", "level": 1}"#, since: .android6),
        Row("an entry that is a string", #""a""#, since: .android6),
        Row("an entry that is an array", "[]", since: .android6),
        Row("an entry that is null", "null", since: .android6),
        Row("a relation that is a number", statement(app("a.b"), relation: "[1]"), since: .android6),
        Row("a relation that is a boolean", statement(app("a.b"), relation: "[true]"), since: .android6),
        // AOSP converts an object to text, which is not a relation.
        Row("a relation that is an object", statement(app("a.b"), relation: "[{}]"), since: .android12),
        Row("a relation without a slash", statement(app("a.b"), relation: #"["handle_all_urls"]"#), since: .android12),
        Row(
            "a relation in capitals", statement(app("a.b"), relation: #"["delegate_permission/A"]"#), since: .android12),
        Row("a wildcard relation", statement(app("a.b"), relation: #"["delegate_permission/*"]"#), since: .android12),
        Row("a relation with two slashes", statement(app("a.b"), relation: #"["a/b/c"]"#), since: .android12),
        Row("a bad relation behind a good one", statement(app("a.b"), relation: #"["a/b", ""]"#), since: .android12),
        Row("no namespace", statement("{}"), since: .android12),
        Row("a namespace of Apple's", statement(#"{"namespace": "ios_app", "appid": "A.b"}"#), since: .android12),
        Row("an unknown namespace", statement(#"{"namespace": "windows_app"}"#), since: .android12),
        Row("a namespace that is a boolean", statement(#"{"namespace": true}"#), since: .android12),
        Row(
            "no package name", statement(#"{"namespace": "android_app", "sha256_cert_fingerprints": ["A"]}"#),
            since: .android12),
        Row("an empty package name", statement(app("")), since: .android12),
        Row("no fingerprints", statement(#"{"namespace": "android_app", "package_name": "a.b"}"#), since: .android12),
        Row("an empty array of fingerprints", statement(app("a.b", "[]")), since: .android12),
        Row("a bare fingerprint", statement(app("a.b", "\"\(print)\"")), since: .android12),
        Row("no site", statement(#"{"namespace": "web"}"#), since: .android12),
        Row("a site without a scheme", site("example.com"), since: .android12),
        Row("a site by ftp", site("ftp://example.com"), since: .android12),
        Row("a site with a user", site("https://u@example.com"), since: .android12),
        Row("a site with a path", site("https://example.com/a"), since: .android12),
        Row("a site with a query", site("https://example.com?a"), since: .android12),
        Row("a site with a bad port", site("https://example.com:x"), since: .android12),
        Row(
            "the address of a manifest",
            statement(
                #"{"namespace": "web", "site": "https://example.com/m.json"}"#,
                relation: #"["delegate_permission/common.query_webapk"]"#), since: .android12),
        Row("a dynamic rule that is a string", rules(#"["/a"]"#), since: .android15),
    ]

    static let skipped: [Row] = [
        Row("no relation", #"{"target": \#(app("org.acme.shop"))}"#, since: nil),
        Row("relation as a string", statement(app("org.acme.shop"), relation: "\"\(handle)\""), since: nil),
        Row("no target", #"{"relation": ["\#(handle)"]}"#, since: nil),
        Row("target as a string", #"{"relation": ["\#(handle)"], "target": "a"}"#, since: nil),
        Row("an empty relation", statement(app("org.acme.shop"), relation: "[]"), since: nil),
        Row("nothing at all", "{}", since: nil),
        // Android checks the relation before the target.
        Row("no relation and a bad namespace", #"{"target": {"namespace": "x"}}"#, since: nil),
    ]

    static let harmless: [Row] = [
        Row("booleans as members", statement(app("a.b"), more: #", "a": true, "b": {"c": false}"#), since: nil),
        Row("a site with a slash", site("https://example.com/"), since: nil),
        Row("a site with a fragment", site("HTTPS://example.com.#a"), since: nil),
        Row("a site with a port", site("http://example.com:8080"), since: nil),
        Row("an include", #"{"include": "https://a.example/x.json", "relation": "a"}"#, since: nil),
        Row("an include by http", #"{"include": "http://a.example/x.json"}"#, since: nil),
        Row("an include that is a list", #"{"include": ["https://a.example/x.json"]}"#, since: nil),
        Row("a package name that no app has", statement(app("1")), since: nil),
        Row("a fingerprint in lower case", statement(app("a.b", "[\"\(print.lowercased())\"]")), since: nil),
        Row("a dynamic rule with a boolean", rules(#"[{"/": true}]"#), since: nil),
        Row("a relation that nothing looks for", statement(app("a.b"), relation: #"["a_1.b/c"]"#), since: nil),
    ]

    private static func lists(_ row: Row) -> [String] { ["[\(row.entry),\n\(own)]", "[\(own),\n\(row.entry)]"] }

    private static func kind(_ text: String, on release: AndroidRelease) -> BindingVerdict.Kind {
        binding.verdict(of: .aosp, on: Array(text.utf8), file: "f", release: release).kind
    }

    @Test(arguments: rejecting)
    func `rejects the list from one Android version on, wherever the entry is`(row: Row) throws {
        let since = try #require(row.since)
        for text in Self.lists(row) {
            for release in AndroidRelease.allCases {
                #expect(
                    Self.kind(text, on: release) == (release < since ? .verified : .fileRejected), "\(release) \(text)")
            }
        }
    }

    @Test(arguments: skipped + harmless)
    func `reads the other statements of the list in every version`(row: Row) {
        for text in Self.lists(row) {
            for release in AndroidRelease.allCases { #expect(Self.kind(text, on: release) == .verified, "\(text)") }
        }
    }

    @Test(arguments: skipped)
    func `skips the statement in every version`(row: Row) {
        for release in AndroidRelease.allCases { #expect(Self.kind("[\(row.entry)]", on: release) == .notVerified) }
    }

    @Test(arguments: rejecting)
    func `lint reports one error that names a statement which is lost too`(row: Row) {
        for (text, line) in zip(Self.lists(row), [2, 1]) {
            let findings = Linter.lint(statements: Array(text.utf8), file: "f").filter { finding in
                finding.severity == .error && finding.message.contains("reject the whole file")
                    || finding.message.contains("rejects the whole file")
            }
            #expect(findings.count == 1, "\(text)")
            let isNamed = findings.first?.message.contains("so the statement on line \(line) is lost too") == true
            #expect(isNamed, "\(findings)")
        }
    }

    @Test(arguments: [
        ("\n", "the statements on lines 2 and 3 are"), ("", "the other statements are"),
    ])
    func `lint names all statements that are lost`(separator: String, subject: String) {
        let text = "[1,\n\(Self.own),\(separator)\(Self.own)]"
        let messages = Linter.lint(statements: Array(text.utf8), file: "f").map(\.message)
        #expect(messages.contains { $0.hasSuffix("rejects the whole file, so \(subject) lost too") }, "\(messages)")
    }

    @Test(arguments: harmless + skipped)
    func `lint does not say that the file is rejected if it is not`(row: Row) {
        for text in Self.lists(row) {
            let findings = Linter.lint(statements: Array(text.utf8), file: "f")
            #expect(findings.allSatisfy { !$0.message.contains("the whole file") }, "\(findings)")
        }
    }

    @Test func `a mistake that affects no app is not an error`() {
        let text = "[\(Self.statement(#"{"namespace": "ios_app", "appid": "A.b"}"#))]"
        #expect(Linter.lint(statements: Array(text.utf8), file: "f").allSatisfy { $0.severity != .error })
    }

    @Test(arguments: [
        (Row("", "1", since: nil), ["Android 6 and later"]),
        (Row("", site("a"), since: nil), ["Android 12 and later", "Android 11 and earlier"]),
        (Row("", rules(#"["a"]"#), since: nil), ["Android 15 and later", "Android 14 and earlier"]),
    ])
    func `different results name their Android versions`(row: Row, versions: [String]) {
        let answers = Self.binding.verdictsOfAOSP(on: Array("[\(row.entry), \(Self.own)]".utf8), file: "f")
        #expect(answers.map(\.versions) == versions)
        #expect(answers.first?.verdict.kind == .fileRejected)
        #expect(answers.dropFirst().allSatisfy { $0.verdict.kind == .verified })
    }

    @Test func `describes a span of versions`() {
        #expect(AndroidRelease.span(from: .android6, before: .android12) == "Android 11 and earlier")
        #expect(AndroidRelease.span(from: .android12, before: .android15) == "Android 12 to 14")
        #expect(AndroidRelease.span(from: .android15, before: nil) == "Android 15 and later")
    }
}
