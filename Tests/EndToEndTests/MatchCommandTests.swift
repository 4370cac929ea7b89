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

    @Test func `--app takes one app file, and JSON has the text too`() throws {
        let folder = try configuration()
        let file = "\(folder.path)/config/apps/shop.json"
        let ask = ["match", "https://shop.acme.test/a/1", "--format", "json", "--app"]
        let run = try run(ask + ["-"], input: Self.app)
        #expect(run.status == 0 && run.output.contains(#""decision":"match","rule":1"#), "\(run.text)")
        #expect(
            run.output.contains(
                #""explanation":"https://shop.acme.test/a/1\niOS, 9JA89QQLNQ.org.acme.shop: opens the app\n"#))
        #expect(try Subject.run(ask + [file]).output == run.output.replacing("(-:", with: "(\(file):"))
        let broken = try self.run(ask + ["-"], input: "{")
        #expect(
            broken.status == 1
                && broken.errors.hasSuffix("associated: - has errors, so it is not used; fix them first\n"))
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

    @Test(arguments: [("a..b", "empty label"), ("[::1]", "address"), ("localhost", nil)] as [(String, String?)])
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
