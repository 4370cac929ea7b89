// Words of other languages.

import SourceJSON
import Testing

struct ScannerWordsTests {
    @Test(arguments: [
        (
            "[True,False,None]", ["python-literal@1:2", "python-literal@1:7", "python-literal@1:13"],
            "[true,false,null]"
        ),
        ("[TRUE,Null]", ["wrong-case-literal@1:2", "wrong-case-literal@1:7"], "[true,null]"),
        ("[undefined]", ["undefined@1:2"], "[null]"), ("TRUE", ["wrong-case-literal@1:1"], "true"),
        ("[nil]", ["unquoted-string@1:2"], #"["nil"]"#), ("[truely]", ["unquoted-string@1:2"], #"["truely"]"#),
    ])
    func `names a literal that JSON has not`(text: String, expected: [String], left: String) {
        #expect(problems(text) == expected)
        #expect(value(text) == left)
    }

    @Test(arguments: [
        ("module.exports = {}", SourceProblemKind.javaScript), ("var a = {};", .javaScript),
        ("callback({})", .javaScript),
        ("export default {}", .javaScript), ("Not Found", .plainText), ("404: Not Found", .plainText),
        ("ok", .plainText),
        ("applinks:\n  details: []", .missingBraces),
    ])
    func `names a text that is no JSON from its first word`(text: String, kind: SourceProblemKind) {
        let document = read(text)
        #expect(document.problems.map(\.kind) == [kind])
        #expect(document.value == nil)
    }
}
