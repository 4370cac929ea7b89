// `associated import`: the app files from association files render to the same meaning.

import Foundation
import Testing

struct ImportCommandTests {
    static let aasa = #"""
        {"applinks": {"apps": [], "defaults": {"caseSensitive": false}, "substitutionVariables": {"v": ["x"], "w": ["y"]},
          "details": [
            {"appIDs": ["9JA89QQLNQ.org.acme.shop", "9JA89QQLNQ.org.acme.beta"], "defaults": {"exclude": true},
              "components": [{"/": "/a/$(v)"}, {"/": "/a/*", "exclude": false, "?": {"q": "?*"}}]},
            {"appID": "8JA89QQLNQ.org.acme.bank", "paths": ["NOT /b/private/*", "/b/*"]},
            {"appID": "TEAMID.org.acme.none", "paths": ["*"]}]},
         "webcredentials": {"apps": ["9JA89QQLNQ.org.acme.shop", "9JA89QQLNQ.org.acme.vault"]},
         "appclips": {"apps": ["9JA89QQLNQ.org.acme.shop.Clip"]}}
        """#

    private func decisions(_ file: String, _ urls: [String]) throws -> [[String: String]] {
        try urls.map { url in
            let run = try Subject.run("match", "--apple", file, "--format", "json", url)
            let json = try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any]
            let apps = json?["apple"] as? [[String: Any]] ?? []
            return Dictionary(
                uniqueKeysWithValues: apps.map { ($0["appID"] as? String ?? "", $0["decision"] as? String ?? "") })
        }
    }

    @Test func `the imported app files render to the meaning of the original`() throws {
        let folder = try Folder()
        try folder.write("aasa", Self.aasa)
        try folder.write("config/apps/keep", "")
        let run = try Subject.run(
            "import", "\(folder.path)/aasa", "--host", "a.acme.test", "--output", "\(folder.path)/config/apps")
        #expect(run.status == 0)
        #expect(run.errors.contains("TEAMID.org.acme.none is not a valid app id; it was imported with a comment"))
        let names = ["shop", "acme", "bank", "none", "vault"]
        #expect(run.output == names.map { "\(folder.path)/config/apps/\($0).json\n" }.joined())
        let rendered = try Subject.run("render", "a.acme.test", "apple", "--config", "\(folder.path)/config")
        try folder.write("out", rendered.output)
        let urls = ["/a/x", "/A/X", "/a/y?q=1", "/a/y", "/b/1", "/b/private/1", "/B/1", "/c"].map {
            "https://a.acme.test\($0)"
        }
        let before = try decisions("\(folder.path)/aasa", urls).map { $0.filter { !$0.key.hasPrefix("TEAMID") } }
        #expect(try decisions("\(folder.path)/out", urls) == before)
        let document = try JSONSerialization.jsonObject(with: Data(rendered.output.utf8)) as? [String: [String: Any]]
        #expect(
            document?["webcredentials"]?["apps"] as? [String] == [
                "9JA89QQLNQ.org.acme.shop", "9JA89QQLNQ.org.acme.vault",
            ])
        #expect(document?["appclips"]?["apps"] as? [String] == ["9JA89QQLNQ.org.acme.shop.Clip"])
    }

    @Test func `an app on both platforms becomes one app file`() throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a"}]}]}}"#)
        try folder.write(
            "list",
            #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(LintCommandTests.print.lowercased())"]}}]"#
        )
        let run = try Subject.run(
            "import", "\(folder.path)/aasa", "\(folder.path)/list", "--host", "a.acme.test", "--host", "b.acme.test")
        #expect(run.output.hasPrefix("==> shop.json <==\n"))
        let text = String(run.output.dropFirst("==> shop.json <==\n".count))
        let app = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(app["hosts"] as? [String] == ["a.acme.test", "b.acme.test"])
        let android = app["android"] as? [String: Any]
        #expect(android?["package"] as? String == "org.acme.shop" && android?.count == 2)
        #expect(android?["fingerprints"] as? [String] == [LintCommandTests.print])
        #expect(!run.errors.contains("as one app"), "they have the same name")
        #expect(app["name"] as? String == "Shop")
    }

    /// Each row: what is imported, and the message.
    @Test(
        arguments: [
            ("http://a.acme.test", "is not a https URL"), ("nosuch", "cannot read nosuch: no such file"),
            ("/", "/ has no apple-app-site-association"),
        ])
    func `says what is wrong with a file before it asks for the host`(operand: String, message: String) throws {
        let run = try Subject.run("import", operand)
        #expect(run.status != 0)
        #expect(run.errors.contains(message), "\(run.errors)")
    }

    @Test func `needs the host of a file`() throws {
        let folder = try Folder()
        try folder.write("list", "[]")
        let run = try Subject.run("import", "\(folder.path)/list")
        #expect(run.status == 2)
        #expect(run.errors.contains("import needs --host HOST, because association files do not name their host"))
    }

    @Test(arguments: ["", ".well-known/"])
    func `imports both files of a directory, or the one that is there`(place: String) throws {
        let folder = try Folder()
        try folder.write(
            "site/\(place)apple-app-site-association",
            #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a"}]}]}}"#)
        let site = "\(folder.path)/site"
        let command = ["import", site, "--host", "a.acme.test"]
        let run = try Subject.run(command + ["--output", "\(folder.path)/new/apps"])
        #expect(run.status == 0)
        #expect(run.output == "\(folder.path)/new/apps/shop.json\n")
        #expect(
            run.errors
                == "next: run `associated lint \(folder.path)/new`, then `associated render a.acme.test --config "
                + "\(folder.path)/new --diff` to compare with what the host serves now\n")
        try folder.write(
            "site/\(place)assetlinks.json",
            #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]}}]"#
        )
        let both = try Subject.run(command)
        #expect(both.output.contains("9JA89QQLNQ.org.acme.shop") && both.output.contains(LintCommandTests.print))
        try folder.write("empty/file", "")
        let none = try Subject.run("import", "\(folder.path)/empty", "--host", "a.acme.test")
        #expect(none.status == 1)
        #expect(none.errors.contains("/empty has no apple-app-site-association and no assetlinks.json"))
    }

    /// Imports what a configuration renders, with a changed statement list.
    private func imported(_ app: String, changing: (String) -> String = { $0 }) throws -> (run: Run, rules: Bool?) {
        let folder = try Folder()
        try folder.write("config/apps/shop.json", app)
        let config = "\(folder.path)/config"
        try folder.write("aasa", Subject.run("render", "shop.acme.test", "apple", "--config", config).output)
        try folder.write(
            "list", changing(Subject.run("render", "shop.acme.test", "android", "--config", config).output))
        let run = try Subject.run(
            "import", "\(folder.path)/aasa", "\(folder.path)/list", "--host", "shop.acme.test", "--output",
            "\(folder.path)/new/apps")
        let text = try folder.read("new/apps/shop.json")
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
        return (run, (value?["android"] as? [String: Any])?["dynamicRules"] as? Bool)
    }

    @Test func `imports dynamic rules that equal the rendered links`() throws {
        let (run, rules) = try imported(MatchCommandTests.app)
        #expect(rules == true)
        #expect(!run.errors.contains("dynamic rules"))
    }

    @Test func `reports dynamic rules that differ from the links and does not import them`() throws {
        let (run, rules) = try imported(MatchCommandTests.app) { $0.replacing("/a/private/*", with: "/a/secret/*") }
        #expect(rules == nil)
        #expect(run.status == 1 && run.errors.contains("then set dynamicRules; lost: "), "\(run.errors)")
        #expect(run.errors.contains("/a/secret/*"))
    }

    @Test func `without dynamic rules, the manifest still decides`() throws {
        let (run, rules) = try imported(
            MatchCommandTests.app.replacing("dynamicRules: true", with: "dynamicRules: false"))
        #expect(rules == nil)
        #expect(!run.errors.contains("dynamic rules"))
    }

    private static let companies = #""components": [{"/": "/companies/*"}]"#

    /// An association file with these entries and members.
    private static func association(_ details: [String], _ more: String = "") -> String {
        #"{"applinks": {"apps": [], "details": [\#(details.joined(separator: ", "))]}\#(more)}"#
    }

    /// The content of each file of an import: app ids, packages, and whether it has `legacyPaths`.
    static let families: [(aasa: String, packages: [String], files: [String])] = [
        // Builds of one app with different services; the Android app has the same name.
        (
            association(
                [#"{"appIDs": ["9JA89QQLNQ.io.acme.app", "9JA89QQLNQ.io.acme.app.beta"], \#(companies)}"#],
                #", "webcredentials": {"apps": ["9JA89QQLNQ.io.acme.app"]}"#),
            ["io.acme.app"], ["acme: 9JA89QQLNQ.io.acme.app 9JA89QQLNQ.io.acme.app.beta io.acme.app"]
        ),
        // The same rules in separate entries.
        (
            association(["app", "dev"].map { #"{"appID": "9JA89QQLNQ.io.acme.\#($0)", \#(companies)}"# }), [],
            ["acme: 9JA89QQLNQ.io.acme.app 9JA89QQLNQ.io.acme.dev"]
        ),
        // Other rules need another file; the package joins the first build.
        (
            association([
                #"{"appID": "9JA89QQLNQ.io.acme.shop", \#(companies)}"#,
                #"{"appID": "9JA89QQLNQ.io.acme.shop.beta", "paths": ["/b"]}"#,
            ]), ["io.acme.shop", "io.acme.bank"],
            [
                "shop: 9JA89QQLNQ.io.acme.shop io.acme.shop", "shop-2: 9JA89QQLNQ.io.acme.shop.beta legacyPaths",
                "bank: io.acme.bank",
            ]
        ),
        // Ids that only share passwords do not get links.
        (
            association(
                [#"{"appID": "9JA89QQLNQ.io.acme.shop", \#(companies)}"#],
                #", "webcredentials": {"apps": ["9JA89QQLNQ.io.acme.shop.beta"]}"#), [],
            ["shop: 9JA89QQLNQ.io.acme.shop", "shop-2: 9JA89QQLNQ.io.acme.shop.beta"]
        ),
        (#"{"appclips": {"apps": ["9JA89QQLNQ.io.acme.shop.Clip"]}}"#, [], ["shop: 9JA89QQLNQ.io.acme.shop"]),
    ]

    private func value(_ text: String) throws -> [String: Any] {
        let lines = text.split(separator: "\n").filter { !$0.hasPrefix("//") }.map { $0.prefix { $0 != "\t" } }
        let plain = lines.map { $0.components(separatedBy: "  // ")[0] }.joined(separator: "\n")
        return try #require(try JSONSerialization.jsonObject(with: Data(plain.utf8)) as? [String: Any])
    }

    @Test(arguments: families.indices)
    func `an app and its builds become one app file`(index: Int) throws {
        let (aasa, packages, expected) = Self.families[index]
        let folder = try Folder()
        try folder.write("aasa", aasa)
        let statements = packages.map {
            #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "\#($0)", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]}}"#
        }
        try folder.write("list", "[\(statements.joined(separator: ","))]")
        let run = try Subject.run(
            ["import", "\(folder.path)/aasa"] + (packages.isEmpty ? [] : ["\(folder.path)/list"])
                + ["--host", "a.acme-widgets.com", "--output", "\(folder.path)/config/apps"])
        let files = try run.output.split(separator: "\n").map { path in
            let name = path.split(separator: "/").last?.dropLast(".json".count) ?? ""
            let app = try value(try folder.read("config/apps/\(name).json"))
            let ios = app["ios"] as? [String: Any] ?? [:]
            let android = app["android"] as? [String: Any]
            let named = (android?["packages"] as? [[String: Any]] ?? []).compactMap { $0["name"] as? String }
            let parts =
                (ios["appIDs"] as? [String] ?? []) + named + [android?["package"] as? String].compactMap { $0 }
            return
                "\(name): \((parts + (ios["legacyPaths"] as? Bool == true ? ["legacyPaths"] : [])).joined(separator: " "))"
        }
        #expect(files == expected)
        let lint = try Subject.run("lint", "\(folder.path)/config")
        #expect(lint.output.isEmpty, "\(lint.output)")
    }

    /// Four times as many statements take about four times as long, and not sixteen times: each with a relation of its own, or all with
    /// the same one.
    @Test(arguments: [true, false]) func `the time grows with the file`(areDifferent: Bool) throws {
        let folder = try Folder()
        func time(_ count: Int) throws -> Duration {
            let statements = (0..<count).map { number in
                #"{"relation":["x/r\#(areDifferent ? number : 0)"],"target":{"namespace":"android_app","#
                    + #""package_name":"c\#(number).a\#(number)","sha256_cert_fingerprints":[]}}"#
            }
            try folder.write("list", "[\(statements.joined(separator: ","))]")
            var status: Int32?
            let time = try ContinuousClock().measure {
                status = try Subject.run("import", "\(folder.path)/list", "--host", "a.acme.test").status
            }
            #expect(status == 0)
            return time
        }
        // On a busy machine, the first attempt may be unlucky.
        let ratios = try (0..<3).map { _ in try time(4_000) / time(1_000) }
        #expect(ratios.contains { $0 < 9 }, "\(ratios)")
    }

    @Test func `refuses a file that would become far too large`() throws {
        let folder = try Folder()
        let path = String(repeating: "a", count: 60_000)
        func aasa(_ count: Int) -> String {
            #"{"applinks": {"defaults": {"/": "/\#(path)"}, "details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": ["#
                + Array(repeating: "{}", count: count).joined(separator: ",") + "]}]}}"
        }
        for (count, status) in [(10, 0), (1_200, 1)] {
            try folder.write("aasa", aasa(count))
            let run = try Subject.run("import", "\(folder.path)/aasa", "--host", "a.acme.test")
            #expect(run.status == Int32(status), "\(run.errors)")
            #expect(run.errors.contains("the app files would have more than 64 MiB") == (status == 1), "\(run.errors)")
        }
    }

    /// Lines of an imported file with comments.
    @Test func `an invalid value has its comment in its line`() throws {
        let folder = try Folder()
        try folder.write(
            "list",
            #"[{"relation": ["x/\u009b\u202e"], "target": {"namespace": "android_app", "package_name": "nodots", "sha256_cert_fingerprints": ["AB", "CD", "\u009b\u202e"]}}]"#
        )
        let run = try Subject.run("import", "\(folder.path)/list", "--host", "a.acme.test")
        let lines = run.output.split(separator: "\n").map { $0.drop { $0 == " " } }
        for start in [#""package": "nodots",  // "#, #""AB",  // "#, #""CD",  // "#, #""\u009b\u202e"  // "#] {
            #expect(lines.contains { $0.hasPrefix(start) }, "\(run.output)")
        }
    }

    /// The iOS apps by their ids and services, and the packages by their relations.
    @Test func `builds have the services of all of them, and one file is for all with the same ones`() throws {
        let folder = try Folder()
        let ids = ["a.shop", "a.bank", "a.shop.beta", "a.post", "a.bank.beta"].map { "\"9JA89QQLNQ.\($0)\"" }
        try folder.write(
            "aasa",
            #"{"webcredentials": {"apps": [\#(ids.joined(separator: ", "))]}, "activitycontinuation": {"apps": [\#(ids[2])]}, "#
                + #""appclips": {"apps": ["9JA89QQLNQ.a.bank.Clip", "9JA89QQLNQ.a.none.Clip"]}}"#)
        let run = try Subject.run("import", "\(folder.path)/aasa", "--host", "a.acme.test")
        let files = run.output.components(separatedBy: "==> ").dropFirst()
        let found = files.map { file in file.matches(of: #/9JA89QQLNQ\.([a-zA-Z.]+)/#).map { String($0.output.1) } }
        #expect(
            found == [
                ["a.shop", "a.shop.beta"], ["a.bank", "a.post", "a.bank.beta", "a.bank.Clip"],
                ["a.none", "a.none.Clip"],
            ])
        #expect(run.errors.contains("the builds of a.shop have different services"))
        #expect(!run.errors.contains("the builds of a.bank"))
    }

    /// Ids, and the names of the files.
    @Test(arguments: [
        ("9JA89QQLNQ.com.acme.Shop", "shop"), ("9JA89QQLNQ.com.acme.www", "acme"),
        ("9JA89QQLNQ.com.example.app", "widgets"),
        ("9JA89QQLNQ.me", "widgets"), ("9JA89QQLNQ.com.acme.shop-beta", "shop"),
    ]) func `a file has the name of its app, or else of its host`(id: String, name: String) throws {
        let folder = try Folder()
        try folder.write("aasa", Self.association([#"{"appID": "\#(id)", \#(Self.companies)}"#]))
        let run = try Subject.run("import", "\(folder.path)/aasa", "--host", "www.widgets.test")
        #expect(run.output.hasPrefix("==> \(name).json <==\n"), "\(run.output)")
    }

    @Test func `a rule and a short list have a line each`() throws {
        let folder = try Folder()
        let rules = [
            #"{"/": "/a", "?": {"b": "?*", "c": "1"}, "exclude": true}"#,
            #"{"/": "/\#(String(repeating: "a", count: 150))"}"#,
        ]
        try folder.write(
            "aasa",
            Self.association([
                #"{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [\#(rules.joined(separator: ", "))]}"#
            ]))
        let run = try Subject.run("import", "\(folder.path)/aasa", "--host", "a.acme.test")
        #expect(
            run.output == """
                ==> shop.json <==
                {
                  "name": "Shop",
                  "hosts": ["a.acme.test"],
                  "ios": {
                    "appIDs": ["9JA89QQLNQ.org.acme.shop"],
                    "services": ["applinks"]
                  },
                  "links": [
                    { "/": "/a", "?": { "b": "?*", "c": "1" }, "exclude": true },
                    { "/": "/\(String(repeating: "a", count: 150))" }
                  ]
                }

