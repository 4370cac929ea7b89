// `passkeys` of an app file as a host serves it, with and without files of its own.

import Association
import Testing

@testable import Hosting

struct PasskeyFilesTests {
    private let tree: ConfigTree
    private let own = "config/hosts/a.example.com/well-known"

    init() throws {
        tree = try ConfigTree()
        let passkeys = #"passkeys: { manage: "https://a.example.com/keys", origins: ["https://b.example"] }, links:"#
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com"]).replacing("links:", with: passkeys))
        try tree.app("other.json", ConfigTree.shop(hosts: ["b.example.com"]))
    }

    @Test func `the files are served as JSON`() throws {
        let loaded = try tree.load()
        let endpoints = "{\"manage\":\"https://a.example.com/keys\"}\n"
        #expect(loaded.answer("a.example.com", AssociationPath.passkeyEndpoints) == endpoints)
        #expect(
            loaded.answer("a.example.com", AssociationPath.relatedOrigins) == "{\"origins\":[\"https://b.example\"]}\n")
        #expect(loaded.answer("b.example.com", AssociationPath.passkeyEndpoints) == nil)
        #expect(loaded.answer("a.example.com", AssociationPath.statements)?.contains("get_login_creds") == true)
    }

    @Test func `an own file takes precedence, and what it lacks is a finding`() throws {
        try tree.write("\(own)/webauthn", #"{"origins": ["https://c.example"]}"#)
        try tree.write("\(own)/passkey-endpoints", #"{"manage": "https://a.example.com/keys"}"#)
        let loaded = try tree.load()
        #expect(
            loaded.answer("a.example.com", AssociationPath.relatedOrigins) == #"{"origins": ["https://c.example"]}"#)
        let found = loaded.findings.filter { $0.rule == .srv017 }
        #expect(found.map(\.file) == ["\(tree.root)/\(own)/webauthn"], "\(found)")
        #expect(loaded.strays.filter { $0.rule == .cfg015 }.count == 2)
    }
}
