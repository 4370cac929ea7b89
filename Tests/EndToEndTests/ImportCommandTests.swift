// `associated import`: app files from association files, which render to the same meaning.

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

    @Test func `what is rendered from the app files means what the file meant`() throws {
        let folder = try Folder()
        try folder.write("aasa", Self.aasa)
        try folder.write("config/apps/keep", "")
        let run = try Subject.run(
            "import", "\(folder.path)/aasa", "--host", "a.acme.test", "--output", "\(folder.path)/config/apps")
        #expect(run.status == 0)
        #expect(run.errors.contains("TEAMID.org.acme.none is no app's id, and is left out"))
        let names = ["shop", "beta", "bank", "vault"]
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

    @Test func `an app on both platforms is one app file`() throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.org.acme.shop"], "components": [{"/": "/a"}]}]}}"#)
        try folder.write(
            "list",
            #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(LintCommandTests.print.lowercased())", "AA"]}}]"#
        )
        let run = try Subject.run(
            "import", "\(folder.path)/aasa", "\(folder.path)/list", "--host", "a.acme.test", "--host", "b.acme.test")
        #expect(run.output.hasPrefix("==> shop.json <==\n"))
        let text = String(run.output.dropFirst("==> shop.json <==\n".count))
        let app = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        #expect(app["hosts"] as? [String] == ["a.acme.test", "b.acme.test"])
        let package = ((app["android"] as? [String: Any])?["packages"] as? [[String: Any]])?.first
        #expect(package?["fingerprints"] as? [String] == [LintCommandTests.print])
        #expect(run.errors.contains("are taken for one"))
        #expect(run.errors.contains("that are none of SHA-256 are left out"))
    }

    /// What is imported from what a configuration renders, the statement list changed on the way.
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

    @Test func `dynamic rules that are what the links render to are imported`() throws {
        let (run, rules) = try imported(MatchCommandTests.app)
        #expect(rules == true)
        #expect(!run.errors.contains("dynamic rules"))
    }

    @Test func `dynamic rules that differ from the links are left off, and said so`() throws {
        let (run, rules) = try imported(MatchCommandTests.app) { $0.replacing("/a/private/*", with: "/a/secret/*") }
        #expect(rules == nil)
        #expect(run.errors.contains("dynamicRules is left off"))
    }

    @Test func `without dynamic rules the manifest goes on to decide`() throws {
        let (run, rules) = try imported(
            MatchCommandTests.app.replacing("dynamicRules: true", with: "dynamicRules: false"))
        #expect(rules == nil)
        #expect(!run.errors.contains("dynamic rules"))
    }

    @Test func `refuses what is no association file, or broken`() throws {
        let folder = try Folder()
        try folder.write("other", "{}")
        try folder.write("broken", #"{"applinks": {"details": []},}"#)
        try folder.write("empty", "[]")
        let host = ["--host", "a.acme.test"]
        #expect(try Subject.run(["import", "\(folder.path)/other"] + host).errors.contains("cannot tell what"))
        #expect(
            try Subject.run(["import", "\(folder.path)/broken"] + host).errors.contains(
                "associated lint --fix may mend it"))
        #expect(try Subject.run(["import", "\(folder.path)/empty"] + host).errors.hasSuffix("the files name no app\n"))
        let usage = try Subject.run("import", "x")
        #expect(usage.status == 2)
        #expect(usage.errors == "associated: import needs --host HOST: association files do not say whose they are\n")
    }
}
