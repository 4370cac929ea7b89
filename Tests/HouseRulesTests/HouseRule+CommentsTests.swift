// Opening comments, promises and banners.

import Testing

struct HouseRuleCommentsTests {
    @Test(arguments: [
        "import Glibc\n", "\n// Too late, whatever this says.\n", "// HTTP\n", "/// Documents a type below.\n",
    ])
    func `refuses a file that does not introduce itself`(text: String) {
        #expect(HouseRule.openingComment.check(SourceFile(path: "Sources/Formats/HTTP/A.swift", text)).count == 1)
    }

    @Test func `accepts a file that does`() {
        let file = SourceFile(path: "Sources/Formats/HTTP/A.swift", "// Reads the request line, and no more.\n")
        #expect(HouseRule.openingComment.check(file).isEmpty)
        #expect(
            HouseRule.openingComment.check(SourceFile(path: "Tests/Formats/HTTPTests/A.swift", "import HTTP\n")).isEmpty
        )
    }

    @Test(arguments: ["TODO", "FIXME", "XXX", "HACK"])
    func `refuses a promise in a comment`(mark: String) {
        let file = SourceFile(path: "Sources/Formats/HTTP/A.swift", "a()  // \(mark): later")
        #expect(HouseRule.marks.check(file).count == 1)
        let literal = SourceFile(path: "Sources/Formats/HTTP/A.swift", "a(\"\(mark)\")")
        #expect(HouseRule.marks.check(literal).isEmpty)
    }

    @Test(arguments: ["// MARK: - Helpers", "// ------------", "// ====", "//////////"])
    func `refuses a banner`(line: String) {
        #expect(HouseRule.banners.check(SourceFile(path: "Sources/Formats/HTTP/A.swift", line)).count == 1)
    }

    @Test(arguments: ["// RFC 9112 §6.3", "//", "// …", "/// - Parameter x: what"])
    func `takes prose for prose`(line: String) {
        #expect(HouseRule.banners.check(SourceFile(path: "Sources/Formats/HTTP/A.swift", line)).isEmpty)
    }
}
