// Whether a list verifies an Android app, for each of the three verifiers.

import Association
import AssociationLint
import Testing

struct AndroidBindingTests {
    private static let print =
        "30:EF:E5:5E:0D:22:30:3C:BB:F9:A7:DC:E6:9D:A3:BA:34:70:12:C5:F6:DE:C0:92:69:57:16:94:A2:3D:90:BC"
    private static let binding = AndroidBinding(
        package: "org.acme.shop", fingerprints: [print], relation: AndroidApp.handleAllURLs)

    private static func statement(_ prints: String, relation: String = AndroidApp.handleAllURLs) -> String {
        #"{"relation": ["\#(relation)"], "target": {"namespace": "android_app", "package_name": "org.acme.shop", "#
            + #""sha256_cert_fingerprints": [\#(prints)]}}"#
    }

    private func verdicts(_ text: String) -> [BindingVerdict] {
        StatementConsumer.allCases.map { AndroidBindingTests.binding.verdict(of: $0, on: Array(text.utf8), file: "") }
    }

    private static let (yes, no, none) = (
        BindingVerdict.Kind.verified, BindingVerdict.Kind.notVerified, BindingVerdict.Kind.fileRejected
    )

    @Test(arguments: [
        ("[\(statement("\"\(print)\""))]", [yes, yes, yes]), ("[]", [no, no, no]), ("[{\"\"}]", [none, none, none]),
        ("[\(statement("\"\(print)\"")),]", [none, none, none]), (statement("\"\(print)\""), [none, none, none]),
        ("[{}, \(statement("\"\(print)\""))]", [yes, yes, yes]),
        ("[null, \(statement("\"\(print)\""))]", [yes, none, yes]),
        ("[\(statement("\"\(print)\"").replacing("android_app", with: "windows_app"))]", [no, none, yes]),
        ("[\(statement("\"\(print)\"").replacing("acme.shop", with: "acme.bank"))]", [no, no, no]),
        ("[\(statement("\"\(print.replacing("30:EF", with: "EF:30"))\", \"\(print)\""))]", [yes, yes, yes]),
        ("[\(statement("\"\(print)\", \"AA\""))]", [no, yes, yes]),
        ("[\(statement("\"\(print)\"", relation: "delegate_permission/common.get_login_creds"))]", [no, no, no]),
    ])
    func `the verifiers ignore different statements`(text: String, kinds: [BindingVerdict.Kind]) {
        #expect(verdicts(text).map(\.kind) == kinds)
        #expect(verdicts(text).allSatisfy { !$0.reason.isEmpty })
    }

    @Test(arguments: [
        (print.lowercased(), "the fingerprint of this certificate in lower case, but"),
        (print.replacing(":", with: ""), "the fingerprint of this certificate without colons, but"),
        (print.replacing(":", with: "-"), "the fingerprint of this certificate without colons, but"),
        (print.replacing("30:EF", with: "30: EF"), "the fingerprint of this certificate in another form, but"),
        (String(print.prefix(59)), "a SHA-1 fingerprint, but SHA-256 is required"),
        (print.replacing("30:EF", with: "EF:30"), "other certificates"),
    ])
    func `AOSP and Chromium accept no other form of a fingerprint, and the reason names it`(
        listed: String, what: String
    ) {
        let verdicts = verdicts("[\(AndroidBindingTests.statement("\"\(listed)\""))]")
        for verdict in verdicts.dropFirst() {
            #expect(verdict.reason.hasPrefix("the statement on line 1 lists \(what)"), "\(verdict.reason)")
        }
    }

    @Test func `each verifier has its own reason to ignore a statement`() {
        let text = AndroidBindingTests.statement("\"\(AndroidBindingTests.print)\"")
            .replacing("[\"\(AndroidApp.handleAllURLs)\"]", with: "\"\(AndroidApp.handleAllURLs)\"")
        #expect(
            verdicts("[\(text)]").map(\.reason) == [
                "the statement on line 1 is malformed, so Google ignores it: relation is a string",
                "the statement on line 1 is malformed, so Android ignores it: the statement has no array of "
                    + "relations", "the statement on line 1 is malformed, so Chromium ignores it: relation is a string",
            ])
    }

    @Test func `only AOSP rejects a list that is too long`() {
        let text = "[\(AndroidBindingTests.statement("\"\(AndroidBindingTests.print)\""))]"
        let long = text + String(repeating: " ", count: StatementList.bytesMax + 1 - text.utf8.count)
        let verdict = AndroidBindingTests.binding.verdict(of: .aosp, on: Array(long.utf8), file: "")
        #expect(verdict.kind == .fileRejected)
        #expect(
            AndroidBindingTests.binding.verdict(of: .aosp, on: Array(long.utf8.dropLast()), file: "").kind == .verified)
        for consumer in [StatementConsumer.google, .chromium] {
            #expect(AndroidBindingTests.binding.verdict(of: consumer, on: Array(long.utf8), file: "").kind == .verified)
        }
    }

    @Test func `only Chromium requires all certificates`() {
        let both = AndroidBinding(
            package: "org.acme.shop", fingerprints: [AndroidBindingTests.print, "AB"],
            relation: AndroidApp.handleAllURLs)
        let text = Array("[\(AndroidBindingTests.statement("\"\(AndroidBindingTests.print)\""))]".utf8)
        let verdicts = StatementConsumer.allCases.map { both.verdict(of: $0, on: text, file: "") }
        #expect(verdicts.map(\.kind) == [.verified, .verified, .notVerified])
        #expect(verdicts.last?.reason.contains("lacks one of the certificates") == true)
    }
}
