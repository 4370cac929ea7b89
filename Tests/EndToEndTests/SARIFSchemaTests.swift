// Compares the output of `associated lint --format sarif` with the schema that OASIS has published for SARIF 2.1.0.

import Foundation
import Testing

@Suite(.enabled(if: Peers.areInstalled, Peers.absence)) struct SARIFSchemaTests {
    /// Files that together have findings of each severity, with and without a place, with and without an edit.
    private static let files = [
        "apple": LintCommandTests.broken, "empty": "", "good": "{\(LintCommandTests.bundled)}",
        "android": #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "#
            + #""android_app", "package_name": "org.acme.shop", "sha256_cert_fingerprints": ["aa:bb"]}}]"#,
        "config/apps/a b%.json": #"{ name: "A", hosts: ["a.acme.test"], ios: { appIDs: ["TEAMID.a.b"] } }"#,
        "config/apps/same.json": SnippetCommandTests.app, "config/hosts/a.acme.test/fullchain.pem": "none",
        "config/hosts/a.acme.test/privkey.pem": "none", "config/server.json": "{ wrkers: 1 }",
    ]

    @Test(arguments: [
        ["apple"], ["good"], ["android", "apple", "--as", "android"], ["config"], ["empty", "--as", "apple"],
        ["config", "apple", "android"],
    ])
    func `the log is valid by the published schema`(arguments: [String]) throws {
        let folder = try Folder()
        for (name, text) in Self.files { try folder.write(name, text) }
        let command = "cd \(folder.path) && exec \(Subject.executable.path) lint --format sarif"
        let run = try Subject.shell("\(command) \(arguments.joined(separator: " "))")
        #expect(!run.output.isEmpty, "\(run.errors)")
        #expect(try Peers.problems(in: run.output, as: "sarif") == "")
        let log = try #require(try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: Any])
        let results = (log["runs"] as? [[String: Any]])?.first?["results"] as? [Any]
        #expect((results?.isEmpty == true) == (arguments == ["good"]))
    }
}
