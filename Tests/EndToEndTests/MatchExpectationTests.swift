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
