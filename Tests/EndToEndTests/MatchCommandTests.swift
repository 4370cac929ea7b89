// `associated match`: which app opens a URL, by the rules of a configuration or of published files.

import Foundation
import Testing

struct MatchCommandTests {
    static let app = """
        { name: "Shop", hosts: ["shop.acme.test", "*.acme.test"],
          ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"] },
          android: { package: "org.acme.shop", fingerprints: ["\(LintCommandTests.print)"], dynamicRules: true },
          links: [
            { "/": "/a/private/*", exclude: true },
            { "/": "/a/*" },
          ] }
        """

    private func configuration() throws -> Folder {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", Self.app)
        return folder
    }

    /// Runs the program with a standard input.
    private func run(_ arguments: [String], input: String) throws -> Run {
        let folder = try Folder()
        try folder.write("input", input)
        let command = ([Subject.executable.path] + arguments).map { "'\($0)'" }.joined(separator: " ")
        return try Subject.shell("\(command) < \(folder.path)/input")
    }

    @Test func `--all lists the rules that did not match`() throws {
        let folder = try Folder()
        let more = (1...4).map { #"{ "/": "/\#($0)/*" }, "# }.joined()
        try folder.write(
            "config/apps/shop.json", Self.app.replacing(#"{ "/": "/a/*" }"#, with: more + #"{ "/": "/a/*" }"#))
        let ask = ["match", "--config", "\(folder.path)/config", "https://shop.acme.test/a/1"]
        #expect(try Subject.run(ask).output.contains("  3 other rules did not match; --all lists them\n"))
        let run = try Subject.run(ask + ["--all"])
        #expect(run.output.split(separator: "links[2] needs the path to match `/2/*`; the URL has `/a/1`").count == 3)
        #expect(!run.output.contains("--all"))
    }

    @Test(arguments: [
        ("https://shop.acme.test/a/private/1", "exclude", "0", "block", "0", "app"),
        ("https://x.y.acme.test/a", "match", "1", "allow", "1", "app"),
        ("http://SHOP.acme.test/b", "none", "null", "none", "null", "web"),
    ])
    func `answers in JSON`(
        url: String, apple: String, appleRule: String, android: String, androidRule: String, android14: String
    ) throws {
        let folder = try configuration()
        let run = try Subject.run("match", "--config", "\(folder.path)/config", "--format", "json", url)
        #expect(
            run.output
                == #"{"url":"\#(url)","apple":[{"appID":"9JA89QQLNQ.org.acme.shop","decision":"\#(apple)","rule":\#(appleRule)}],"android":[{"package":"org.acme.shop","decision":"\#(android)","rule":\#(androidRule),"android14":"\#(android14)"}]}"#
                + "\n")
    }

    @Test func `reports a value of the wrong type as not settled`() throws {
        let folder = try Folder()
        try folder.write(
            "assetlinks.json",
            """
            [{"relation": ["delegate_permission/common.handle_all_urls"],
              "target": {"namespace": "android_app", "package_name": "org.acme.shop",
                "sha256_cert_fingerprints": ["\(LintCommandTests.print)"]},
              "relation_extensions": {"delegate_permission/common.handle_all_urls": {
                "dynamic_app_link_components": [
                  {"?": "a=1"}]}}}]
            """)
        let file = "\(folder.path)/assetlinks.json"
        let run = try Subject.run("match", "--android", file, "https://shop.acme.test/x?a=1")
        #expect(
            run.output == """
                https://shop.acme.test/x?a=1
                Android, org.acme.shop: its manifest decides
                  rule 0 has a value of the wrong type, so Android discards all rules and only the manifest \
                decides (\(file):6)
                  not settled: rule 0: it is not known whether a value of the wrong type makes Android discard all rules \
                or only the value

                """)
    }

    @Test func `uses published files as those of the URL's host, with one answer for each app in order`() throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            """
            {"applinks": {"defaults": {"caseSensitive": false}, "substitutionVariables": {"v": ["x", "y"]}, "details": [
              {"appIDs": ["9JA89QQLNQ.b", "9JA89QQLNQ.a"], "components": [{"/": "/q/$(v)"}]},
              {"appID": "9JA89QQLNQ.c", "paths": ["NOT /q/*", "*"]}, {"appIDs": ["9JA89QQLNQ.d"]},
              {"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "*"}]}]}}
            """)
        try folder.write(
            "list",
            """
            [{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app",
              "package_name": "org.acme.one", "sha256_cert_fingerprints": ["\(LintCommandTests.print)"]}},
             {"relation": ["delegate_permission/common.get_login_creds"], "target": {"namespace": "android_app",
              "package_name": "org.acme.two", "sha256_cert_fingerprints": ["\(LintCommandTests.print)"]}},
             {"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app",
              "package_name": "org.acme.three", "sha256_cert_fingerprints": ["\(LintCommandTests.print)"]},
              "relation_extensions": {"delegate_permission/common.handle_all_urls":
                {"dynamic_app_link_components": [{"/": "/Q/*", "exclude": true}, {"/": "*"}]}}}]
            """)
        let run = try Subject.run(
            "match", "--apple", "\(folder.path)/aasa", "--android", "\(folder.path)/list", "--format", "json",
            "https://any.test/Q/X")
        let apple = [("b", "match", "0"), ("a", "match", "0"), ("c", "exclude", "0"), ("d", "match", "null")].map {
            #"{"appID":"9JA89QQLNQ.\#($0)","decision":"\#($1)","rule":\#($2)}"#
        }
        #expect(
            run.output
                == #"{"url":"https://any.test/Q/X","apple":[\#(apple.joined(separator: ","))],"android":[{"package":"org.acme.one","decision":"manifest","rule":null},{"package":"org.acme.three","decision":"block","rule":0}]}"#
                + "\n")
    }

    static let unverified: [(String, [String])] = [
        ("[]", ["google", "aosp", "chromium"]), (#"["ab:cd"]"#, ["google", "aosp", "chromium"]),
        (#""\#(LintCommandTests.print)""#, ["google", "aosp", "chromium"]),
        (#"["\#(LintCommandTests.print.lowercased())"]"#, ["google", "aosp", "chromium"]),
        (#"["\#(LintCommandTests.print)", "AA:BB"]"#, ["google"]), (#"["\#(LintCommandTests.print)"]"#, []),
    ]

    @Test(arguments: unverified)
    func `names the verifiers that reject all statements about the app`(fingerprints: String, rejecting: [String])
        throws
    {
        let folder = try Folder()
        let file = "\(folder.path)/assetlinks.json"
        try folder.write(
            "assetlinks.json",
            """
            [{"relation": ["delegate_permission/common.handle_all_urls"],
              "target": {"namespace": "android_app", "package_name": "org.acme.x",
                "sha256_cert_fingerprints": \(fingerprints)},
              "relation_extensions": {"delegate_permission/common.handle_all_urls": {
                "dynamic_app_link_components": [{"/": "*"}]}}}]
            """)
        let json = try Subject.run("match", "--android", file, "--format", "json", "https://acme.test/a")
        let member = rejecting.isEmpty ? "" : #","rejectedBy":["\#(rejecting.joined(separator: #"",""#))"]"#
        #expect(
            json.output
                == #"{"url":"https://acme.test/a","apple":[],"android":[{"package":"org.acme.x","decision":"allow","rule":0\#(member)}]}"#
                + "\n")
        let text = try Subject.run("match", "--android", file, "https://acme.test/a").output
        let opens = "opens the app if its manifest covers the URL"
        switch rejecting.count {
        case 0: #expect(text.contains("\nAndroid 15 and later, org.acme.x: \(opens)\n  rule 0 matches"))
        case 1:
            #expect(
                text.contains(
                    "\nAndroid 15 and later, org.acme.x: \(opens)\n  Google would not verify the app; associated lint "
                        + "shows why (\(file):1)\n  rule 0 matches"))
        default:
            #expect(
                text.contains(
                    "\nAndroid, org.acme.x: stays in the browser, because no verifier accepts its statement\n  Google, "
                        + "Android and Chromium would not verify the app; associated lint shows why (\(file):1); once "
                        + "verified: \(opens)\n  rule 0 matches"))
        }
    }

    @Test func `one accepted statement is enough`() throws {
        let folder = try Folder()
        let other = LintCommandTests.print.replacing("A", with: "B")
        let statement = { (prints: String) in
            #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "org.acme.x", "sha256_cert_fingerprints": \#(prints)}}"#
        }
        try folder.write("list", "[\(statement(#"["\#(other)"]"#)), \(statement(#"["\#(LintCommandTests.print)"]"#))]")
        let run = try Subject.run(
            "match", "--android", "\(folder.path)/list", "--format", "json", "https://acme.test/a")
        #expect(!run.output.contains("rejectedBy"))
    }

    /// The output for an apple-app-site-association file with one app.
    private func apple(_ details: String, _ more: String = "", path: String) throws -> (text: String, json: String) {
        let folder = try Folder()
        try folder.write("aasa", #"{"applinks": {\#(more)"details": [\#(details)]}}"#)
        let command = ["match", "--apple", "\(folder.path)/aasa", "https://acme.test\(path)"]
        return (try Subject.run(command).output, try Subject.run(command + ["--format", "json"]).output)
    }

    @Test(arguments: [#""components": ["/a", {"/": "/a/*"}]"#, #""paths": [5, "/a/*"]"#])
    func `counts invalid elements as rules and reports them as not settled`(list: String) throws {
        let (text, json) = try apple(#"{"appIDs": ["9JA89QQLNQ.a"], \#(list)}"#, path: "/a/1")
        #expect(json.contains(#""decision":"match","rule":1}"#))
        #expect(text.contains("  rule 1 matches, so the app opens"))
        #expect(
            text.contains(
                "  not settled: rule 0: it has the wrong type and is assumed to be ignored, but it may match every URL\n"
            ))
    }

    @Test func `does not mention rules after the one that decides`() throws {
        let (text, json) = try apple(
            #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/a/*"}, "/a", {"/": "*", "exclude": "true"}]}"#,
            path: "/a/1")
        #expect(json.contains(#""decision":"match","rule":0}"#))
        #expect(!text.contains("not settled"))
    }

    static let unsettled: [(String, String, String)] = [
        (
            #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/b"}, {"/": "*", "exclude": "true"}]}"#, "",
            "rule 1: a flag that is neither true nor false is assumed to be ignored"
        ),
        (
            #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/$(v)"}]}"#, #""substitutionVariables": {"v": "a"}, "#,
            "rule 0: a variable that is a string is assumed to be read as an array of that value"
        ),
        (
            #"{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/b"}]}, {"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/a"}]}"#,
            "", "whether the app's other entry, on line 1, counts too; it would open the app"
        ),
    ]

    @Test(arguments: unsettled)
    func `reports undocumented forms of a file as not settled`(details: String, more: String, point: String) throws {
        let text = try apple(details, more, path: "/a").text
        #expect(text.contains("  not settled: \(point)\n"), "\(text)")
    }

    @Test func `reports two lists of dynamic rules as not settled`() throws {
        let folder = try Folder()
        let statement = { (rules: String) in
            #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "org.acme.x", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]}, "relation_extensions": {"delegate_permission/common.handle_all_urls": {"dynamic_app_link_components": [\#(rules)]}}}"#
        }
        let second = statement(#"{"/": "/b", "exclude": true}, {"/": "*"}"#)
        try folder.write("list", "[\(statement(#"{"/": "*"}"#)),\n\(second)]")
        let ask = { (path: String) in
            try Subject.run("match", "--android", "\(folder.path)/list", "https://acme.test\(path)").output
        }
        let point =
            "  not settled: which of the app's lists of dynamic rules counts; by the one on line 2, the URL stays "
            + "in the browser\n"
        #expect(try ask("/b").contains(point))
        #expect(try !ask("/a").contains("not settled"))
    }

    @Test func `answers each line of standard input, also one that is not a URL`() throws {
        let folder = try configuration()
        let run = try run(
            ["match", "--config", "\(folder.path)/config", "-"],
            input: "https://shop.acme.test/a/1\r\n\nnothing\nhttps://shop.acme.test/b")
        let lines = run.output.split(separator: "\n")
        #expect(lines.count == 3)
        #expect(lines.first?.contains(#""decision":"match","rule":1"#) == true)
        #expect(
            lines.dropFirst().first?.hasPrefix(#"{"url":"nothing","error":"it does not begin with https://"#) == true)
        #expect(lines.last?.contains(#""decision":"none","rule":null"#) == true)
        #expect(run.status == 1)
    }

    /// Hosts that no phone verifies, and the reason; without one, the host is a name.
    @Test(
        arguments: [
            ("a..b", "empty label"), ("-a.example", "hyphen"), ("a-.example", "hyphen"), ("127.0.0.1", "address"),
            ("[::1]", "address"), ("1.2", "address"), ("xn--a-xbb.example", "compose"), (".a", "empty label"),
            ("\(String(repeating: "a", count: 64)).example", "63 bytes"), ("a_b.example", nil), ("localhost", nil),
            ("a.example.", nil), ("\(String(repeating: "a", count: 63)).example", nil),
        ] as [(String, String?)])
    func `refuses a host that is no host name`(host: String, reason: String?) throws {
        let folder = try configuration()
        let one = try Subject.run("match", "--config", "\(folder.path)/config", "https://\(host)/a")
        let line = try run(["match", "--config", "\(folder.path)/config", "-"], input: "https://\(host)/a")
        if let reason {
            #expect(one.status == 2 && one.errors.contains("is not a host name: ") && one.errors.contains(reason))
            #expect(line.output.contains(#","error":"`"#) && line.output.contains(reason))
        } else {
            #expect(one.status == 1 && one.errors.isEmpty, "\(one.errors)")
            #expect(!line.output.contains("error"))
        }
    }

    @Test func `answers a hundred thousand URLs`() throws {
        let folder = try configuration()
        let input = (0..<100_000).map { "https://shop.acme.test/a/\($0)\n" }.joined()
        let run = try run(["match", "--config", "\(folder.path)/config", "-"], input: input)
        #expect(run.status == 0)
        #expect(run.output.count { $0 == "\n" } == 100_000)
    }

    @Test func `rejects files that no system reads`() throws {
        let folder = try Folder()
        try folder.write("aasa", #"{"applinks": {},}"#)
        let run = try Subject.run("match", "--apple", "\(folder.path)/aasa", "https://any.test/")
        #expect(run.status == 1)
        #expect(run.errors.hasSuffix("Apple's systems reject \(folder.path)/aasa, so no app opens any link\n"))
        #expect(try Subject.run("match", "--config", folder.path, "https://any.test/").status == 1)
    }

    @Test(arguments: [
        (#"{ hosts: ["shop.acme.test"] no"#, true), (#"{ hosts: ["*.acme.test"] no"#, true), ("{ name: ", true),
        (#"{ hosts: ["other.test"] no"#, false),
    ])
    func `names an app file with errors only if it may be about the host`(text: String, isNamed: Bool) throws {
        let folder = try configuration()
        try folder.write("config/apps/broken.json", text)
        let config = "\(folder.path)/config"
        let run = try Subject.run("match", "--config", config, "shop.acme.test/a/1", "shop.acme.test/a/2")
        let line = "associated: skipped \(config)/apps/broken.json, which has errors; associated lint shows them\n"
        #expect(run.errors == (isNamed ? line : ""))
    }

    @Test func `a key that is there twice makes the answer uncertain`() throws {
        let folder = try Folder()
        let app = #"{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a"}], "components": [{"/": "/b"}]}"#
        try folder.write("aasa", "{\"applinks\": {\"details\": [\(app)]}}")
        let arguments = ["match", "--apple", "\(folder.path)/aasa", "https://any.test/a"]
        let run = try Subject.run(arguments)
        #expect(run.output.hasSuffix("; readers differ in which one they use\n"))
        #expect(run.output.contains("\niOS: not certain: line 1: duplicate key "))
        let json = try Subject.run(arguments + ["--format", "json"])
        #expect(json.output.contains(#","doubt":"line 1: duplicate key "#))
        let other = try Subject.run(arguments + ["--platform", "android"])
        #expect(!other.output.contains("not certain"))
    }

    @Test func `names an app file that cannot be read`() throws {
        let folder = try configuration()
        try folder.write("config/apps/long.json", String(repeating: " ", count: 4_194_305))
        let run = try Subject.run("match", "--config", "\(folder.path)/config", "https://shop.acme.test/a/1")
        #expect(run.status == 0)
        #expect(run.errors.hasPrefix("associated: skipped \(folder.path)/config/apps/long.json, which "))
    }
}
