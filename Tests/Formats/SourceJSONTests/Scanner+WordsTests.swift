// Words of other languages.

import SourceJSON
import Testing

struct ScannerWordsTests {
    @Test(arguments: [
        ("[True,False,None]", ["pythonLiteral@1:2", "pythonLiteral@1:7", "pythonLiteral@1:13"], "[true,false,null]"),
        ("[TRUE,Null]", ["wrongCaseLiteral@1:2", "wrongCaseLiteral@1:7"], "[true,null]"),
        ("[undefined]", ["undefined@1:2"], "[null]"), ("TRUE", ["wrongCaseLiteral@1:1"], "true"),
        ("[nil]", ["unquotedString@1:2"], #"["nil"]"#), ("[truely]", ["unquotedString@1:2"], #"["truely"]"#),
    ])
    func `reports a literal that JSON does not have`(text: String, expected: [String], left: String) {
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
    func `recognises a text that is not JSON by its first word`(text: String, kind: SourceProblemKind) {
        let document = read(text)
        #expect(document.problems.map(\.kind) == [kind])
        #expect(document.value == nil)
    }
}
