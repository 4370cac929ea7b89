// Finding one meta tag in pages.

import TestSupport
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
            ("<meta name='viewport'><meta name='apple-itunes-app' content='x'", "x"),
            ("<meta name=x\n<meta content=y>", nil),
            ("<meta name=", nil), ("<", nil), ("", nil), ("<meta =>", nil),
        ] as [(String, String?)])
    func `finds the tag`(page: String, content: String?) {
        #expect(MetaTag.content(named: "apple-itunes-app", in: Array(page.utf8)) == content)
    }

    @Test(arguments: ["<meta ", "<meta a=", "<meta a='b'>", "<", "<meta a=\"", "<meta = "])
    func `takes the same time for any page of the same size`(part: String) {
        let page = Array(repeatElement(Array(part.utf8), count: 65_536 / part.utf8.count).joined())
        var content: String? = ""
        let time = processorTime { content = MetaTag.content(named: "apple-itunes-app", in: page) }
        #expect(content == nil)
        // Hundredths of a second in a debug build; quadratic time would be a minute.
        #expect(time < .seconds(2))
    }
}
