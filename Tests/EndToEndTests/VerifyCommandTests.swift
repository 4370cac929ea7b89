// `associated verify`: its operands and options. GoldenTests has its output, and AndroidBindingTests and AppleBindingTests the
// verdicts.

import Testing

struct VerifyCommandTests {
    private static let print = LintCommandTests.print
    private static let list =
        #"[{"relation": ["delegate_permission/common.handle_all_urls"], "target": {"namespace": "android_app", "#
        + #""package_name": "org.acme.shop", "sha256_cert_fingerprints": ["\#(print)"]}}]"#

    @Test func `takes several fingerprints, also without colons`() throws {
        let folder = try Folder()
        try folder.write("list", Self.list)
        let run = try Subject.run(
            "verify", "\(folder.path)/list", "--package", "org.acme.shop", "--fingerprint",
            Self.print.replacing(":", with: ""), "--fingerprint", Self.print.replacing("30:EF", with: "EF:30"))
        let lines = run.output.split(separator: "\n")
        #expect(lines.first?.hasPrefix("google: verified: ") == true, "\(run.output)")
        #expect(lines.last?.contains("lacks one of the certificates, but Chromium requires all") == true)
    }

    @Test(arguments: [
        (#"{"applinks": {}}"#, ["--package", "a.b", "--fingerprint", print], "is an apple-app-site-association file"),
        (list, ["--app-id", "9JA89QQLNQ.a"], "is a statement list; use --package and --fingerprint"),
    ])
    func `reports a file of the other platform`(text: String, question: [String], message: String) throws {
        let folder = try Folder()
        try folder.write("file", text)
        let run = try Subject.run(["verify", "\(folder.path)/file"] + question)
        #expect(run.status == 2)
        #expect(run.errors.hasPrefix("associated: \(folder.path)/file \(message)"))
    }

    @Test func `looks for an iOS app in the service that is named`() throws {
        let folder = try Folder()
        try folder.write("aasa", #"{"webcredentials": {"apps": ["9JA89QQLNQ.b"]}}"#)
        let run = try Subject.run(
            "verify", "\(folder.path)/aasa", "--app-id", "9JA89QQLNQ.b", "--service", "webcredentials")
        #expect(run.output == "apple: verified: line 1 lists it for webcredentials\n")
        #expect(run.status == 0)
    }
}
