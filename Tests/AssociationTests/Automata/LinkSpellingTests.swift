import Testing

@testable import Association

@Suite struct LinkSpellingTests {
    @Test(
        arguments: [
            ("/a/b?c=d;e", [.semicolon]), ("/a//b", [.doubledSlash]), ("", [.noPath]), ("?a=b#c", [.noPath]),
            ("/a*", [.star]),
            ("/a%2Fb", [.escapedSlash]), ("/a%2fb", [.escapedSlash, .lowerCaseEscape]), ("/%61", [.needlessEscape]),
            ("/a%2Cb", [.needlessEscape]), ("/caf%c3%a9", [.lowerCaseEscape]), ("/?a=b%26c", [.escapedSeparator]),
            ("/?a%3Db", [.escapedSeparator]), ("/?a=b%3Bc", [.escapedSeparator]), ("/?a=b%2Fc", [.needlessEscape]),
            ("/#%61", [.needlessEscape]), ("/#%c3%a9", [.lowerCaseEscape]), ("/a%3Bb", [.needlessEscape]),
        ] as [(String, Set<LinkSpelling>)])
    func `names what few links have`(text: String, spellings: Set<LinkSpelling>) throws {
        #expect(try LinkSpelling.of(url(text)) == spellings)
    }

    @Test(arguments: [
        "/", "/a/b/", "/caf%C3%A9", "/a%20b", "/a%3Fb", "/%25", "/a?b=c&d=e#f", "/?a=b%20c", "/?a=*", "/%", "/%4",
        "/%GG",
        "/?a=%23", "/#a/b?c",
    ])
    func `names nothing in ordinary ones, and leaves them as they are`(text: String) throws {
        let url = try url(text)
        #expect(LinkSpelling.of(url).isEmpty)
        #expect(LinkSpelling.ordinary(url)?.text == url.text)
    }

    @Test(arguments: [
        ("/a//b", "/a/b"), ("?a", "/?a"), ("/a%2F/b", "/a/b"), ("/a%2fb", "/a/b"), ("/%61%2C", "/a,"),
        ("/caf%c3%a9", "/caf%C3%A9"),
        ("/a*", "/ax"), ("/?a=b%26c=d;e", "/?a=b&c=d&e"), ("/?%61=%62#%63", "/?a=b#c"),
    ])
    func `knows how most would write it`(text: String, ordinary: String) throws {
        #expect(LinkSpelling.ordinary(try url(text))?.text == "https://shop.acme.test" + ordinary)
    }

    private func url(_ text: String) throws -> LinkURL { try #require(LinkURL("https://shop.acme.test" + text)) }
}
