import Testing

@testable import Association

struct UndocumentedBehaviourTests {
    private func kinds(
        _ components: [AppleComponent], variables: [SubstitutionVariable] = [], _ path: String
    ) throws -> [UndocumentedBehaviour.Kind] {
        let url = try #require(LinkURL("https://example.com" + path))
        return AppleMatcher(components: components, variables: variables).unsettled(url).map(\.kind)
    }

    @Test func `reports a wildcard that can match the added slash`() throws {
        #expect(try kinds([AppleComponent(path: "/a?*")], "/a") == [.addedSlash])
        #expect(try kinds([AppleComponent(path: "/a?*")], "/a/") == [.addedSlash])
        #expect(try kinds([AppleComponent(path: "/a?*")], "/ab") == [])
        #expect(try kinds([AppleComponent(path: "/a/?*")], "/a/") == [])
        #expect(try kinds([AppleComponent(path: "/a/*")], "/a") == [])
        #expect(try kinds([AppleComponent(path: "/a?*"), AppleComponent(path: "/b")], "/b") == [])
    }

    @Test func `reports a plus sign that could be a space`() throws {
        let rule = AppleComponent(query: .items([QueryItemPattern(name: "q", pattern: "a+b")]))
        #expect(try kinds([rule], "/x?q=a+b") == [.plusSign])
        #expect(try kinds([rule], "/x?q=c+d") == [])
        #expect(try kinds([AppleComponent(path: "/x")], "/x?q=a+b") == [])
    }

    @Test func `reports doubts about the rule itself`() throws {
        let names = [SubstitutionVariable(name: "digit", values: ["x"]), .init(name: "v", values: ["$(w)", "a"])]
        #expect(try kinds([AppleComponent(path: "/a\\b")], "/x") == [.backslash])
        #expect(try kinds([AppleComponent(path: "/$(digit)")], variables: names, "/x") == [.shadowedVariable])
        #expect(try kinds([AppleComponent(path: "/$(v)")], variables: names, "/a") == [.nestedVariable])
        let slash = [SubstitutionVariable(name: "v", values: ["/a"])]
        #expect(try kinds([AppleComponent(path: "/$(v)")], variables: slash, "/a") == [.variableSlash])
        let folded = AppleComponent(query: .items([QueryItemPattern(name: "Q", pattern: "1")]), caseSensitive: false)
        #expect(try kinds([folded], "/x?q=1") == [.foldedItemName])
        #expect(try kinds([folded], "/x?Q=1") == [])
    }

    @Test func `reports dot segments that change the decision`() throws {
        #expect(try kinds([AppleComponent(path: "/b")], "/a/../b") == [.dotSegments])
        #expect(try kinds([AppleComponent(path: "/a/../b")], "/b") == [.dotSegments])
        #expect(try kinds([AppleComponent(path: "*")], "/a/../b") == [])
        #expect(try kinds([AppleComponent(path: "*")], "/%zz") == [.malformedEscape])
        #expect(try kinds([AppleComponent(path: "*")], "/%ff") == [.malformedEscape])
    }

    @Test func `reports doubtful legacy exclusions`() throws {
        let secret = try #require(LinkURL("https://example.com/secret/1"))
        let open = try #require(LinkURL("https://example.com/open"))
        #expect(AppleMatcher(paths: ["NOT/secret/*", "*"]).unsettled(secret).map(\.kind) == [.notWithoutSpace])
        #expect(AppleMatcher(paths: ["NOT/secret/*", "*"]).unsettled(open) == [])
        #expect(AppleMatcher(paths: ["not /secret/*", "*"]).unsettled(secret).map(\.kind) == [.lowerCaseNot])
        #expect(AppleMatcher(paths: ["NOT /secret/*", "*"]).unsettled(secret) == [])
        let inherited = AppleMatcher(paths: ["*"], defaults: [AppleComponent(exclude: true)])
        #expect(inherited.unsettled(open).map(\.kind) == [.defaultsOnPaths])
        #expect(inherited.decide(open).opens)
    }

    @Test func `reports behaviour that is known only for AOSP`() throws {
        func kinds(_ rule: AndroidRule, _ path: String) throws -> [UndocumentedBehaviour.Kind] {
            AndroidMatcher(rules: [rule]).unsettled(try #require(LinkURL("https://example.com" + path))).map(\.kind)
        }
        let flag = AndroidRule(query: [QueryItemPattern(name: "flag", pattern: "*")])
        #expect(try kinds(flag, "/x?flag") == [.itemWithoutEquals])
        #expect(try kinds(flag, "/x?flag=1") == [])
        #expect(try kinds(flag, "/x?a=1;flag=2") == [.semicolonSeparator])
        #expect(try kinds(AndroidRule(fragment: "*"), "/x") == [.absentPart])
        #expect(try kinds(AndroidRule(path: "/a*?b"), "/x") == [.starLookahead])
        #expect(try kinds(AndroidRule(path: "/a"), "/x") == [])
    }

    @Test func `each kind has its own message`() {
        let messages = UndocumentedBehaviour.Kind.allCases.map(\.message)
        #expect(messages.allSatisfy { $0.count > 20 } && Set(messages).count == messages.count)
    }
}
