// Looking for an entity tag in a list.

import HTTP
import Testing

struct EntityTagListTests {
    private func matches(_ lines: String, _ comparison: EntityTagList.Comparison) throws -> Bool {
        let request = "GET / HTTP/1.1\r\nHost: a\r\n\(lines)\r\n"
        let head = try #require(parse(request).1)
        let bytes = octets(request)
        let tag = octets("\"x\"")
        return EntityTagList.matches(
            head.ifNoneMatch, named: "if-none-match", in: bytes.span, tag: tag.span, comparison)
    }

    @Test(arguments: [
        ("*", true, true), ("\"x\"", true, true), ("W/\"x\"", true, false), ("\"y\"", false, false),
        ("\"y\", \"x\"", true, true), ("\"y\",W/\"x\"", true, false), (",, \"x\" ,", true, true),
        ("\"y,\", \"x\"", true, true),
        ("\"xx\"", false, false), ("x", false, false), ("", false, false), ("\"x", false, false),
        ("w/\"x\"", false, false),
        ("\"y\" junk \"x\"", false, false), ("\"a\"\"x\"", true, true),
    ])
    func `compares strongly or weakly, depending on the field`(list: String, weak: Bool, strong: Bool) throws {
        #expect(try matches("If-None-Match: \(list)\r\n", .weak) == weak)
        #expect(try matches("If-None-Match: \(list)\r\n", .strong) == strong)
    }

    @Test func `reads a list in several lines of its field only`() throws {
        #expect(try matches("If-None-Match: \"y\"\r\nX: \"z\"\r\nIf-None-Match: \"x\"\r\n", .weak))
        #expect(try !matches("If-None-Match: \"y\"\r\nX: \"x\"\r\nIf-None-Match: \"z\"\r\n", .weak))
    }
}
