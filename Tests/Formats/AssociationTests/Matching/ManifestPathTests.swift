// The paths of an intent filter: which of them cover the rules of an app file, and which URLs they match.

import AssociationSamples
import Testing

@testable import Association

struct ManifestPathTests {
    typealias Sample = AppFileSample

    @Test(
        arguments: [
            (#"{ "/": "/a" }"#, [#"path="/a""#, #"path="/a/""#]),
            (#"{ "/": "/a/*" }"#, [#"path="/a""#, #"pathPrefix="/a/""#]), (#"{ "/": "/a*" }"#, [#"pathPrefix="/a""#]),
            (#"{ "/": "/a/*/b" }"#, [#"pathPrefix="/a/""#]), (#"{ "/": "/a/?*" }"#, [#"pathPattern="/a/..*""#]),
            (#"{ "/": "/a.b?" }"#, [#"pathPattern="/a\\.b.""#, #"pathPattern="/a\\.b./""#]),
            (#"{ "/": "/b", exclude: true }, { "/": "/a*" }"#, [#"pathPrefix="/a""#]),
            // A filter has no query and no fragment, but the rule still needs its path.
            (##"{ "/": "/a*", "?": { q: "1" }, "#": "top" }"##, [#"pathPrefix="/a""#]),
            (##"{ "/": "/a*" }, { "#": "top" }"##, nil), (#"{ "/": "*" }"#, nil), (#"{ "/": "/*" }"#, nil),
            // Without a plain form, all paths are covered.
            (#"{ "/": "/a*" }, { "/": "/b", percentEncoded: false }"#, nil),
            (#"{ "/": "/a", caseSensitive: false }"#, nil), (#"{ "/": "/%41" }"#, nil),
            // Android compares the decoded path.
            (#"{ "/": "/a%20b/*" }"#, [#"pathPrefix="/a""#]), (#"{ "/": "/b/caf%C3%A9" }"#, [#"pathPrefix="/b/caf""#]),
            (#"{ "/": "/a?/%41" }"#, [#"pathPrefix="/a""#]), (#"{ "/": "/*/%41" }"#, nil),
            // More values than a manifest can show.
            (#"{ "/": "/a/$(lang)/b" }"#, [#"path="/a""#, #"pathPrefix="/a/""#]),
            (#"{ "/": "/a$(lang)/$(region)" }"#, [#"pathPrefix="/a""#]),
            (#"{ "/": "/$(lang)/b" }"#, nil),
            (#"{ "/": "/a$(digit)" }"#, [#"pathPattern="/a.""#, #"pathPattern="/a./""#]),
        ] as [(String, [String]?)])
    func `a filter covers all rules that include URLs`(links: String, paths: [String]?) throws {
        let app = try Sample.app(Sample.text(links: "[\(links)]"))
        #expect(app.manifestPaths?.map(\.attribute) == paths?.map { "android:\($0)" })
    }

    @Test(arguments: [(20, 40), (21, 2)])
    func `a filter lists few values of a variable`(values: Int, paths: Int) throws {
        let variable = (0..<values).map { "\"v\($0)\"" }.joined(separator: ", ")
        let text = Sample.text(
            ios: #"{ appIDs: ["8KQ2V7M4XN.dev.acme.shop"], variables: { v: [\#(variable)] } }"#,
            links: #"[{ "/": "/a/$(v)" }]"#)
        #expect(try Sample.app(text).manifestPaths?.count == paths)
    }

    @Test(arguments: ConformanceCase.all("Android 14 and earlier"))
    func `decides as Android does by the manifest`(_ given: ConformanceCase) throws {
        #expect(try given.decide().decision == given.expected)
    }

    @Test func `there are cases`() { #expect(ConformanceCase.all("Android 14 and earlier").count > 30) }

    @Test(
        arguments: [(.suffix, ".html"), (.advanced, "/[a-z]+"), (.path, "@string/path"), (.prefix, "/${flavour}")]
            as [(ManifestPath.Kind, String)])
    func `leaves attributes open that are not evaluated`(kind: ManifestPath.Kind, text: String) {
        #expect(ManifestPath(kind, text).glob == nil)
    }
}
