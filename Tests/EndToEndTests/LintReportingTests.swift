// What `associated lint` reports: notes, severities that fail, ignored rules, and unknown environments.

import Foundation
import Testing

struct LintReportingTests {
    private func lint(_ arguments: String...) throws -> Run {
        try Subject.run(Subject.executable, ["lint"] + arguments, [:])
    }

    @Test func `shows notes with --notes, and fails at the severity of --fail-on`() throws {
        let folder = try Folder(files: [
            "file":
                #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a"}]}]}}"#
        ])
        let path = "\(folder.path)/file"
        let quiet = try lint(path)
        #expect(quiet.output.isEmpty && quiet.errors == "0 errors, 0 warnings; 1 note (add --notes to see it)\n")
        let noted = try lint(path, "--notes")
        #expect(noted.output.contains("note[AASA-077]") && noted.errors == "0 errors, 0 warnings, 1 note\n")
        #expect(noted.status == 0)
        #expect(try lint(path, "--fail-on", "warning").status == 0)
        #expect(try lint(path, "--fail-on", "note").status == 1)
        try folder.write("file", #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a.b"], "components": [{}]}]}}"#)
        #expect(try lint(path).status == 0)
        #expect(try lint(path, "--fail-on", "warning").status == 1)
    }

    @Test(arguments: [true, false]) func `an app is not warned of one that names its host without owning it`(
        isOwned: Bool
    ) throws {
        func app(_ id: String, _ host: String) -> String {
            #"{ name: "A", hosts: ["\#(host)"], ios: { appIDs: ["9JA89QQLNQ.org.acme.\#(id)"] }, links: [{ "/": "*" }] }"#
        }
        let folder = try Folder(files: [
            "config/server.json": isOwned
                ? #"{ owners: { a: ["a.acme-widgets.com"], b: ["b.acme-widgets.com"] } }"# : "{}",
            "config/apps/a/app.json": app("a", "a.acme-widgets.com"),
            "config/apps/b/app.json": app("b", "a.acme-widgets.com"),
        ])
        // A tenant's folder or file alone has its part of the findings.
        for path in ["config", "config/apps", "config/apps/b", "config/apps/b/", "config/apps/b/app.json"] {
            let run = try lint("\(folder.path)/\(path)")
            #expect(run.output.contains("b/app.json:1:22: error[APP-046]") == isOwned, "\(path): \(run.output)")
            #expect(run.output.contains("[APP-036]") != isOwned, "\(path): \(run.output)")
        }
        let victim = try lint("\(folder.path)/config/apps/a")
        #expect(victim.output.isEmpty && victim.status == 0, "\(victim.output)")
        // Without sound settings, nobody knows what belongs to whom.
        try folder.write("config/server.json", #"{ owners: 1, store: { database: "SECRET" }, SECRET: 1 }"#)
        let part = try lint("\(folder.path)/config/apps/a").output
        #expect(part.contains("server.json: error[CFG-003]: a setting has an invalid value; lint "))
        // The settings are the operator's, and a part is a tenant's.
        #expect(!part.contains("SECRET"), "\(part)")
        #expect(try lint("\(folder.path)/config").output.contains("SECRET"))
    }

    /// A folder, and the operands and options there.
    @Test(arguments: [
        (".", "config/apps/b"), (".", "./config/apps/b"), (".", "config//apps/b//"), (".", "config/apps/./b"),
        (".", "other/../config/apps/b"), (".", "link"), (".", "link/app.json"), (".", "file.json"),
        (".", "whole/apps/b"), ("config", "apps/b"), ("config", "apps/b/app.json"), ("config", "apps"),
        ("config", "apps/b --config ."), ("config", "../config/apps/b"), ("config/apps", "b"), ("config/apps", "."),
        ("config/apps", "b/app.json --config .."), ("config/apps/b", "app.json"), ("config/apps/b", "."),
        ("config/apps/b", "app.json --config ../.."), ("config/apps/a", "../b"), ("other", "../config/apps/alias"),
        ("config", "apps/b ."),
    ])
    func `a tenant's part has the same findings by each spelling of its path`(place: String, operands: String) throws {
        let app = #"{ name: "A", hosts: ["a.acme.test"], ios: { appIDs: ["9JA89QQLNQ.a.b"] }, links: [{ "/": "*" }] }"#
        let folder = try Folder(files: [
            "config/server.json": #"{ owners: { a: ["a.acme.test"], b: ["b.acme.test"] } }"#,
            // Neither what a tenant may add to its folder, nor another folder of the name, makes a configuration.
            "config/apps/a/app.json": app, "config/apps/b/app.json": app, "config/apps/b/server.json": "{}",
            "config/apps/b/apps/c/README": "", "other/apps/README": "",
        ])
        try folder.link("link", to: "config/apps/b")
        try folder.link("file.json", to: "config/apps/b/app.json")
        try folder.link("whole", to: "config")
        try folder.link("config/apps/alias", to: "b")
        let run = try Subject.shell("cd '\(folder.path)/\(place)'; '\(Subject.executable.path)' lint \(operands)")
        #expect(run.output.split(separator: "error[APP-046]").count == 2, "\(run.output)\(run.errors)")
        #expect(run.output.contains("apps/b/app.json:1:22: error[APP-046]") && run.status == 1, "\(run.output)")
    }

    @Test func `fixes nothing outside the folder that is named`() throws {
        let text = #"{ name: "A", hosts: ["a.acme-widgets.com"], "ios": { appIDs: ["9JA89QQLNQ.a.b"], }, linkz: [] }"#
        let folder = try Folder(files: [
            "config/server.json": "{}", "config/apps/a/app.json": text, "config/apps/b/app.json": text,
        ])
        _ = try lint("\(folder.path)/config/apps/a", "--fix")
        #expect(try folder.read("config/apps/a/app.json").contains(" links:"))
        #expect(try folder.read("config/apps/b/app.json") == text)
    }

    @Test func `reads standard input, and names files as a pull request has them`() throws {
        let folder = try Folder(files: ["sub/assetlinks.json": "{"])
        let command = "cd '\(folder.path)'; '\(Subject.executable.path)' lint"
        let input = try Subject.shell("printf '{' | '\(Subject.executable.path)' lint - --as android")
        #expect(input.status == 1)
        #expect(input.output.hasPrefix("-:1:"), "\(input.output)\(input.errors)")
        for path in ["sub", "./sub/assetlinks.json", "\(folder.path)/sub", "././/sub"] {
            let github = try Subject.shell("\(command) '\(path)' --format github")
            #expect(github.output.hasPrefix("::error file=sub/assetlinks.json,"), "\(path): \(github.output)")
            let sarif = try Subject.shell("\(command) '\(path)' --format sarif")
            #expect(sarif.output.contains(#""uri": "sub/assetlinks.json""#), "\(path): \(sarif.output)")
        }
    }

    @Test func `applies the project's ignored rules and severities`() throws {
        let app =
            #"{ name: "A", hosts: ["*.acme.test"], ios: { appIDs: ["9JA89QQLNQ.org.acme.a"] }, links: [{ "/": "/a" }] }"#
        let folder = try Folder(files: ["config/apps/a.json": app])
        let config = "\(folder.path)/config"
        #expect(try lint(config).output.contains("warning[APP-011]"))
        try folder.write("config/apps/a.json", "// associated-ignore APP-011\n" + app)
        #expect(try lint(config).output.isEmpty)
        try folder.write("config/apps/a.json", "// associated-ignore APP-01\n" + app)
        #expect(try lint(config).output.contains("a.json:1:22: warning[APP-007]: unknown lint rule `APP-01`"))
        try folder.write("config/apps/a.json", app)
        try folder.write("config/server.json", #"{ lint: { ignore: ["APP-011"] } }"#)
        #expect(try lint(config).output.isEmpty)
        try folder.write("config/server.json", #"{ lint: { severity: { "APP-011": "error" } } }"#)
        #expect(try lint(config).status == 1)
        try folder.write("config/server.json", #"{ lint: { ignore: ["APP-111"] } }"#)
        let wrong = try lint(config)
        #expect(wrong.status == 1 && wrong.output.contains("error[CFG-003]: unknown lint rule `APP-111`"))
    }

    @Test func `an environment that no app file has is one error, and serve does not start with it`() throws {
        func app(_ name: String, more: String = "") -> String {
            #"{ name: "\#(name)", hosts: ["\#(name).acme.test"], ios: { appIDs: ["9JA89QQLNQ.org.acme.\#(name)"] }, "#
                + #"links: [{ "/": "/a" }]\#(more) }"#
        }
        let folder = try Folder(files: [
            "config/apps/a.json": app("a", more: ", environments: { staging: {} }"), "config/apps/b.json": app("b"),
        ])
        let config = "\(folder.path)/config"
        let run = try lint(config, "--environment", "stagin")
        #expect(run.status == 1)
        #expect(
            run.output
                == "\(config)/apps: error[APP-022]: no app file has an environment `stagin`, so every host would be "
                + "served as in production; did you mean `staging`?\n")
        let known = try lint(config, "--environment", "staging", "--notes")
        #expect(known.status == 0)
        #expect(known.output.contains("note[APP-022]: 1 of 2 app files have no environment `staging`"))
        let serve = try Subject.run(
            "serve", "--config", config, "--state", "\(folder.path)/state", "--environment", "stagin", "--http",
            "127.0.0.1:0")
        #expect(serve.status == 1)
        #expect(serve.messages.last == "not started: no app file has the environment stagin")
    }
}
