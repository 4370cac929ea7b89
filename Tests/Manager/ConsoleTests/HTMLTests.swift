import Testing

@testable import Console

struct HTMLTests {
    /// Texts that would be something else if they were not escaped.
    static let hostile = [
        "<script>alert(1)</script>", "\"><img src=x onerror=alert(1)>", "' autofocus onfocus='alert(1)", "&lt;b&gt;",
        "</textarea><script>", "javascript:alert(1)", "\u{202E}moc.elpmaxe", "a\u{0}b\u{1B}[31m", "{{7*7}}",
        "../../etc/passwd",
    ]

    @Test(arguments: hostile)
    func `escapes a text wherever it stands`(text: String) {
        for html in ["<p title=\"\(text)\">\(text)</p>", "<input value='\(exactly: text)'>"] as [HTML] {
            let inner = html.text.dropFirst().dropLast()
            #expect(html.text.filter { $0 == "<" }.count == (html.text.hasPrefix("<p") ? 2 : 1))
            #expect(!inner.contains("\u{0}") || html.text.hasPrefix("<input"))
            #expect(!inner.contains("onerror=alert(1)>"))
        }
        let quoted: HTML = "\(text)"
        #expect(!quoted.text.contains { "<>\"'".contains($0) })
        #expect(!quoted.text.unicodeScalars.contains { $0 == "\u{202E}" || $0 == "\u{1B}" || $0 == "\u{0}" })
    }

    @Test func `keeps markup that the program wrote, and nothing else`() {
        let part: HTML = "<b>\("<i>")</b>"
        let whole: HTML = "<p\("hidden", if: true)\("open", if: false)>\(part)\([part, part])\(HTML?.none)\(7)</p>"
        #expect(whole.text == "<p hidden>\(String(repeating: "<b>&lt;i&gt;</b>", count: 3))7</p>")
    }

    @Test(arguments: [
        (["hosts", "shop.example.com"], "/hosts/shop.example.com"), ([""], "/"),
        (["hosts", "*.example.com"], "/hosts/*.example.com"),
        (["a/b", "..", "ü?#&=\""], "/a%2Fb/%2E%2E/%C3%BC%3F%23%26%3D%22"), (["", "evil.example"], "//evil.example"),
    ])
    func `encodes each part of a path`(parts: [String], expected: String) {
        let made =
            parts.count == 1
            ? path(parts[0]) : parts.count == 2 ? path(parts[0], parts[1]) : path(parts[0], parts[1], parts[2])
        #expect(made == expected)
        #expect(path("hosts", query: ["prefix": "a&b=c\"", "after": ""]) == "/hosts?prefix=a%26b%3Dc%22")
    }

    @Test(arguments: [
        "{\"a\": \"b\"} // c", "'unfinished", "/* open", "{ a: 'x\\'y' }", "\"\\", "<script>\"</script>", "",
    ])
    func `highlighting keeps every character`(text: String) {
        let tags = /<[^>]*>/
        let plain = highlighted(text).text.replacing(tags, with: "")
            .replacing("&lt;", with: "<").replacing("&gt;", with: ">").replacing("&quot;", with: "\"")
            .replacing("&#39;", with: "'").replacing("&amp;", with: "&")
        #expect(plain == text)
    }
}
