// One tag among what people write.

import Testing

@testable import Verifier

struct MetaTagTests {
    @Test(
        arguments: [
            (
                #"<meta name="apple-itunes-app" content="app-id=1, app-argument=https://a/">"#,
                "app-id=1, app-argument=https://a/"
            ),
            ("<META CONTENT='app-id=1' NAME=Apple-iTunes-App/>", nil),
            ("<meta content='app-id=1' name=apple-itunes-app>", "app-id=1"),
            ("<meta\nname = 'apple-itunes-app'\ncontent = x>", "x"), ("<meta name='apple-itunes-app'>", ""),
            ("<metaname='apple-itunes-app' content='x'>", nil),
            ("<meta name='viewport' content='apple-itunes-app'>", nil),
            ("<meta name=", nil), ("<", nil), ("", nil), ("<meta =>", nil),
        ] as [(String, String?)])
    func `finds the tag`(page: String, content: String?) {
        #expect(MetaTag.content(named: "apple-itunes-app", in: Array(page.utf8)) == content)
    }
}
