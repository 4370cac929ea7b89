// Values: access and construction.

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
    func `has exactly one type`(text: String, name: String) throws {
        let value = try #require(read(text).value)
        let isNull = if case .null = value.kind { true } else { false }
        #expect(isNull == (name == "null"))
        #expect((value.asBool != nil) == (name == "boolean"))
        #expect((value.asNumber != nil) == (name == "number"))
        #expect((value.asInt != nil) == (name == "number"))
        #expect((value.asString != nil) == (name == "string"))
        #expect((value.asArray != nil) == (name == "array"))
        #expect((value.asObject != nil) == (name == "object"))
    }

    @Test(arguments: ["", (0..<20).map { "\"k\($0)\":0," }.joined()])
    func `keeps the last value of each key in the place of the first`(others: String) throws {
        let text = "{" + others + "\"a\":1,\"é\":2,\"a\":3,\"e\u{301}\":4,\"k0\":5,\"a\":6}"
        let members = try #require(read(text).value?.asObject).withLastOfEachKey
        let mine = members.filter { !$0.key.hasPrefix("k") }
        #expect(mine.map(\.value.asInt) == [6, 2, 4])
        #expect(members.filter { $0.key == "k0" }.map(\.value.asInt) == [5])
    }

    @Test func `values can be made without a text`() {
        let value = SourceValue.object([("a", .array([.string("b"), .bool(true), .integer(-1), .null]))])
        #expect(minified(value) == #"{"a":["b",true,-1,null]}"#)
        #expect(value.range.isEmpty)
    }
}
