// Breakages of structure: each is named, stands where it is, and is read past if that makes sense.

import SourceJSON
import Testing

struct ParserTests {
    /// A text, what is wrong with it, and the value that is left of it.
    @Test(arguments: [
        // Commas.
        ("[1,2,]", ["trailing-comma@1:5"], "[1,2]"),
        ("{\"a\":1,\n}", ["trailing-comma@1:7"], #"{"a":1}"#),
        ("[1\n2]", ["missing-comma@2:1"], "[1,2]"),
        ("[\"a\" \"b\"]", ["missing-comma@1:6"], #"["a","b"]"#),
        ("[{}\n{}]", ["missing-comma@2:1"], "[{},{}]"),
        ("[1 true]", ["missing-comma@1:4"], "[1,true]"),
        ("{\"a\":1\n \"b\":2}", ["missing-comma@2:2"], #"{"a":1,"b":2}"#),
        ("[1,,2]", ["extra-comma@1:4"], "[1,2]"),
        ("[,]", ["extra-comma@1:2"], "[]"),
        ("{,\"a\":1}", ["extra-comma@1:2"], #"{"a":1}"#),
        ("[1;2]", ["wrong-separator@1:3"], "[1,2]"),
        // Colons, keys and values.
        ("{\"a\" 1}", ["missing-colon@1:6"], #"{"a":1}"#),
        ("{\"a\" = 1}", ["missing-colon@1:6"], #"{"a":1}"#),
        ("{\"a\" => 1}", ["missing-colon@1:6"], #"{"a":1}"#),
        ("{\"a\"}", ["missing-value@1:5"], #"{"a":null}"#),
        ("{\"a\":}", ["missing-value@1:6"], #"{"a":null}"#),
        ("{\"a\":,\"b\":1}", ["missing-value@1:6"], #"{"a":null,"b":1}"#),
        ("{:1}", ["missing-key@1:2"], "none"),
        ("{\"a\":1,{}}", ["missing-key@1:8"], "none"),
        ("{\"q\": [\"a\": 1, \"b\": 2]}", ["member-in-array@1:11"], #"{"q":{"a":1,"b":2}}"#),
        ("[1, \"a\": 2]", ["member-in-array@1:8"], "none"),
        // Brackets.
        ("[{\"a\":1}\n}]", ["mismatched-bracket@2:1"], #"[{"a":1}]"#),
        ("{\"a\":[1}", ["mismatched-bracket@1:8"], "none"),
        ("[1}", ["mismatched-bracket@1:3"], "none"),
        ("]", ["mismatched-bracket@1:1"], "none"),
        ("{}}", ["mismatched-bracket@1:3"], "{}"),
        ("\"applinks\": {}", ["missing-braces@1:11"], "none"),
        ("applinks: {}", ["missing-braces@1:1"], "none"),
        // Ends.
        ("{\"a\":[1\n", ["truncated@2:1"], #"{"a":[1]}"#),
        ("[", ["truncated@1:2"], "none"),
        ("{\"a\":1,", ["truncated@1:8"], "none"),
        ("{\"a\":", ["truncated@1:6"], "none"),
        ("{\"a\"", ["truncated@1:5"], "none"),
        ("[\"a", ["truncated@1:4"], "none"),
        ("[] []", ["trailing-content@1:4"], "[]"),
        ("{}\n;", ["trailing-content@2:1"], "{}"),
        // Text that stands for something else.
        ("[1, ...]", ["ellipsis@1:5"], "[1]"),
        ("{\"a\": ..., ...}", ["ellipsis@1:7", "ellipsis@1:12"], #"{"a":null}"#),
        ("[..., 1]", ["ellipsis@1:2"], "[1]"),
        ("...", ["ellipsis@1:1"], "none"),
        ("{\n<<<<<<< HEAD\n\"a\":1\n=======\n\"a\":2\n>>>>>>> b\n}", ["conflict-marker@2:1"], "none"),
        ("{\"a\":1\n=======\n}", ["conflict-marker@2:1"], "none"),
        ("[1,\n<<<<<<< HEAD\n]", ["conflict-marker@2:1"], "none"),
        ("{}\n>>>>>>> main\n", ["conflict-marker@2:1"], "none"),
        // What nothing explains.
        ("{\"a\": 1 @}", ["unexpected-character@1:9"], "none"),
        ("{\"a\": [] S}", ["unexpected-character@1:10"], "none"),
        ("@", ["unexpected-character@1:1"], "none"),
        ("{(}", ["unexpected-character@1:2"], "none"),
    ])
    func `names a breakage and reads past it`(text: String, expected: [String], left: String) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
        #expect(!read(text).isAcceptable)
    }

    @Test func `says which bracket was never closed`() throws {
        let problem = try #require(read("{\n  \"a\": [1,\n    2").problems.first)
        #expect(problem.related?.start == SourcePosition(line: 2, column: 8, offset: 9))
        #expect(problem.message == "the text ends inside the array opened at line 2, column 8")
        #expect(problem.edit?.replacement == "]}")
    }

    @Test func `says where the value before a missing comma ends`() throws {
        let problem = try #require(read("{\n  \"a\": {}\n  \"b\": 1 }").problems.first)
        #expect(problem.range.start.line == 3)
        #expect(problem.related?.end == SourcePosition(line: 2, column: 10, offset: 11))
        #expect(problem.fix == "add a comma at line 2, column 10")
    }

    @Test func `says where a duplicate key came first`() throws {
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
    func `the edits it suggests make it acceptable`(text: String) {
        let document = read(text)
        #expect(!document.isAcceptable)
        let text = mended(document)
        #expect(read(text).isAcceptable, "\(text): \(problems(text))")
    }

    @Test(arguments: [
        ("{\"a\": {{x}}}", #"{"a":"{{x}}"}"#), ("[<%= y %>]", #"["<%= y %>"]"#), ("[${z}]", #"["${z}"]"#),
        ("[$(z)]", #"["$(z)"]"#), ("{% if a %}", #""{% if a %}""#), ("[<TeamID>]", #"["<TeamID>"]"#),
        ("{{{k}}: 1}", #"{"{{k}}":1}"#), ("[{{{k}}}]", #"["{{{k}}}"]"#),
        ("{ {% if a %} \"b\": 1 {% end %} }", #"{"b":1}"#),
    ])
    func `names a template placeholder, which stands for its own text`(text: String, left: String) {
        #expect(read(text).problems.first?.kind == .templatePlaceholder)
        #expect(value(text) == left)
    }
}
