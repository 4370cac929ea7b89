// The log line about a changed host.

import Catalogue
import HTTP
import Testing

@testable import Hosting

struct HostChangeTests {
    private func site(_ tags: [String: String]) -> PreparedSite {
        PreparedSite(
            host: "a.example.com",
            answers: tags.map { path, tag in
                let form = Representation(
                    sharedFields: FieldLines(), contentType: "text/plain", bodyFields: FieldLines(), entityTag: tag,
                    content: .bytes([]))
                return (path, PreparedAnswer(kind: .page, identity: form))
            })
    }

    private static let apple = "/.well-known/apple-app-site-association"
    private static let root = "/apple-app-site-association"

    @Test(
        arguments: [
            (
                [:], [apple: "\"1234567890\"", root: "\"1234567890\""],
                "apple-app-site-association none -> \"12345678\""
            ),
            (
                [apple: "\"1234567890\"", "/": "\"1\""], [apple: "\"abcdefghij\"", "/": "\"1\""],
                "apple-app-site-association \"12345678\" -> \"abcdefgh\""
            ),
            (
                [apple: "\"1234567890\"", root: "\"1234567890\""], [apple: "\"1234567890\"", root: "\"abcdefghij\""],
                "/apple-app-site-association \"12345678\" -> \"abcdefgh\""
            ),
            (["/.well-known/x": ""], [:], "x untagged -> none"),
            (["/": "\"1\"", "/a": "\"2\""], ["/": "\"3\"", "/b": "\"2\""], "3 pages"),
            (["/": "\"1\""], ["/": "\"1\""], "the landing page"),
        ] as [([String: String], [String: String], String)])
    func `names documents with their ETags and counts pages`(
        before: [String: String], after: [String: String], text: String
    ) {
        let change = HostChange(host: "a.example.com", from: before, to: site(after))
        #expect("\(change)" == "a.example.com: \(text)")
        #expect(change.isOfAnswers == (before != after))
    }

    @Test func `says whether a host is new or removed`() {
        #expect("\(HostChange(host: "a.b", from: nil, to: site(["/": "\"1\""])))" == "a.b: new, 1 page")
        #expect("\(HostChange(host: "a.b", from: [:], to: nil))" == "a.b: no longer served")
    }
}
