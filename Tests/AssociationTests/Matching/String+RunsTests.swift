// A combining mark hides nothing from a search by bytes.

import Testing

@testable import Association

@Suite struct StringRunsTests {
    @Test func `finds what a combining mark follows`() {
        #expect("/\u{301}x".begins(with: "/"))
        #expect("a$(\u{301}".contains(run: "$("))
        #expect("a**\u{301}".contains(run: "**"))
        #expect("\u{600}/*".ends(with: "/*"))
    }

    @Test func `finds no other spelling`() {
        #expect(!"e\u{301}x".begins(with: "é"))
        #expect(!"xé".ends(with: "e\u{301}"))
        #expect(!"xéx".contains(run: "e\u{301}"))
        #expect(!"\u{212A}".contains(run: "K"))
    }

    @Test func `finds a run that begins again within itself`() {
        #expect("aab".contains(run: "ab"))
        #expect(!"aaa".contains(run: "ab"))
        #expect("".contains(run: "") && "a".begins(with: "") && !"".begins(with: "a") && !"a".ends(with: "ba"))
    }

    @Test func `drops bytes at either end`() {
        #expect("\u{600}/*".dropping(lastBytes: 2).unicodeScalars.elementsEqual(["\u{600}"]))
        #expect("NOT \u{301}/x".dropping(firstBytes: 4).unicodeScalars.elementsEqual(["\u{301}", "/", "x"]))
    }
}
