// `associated match` in a workflow: several URLs, --expect, and answers for all versions of a platform and all apps with the
// same rules.

import Testing

struct MatchExpectationTests {
    /// Arguments after `match --config config`, the status, and the number of answers.
    @Test(arguments: [
        (["shop.acme.test/a/1"], 0, 1), (["shop.acme.test:8443/a/1"], 0, 1),
        (["https://shop.acme.test/a/1", "https://shop.acme.test/b"], 0, 2), (["https://other.test/"], 1, 1),
        (["shop.acme.test/a/1", "other.test/"], 1, 2), (["--expect", "app", "shop.acme.test/a/1"], 0, 1),
        (["--expect", "app", "shop.acme.test/b"], 1, 1), (["--expect", "web", "shop.acme.test/b"], 0, 1),
        (["--expect", "web", "shop.acme.test/a/1"], 1, 1), (["--expect", "web", "other.test/"], 0, 1),
        (["--expect", "app", "other.test/"], 1, 1),
        (["--expect", "app", "shop.acme.test/a/1", "shop.acme.test/b"], 1, 2),
        (["--expect", "none", "shop.acme.test/b"], 2, 0), (["ftp://shop.acme.test/a/1"], 2, 0),
        (["mailto:a@shop.acme.test"], 2, 0),
    ])
    func `accepts several URLs, and its status says whether --expect is met`(
        arguments: [String], status: Int, answers: Int
    ) throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        let run = try Subject.run(["match", "--config", "\(folder.path)/config"] + arguments)
        #expect(run.status == status, "\(run.output)\(run.errors)")
        #expect(run.output.split(separator: "\n").filter { $0.hasPrefix("https://") }.count == answers)
        let hasPort = arguments.contains { $0.contains(":8443") }
        #expect(run.output.contains("\n  port 8443 is not compared, and phones fetch ") == hasPort)
        #expect(run.errors.contains("expected to") == (status == 1 && arguments.contains("--expect")))
    }

    @Test func `shows what older versions of Android do, from the manifest`() throws {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", MatchCommandTests.app)
        let config = "\(folder.path)/config"
        let ask = ["match", "--config", config, "https://shop.acme.test/a/private/1"]
        let older = """
            Android 14 and earlier, org.acme.shop: opens the app
              the manifest of `associated snippet` covers the URL with android:pathPrefix="/a/", so the app opens

            """
        let assumed = try Subject.run(ask).output
        #expect(assumed.contains("\nAndroid 15 and later, org.acme.shop: stays in the browser\n"))
        #expect(assumed.hasSuffix(older))
        #expect(try Subject.run(ask + ["--expect", "web"]).status == 0)
        // By default, the manifest is that of `snippet`.
        let written = try Subject.run(
            "snippet", "--config", config, "shop", "android", "--output", "\(folder.path)/app")
        #expect(written.status == 0)
        let file = "\(folder.path)/app/AndroidManifest.xml"
        let named = try Subject.run(ask + ["--manifest", file, "--expect", "web"])
        #expect(named.status == 1)
        #expect(
            named.output.contains(
                "  the manifest covers the URL with android:pathPrefix=\"/a/\", so the app opens (\(file):"))
        let json = try Subject.run(ask + ["--format", "json"]).output
        #expect(json.contains(#""decision":"block","rule":0,"android14":"app"}"#))
    }

    @Test(arguments: ["TEAMID.com.acme.shop", "com.acme.shop", "YOUR_TEAM_ID.com.acme.shop"])
    func `an invalid app id opens nothing`(id: String) throws {
        let folder = try Folder()
        try folder.write("aasa", #"{"applinks": {"details": [{"appIDs": ["\#(id)"], "components": [{"/": "*"}]}]}}"#)
        let ask = ["match", "--apple", "\(folder.path)/aasa", "https://acme.test/a"]
        let run = try Subject.run(ask)
        #expect(
            run.output.contains(
                "\niOS, \(id): stays in the browser, because no signed app has this id\n  app id `\(id)` "))
        #expect(run.output.contains("\n  rule 0 matches (\(folder.path)/aasa:1)\n"))
        #expect(try Subject.run(ask + ["--expect", "app"]).status == 1)
        #expect(try Subject.run(ask + ["--expect", "web"]).status == 0)
        #expect(try Subject.run(ask + ["--format", "json"]).output.contains(#""rule":0,"problem":"app id `"#))
    }

    /// The platforms of the app, options, and whether an app opens the link everywhere.
    @Test(arguments: [
        ("ios", "", false), ("ios", "--platform ios", true), ("ios", "--platform apple", true),
        ("ios", "--platform android", false), ("android", "", false), ("android", "--platform android", true),
        ("android", "--platform ios", false), ("ios android", "", true), ("ios android", "--platform ios", true),
    ])
    func `an app is expected on each platform, or on the one that is named`(
        platforms: String, options: String, isMet: Bool
    ) throws {
        let sections = [
            "ios": #"ios: { appIDs: ["9JA89QQLNQ.org.acme.shop"] }, "#,
            "android":
                #"android: { package: "org.acme.shop", fingerprints: ["\#(LintCommandTests.print)"], dynamicRules: true }, "#,
        ]
        let own = platforms.split(separator: " ").compactMap { sections[String($0)] }.joined()
        let folder = try Folder(files: [
            "config/apps/shop.json": #"{ name: "S", hosts: ["a.acme.test"], \#(own)links: [{ "/": "/a" }] }"#
        ])
        let ask = ["match", "--config", "\(folder.path)/config", "https://a.acme.test/a"]
        let run = try Subject.run(ask + options.split(separator: " ").map(String.init) + ["--expect", "app"])
        #expect(run.status == (isMet ? 0 : 1), "\(run.output)\(run.errors)")
        let missing = ["ios": "Android", "android": "iOS"][platforms]
        let line = missing.map { "\n\($0): no app handles links to a.acme.test\n" }
        #expect(run.output.contains(line ?? "no app handles") == (options.isEmpty && !isMet), "\(run.output)")
        let web = try Subject.run(
            ask + options.split(separator: " ").map(String.init) + ["--expect", "web", "--format", "json"])
        #expect(web.output.contains(#""android":"#) == (options.isEmpty || options.hasSuffix("android")))
    }

    @Test func `a file of one platform is asked about this platform`() throws {
        let folder = try Folder(files: [
            "aasa": #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "/a"}]}]}}"#
        ])
        let ask = ["match", "--apple", "\(folder.path)/aasa", "--expect", "app"]
        let run = try Subject.run(ask + ["https://acme.test/a"])
        #expect(run.status == 0 && !run.output.contains("Android"), "\(run.output)")
        #expect(try Subject.run(ask + ["https://acme.test/b"]).status == 1)
    }

    @Test func `an app that names the host of another folder opens nothing`() throws {
        let app = { (name: String, path: String) in
            #"{ name: "\#(name)", hosts: ["a.acme.test"], ios: { appIDs: ["9JA89QQLNQ.\#(name)"] }, links: [{ "/": "\#(path)" }] }"#
        }
        let folder = try Folder(files: [
            "config/server.json": #"{ owners: { a: ["a.acme.test"], b: ["b.acme.test"] } }"#,
            "config/apps/a/app.json": app("good", "/a"), "config/apps/b/app.json": app("thief", "/x"),
        ])
        let run = try Subject.run(
            "match", "--config", "\(folder.path)/config", "https://a.acme.test/x", "--expect", "web")
        #expect(run.status == 0 && !run.output.contains("thief"), "\(run.output)")
        #expect(run.errors.contains("skipped \(folder.path)/config/apps/b/app.json, which has errors"))
        // The same app makes no files, by each spelling.
        for name in [
            "b/app.json", "\(folder.path)/config/apps/b/app.json",
            "\(folder.path)/config/../config/apps/b/app.json",
        ] {
            let run = try Subject.run("snippet", name, "ios", "--config", "\(folder.path)/config")
            #expect(run.status == 1 && run.output.isEmpty && run.errors.contains("error[APP-046]"), "\(run.errors)")
        }
        let around = try Subject.run("snippet", "\(folder.path)/config/apps/b/app.json", "ios")
        #expect(around.status == 1 && around.errors.contains("error[APP-046]"), "\(around.errors)")
        #expect(try Subject.run("snippet", "good", "ios", "--config", "\(folder.path)/config").status == 0)
        let both = try Subject.run("snippet", "app", "ios", "--config", "\(folder.path)/config")
        #expect(both.status == 1 && both.output.isEmpty)
        #expect(
            both.errors
                == "associated: \"app\" fits 2 app files; name one of them: \(folder.path)/config/apps/a/app.json, "
                + "\(folder.path)/config/apps/b/app.json\n")
    }

    @Test func `apps with the same rules share an answer`() throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a", "9JA89QQLNQ.b"], "paths": ["NOT /b", "/a"]}]}}"#)
        let text = try Subject.run("match", "--apple", "\(folder.path)/aasa", "https://acme.test/a").output
        #expect(text.contains("\niOS, 9JA89QQLNQ.a, 9JA89QQLNQ.b: opens the app\n"))
        #expect(text.contains("aasa:1)\n"), "the place of a rule in paths")
    }
}
