// Which app opens a URL, by app files and by published files, as text and as JSON. MatchCommandTests has further rules.

import Testing

@testable import Association

struct LinkMatchingTests {
    private static func published(apple: String? = nil, android: String? = nil) -> LinkMatching {
        var matching = LinkMatching(origin: "files")
        if let apple {
            let isTaken = matching.take(AppleAssociation.read(Array(apple.utf8), file: "aasa"), file: "aasa")
            #expect(isTaken)
        }
        if let android {
            let isTaken = matching.take(StatementList.read(Array(android.utf8), file: "list"), file: "list")
            #expect(isTaken)
        }
        return matching
    }

    private static func json(_ matching: LinkMatching, _ text: String) throws -> String {
        var line: [UInt8] = []
        matching.appendJSON(of: try #require(LinkURL(text)), written: text, to: &line)
        return String(decoding: line, as: UTF8.self)
    }

    private static let apple = """
        {"applinks": {"details": [{"appIDs": ["A1B2C3D4E5.a.b"], "components": [{"/": "/x", "exclude": true}, {"/": "/a"}]},
                                  {"appID": "a.b", "paths": ["*"]}]}}
        """

    @Test(arguments: [("/a", "match", "1"), ("/x", "exclude", "0"), ("/b", "none", "null")])
    func `an answer has the decision and the number of the rule`(path: String, decision: String, rule: String) throws {
        let json = try Self.json(Self.published(apple: Self.apple), "https://a.test\(path)")
        #expect(json.contains(#""apple":[{"appID":"A1B2C3D4E5.a.b","decision":"\#(decision)","rule":\#(rule)},"#))
        // No signed app has a bundle id alone.
        #expect(json.contains(#"{"appID":"a.b","decision":"match","rule":0,"problem":"#))
        #expect(json.hasSuffix(#""android":[]}"# + "\n"))
    }

    @Test func `one platform alone has no member and no text for the other`() throws {
        let both = Self.published(apple: Self.apple, android: "[]")
        let url = "https://a.test/a"
        #expect(try !Self.json(both.only(.apple), url).contains("android"))
        #expect(try !Self.json(both.only(.android), url).contains(#""apple""#))
        let text = both.text(of: try #require(LinkURL(url)), listsAll: false)
        #expect(text.contains("\niOS, A1B2C3D4E5.a.b: opens the app\n"))
        #expect(text.hasSuffix("\nAndroid: no app handles links to a.test\n"))
        #expect(!both.only(.apple).text(of: try #require(LinkURL(url)), listsAll: false).contains("Android"))
    }

    @Test func `a doubt about a file is of its platform`() {
        let twice = #"{"applinks": {"details": []}, "applinks": {"details": []}}"#
        let matching = Self.published(apple: twice, android: #"[{"relation": [], "relation": []}]"#)
        #expect(matching.appleDoubt != nil && matching.androidDoubt != nil)
        #expect(matching.only(.android).appleDoubt == nil && matching.only(.android).androidDoubt != nil)
        #expect(matching.only(.apple).appleDoubt != nil && matching.only(.apple).androidDoubt == nil)
    }

    @Test func `a file that no system reads is not taken`() {
        var matching = LinkMatching(origin: "")
        let isTaken = [
            matching.take(AppleAssociation.read(Array("{".utf8), file: ""), file: ""),
            matching.take(StatementList.read(Array("{".utf8), file: ""), file: ""),
        ]
        #expect(isTaken == [false, false])
        #expect(matching.apple.isEmpty && matching.android.isEmpty)
    }

    @Test func `an app file answers for both platforms, with the manifest of snippet`() throws {
        let print = Array(repeating: "AA", count: 32).joined(separator: ":")
        let text = """
            { name: "A", hosts: ["a.test"], ios: { appIDs: ["A1B2C3D4E5.a.b"] },
              android: { package: "a.b", fingerprints: ["\(print)"] }, links: [{ "/": "/a" }] }
            """
        let app = try #require(AppFile.read(Array(text.utf8), file: "app").appFile)
        let json = try Self.json(LinkMatching(of: [app], configPath: "config"), "https://a.test/a")
        #expect(json.contains(#""apple":[{"appID":"A1B2C3D4E5.a.b","decision":"match","rule":0}]"#))
        #expect(json.contains(#""android":[{"package":"a.b","decision":"manifest","rule":null,"android14":"app"}]"#))
    }
}
