// The rule about plain words, against sentences with and without them.

import Testing

struct HouseRulePlainWordsTests {
    private func phrases(_ text: String, _ path: String = "A.md") -> [String] {
        HouseRule.plainWords.check(SourceFile(path: path, text)).map(\.description)
    }

    @Test(arguments: [
        ("The server waits for nobody.", "nobody"), ("Whoever asks gets it.", "whoever"),
        ("It is for those who run it.", "those who"), ("A pipe holds\nthose\nwho write.", "those who"),
        ("Mending it takes a day.", "mend"), ("It fails for want of memory.", "want of"),
        ("The old file is written over.", "over"),
        ("It waits `in vain`.", "in vain"),
    ])
    func `finds a word of the list in a document`(text: String, phrase: String) {
        let found = phrases(text)
        #expect(found.count == 1)
        #expect(found.first?.contains(phrase) == true)
        #expect(found.first?.contains("; write ") == true)
    }

    @Test(arguments: [
        "Run it as the user nobody.", "USER nobody", "Amend the commit.", "Those. Who is next?", "nobodies",
        "It was what we told them.", "It was written. Over there is another.",
    ])
    func `leaves other words alone`(text: String) {
        #expect(phrases(text).isEmpty)
    }

    @Test(arguments: [
        ("// for nobody", 1), ("let text = \"for nobody\"", 1), ("let text = \"a\\nnobody\"", 1),
        ("@Test func `nobody asks`() {}", 1), ("run(\"--user\", \"nobody\")", 0), ("let nobody = isNobody", 0),
    ])
    func `reads comments, literals and test names of source, not its code`(text: String, count: Int) {
        #expect(phrases(text, "Package.swift").count == count)
    }

    @Test func `names the line where a phrase begins`() {
        #expect(phrases("One.\nTwo whoever.").first?.hasPrefix("A.md:2: ") == true)
    }
}
