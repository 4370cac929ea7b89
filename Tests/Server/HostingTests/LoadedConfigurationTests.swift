// From folders on disk to a catalogue, with real files.

import Association
import Catalogue
import Foundation
import HTTP
import SourceJSON
import TestSupport
import Testing

@testable import Hosting

struct LoadedConfigurationTests {
    private let tree: ConfigTree

    init() throws { tree = try ConfigTree() }

    @Test func `an app file becomes both documents on each of its hosts`() throws {
        try tree.app("shop.json", ConfigTree.shop(hosts: ["shop.example.com", "*.shop.example.com"]))
        let loaded = try tree.load()
        #expect(loaded.findings.filter { $0.severity == .error }.isEmpty)
        #expect(loaded.hosts == ["*.shop.example.com", "shop.example.com"])
        for host in ["shop.example.com", "a.b.shop.example.com"] {
            let apple = try #require(loaded.answer(host, "/.well-known/apple-app-site-association"))
            #expect(apple.contains("\"8KQ2V7M4XN.dev.associated.shop\""))
            #expect(loaded.answer(host, "/apple-app-site-association") == apple)
            #expect(
                try #require(loaded.answer(host, "/.well-known/assetlinks.json")).contains("\"dev.associated.shop\""))
        }
        #expect(loaded.answer("other.example.com", "/.well-known/assetlinks.json") == nil)
    }

    @Test func `a platform that an app is not on has no document`() throws {
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com"], android: false))
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/.well-known/apple-app-site-association") != nil)
        #expect(loaded.answer("a.example.com", "/.well-known/assetlinks.json") == nil)
    }

    @Test func `a broken app file is a finding on that file and affects no other`() throws {
        try tree.app("good.json", ConfigTree.shop(hosts: ["good.example.com"]))
        try tree.app("deep/er/bad.json", "{ name: \"Bad\",\n  hosts: [\"bad.example.com\" }")
        try tree.app("page.json", "<!doctype html><title>no</title>")
        let loaded = try tree.load()
        #expect(loaded.hosts == ["good.example.com"])
        let errors = loaded.findings.filter { $0.severity == .error }
        #expect(Set(errors.map(\.file)) == ["\(tree.config)/apps/deep/er/bad.json", "\(tree.config)/apps/page.json"])
        #expect(errors.first { $0.file.hasSuffix("bad.json") }?.range?.start.line == 2)
    }

    @Test func `other files in the folder are ignored`() throws {
        try tree.app("good.json5", ConfigTree.shop(hosts: ["good.example.com"]))
        try tree.app("README.md", "# Apps")
        try tree.app(".good.json.swp", "x")
        try tree.app("good.json~", "x")
        let loaded = try tree.load()
        #expect(!loaded.hosts.isEmpty)
        #expect(loaded.findings.filter { $0.severity == .error }.isEmpty)
    }

    @Test func `a host that no app file names is a finding with the most similar name`() throws {
        try tree.app("shop.json", ConfigTree.shop(hosts: ["shop.example.com", "*.w.example.com"]))
        for host in ["shop.example.com", "shop.exmaple.com", "a.w.example.com", "quite-other.test"] {
            try tree.write("config/hosts/\(host)/well-known/x.txt", "x")
        }
        let loaded = try tree.load()
        #expect(!loaded.findings.contains { $0.rule == .cfg011 }, "a server does not report it")
        #expect(loaded.strays.map(\.file.hostFolder) == ["quite-other.test", "shop.exmaple.com"])
        #expect(loaded.strays.map(\.severity) == [.note, .warning])
        #expect(loaded.strays.map(\.fix) == [nil, "did you mean `shop.example.com`?"])
    }

    @Test func `a file that is served in place of a generated one is a note`() throws {
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com", "*.w.example.com"]))
        try tree.app("ios.json", ConfigTree.shop(hosts: ["ios.example.com"], android: false))
        for host in ["a.example.com", "x.w.example.com", "ios.example.com", "other.test"] {
            try tree.write("config/hosts/\(host)/well-known/assetlinks.json", "[]")
        }
        try tree.write("config/hosts/a.example.com/well-known/apple-app-site-association", "{ broken")
        let notes = try tree.load().strays.filter { $0.rule == .cfg015 }
        let files = ["a.example.com", "x.w.example.com"].map { "\(tree.config)/hosts/\($0)/well-known/assetlinks.json" }
        #expect(notes.map(\.file) == files && notes.allSatisfy { $0.severity == .note }, "\(notes)")
    }

