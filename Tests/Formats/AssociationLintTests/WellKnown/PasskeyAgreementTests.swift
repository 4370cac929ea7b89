// Own well-known files beside `passkeys` of an app file.

import Association
import AssociationSamples
import Testing

@testable import AssociationLint

struct PasskeyAgreementTests {
    private func findings(_ text: String, at path: String, passkeys: String) throws -> [Finding] {
        let app = try AppFileSample.app(AppFileSample.text(more: "passkeys: \(passkeys)"))
        return PasskeyAgreement([app]).findings(Array(text.utf8), at: path, file: "own")
    }

    private static let pages = #"{ manage: "https://acme.test/keys", origins: ["https://b.test"] }"#

    @Test(arguments: [
        (#"{"webcredentials": {"apps": ["8KQ2V7M4XN.dev.acme.shop"]}}"#, AssociationPath.apple, true),
        (#"{"webcredentials": {"apps": ["8KQ2V7M4XN.dev.acme.other"]}}"#, AssociationPath.apple, false),
        (#"{"applinks": {"details": []}}"#, AssociationPath.apple, false), ("<html>", AssociationPath.apple, true),
        ("[]", AssociationPath.statements, false), ("{}", AssociationPath.passkeyEndpoints, false),
        (#"{"manage": "https://acme.test/keys", "enroll": "https://x.test"}"#, AssociationPath.passkeyEndpoints, true),
        (#"{"manage": "https://acme.test/other"}"#, AssociationPath.passkeyEndpoints, false),
        (#"{"origins": ["https://c.test", "https://b.test"]}"#, AssociationPath.relatedOrigins, true),
        (#"{"origins": ["https://c.test"]}"#, AssociationPath.relatedOrigins, false),
        ("{}", "/.well-known/security.txt", true),
    ])
    func `reports what an own file lacks`(text: String, path: String, agrees: Bool) throws {
        let found = try findings(text, at: path, passkeys: Self.pages)
        #expect(found.isEmpty == agrees, "\(found)")
        #expect(found.allSatisfy { $0.rule == .srv017 && $0.severity == .warning && $0.file == "own" })
    }

    @Test func `without passkeys, own files are the tenant's business`() throws {
        #expect(try findings("{}", at: AssociationPath.apple, passkeys: "false").isEmpty)
    }
}
