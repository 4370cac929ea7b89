// Looking into values, and making them.

import SourceJSON
import Testing

struct SourceValueTests {
    @Test func `finds members by key`() throws {
        let value = try #require(read("{\"a\":1,\"b\":[],\"a\":2,\"e\u{301}\":3}").value)
        #expect(value.member(named: "a")?.asInt == 1)
        #expect(value.members(named: "a").map(\.value.asInt) == [1, 2])
        #expect(value.member(named: "c") == nil)
        #expect(value.member(named: "é") == nil)
        #expect(SourceValue.null.member(named: "a") == nil)
        #expect(SourceValue.array([]).members(named: "a").isEmpty)
    }

    @Test(arguments: [
        ("null", "null"), ("true", "boolean"), ("1", "number"), ("\"a\"", "string"), ("[]", "array"), ("{}", "object"),
    ])
    func `is what it is, and nothing else`(text: String, name: String) throws {
        let value = try #require(read(text).value)
        #expect(value.kindName == name)
        #expect(value.isNull == (name == "null"))
        #expect((value.asBool != nil) == (name == "boolean"))
        #expect((value.asNumber != nil) == (name == "number"))
        #expect((value.asInt != nil) == (name == "number"))
        #expect((value.asString != nil) == (name == "string"))
        #expect((value.asArray != nil) == (name == "array"))
        #expect((value.asObject != nil) == (name == "object"))
    }

    @Test func `values can be made without a text`() {
        let value = SourceValue.object([("a", .array([.string("b"), .bool(true), .integer(-1), .null]))])
        #expect(minified(value) == #"{"a":["b",true,-1,null]}"#)
        #expect(value.range.isEmpty)
    }
}
