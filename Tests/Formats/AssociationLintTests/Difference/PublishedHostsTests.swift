import AssociationSamples
import Testing

@testable import Association
@testable import AssociationLint

struct PublishedHostsTests {
    private func side(_ hosts: String..., more: String = "") throws -> PublishedHosts {
        PublishedHosts(
            appFiles: try hosts.enumerated().map { index, host in
                try AppFileSample.app(
                    AppFileSample.text(hosts: "[\"\(host)\"]", links: "[{ \"/\": \"/\(index)/*\" }]", more: more),
                    file: "\(index).json")
            })
    }

    /// A name, and the host or wildcard that answers for it.
    @Test(arguments: [
        ("a.example.com", "a.example.com"), ("x.example.com", "*.example.com"), ("x.y.example.com", "*.y.example.com"),
        ("x.z.example.com", "*.example.com"), ("*.y.example.com", "*.y.example.com"),
        ("*.z.example.com", "*.example.com"), ("y.example.com", "*.example.com"), ("example.com", nil), ("com", nil),
    ])
    func `a host is that of its name, or of the nearest wildcard above it`(name: String, host: String?) throws {
        let side = try side("a.example.com", "*.example.com", "*.y.example.com")
        #expect(side.host(name) == host.flatMap { side.hosts[$0] })
        #expect(Set(side.hosts.values).count == 3)
    }

    @Test func `the manifest of a package that two files name has the paths of both`() throws {
        let side = try side("a.example.com", "a.example.com")
        #expect(side.hosts["a.example.com"]?.manifests?["dev.acme.shop"]?.map(\.text) == ["/0", "/0/", "/1", "/1/"])
        let whole = PublishedHosts(
            appFiles: try ["/a", "*"].enumerated().map { index, path in
                try AppFileSample.app(
                    AppFileSample.text(links: "[{ \"/\": \"\(path)\" }]"), file: "\(index).json")
            })
        #expect(whole.hosts["shop.acme.test"]?.manifests == ["dev.acme.shop": []])
    }

    @Test func `documents that a server would not publish are a problem`() throws {
        #expect(try side("a.example.com").problems.isEmpty)
        let links = (0..<5_000).map { "{ \"/\": \"/a/very/long/path/to/a/page/number/\($0)\" }" }
        let app = try AppFileSample.app(AppFileSample.text(links: "[\(links.joined(separator: ", "))]"))
        #expect(PublishedHosts(appFiles: [app]).problems.map(\.rule) == [.app034])
    }

    @Test func `the first entry of an app counts, also for iOS 9 to 12`() {
        let text = """
            {"applinks": {"apps": [], "details": [
              {"appID": "8KQ2V7M4XN.dev.acme.shop", "paths": ["/a"]},
              {"appID": "8KQ2V7M4XN.dev.acme.shop", "paths": ["/b"]}
            ]}}
            """
        let published = PublishedHost(apple: Array(text.utf8), statements: nil, manifests: nil)
        let rules = PublishedRules(published, host: "a.example.com", withManifests: false)
        for system in [PhoneSystem.ios, .ios12] {
            #expect(rules.apps(on: system) == ["8KQ2V7M4XN.dev.acme.shop"])
            let opens = rules.rules(of: "8KQ2V7M4XN.dev.acme.shop", on: system).opens
            #expect(["/a", "/b"].map { LinkURL("https://a.example.com" + $0).map(opens) } == [true, false])
        }
        let without = PublishedHost(
            apple: Array(text.replacing("\"apps\": [], ", with: "").utf8), statements: nil, manifests: nil)
        #expect(PublishedRules(without, host: "a.example.com", withManifests: false).apps(on: .ios12).isEmpty)
    }

    @Test func `an id that no signed app can have opens no URL`() {
        let text = #"{"applinks": {"details": [{"appIDs": ["dev.acme.shop"], "components": [{"/": "*"}]}]}}"#
        let published = PublishedHost(apple: Array(text.utf8), statements: nil, manifests: nil)
        let rules = PublishedRules(published, host: "a.example.com", withManifests: false)
        #expect(rules.rules(of: "dev.acme.shop", on: .ios).signature == OpeningRules.never.signature)
    }
}
