// What `passkeys` of an app file adds to the documents, and what it refuses.

import AssociationSamples
import SourceJSON
import Testing

@testable import Association

struct PasskeysReaderTests {
    private typealias Sample = AppFileSample

    private func files(_ passkeys: String) throws -> [String: String] {
        let app = try Sample.app(Sample.text(more: "passkeys: \(passkeys)"))
        let files = PasskeyDocuments([app]).files.map {
            ($0.path, String(decoding: $0.bytes.dropLast(), as: UTF8.self))
        }
        return Dictionary(uniqueKeysWithValues: files)
    }

    private static func origins(_ names: [String]) -> String {
        "{ origins: [" + names.map { "\"https://\($0).test\"" }.joined(separator: ", ") + "] }"
    }

    @Test(
        arguments: [
            ("true", []), ("false", []), ("{}", []), ("1", [RuleID.app005]), (#""yes""#, [.app005]),
            ("{ enrol: \"https://a.test/\" }", [.app003]), (#"{ enroll: "https://acme.test/account/keys?new=1" }"#, []),
            (#"{ enroll: "http://acme.test/" }"#, [.app050]), (#"{ manage: "/account" }"#, [.app050]),
            (#"{ manage: "https://user@acme.test/" }"#, [.app050]), (#"{ manage: "https:///" }"#, [.app050]),
            (#"{ manage: "javascript:alert(1)" }"#, [.app050]), (#"{ manage: "https://a b.test/" }"#, [.app050]),
            (#"{ prfUsageDetails: "https://acme.test\\@b.test" }"#, [.app050]),
            (#"{ prfUsageDetails: "https://acme.test/\n" }"#, [.app050]), (#"{ enroll: "" }"#, [.app007]),
            (#"{ origins: ["https://acme.test", "https://acme.example:8443"] }"#, []),
            (#"{ origins: ["https://acme.test/"] }"#, [.app050]), (#"{ origins: ["acme.test"] }"#, [.app050]),
            (#"{ origins: ["https://*.acme.test"] }"#, [.app050]), (#"{ origins: "https://acme.test" }"#, [.app005]),
            (#"{ origins: ["https://acme.test", "https://acme.test"] }"#, [.app014]),
            (origins(["a1", "a2", "a3", "a4", "a5", "www.a1"]), []),
            (origins(["a1", "a2", "a3", "a4", "a5", "a6"]), [.srv007]),
        ] as [(String, [RuleID])])
    func `accepts only addresses that clients use`(passkeys: String, rules: [RuleID]) {
        let reading = Sample.read(Sample.text(more: "passkeys: \(passkeys)"))
        #expect(reading.findings.map(\.rule) == rules, "\(reading.findings)")
    }

    @Test func `one key writes all four files`() throws {
        let text = Sample.text(
            ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], services: ["applinks"] }"#,
            more: #"passkeys: { manage: "https://acme.test/keys", origins: ["https://acme.example"] }"#)
        let app = try Sample.app(text)
        let documents = Renderer.documents(for: [app])
        let apps = documents.apple?.member(named: "webcredentials")?.member(named: "apps")?.asArray
        #expect(apps?.compactMap(\.asString) == ["8KQ2V7M4XN.dev.acme.shop"])
        let relations = documents.statements?.asArray?.first?.member(named: "relation")?.asArray
        #expect(
            relations?.compactMap(\.asString) == [
                "delegate_permission/common.handle_all_urls", "delegate_permission/common.get_login_creds",
            ])
        let files = PasskeyDocuments([app]).files
        #expect(files.map(\.path) == ["/.well-known/passkey-endpoints", "/.well-known/webauthn"])
    }

    @Test func `the files without a name of an app have what the key says`() throws {
        #expect(try files("true") == ["/.well-known/passkey-endpoints": "{}"])
        #expect(try files("false").isEmpty)
        let all = try files(
            #"{ prfUsageDetails: "https://a.test/3", manage: "https://a.test/2", enroll: "https://a.test/1", "#
                + #"origins: ["https://b.test"] }"#
        )
        #expect(
            all == [
                "/.well-known/passkey-endpoints":
                    #"{"enroll":"https://a.test/1","manage":"https://a.test/2","prfUsageDetails":"https://a.test/3"}"#,
                "/.well-known/webauthn": #"{"origins":["https://b.test"]}"#,
            ])
    }

    @Test func `apps that share a host share both files`() throws {
        let apps = try [
            #"{ enroll: "https://a.test/1", origins: ["https://x.test"] }"#,
            #"{ enroll: "https://b.test/1", manage: "https://b.test/2", origins: ["https://y.test", "https://x.test"] }"#,
        ].map { try Sample.app(Sample.text(more: "passkeys: \($0)")) }
        let documents = PasskeyDocuments(apps)
        #expect(documents.endpoints?.member(named: "enroll")?.asString == "https://a.test/1")
        #expect(documents.endpoints?.member(named: "manage")?.asString == "https://b.test/2")
        let origins = documents.origins?.member(named: "origins")?.asArray?.compactMap(\.asString)
        #expect(origins == ["https://x.test", "https://y.test"])
    }
}