    @Test func `names the app files that are not in service, and their hosts`() throws {
        try tree.app("good.json", ConfigTree.shop(hosts: ["good.example.com"]))
        try tree.app("bad.json", "{ name: 'Bad', hosts: ['bad.example.com'], ios: { appIDs: ['1'] } }")
        try tree.app("text.json", "no")
        let refused = try tree.load().refused
        #expect(refused.map(\.file) == ["bad", "text"].map { "\(tree.config)/apps/\($0).json" })
        #expect(refused.map(\.hosts) == [["bad.example.com"], []])
    }

    @Test func `a missing apps folder is one error`() throws {
        #expect {
            try Tenants(configPath: "/nowhere", publicPath: "/nowhere", environment: nil).load()
        } throws: {
            "\($0)"
                == "cannot read /nowhere/apps: no such file or directory; pass the folder that contains apps/ with --config, "
                + "or run `associated init`"
        }
    }

    @Test func `a host's own pages win, and no page has a well-known path`() throws {
        try tree.app("shop.json", ConfigTree.shop(hosts: ["a.example.com", "b.example.com", "*.b.example.com"]))
        try tree.page("_default/index.html", "default")
        try tree.page("_default/sub/index.html", "sub")
        try tree.page("_default/.well-known/assetlinks.json", "never")
        try tree.page("_default/apple-app-site-association", "never")
        try tree.page("a.example.com/index.html", "a")
        try tree.page("_wildcard.b.example.com/x.txt", "wild")
        let loaded = try tree.load()
        #expect(loaded.answer("a.example.com", "/") == "a")
        #expect(loaded.answer("b.example.com", "/") == "default")
        #expect(loaded.answer("b.example.com", "/sub/") == "sub")
        #expect(loaded.answer("b.example.com", "/sub") == nil)
        #expect(loaded.answer("x.b.example.com", "/x.txt") == "wild")
        #expect(loaded.answer("b.example.com", "/x.txt") == nil)
        #expect(loaded.answer("b.example.com", "/.well-known/assetlinks.json") != "never")
        #expect(loaded.answer("b.example.com", "/apple-app-site-association") != "never")
    }

    @Test func `apps on one host are merged in the order of their paths`() throws {
        try tree.app("b.json", ConfigTree.shop(hosts: ["a.example.com"], id: "8KQ2V7M4XN.dev.associated.second"))
        try tree.app("a.json", ConfigTree.shop(hosts: ["a.example.com"], id: "8KQ2V7M4XN.dev.associated.first"))
        let text = try #require(try tree.load().answer("a.example.com", "/apple-app-site-association"))
        let first = try #require(text.range(of: "dev.associated.first"))
        let second = try #require(text.range(of: "dev.associated.second"))
        #expect(first.lowerBound < second.lowerBound)
    }
}

/// A test's own `config/` and `public/`, removed after it.
final class ConfigTree {
    let folder: TemporaryFolder
    var root: String { folder.path }
    var config: String { root + "/config" }
    var pages: String { root + "/public" }

    init() throws {
        folder = try TemporaryFolder()
        try folder.makeFolder("config/apps")
    }

    func app(_ name: String, _ text: String) throws { try write("config/apps/\(name)", text) }

    func page(_ name: String, _ text: String) throws { try write("public/\(name)", text) }

    func load() throws -> LoadedConfiguration {
        try Tenants(configPath: config, publicPath: pages, environment: nil).load()
    }

    func write(_ name: String, _ text: String) throws { try folder.write(name, text) }

    static let fingerprint = (0..<32).map { String(format: "%02X", ($0 * 37 + 11) % 256) }.joined(separator: ":")

    /// A correct app file.
    static func shop(hosts: [String], android: Bool = true, id: String = "8KQ2V7M4XN.dev.associated.shop") -> String {
        let androidApp = "android: { package: \"dev.associated.shop\", fingerprints: [\"\(fingerprint)\"] },"
        return """
            {
              name: "Shop",
              hosts: \(hosts),
              ios: { appIDs: ["\(id)"] },
              \(android ? androidApp : "")
              links: [{ "/": "/products/?*" }],
            }
            """
    }
}

extension String {
    /// The host's folder that a path is in.
    fileprivate var hostFolder: Substring { split(separator: "/").dropLast().last ?? "" }
}

extension LoadedConfiguration {
    /// The uncompressed form of an answer; nil if there is none.
    func form(_ host: String, _ path: String) -> AnswerForm? {
        let view = catalogue.view
        let name = Array(host.utf8)
        guard let site = view.site(host: name.span) else { return nil }
        return Array(path.utf8).withUnsafeBytes { view.answer(site, path: $0) }?.form(.identity)
    }

    /// Its body as text.
    func answer(_ host: String, _ path: String) -> String? { catalogue.answer(host, path) }
}
