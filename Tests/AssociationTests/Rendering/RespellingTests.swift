import Testing

@testable import Association

@Suite struct RespellingTests {
    @Test(
        arguments: [
            (.doubledSlash, ["//a/x", "/a//x", "/a/x//", "/a//"]), (.star, ["/a/*", "/a/x*", "/a/x**", "/a*"]),
            (.escapedSlash, ["/a%2Fx", "/a/x%2Fx", "/a/%2F", "/a/x%2F"]), (.needlessEscape, ["/%61/x", "/a/%78"]),
            (.lowerCaseEscape, []), (.escapedSeparator, []), (.semicolon, []),
        ] as [(LinkSpelling, [String])])
    func `tries each place of a path`(spelling: LinkSpelling, paths: [String]) throws {
        let url = try #require(LinkURL("https://shop.acme.test/a/x"))
        let made = Respelling(url).urls(with: spelling).map { $0.text.dropFirst("https://shop.acme.test".count) }
        #expect(Set(made.map(String.init)) == Set(paths))
    }

    @Test func `leaves out what only stands for a star`() throws {
        let url = try #require(LinkURL("https://shop.acme.test/a/x/b/x/"))
        let made = Respelling(url).urls(with: .doubledSlash).map(\.path)
        #expect(made.contains("/a//b/x/") && made.contains("/a/x/b//"), "\(made)")
    }

    @Test(
        arguments: [
            (.escapedSeparator, ["a=1%26b=2", "a%3D1&b=2", "a=%261&b=2", "x=1%26a=1&b=2"]),
            (.semicolon, ["a=1;b=2", "x=1;a=1&b=2", "a=1&b=2;x=1", "a=;1&b=2"]), (.needlessEscape, ["%61=1&b=2"]),
        ] as [(LinkSpelling, [String])])
    func `tries each place of a query`(spelling: LinkSpelling, queries: [String]) throws {
        let url = try #require(LinkURL("https://shop.acme.test/?a=1&b=2"))
        let made = Set(Respelling(url).urls(with: spelling).compactMap(\.query))
        #expect(made.isSuperset(of: queries), "\(made)")
    }

    @Test(arguments: ["", "/", "/a", "/%C3%A9/%25?q=%C3%A9&&=;x#%C3%A9", "/*//%2F%61?*=%26;#%61", "?", "#", "/%?%#%"])
    func `adds the one spelling and no other`(text: String) throws {
        let url = try #require(LinkURL("https://shop.acme.test" + text))
        for spelling in LinkSpelling.allCases {
            for other in Respelling(url).urls(with: spelling) {
                #expect(LinkSpelling.of(other).subtracting(LinkSpelling.of(url)) == [spelling], "\(other)")
            }
        }
    }
}
