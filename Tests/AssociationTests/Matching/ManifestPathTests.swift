// What an intent filter says about paths: which of them cover the rules of an app file, and what they match.

import AssociationSamples
import Testing

@testable import Association

struct ManifestPathTests {
    typealias Sample = AppFileSample

    @Test(
        arguments: [
            (#"{ "/": "/a" }"#, [#"path="/a""#, #"path="/a/""#]),
            (#"{ "/": "/a/*" }"#, [#"path="/a""#, #"pathPrefix="/a/""#]),
            (#"{ "/": "/a*" }"#, [#"pathPrefix="/a""#]), (#"{ "/": "/a/*/b" }"#, [#"pathPrefix="/a/""#]),
            (#"{ "/": "/a/?*" }"#, [#"pathPattern="/a/..*""#]),
            (#"{ "/": "/a.b?" }"#, [#"pathPattern="/a\\.b.""#, #"pathPattern="/a\\.b./""#]),
            (#"{ "/": "/b", exclude: true }, { "/": "/a*" }"#, [#"pathPrefix="/a""#]),
            // Neither a query nor a fragment has a place in a filter, and the rule needs its path all the same.
            (##"{ "/": "/a*", "?": { q: "1" }, "#": "top" }"##, [#"pathPrefix="/a""#]),
            (##"{ "/": "/a*" }, { "#": "top" }"##, nil), (#"{ "/": "*" }"#, nil), (#"{ "/": "/*" }"#, nil),
            // What the plain form leaves out may be any path.
            (#"{ "/": "/a*" }, { "/": "/b", percentEncoded: false }"#, nil),
            (#"{ "/": "/a", caseSensitive: false }"#, nil), (#"{ "/": "/%41" }"#, nil),
        ] as [(String, [String]?)])
    func `a filter covers all rules that include`(links: String, paths: [String]?) throws {
        let app = try Sample.app(Sample.text(links: "[\(links)]"))
        #expect(app.manifestPaths?.map(\.attribute) == paths?.map { "android:\($0)" })
    }

    @Test(
        arguments: [
            (.path, "/a", ["/a"], ["/a/", "/", "/A"]), (.prefix, "/a", ["/a", "/ab", "/a/"], ["/", "/b/a"]),
            (.pattern, "/a/..*", ["/a/b", "/a/b/c"], ["/a/", "/a"]),
            (.pattern, "/a.*b", ["/ab", "/axxb"], ["/abcb", "/a"]), (.pattern, "/ab*c", ["/ac", "/abbc"], ["/axc"]),
            // A layer of backslashes is taken off by the build. What is left makes a star of one character, and no more.
            (.pattern, #"/a\\.*"#, ["/a...", "/a."], ["/ab"]), (.pattern, #"/a\\.b"#, ["/a.b", "/axb"], ["/a.bc"]),
            (.pattern, ".*", ["", "/x"], []), (.pattern, "", [""], ["/"]),
            (.path, "/a b", ["/a b"], ["/a%20b"]),
        ] as [(ManifestPath.Kind, String, [String], [String])])
    func `compares a path as Android does`(
        kind: ManifestPath.Kind, text: String, matching: [String], others: [String]
    ) throws {
        let glob = try #require(ManifestPath(kind, text).glob)
        for path in matching { #expect(glob.matches(Array(path.utf16)), "\(path)") }
        for path in others { #expect(!glob.matches(Array(path.utf16)), "\(path)") }
    }

    @Test(
        arguments: [(.suffix, ".html"), (.advanced, "/[a-z]+"), (.path, "@string/path"), (.prefix, "/${flavour}")]
            as [(ManifestPath.Kind, String)])
    func `says nothing about what is not evaluated`(kind: ManifestPath.Kind, text: String) {
        #expect(ManifestPath(kind, text).glob == nil)
    }
}
