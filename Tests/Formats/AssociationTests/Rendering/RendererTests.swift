import AssociationSamples
import SourceJSON
import Testing

@testable import Association

@Suite struct RendererTests {
    typealias Sample = AppFileSample

    @Test func `renders the simplest app`() throws {
        let documents = Renderer.documents(for: [try Sample.app(Sample.text())])
        #expect(
            text(documents.appleBytes) == #"""
                {"applinks":{"details":[{"appIDs":["8KQ2V7M4XN.dev.acme.shop"],"components":[{"/":"/products/?*"}]}]},"webcredentials":{"apps":["8KQ2V7M4XN.dev.acme.shop"]}}

                """#)
        #expect(
            text(documents.statementBytes) == #"""
                [{"relation":["delegate_permission/common.handle_all_urls"],"target":{"namespace":"android_app","package_name":"dev.acme.shop","sha256_cert_fingerprints":["\#(Sample.fingerprint)"]}}]

                """#)
        #expect(documents.findings.isEmpty)
        #expect(documents.cacheSeconds == 3600 && documents.signing == .none)
    }

    @Test func `renders every key of a rule, and no comment`() throws {
        let links = ##"""
            [{ "/": "/a", "?": { id: "?*", x: "" }, "#": "t", exclude: true, caseSensitive: false, percentEncoded: true,
               comment: "secret" },
             { "?": "a=*" }, { exclude: false }]
            """##
        let app = try Sample.app(Sample.text(links: links))
        #expect(
            try components(of: app) == ##"""
                [{"/":"/a","?":{"id":"?*","x":""},"#":"t","exclude":true,"caseSensitive":false,"percentEncoded":true},{"?":"a=*"},{}]
                """##)
    }

    @Test func `renders defaults, services and App Clips`() throws {
        let ios = #"""
            { appIDs: ["8KQ2V7M4XN.dev.acme.shop", "8KQ2V7M4XN.dev.acme.shop.pro"], appClips: ["8KQ2V7M4XN.dev.acme.shop.Clip"],
              services: ["applinks", "activitycontinuation"], defaults: { caseSensitive: false } }
            """#
        let apple = Renderer.documents(for: [try Sample.app(Sample.text(ios: ios))]).appleBytes
        #expect(
            text(apple) == #"""
                {"applinks":{"details":[{"appIDs":["8KQ2V7M4XN.dev.acme.shop","8KQ2V7M4XN.dev.acme.shop.pro"],"defaults":{"caseSensitive":false},"components":[{"/":"/products/?*"}]}]},"activitycontinuation":{"apps":["8KQ2V7M4XN.dev.acme.shop","8KQ2V7M4XN.dev.acme.shop.pro"]},"appclips":{"apps":["8KQ2V7M4XN.dev.acme.shop.Clip"]}}

                """#)
    }

    @Test func `renders components and paths for old systems, with an entry for each app id`() throws {
        let ios = #"""
            { appIDs: ["8KQ2V7M4XN.dev.acme.shop", "8KQ2V7M4XN.dev.acme.shop.pro"], services: ["applinks"], legacyPaths: true }
            """#
        let links = #"[{ "/": "/a/private/*", exclude: true }, { "/": "/a/*" }]"#
        let apple = Renderer.documents(for: [try Sample.app(Sample.text(ios: ios, links: links))]).appleBytes
        let rules =
            #""components":[{"/":"/a/private/*","exclude":true},{"/":"/a/*"}],"#
            + #""paths":["NOT /a/private","NOT /a/private/*","/a","/a/*"]"#
        #expect(
            text(apple) == #"{"applinks":{"apps":[],"details":["#
                + #"{"appIDs":["8KQ2V7M4XN.dev.acme.shop"],"appID":"8KQ2V7M4XN.dev.acme.shop",\#(rules)},"#
                + #"{"appIDs":["8KQ2V7M4XN.dev.acme.shop.pro"],"appID":"8KQ2V7M4XN.dev.acme.shop.pro",\#(rules)}]}}"#
                + "\n")
    }

    @Test func `renders dynamic rules below their relation`() throws {
        let android = #"{ package: "dev.acme.shop", fingerprints: ["\#(Sample.fingerprint)"], dynamicRules: true }"#
        let links = ##"[{ "/": "/a", exclude: true }, { "/": "/a/*", "?": { id: "?*" }, "#": "t" }]"##
        let list = Renderer.documents(for: [try Sample.app(Sample.text(android: android, links: links))]).statements
        let extensions = list?.asArray?.first?.member(named: "relation_extensions")
        #expect(
            text(extensions.map(SourceWriter.minified)) == ##"""
                {"delegate_permission/common.handle_all_urls":{"dynamic_app_link_components":[{"/":"/a","exclude":true},{"/":"/a/","exclude":true},{"/":"/a","?":{"id":"?*"},"#":"t"},{"/":"/a/*","?":{"id":"?*"},"#":"t"}]}}
                """##)
    }

    @Test func `renders a statement for each package`() throws {
        let android = #"""
            { packages: [{ name: "dev.acme.a", fingerprints: ["\#(Sample.fingerprint)"] },
              { name: "dev.acme.b", fingerprints: ["\#(Sample.otherFingerprint)", "\#(Sample.fingerprint.lowercased())"] }] }
            """#
        let list = Renderer.documents(for: [try Sample.app(Sample.text(android: android))]).statements?.asArray
        #expect(
            list?.map { $0.member(named: "target")?.member(named: "package_name")?.asString } == [
                "dev.acme.a", "dev.acme.b",
            ])
        let prints = list?.last?.member(named: "target")?.member(named: "sha256_cert_fingerprints")?.asArray
        #expect(prints?.map(\.asString) == [Sample.otherFingerprint, Sample.fingerprint])
    }

    @Test func `renders no document for a platform without an app`() throws {
        #expect(Renderer.documents(for: [try Sample.app(Sample.text(ios: nil))]).apple == nil)
        #expect(Renderer.documents(for: [try Sample.app(Sample.text(android: nil))]).statements == nil)
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], services: [] }"#
        #expect(Renderer.documents(for: [try Sample.app(Sample.text(ios: ios))]).apple == nil)
        #expect(Renderer.documents(for: []).apple == nil)
    }

    @Test func `merges apps by priority and then by path`() throws {
        let apps = try [("b.json", 0), ("a.json", 0), ("z.json", -1), ("A.json", 1)].map { file, priority in
            try Sample.app(Sample.text(more: "priority: \(priority)"), file: file)
        }
        #expect(Renderer.mergeOrder(apps).map(\.file) == ["z.json", "a.json", "b.json", "A.json"])
    }

    @Test func `puts the apps of a host into one document`() throws {
        let one = try Sample.app(Sample.text(), file: "one.json")
        let two = try Sample.app(
            Sample.text(
                ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.two"], variables: { v: ["a"] } }"#, android: nil,
                links: #"[{ "/": "/two/$(v)" }]"#), file: "two.json")
        let apple = Renderer.documents(for: [one, two]).apple
        let details = apple?.member(named: "applinks")?.member(named: "details")?.asArray
        #expect(
            details?.map { $0.member(named: "appIDs")?.asArray?.first?.asString } == [
                "8KQ2V7M4XN.dev.acme.shop", "8KQ2V7M4XN.dev.acme.two",
            ])
        let variables = apple?.member(named: "applinks")?.member(named: "substitutionVariables")
        #expect(variables?.member(named: "v")?.asArray?.map(\.asString) == ["a"])
        #expect(apple?.member(named: "webcredentials")?.member(named: "apps")?.asArray?.count == 2)
    }

    @Test func `reports the name under which a variable is published`() throws {
        let ios = #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { lang: ["en", "ja"] } }"#
        let app = try Sample.app(Sample.text(ios: ios, links: #"[{ "/": "/$(lang)" }]"#))
        let documents = Renderer.documents(for: [app])
        #expect(documents.findings.rules == [.app039])
        #expect(documents.findings.first?.range == app.ranges.variables.first)
        #expect(text(documents.appleBytes).contains(#"{"/":"/$(lang_2)"}"#))
        #expect(text(documents.appleBytes).contains(#""substitutionVariables":{"lang_2":["en","ja"]}"#))
    }

    private func components(of app: AppFile) throws -> String {
        let details = Renderer.documents(for: [app]).apple?.member(named: "applinks")?.member(named: "details")
        let components = try #require(details?.asArray?.first?.member(named: "components"))
        return text(SourceWriter.minified(components))
    }

    private func text(_ bytes: [UInt8]?) -> String { String(decoding: bytes ?? [], as: UTF8.self) }
}
