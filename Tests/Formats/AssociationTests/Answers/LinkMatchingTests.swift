// Which app opens a URL, by app files and by published files, as text and as JSON.

import Testing

@testable import Association

struct LinkMatchingTests {
    private static func published(apple: String? = nil, android: String? = nil) -> LinkMatching {
        var matching = LinkMatching(origin: "files")
        if let apple {
            let isTaken = matching.take(AppleAssociation.read(Array(apple.utf8), file: "aasa"), file: "aasa")
            #expect(isTaken)
        }
        if let android {
            let isTaken = matching.take(StatementList.read(Array(android.utf8), file: "list"), file: "list")
            #expect(isTaken)
        }
        return matching
    }

    private static func json(_ matching: LinkMatching, _ text: String) throws -> String {
        var line: [UInt8] = []
        matching.appendJSON(of: try #require(LinkURL(text)), written: text, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    private static let apple = """
        {"applinks": {"details": [{"appIDs": ["A1B2C3D4E5.a.b"], "components": [{"/": "/x", "exclude": true}, {"/": "/a"}]},
                                  {"appID": "a.b", "paths": ["*"]}]}}
        """

    @Test(arguments: [("/a", "match", "1"), ("/x", "exclude", "0"), ("/b", "none", "null")])
    func `an answer has the decision and the number of the rule`(path: String, decision: String, rule: String) throws {
        let json = try Self.json(Self.published(apple: Self.apple), "https://a.test\(path)")
        #expect(json.contains(#""apple":[{"appID":"A1B2C3D4E5.a.b","decision":"\#(decision)","rule":\#(rule)},"#))
        // No signed app has a bundle id alone.
        #expect(json.contains(#"{"appID":"a.b","decision":"match","rule":0,"problem":"#))
        #expect(json.hasSuffix(#""android":[]}"# + "\n"))
    }

    @Test func `one platform alone has no member and no text for the other`() throws {
        let both = Self.published(apple: Self.apple, android: "[]")
        let url = "https://a.test/a"
        #expect(try !Self.json(both.only(.apple), url).contains("android"))
        #expect(try !Self.json(both.only(.android), url).contains(#""apple""#))
        let text = both.text(of: try #require(LinkURL(url)), detail: .nearest)
        #expect(text.contains("\niOS, A1B2C3D4E5.a.b: opens the app\n"))
        #expect(text.hasSuffix("\nAndroid: no app handles links to a.test\n"))
        #expect(!both.only(.apple).text(of: try #require(LinkURL(url)), detail: .nearest).contains("Android"))
    }

    @Test func `a doubt about a file is of its platform`() {
        let twice = #"{"applinks": {"details": []}, "applinks": {"details": []}}"#
        let matching = Self.published(apple: twice, android: #"[{"relation": [], "relation": []}]"#)
        #expect(matching.appleDoubt != nil && matching.androidDoubt != nil)
        #expect(matching.only(.android).appleDoubt == nil && matching.only(.android).androidDoubt != nil)
        #expect(matching.only(.apple).appleDoubt != nil && matching.only(.apple).androidDoubt == nil)
    }

    @Test func `a file that no system reads is not taken`() {
        var matching = LinkMatching(origin: "")
        let isTaken = [
            matching.take(AppleAssociation.read(Array("{".utf8), file: ""), file: ""),
            matching.take(StatementList.read(Array("{".utf8), file: ""), file: ""),
        ]
        #expect(isTaken == [false, false])
        #expect(matching.apple.isEmpty && matching.android.isEmpty)
    }

    @Test func `an app file answers for both platforms, with the manifest of snippet`() throws {
        let text = """
            { name: "A", hosts: ["a.test"], ios: { appIDs: ["A1B2C3D4E5.a.b"] },
              android: { package: "a.b", fingerprints: ["\(Self.fingerprint)"] }, links: [{ "/": "/a" }] }
            """
        let app = try #require(AppFile.read(Array(text.utf8), file: "app").appFile)
        let json = try Self.json(LinkMatching(of: [app], configPath: "config"), "https://a.test/a")
        #expect(json.contains(#""apple":[{"appID":"A1B2C3D4E5.a.b","decision":"match","rule":0}]"#))
        #expect(json.contains(#""android":[{"package":"a.b","decision":"manifest","rule":null,"android14":"app"}]"#))
    }

    private static let fingerprint = Array(repeating: "AA", count: 32).joined(separator: ":")

    /// A statement for links, with these fingerprints and dynamic rules in JSON.
    private static func statement(_ package: String, prints: String = "[\"\(fingerprint)\"]", rules: String? = nil)
        -> String
    {
        let dynamic = rules.map {
            #", "relation_extensions": {"delegate_permission/common.handle_all_urls": {"dynamic_app_link_components": [\#($0)]}}"#
        }
        return #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "#
            + #""package_name": "\#(package)", "sha256_cert_fingerprints": \#(prints)}\#(dynamic ?? "")}"#
    }

    private static func text(_ matching: LinkMatching, _ url: String) throws -> String {
        matching.text(of: try #require(LinkURL(url)), detail: .nearest)
    }

    @Test func `a value of the wrong type is not settled`() throws {
        let text = try Self.text(
            Self.published(android: "[\(Self.statement("a.b", rules: #"{"?": "a=1"}"#))]").only(.android),
            "https://a.test/x?a=1")
        #expect(
            text == """
                https://a.test/x?a=1
                Android, a.b: its manifest decides
                  rule 0 has a value of the wrong type, so Android discards all rules and only the manifest decides (list:1)
                  not settled: rule 0: it is not known whether a value of the wrong type makes Android discard all rules \
                or only the value

                """)
    }

    @Test func `published files are those of the URL's host, with one answer for each app in order`() throws {
        let apple = """
            {"applinks": {"defaults": {"caseSensitive": false}, "substitutionVariables": {"v": ["x", "y"]}, "details": [
              {"appIDs": ["9JA89QQLNQ.b", "9JA89QQLNQ.a"], "components": [{"/": "/q/$(v)"}]},
              {"appID": "9JA89QQLNQ.c", "paths": ["NOT /q/*", "*"]}, {"appIDs": ["9JA89QQLNQ.d"]},
              {"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "*"}]}]}}
            """
        let sharer = Self.statement("a.two").replacing("handle_all_urls", with: "get_login_creds")
        let last = Self.statement("a.three", rules: #"{"/": "/Q/*", "exclude": true}, {"/": "*"}"#)
        let json = try Self.json(
            Self.published(apple: apple, android: "[\(Self.statement("a.one")), \(sharer), \(last)]"),
            "https://any.test/Q/X")
        let apps = [("b", "match", "0"), ("a", "match", "0"), ("c", "exclude", "0"), ("d", "match", "null")].map {
            #"{"appID":"9JA89QQLNQ.\#($0)","decision":"\#($1)","rule":\#($2)}"#
        }
        #expect(
            json == #"{"url":"https://any.test/Q/X","apple":[\#(apps.joined(separator: ","))],"android":["#
                + #"{"package":"a.one","decision":"manifest","rule":null},{"package":"a.three","decision":"block","rule":0}]}"#
                + "\n")
    }

    /// Fingerprints in JSON, and who rejects a statement with them.
    @Test(
        arguments: [
            ("[]", ["google", "aosp", "chromium"]), (#"["ab:cd"]"#, ["google", "aosp", "chromium"]),
            (#""\#(fingerprint)""#, ["google", "aosp", "chromium"]),
            (#"["\#(fingerprint.lowercased())"]"#, ["google", "aosp", "chromium"]),
            (#"["\#(fingerprint)", "AA:BB"]"#, ["google"]),
            (#"["\#(fingerprint)"]"#, []),
        ] as [(String, [String])])
    func `names the verifiers that reject all statements about the app`(prints: String, rejecting: [String]) throws {
        let matching = Self.published(android: "[\(Self.statement("a.b", prints: prints, rules: #"{"/": "*"}"#))]")
            .only(.android)
        let member = rejecting.isEmpty ? "" : #","rejectedBy":["\#(rejecting.joined(separator: #"",""#))"]"#
        #expect(
            try Self.json(matching, "https://a.test/a").hasSuffix(
                #""android":[{"package":"a.b","decision":"allow","rule":0\#(member)}]}"# + "\n"))
        let opens = "opens the app if its manifest covers the URL"
        let shown =
            switch rejecting.count {
            case 0: "\nAndroid 15 and later, a.b: \(opens)\n  rule 0 matches"
            case 1:
                "\nAndroid 15 and later, a.b: \(opens)\n  Google would not verify the app; associated lint shows why "
                    + "(list:1)\n  rule 0 matches"
            default:
                "\nAndroid, a.b: stays in the browser, because no verifier accepts its statement\n  Google, Android and "
                    + "Chromium would not verify the app; associated lint shows why (list:1); once verified: \(opens)\n"
                    + "  rule 0 matches"
            }
        #expect(try Self.text(matching, "https://a.test/a").contains(shown))
    }

    @Test func `one accepted statement is enough`() throws {
        let other = Self.statement("a.b", prints: #"["\#(Self.fingerprint.replacing("A", with: "B"))"]"#)
        let matching = Self.published(android: "[\(other), \(Self.statement("a.b"))]")
        #expect(try !Self.json(matching, "https://a.test/a").contains("rejectedBy"))
    }

    /// The entries of a file, its other members, the path, and the point that is not settled; nil if all is.
    @Test(
        arguments: [
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "components": ["/a", {"/": "/a/*"}]}"#, "", "/a/1",
                "rule 0: it has the wrong type and is assumed to be ignored, but it may match every URL"
            ),
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "paths": [5, "/a/*"]}"#, "", "/a/1",
                "rule 0: it has the wrong type and is assumed to be ignored, but it may match every URL"
            ),
            // Rules after the one that decides are not mentioned.
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/a/*"}, "/a", {"/": "*", "exclude": "true"}]}"#,
                "",
                "/a/1", nil
            ),
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/b"}, {"/": "*", "exclude": "true"}]}"#, "", "/a",
                "rule 1: a flag that is neither true nor false is assumed to be ignored"
            ),
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/$(v)"}]}"#,
                #""substitutionVariables": {"v": "a"}, "#, "/a",
                "rule 0: a variable that is a string is assumed to be read as an array of that value"
            ),
            (
                #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/b"}]}, {"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/a"}]}"#,
                "", "/a", "whether the app's other entry, on line 1, counts too; it would open the app"
            ),
        ] as [(String, String, String, String?)])
    func `undocumented forms of a file are not settled`(details: String, more: String, path: String, point: String?)
        throws
    {
        let matching = Self.published(apple: #"{"applinks": {\#(more)"details": [\#(details)]}}"#)
        let text = try Self.text(matching, "https://a.test\(path)")
        #expect(point.map { text.contains("  not settled: \($0)\n") } ?? !text.contains("not settled"), "\(text)")
    }

    @Test func `two lists of dynamic rules are not settled`() throws {
        let first = Self.statement("a.b", rules: #"{"/": "*"}"#)
        let second = Self.statement("a.b", rules: #"{"/": "/b", "exclude": true}, {"/": "*"}"#)
        let matching = Self.published(android: "[\(first),\n\(second)]")
        let point =
            "  not settled: which of the app's lists of dynamic rules counts; by the one on line 2, the URL stays in the "
            + "browser\n"
        #expect(try Self.text(matching, "https://a.test/b").contains(point))
        #expect(try !Self.text(matching, "https://a.test/a").contains("not settled"))
    }
}
