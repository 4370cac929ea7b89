// App files that a tenant has published, from the folder that a manager puts in place to what the server tells the manager about them.
// This test is the manager.

import Foundation
import Posix
import Testing

struct PublishedAppsTests {
    private let folder: Folder
    private static let settings =
        """
        { acme: { termsAgreed: true, preflight: "off", directories: ["https://127.0.0.1:1/dir"] }, manager: { separate: true } }
        """

    init() throws {
        folder = try Folder(serving: "own.example")
        try folder.write("config/server.json", PublishedAppsTests.settings)
    }

    private static func app(_ hosts: String..., rule: String = "/buy/*") -> String {
        """
        { name: "Shop", hosts: \(hosts), ios: { appIDs: ["8KQ2V7M4XN.dev.associated.shop"] }, links: [{ "/": "\(rule)" }] }
        """
    }

    /// Puts the tenant's folder in place with this app file, and returns the digest of the file.
    private func publish(_ text: String, in kind: String = "apps") throws -> String {
        let place = "\(folder.path)/state/published/\(kind)"
        let file = try folder.write("state/published/\(kind)/.new/shop.json", text)
        let digest = try Subject.shell("sha256sum < '\(file)'").output.prefix(64)
        try Directory.exchange("\(place)/.new", "\(place)/acme")
        if Directory.exists("\(place)/.new") { try folder.remove("state/published/\(kind)/.new") }
        return String(digest)
    }

    private func isServed(_ rule: String, on host: String, by server: RunningServer) throws -> Bool {
        try server.fetch("/.well-known/apple-app-site-association", host: host).contains(rule)
    }

    /// What the server says about the tenant.
    private func outcome(_ tenant: String = "acme") throws -> String {
        try Subject.curl([
            "--unix-socket", "\(folder.path)/state/link.sock", "http://link/published/\(tenant)",
        ]).output
    }

    /// Whether the server says this soon about the published file.
    private func comes(_ digest: String, _ state: String, _ more: String...) throws -> Bool {
        let beginning = #"{"files":[{"path":"acme/shop.json","digest":"\#(digest)","state":"\#(state)""#
        return try eventually {
            let outcome = try outcome()
            return outcome.hasPrefix(beginning) && more.allSatisfy(outcome.contains)
        }
    }

    @Test func `a release is served as soon as it is in place, and its outcome goes back to the manager`() throws {
        let first = try publish(Self.app("a.example", "b.example"))
        let server = try folder.serve()
        #expect(try isServed("/buy/*", on: "a.example", by: server))
        #expect(try outcome().hasSuffix(#""digest":"\#(first)","state":"served"}]}"#))
        #expect(try outcome("other") == #"{"files":[]}"#)

        let good = try publish(Self.app("a.example", "b.example", rule: "/sale/*"))
        #expect(try eventually { try isServed("/sale/*", on: "a.example", by: server) })
        #expect(try comes(good, "served"))

        let broken = try publish("{")
        #expect(
            try comes(broken, "broken", #""servesOlder":true"#, "\(folder.path)/state/published/apps/acme/shop.json:1"))
        #expect(try isServed("/sale/*", on: "a.example", by: server))

        let held = try publish(Self.app("a.example", rule: "/new/*"))
        #expect(
            try comes(held, "held", #""servesOlder":true"#, "APP-042", "host b.example", #"hosts: [\"b.example\"]"#))
        #expect(try isServed("/sale/*", on: "b.example", by: server))
        #expect(try !isServed("/new/*", on: "a.example", by: server))

        _ = try publish(Self.app("b.example"), in: "retired")
        #expect(try comes(held, "served"))
        #expect(try isServed("/new/*", on: "a.example", by: server))
        #expect(try !isServed("/sale/*", on: "b.example", by: server))
    }

    @Test func `the first release comes while the server runs, and one of the operator takes it over`() throws {
        let server = try folder.serve()
        #expect(try outcome() == #"{"files":[]}"#)
        let text = Self.app("a.example")
        let digest = try publish(text)
        #expect(try eventually { try isServed("/buy/*", on: "a.example", by: server) })
        #expect(try comes(digest, "served"))
        try folder.write("config/apps/acme/shop.json", text)
        #expect(try eventually { try outcome().contains("warning[CFG-016]") })
        #expect(try isServed("/buy/*", on: "a.example", by: server))
        #expect(try outcome().hasPrefix(#"{"files":[],"#))
    }

    @Test func `a server without hosts waits for the first release`() throws {
        try folder.remove("config/apps/own.json")
        #expect(try Subject.run(["serve", "--check"] + folder.options).errors.contains(" names a host; "))
        try folder.makeFolder("state/published/apps")
        let check = try Subject.run(["serve", "--check", "--http", "127.0.0.1:0"] + folder.options)
        #expect(!check.errors.contains(" names a host; "), "\(check.errors)")
        let server = try folder.serve()
        _ = try publish(Self.app("a.example"))
        #expect(try eventually { try isServed("/buy/*", on: "a.example", by: server) })
    }

    @Test func `commands read what is published to the server whose state they are given`() throws {
        _ = try publish(Self.app("b.example"))
        let state = ["--state", "\(folder.path)/state"]
        let config = ["--config", "\(folder.path)/config"]
        let match = { more in try Subject.run(["match"] + config + more + ["https://b.example/buy/1"]) }
        #expect(try match(state).status == 0 && match([]).status != 0)
        try folder.serve().stop()
        _ = try publish("{")
        let place = "\(folder.path)/state/published/apps/acme/shop.json:1:"
        let check = try Subject.run(["serve", "--check", "--http", "127.0.0.1:0"] + config + state)
        #expect(check.errors.contains(place), "\(check.errors)")
        let lint = { more in try Subject.run(["lint"] + more).output }
        #expect(try lint(["\(folder.path)/config"] + state).contains(place))
        #expect(try !lint(["\(folder.path)/config"]).contains("acme"))
        #expect(try !lint(["\(folder.path)/config/apps"] + state).contains("acme"))
    }
}
