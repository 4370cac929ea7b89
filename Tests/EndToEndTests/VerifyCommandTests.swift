// `associated verify`: whether an app is bound to a file, as each consumer reads it.

import Foundation
import Testing

struct VerifyCommandTests {
    private static let print = LintCommandTests.print
    private static let other =
        "38:19:73:08:C2:A0:14:4D:B1:E8:28:EF:10:00:1D:87:EB:2F:5A:F8:92:5B:B2:C7:90:C0:92:D6:83:43:BA:E1"

    private static func statement(
        _ prints: [String] = [print], package: String = "org.acme.shop", namespace: String = "android_app",
        relation: String = #"["delegate_permission/common.handle_all_urls"]"#
    ) -> String {
        let list = prints.map { "\"\($0)\"" }.joined(separator: ",")
        return
            #"{"relation": \#(relation), "target": {"namespace": "\#(namespace)", "package_name": "\#(package)", "sha256_cert_fingerprints": [\#(list)]}}"#
    }

    /// A list, and the verdicts of Google, AOSP and Chromium.
    static let lists: [(String, [String])] = {
        let (yes, no, none) = ("verified", "not-verified", "file-rejected")
        return [
            ("[\(statement())]", [yes, yes, yes]), ("[\(statement()),]", [none, none, none]), ("[]", [no, no, no]),
            (statement(), [none, none, none]), ("[{}, \(statement())]", [yes, yes, yes]),
            ("[null, \(statement())]", [yes, none, yes]),
            ("[\(statement([print.lowercased()]))]", [no, no, no]),
            // A malformed fingerprint next to a valid one: only Google rejects the statement because of it.
            ("[\(statement([print, "AA:BB"]))]", [no, yes, yes]), ("[\(statement([other]))]", [no, no, no]),
            ("[\(statement([other, print]))]", [yes, yes, yes]),
            ("[\(statement(package: "org.acme.bank"))]", [no, no, no]),
            ("[\(statement(relation: #""delegate_permission/common.handle_all_urls""#))]", [no, no, no]),
            ("[\(statement(relation: #"["delegate_permission/common.get_login_creds"]"#))]", [no, no, no]),
            // Chromium ignores the namespace.
            ("[\(statement(namespace: "windows_app"))]", [no, none, yes]),
        ]
    }()

    @Test(arguments: lists)
    func `each consumer reads the list in its own way`(list: String, verdicts: [String]) throws {
        let folder = try Folder()
        try folder.write("list", list)
        let run = try Subject.run(
            "verify", "\(folder.path)/list", "--package", "org.acme.shop", "--fingerprint",
            Self.print.replacing(":", with: ""),
            "--format", "json")
        let answers = try #require(
            try JSONSerialization.jsonObject(with: Data(run.output.utf8)) as? [String: [String: Any]])
        #expect(
            ["google", "aosp", "chromium"].map { answers[$0]?["verdict"] as? String } == verdicts,
            "\(list) \(run.output)")
        #expect(answers.values.allSatisfy { ($0["reason"] as? String)?.isEmpty == false })
        #expect(run.status == (Set(verdicts) == ["verified"] ? 0 : 1))
    }

    @Test func `Chromium requires every signer in one statement`() throws {
        let folder = try Folder()
        try folder.write("list", "[\(Self.statement([Self.print])), \(Self.statement([Self.other]))]")
        let run = try Subject.run(
            "verify", "\(folder.path)/list", "--package", "org.acme.shop", "--fingerprint", Self.print, "--fingerprint",
            Self.other)
        let lines = run.output.split(separator: "\n")
        #expect(
            lines.first == "google: verified: the statement on line 1 names the app, its certificate and the relation")
        #expect(
            lines.last
                == "chromium: not-verified: the statement on line 1 lacks one of the certificates, but Chromium requires all"
        )
    }

    @Test(arguments: [
        ("9JA89QQLNQ.a", [], "apple: verified: line 1 lists it for applinks\n", Int32(0)),
        ("9JA89QQLNQ.b", ["--service", "webcredentials"], "apple: verified: line 1 lists it for webcredentials\n", 0),
        ("9JA89QQLNQ.b", [], "apple: not-verified: applinks lists 9JA89QQLNQ.a, but not 9JA89QQLNQ.b\n", 1),
        ("9ja89qqlnq.a", [], "apple: not-verified: line 1 lists 9JA89QQLNQ.a, but case must match\n", 1),
        ("9JA89QQLNQ.a", ["--service", "appclips"], "apple: not-verified: the file has no service appclips\n", 1),
    ])
    func `Apple compares the ids of the service`(id: String, more: [String], output: String, status: Int32) throws {
        let folder = try Folder()
        try folder.write(
            "aasa",
            #"{"applinks": {"details": [{"appIDs": ["9JA89QQLNQ.a"], "components": [{"/": "*"}]}]}, "webcredentials": {"apps": ["9JA89QQLNQ.b"]}}"#
        )
        let run = try Subject.run(["verify", "\(folder.path)/aasa", "--app-id", id] + more)
        #expect(run.output == output)
        #expect(run.status == status)
    }

    @Test(arguments: [
        (
            #"{"applinks": {}}"#, ["--package", "a.b", "--fingerprint", print],
            "an apple-app-site-association file; use --app-id"
        ),
        ("[\(statement())]", ["--app-id", "9JA89QQLNQ.a"], "a statement list; use --package and --fingerprint"),
    ])
    func `reports a file of the other platform`(text: String, question: [String], message: String) throws {
        let folder = try Folder()
        try folder.write("file", text)
        let run = try Subject.run(["verify", "\(folder.path)/file"] + question)
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(folder.path)/file is \(message)\n")
    }

    @Test(arguments: [
        (["verify", "x"], "verify needs --package NAME and --fingerprint SHA256, or --app-id ID"),
        (
            ["verify", "x", "--app-id", "a", "--package", "b"],
            "--app-id is for iOS and --package for Android; give one of them"
        ),
        (
            ["verify", "x", "--package", "b", "--fingerprint", "AA"],
            "--fingerprint AA: fingerprint has 1 bytes; SHA-256 has 32"
        ),
        (["verify", "x", "--service", "applinks"], "--service needs --app-id"),
        (
            ["verify", "x", "--app-id", "a", "--service", "y"],
            "--service must be applinks, webcredentials, appclips or activitycontinuation, not y"
        ),
        (["verify", "x", "--app-id", "a", "--format", "y"], "--format must be text or json, not y"),
    ])
    func `reports a usage error in one line with status 2`(arguments: [String], message: String) throws {
        let run = try Subject.run(arguments)
        #expect(run.status == 2)
        #expect(run.errors == "associated: \(message)\n")
    }
}
