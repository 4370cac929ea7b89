import Association
import Testing

struct LinkURLTests {
    @Test func `splits a URL into its parts without changing them`() throws {
        let url = try #require(LinkURL("HTTPS://me@Shop.Example.COM.:443/A/../%c3?b=1?c#d#e"))
        #expect(url.scheme == "https")
        #expect(url.host == "shop.example.com")
        #expect(url.path == "/A/../%c3")
        #expect(url.query == "b=1?c")
        #expect(url.fragment == "d#e")
        #expect(LinkURL("https://example.com@other.test@shop.example.com/")?.host == "shop.example.com")
    }

    @Test func `distinguishes an absent query and fragment from empty ones`() throws {
        let bare = try #require(LinkURL("http://example.com"))
        #expect(bare.path == "" && bare.query == nil && bare.fragment == nil)
        let empty = try #require(LinkURL("http://example.com?#"))
        #expect(empty.path == "" && empty.query == "" && empty.fragment == "")
    }

    @Test func `escapes characters that no URL may have`() throws {
        let url = try #require(LinkURL("https://example.com/a b/é?ü"))
        #expect(url.path == "/a%20b/%C3%A9")
        #expect(url.query == "%C3%BC")
        #expect(url.text == "https://example.com/a%20b/%C3%A9?%C3%BC")
    }

    @Test(arguments: [
        ("", LinkURLProblem.empty), ("example.com/x", .missingScheme), ("https:example.com", .missingScheme),
        ("ftp://example.com", .otherScheme("ftp")), ("https://", .missingHost), ("https://?x", .missingHost),
        ("https://ex ample.com", .illegalHost("ex%20ample.com")), ("https://a:b/", .illegalPort("b")),
        ("https://a:70000/", .illegalPort("70000")), (" https://a/", .strayCharacter(offset: 0)),
        ("https://a/\n", .strayCharacter(offset: 10)), ("https://[::1/", .illegalHost("[::1")),
    ])
    func `reports why a text is not a URL`(text: String, problem: LinkURLProblem) {
        #expect(LinkURL.parse(text) == .failure(problem))
        #expect(LinkURL(text) == nil)
        #expect(!problem.message.isEmpty)
    }

    @Test func `accepts an address in brackets`() { #expect(LinkURL("http://[::1]:8080/x")?.host == "[::1]") }
}