                """)
    }

    @Test func `one app has the given name, or that of its id`() throws {
        let folder = try Folder()
        try folder.write("aasa", Self.families[0].aasa)
        let arguments = ["import", "\(folder.path)/aasa", "--host", "a.acme.test"]
        #expect(try Subject.run(arguments).output.contains(#""name": "Acme""#))
        let named = try Subject.run(arguments + ["--name", "My Shop"]).output
        #expect(named.contains(#""name": "My Shop""#) && named.hasPrefix("==> myshop.json <=="))
    }

    @Test(arguments: ["broken", "missing", "other"]) func `the good one of two files is imported`(bad: String) throws {
        let folder = try Folder(files: ["aasa": Self.families[0].aasa, "broken": "[{", "other": "{}"])
        for operands in [["aasa", bad], [bad, "aasa"]] {
            let run = try Subject.run(["import", "--host", "a.acme.test"] + operands.map { "\(folder.path)/\($0)" })
            #expect(run.status == 1)
            #expect(run.output.hasPrefix("==> acme.json <=="), "\(run.errors)")
            #expect(run.errors.contains("/\(bad)") && run.errors.contains("; imported without it\n"), "\(run.errors)")
        }
    }

    @Test func `of a duplicate key it says which value was imported`() throws {
        let statement =
            #"{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app","#
            + #" "package_name": "a.b", "package_name": "a.c", "sha256_cert_fingerprints": ["\#(LintCommandTests.print)"]}}"#
        let folder = try Folder(files: ["file": "[\n\(statement)]"])
        let run = try Subject.run("import", "\(folder.path)/file", "--host", "a.acme.test")
        #expect(run.status == 1 && run.output.contains("a.c"))
        #expect(
            run.errors.contains(
                "of the duplicate key on line 2 of \(folder.path)/file, only the last value was imported\n"))
    }

    @Test func `marks apps that share links, so that lint does not report them`() throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            Self.association([
                #"{"appID": "9JA89QQLNQ.io.acme.shop", "components": [{"/": "*"}]}"#,
                #"{"appID": "9JA89QQLNQ.io.acme.bank", "components": [{"/": "/bank/*"}]}"#,
            ]))
        _ = try Subject.run(
            "import", "\(folder.path)/aasa", "--host", "a.acme-widgets.com", "--output", "\(folder.path)/config/apps")
        let marked = try ["shop", "bank"].map {
            try folder.read("config/apps/\($0).json").hasPrefix(
                "// As in the imported file, several apps open some links")
        }
        #expect(marked.contains(true))
        #expect(try Subject.run("lint", "\(folder.path)/config", "--fail-on", "warning").status == 0)
    }

    /// A file that phones reject, the rule with the cause, and the imported content.
    @Test(arguments: [
        (
            "{\"applinks\": {\"details\": [\n{\"appID\": \"TEAMID.a.b\", \"paths\": [\"/a\"]},\n]}}",
            "2:41: error[AASA-001]",
            "\"TEAMID.a.b\"  // app id `TEAMID.a.b` is a template placeholder"
        ),
        ("{\"applinks\": {\"details\": [ // ours\n{\"appID\": \"9JA89QQLNQ.a.b\"}]}}", "AASA-001", "\"/\": \"*\""),
        ("{\"applinks\": {\"details\": [{\"appID\": \"9JA89.a.b\"}]}}", "", "\"9JA89.a.b\"  // app id"),
        (
            "[{\"relation\": [\"delegate_permission/common.handle_all_urls\"], \"target\": {\"namespace\": \"android_app\", "
                + "\"package_name\": \"a.b\", \"sha256_cert_fingerprints\": [\"AA:BB\"]}},]", "DAL-001",
            "\"AA:BB\"  // fingerprint has 2 bytes"
        ),
    ])
    func `imports content that phones reject, with the cause and a comment`(
        text: String, cause: String, part: String
    ) throws {
        let folder = try Folder()
        try folder.write("file", text)
        let run = try Subject.run("import", "\(folder.path)/file", "--host", "a.acme.test")
        #expect(run.status == 0)
        #expect(run.output.contains(part), "\(run.output)")
        let first = run.errors.split(separator: "\n").first ?? ""
        #expect(cause.isEmpty || first.contains(cause), "\(run.errors)")
        #expect(run.errors.contains("phones reject ") == !cause.isEmpty)
    }

    @Test func `a URL provides the host`() throws {
        let run = try Subject.run("import", "https://a.acme.test/x", "--resolve", "a.acme.test:443:127.0.0.1:1")
        #expect(run.status == 1)
        #expect(run.errors.contains("cannot fetch https://a.acme.test/x"))
    }

    @Test func `does not say that a host has no files if it could not ask`() throws {
        let run = try Subject.run("import", "https://a.acme.test", "--resolve", "a.acme.test:443:127.0.0.1:1")
        #expect(run.status == 1)
        #expect(run.errors.contains("no file of https://a.acme.test could be read"), "\(run.errors)")
        #expect(
            !run.errors.contains("has no apple-app-site-association") && !run.errors.contains("imported without it"))
    }

    @Test func `rejects files that are not association files or name no app`() throws {
        let folder = try Folder()
        try folder.write("other", "{}")
        try folder.write("broken", #"{"applinks": "#)
        try folder.write("empty", "[]")
        let host = ["--host", "a.acme.test"]
        #expect(try Subject.run(["import", "\(folder.path)/other"] + host).errors.contains("unknown file type: "))
        let broken = try Subject.run(["import", "\(folder.path)/broken"] + host).errors.split(separator: "\n")
        #expect(broken.first?.contains("error[AASA-001]") == true)
        #expect(broken.last == "associated: cannot import \(folder.path)/broken; correct these errors first")
        #expect(try Subject.run(["import", "\(folder.path)/empty"] + host).errors.hasSuffix("the files name no app\n"))
    }
}
