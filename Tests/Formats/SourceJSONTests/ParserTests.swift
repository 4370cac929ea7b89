// Mistakes in the structure: each is reported at its place, and reading continues where that makes sense.

import SourceJSON
import Testing

struct ParserTests {
    /// A text, its problems, and the value that is read.
    @Test(arguments: [
        // Commas.
        ("[1,2,]", ["trailingComma@1:5"], "[1,2]"), ("{\"a\":1,\n}", ["trailingComma@1:7"], #"{"a":1}"#),
        ("[1\n2]", ["missingComma@2:1"], "[1,2]"), ("[\"a\" \"b\"]", ["missingComma@1:6"], #"["a","b"]"#),
        ("[{}\n{}]", ["missingComma@2:1"], "[{},{}]"), ("[1 true]", ["missingComma@1:4"], "[1,true]"),
        ("{\"a\":1\n \"b\":2}", ["missingComma@2:2"], #"{"a":1,"b":2}"#), ("[1,,2]", ["extraComma@1:4"], "[1,2]"),
        ("[,]", ["extraComma@1:2"], "[]"), ("{,\"a\":1}", ["extraComma@1:2"], #"{"a":1}"#),
        ("[1;2]", ["wrongSeparator@1:3"], "[1,2]"),
        // Colons, keys and values.
        ("{\"a\" 1}", ["missingColon@1:6"], #"{"a":1}"#), ("{\"a\" = 1}", ["missingColon@1:6"], #"{"a":1}"#),
        ("{\"a\" => 1}", ["missingColon@1:6"], #"{"a":1}"#), ("{\"a\"}", ["missingValue@1:5"], #"{"a":null}"#),
        ("{\"a\":}", ["missingValue@1:6"], #"{"a":null}"#),
        ("{\"a\":,\"b\":1}", ["missingValue@1:6"], #"{"a":null,"b":1}"#), ("{:1}", ["missingKey@1:2"], "none"),
        ("{\"a\":1,{}}", ["missingKey@1:8"], "none"),
        ("{\"q\": [\"a\": 1, \"b\": 2]}", ["memberInArray@1:11"], #"{"q":{"a":1,"b":2}}"#),
        ("[1, \"a\": 2]", ["memberInArray@1:8"], "none"),
        // Brackets.
        ("[{\"a\":1}\n}]", ["mismatchedBracket@2:1"], #"[{"a":1}]"#), ("{\"a\":[1}", ["mismatchedBracket@1:8"], "none"),
        ("[1}", ["mismatchedBracket@1:3"], "none"), ("]", ["mismatchedBracket@1:1"], "none"),
        ("{}}", ["mismatchedBracket@1:3"], "{}"), ("\"applinks\": {}", ["missingBraces@1:11"], "none"),
        ("applinks: {}", ["missingBraces@1:1"], "none"),
        // A bracket twice.
        (#"{"a":[1]],"b":2}"#, ["mismatchedBracket@1:9"], #"{"a":[1],"b":2}"#),
        (#"{"a":[1] ],"b":2}"#, ["mismatchedBracket@1:10"], "none"),
        (#"{"a":{}},"b":2}"#, ["mismatchedBracket@1:8"], #"{"a":{},"b":2}"#),
        (#"{"a":{}}, {}"#, ["trailingContent@1:9"], #"{"a":{}}"#),
        (#"{"a":{}},"#, ["trailingContent@1:9"], #"{"a":{}}"#),
        (#"{"a":[[1],"b":2}"#, ["mismatchedBracket@1:6"], #"{"a":[1],"b":2}"#),
        (#"{"a":[[1],2,"b":2}"#, ["memberInArray@1:16"], "none"),
        (#"{"a":[ [1],"b":2}"#, ["memberInArray@1:15"], "none"),
        (#"{"a":[[1]}"#, ["mismatchedBracket@1:6"], #"{"a":[1]}"#), ("[[1}", ["mismatchedBracket@1:4"], "none"),
        (#"{"a":{{"b":1},"c":2}"#, ["mismatchedBracket@1:7"], #"{"a":{"b":1},"c":2}"#),
        (#"{"a":{{"b":1}},"c":2}"#, ["mismatchedBracket@1:7"], #"{"a":{"b":1},"c":2}"#),
        (#"{"a":{{"b":1}}"#, ["mismatchedBracket@1:7"], #"{"a":{"b":1}}"#),
        (#"{"a":{{"b"}}}"#, ["templatePlaceholder@1:6"], #"{"a":"{{\"b\"}}"}"#),
        // Ends.
        ("{\"a\":[1\n", ["truncated@2:1"], #"{"a":[1]}"#), ("[", ["truncated@1:2"], "none"),
        ("{\"a\":1,", ["truncated@1:8"], "none"), ("{\"a\":", ["truncated@1:6"], "none"),
        ("{\"a\"", ["truncated@1:5"], "none"), ("[\"a", ["truncated@1:4"], "none"),
        ("[] []", ["trailingContent@1:4"], "[]"), ("{}\n;", ["trailingContent@2:1"], "{}"),
        // Text that stands for something else.
        ("[1, ...]", ["ellipsis@1:5"], "[1]"),
        ("{\"a\": ..., ...}", ["ellipsis@1:7", "ellipsis@1:12"], #"{"a":null}"#), ("[..., 1]", ["ellipsis@1:2"], "[1]"),
        ("...", ["ellipsis@1:1"], "none"),
        ("{\n<<<<<<< HEAD\n\"a\":1\n=======\n\"a\":2\n>>>>>>> b\n}", ["conflictMarker@2:1"], "none"),
        ("{\"a\":1\n=======\n}", ["conflictMarker@2:1"], "none"),
        ("[1,\n<<<<<<< HEAD\n]", ["conflictMarker@2:1"], "none"),
        ("{}\n>>>>>>> main\n", ["conflictMarker@2:1"], "none"),
        // Without an explanation.
        ("{\"a\": 1 @}", ["unexpectedCharacter@1:9"], "none"),
        ("{\"a\": [] S}", ["unexpectedCharacter@1:10"], "none"),
        ("@", ["unexpectedCharacter@1:1"], "none"),
        ("{(}", ["unexpectedCharacter@1:2"], "none"),
    ])
    func `reports a mistake in the structure and continues after it`(text: String, expected: [String], left: String) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
        #expect(!read(text).isAcceptable)
    }

    /// In JSON5, where a key needs no quotation marks, it was read as an element first.
    @Test(arguments: [
        ("{ a: [[1],\n b: 2 }", "'[' twice where one is meant", "{ a: [1],\n b: 2 }"),
        ("{ a: [1]],\n b: 2 }", "']' without an opening bracket", "{ a: [1],\n b: 2 }"),
        ("{ a: {{ b: 1 },\n c: 2 }", "'{' twice where one is meant", "{ a: { b: 1 },\n c: 2 }"),
        ("{ a: { b: 1 }},\n c: 2 }", "'}' without an opening bracket", "{ a: { b: 1 },\n c: 2 }"),
        ("{ a: [[{ b: 1 }],\n}", "'[' twice where one is meant", "{ a: [{ b: 1 }],\n}"),
    ])
    func `a doubled bracket is one problem, and its fix is to remove it`(text: String, message: String, fixed: String) {
        let document = SourceReader.read(Array(text.utf8), as: .json5)
        #expect(document.problems.map(\.message) == [message])
        #expect(
            SourceEdit.apply(document.problems.compactMap(\.edit), to: Array(text.utf8)).text.elementsEqual(fixed.utf8))
    }

    @Test func `reports which bracket is not closed`() throws {
        let problem = try #require(read("{\n  \"a\": [1,\n    2").problems.first)
        #expect(problem.related?.start == SourcePosition(line: 2, column: 8, offset: 9))
        #expect(problem.message == "the text ends in the array that begins at line 2, column 8")
        #expect(problem.edit?.replacement == "]}")
    }

    @Test func `reports where the value before a missing comma ends`() throws {
        let problem = try #require(read("{\n  \"a\": {}\n  \"b\": 1 }").problems.first)
        #expect(problem.range.start.line == 3)
        #expect(problem.related?.end == SourcePosition(line: 2, column: 10, offset: 11))
        #expect(problem.fix == "add a comma at line 2, column 10")
    }

    @Test func `reports where a duplicate key occurs first`() throws {
        let problem = try #require(read("{\"a\":1,\n\"b\":2,\n\"a\":3}").problems.first)
        #expect(problem.range.start.line == 3)
        #expect(problem.related?.start.line == 1)
        #expect(!problem.isError)
    }

    @Test(arguments: [
        "[1,2,]", "{\"a\":1,}", "[1 2]", "[1\n2]", "[1,,2]", "[1;2]", "{\"a\" 1}", "{\"a\"=1}", "{\"a\" => 1}",
        "[[1]}]", "{}}",
        "{\"a\":[1", "// a\n1", "[1/**/]", "# a\n1", "{a:1}", "{'a':'b'}", "{“a”:‘b’}", "{\"a”:“b\"}", "[`a`]",
        "[\"\"a\"]",
        "[\"a\"\", 1]", "[\"a,\n1]", "[\"a\nb\"]", "[\"\t\"]", #"["\x41\v\'"]"#, "[\"a\\\nb\"]", "[+1,.5,5.,0x1F,007]",
        "[NaN]",
        "[True,None,FALSE,undefined]", "[a.b, c:d]", "{a-b:1}", "[paths\"]", "\u{A0}[\u{200B}1]", "{1a:2}",
        "[14:6D:E9]",
    ])
    func `the suggested edits make the text acceptable`(text: String) {
        let document = read(text)
        #expect(!document.isAcceptable)
        let text = fixed(document)
        #expect(read(text).isAcceptable, "\(text): \(problems(text))")
    }

    @Test(arguments: [
        ("{\"a\": {{x}}}", #"{"a":"{{x}}"}"#), ("[<%= y %>]", #"["<%= y %>"]"#), ("[${z}]", #"["${z}"]"#),
        ("[$(z)]", #"["$(z)"]"#), ("{% if a %}", #""{% if a %}""#), ("[<TeamID>]", #"["<TeamID>"]"#),
        ("{{{k}}: 1}", #"{"{{k}}":1}"#), ("[{{{k}}}]", #"["{{{k}}}"]"#),
        ("{ {% if a %} \"b\": 1 {% end %} }", #"{"b":1}"#),
    ])
    func `reports a template placeholder and keeps its text`(text: String, left: String) {
        #expect(read(text).problems.first?.kind == .templatePlaceholder)
        #expect(value(text) == left)
    }
}
