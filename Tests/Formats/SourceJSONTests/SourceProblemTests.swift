// The words for problems: every kind has a message, in the form of findings.

import SourceJSON
import Testing

struct SourceProblemTests {
    /// A text for each kind of problem.
    private static let examples: [(SourceProblemKind, [UInt8])] =
        [
            (.otherEncoding, [0xFF, 0xFE, 0x31, 0x00]), (.byteOrderMark, [0xEF, 0xBB, 0xBF, 0x31]),
            (.invalidEncoding, [0x22, 0xFF, 0x22]), (.compressed, [0x1F, 0x8B, 0x08]),
        ]
        + [
            (.empty, ""), (.html, "<html>"), (.xml, "<?xml?>"), (.signedMessage, "-----BEGIN CMS-----"),
            (.pem, "-----BEGIN X-----"), (.httpResponse, "HTTP/1.0 200"), (.javaScript, "var a"), (.plainText, "Hello"),
            (.comment, "1//"), (.hashComment, "1#"), (.unterminatedComment, "/*"), (.otherWhiteSpace, "1\u{A0}"),
            (.invisibleCharacter, "1\u{AD}"), (.conflictMarker, "<<<<<<<"), (.templatePlaceholder, "[${a}]"),
            (.ellipsis, "[...]"), (.unexpectedCharacter, "[@]"), (.trailingComma, "[1,]"), (.missingComma, "[1 1]"),
            (.extraComma, "[,]"), (.wrongSeparator, "[1;1]"), (.missingColon, "{\"a\" 1}"), (.missingKey, "{:"),
            (.missingValue, "{\"a\"}"), (.memberInArray, "[\"a\":1]"), (.mismatchedBracket, "[}"),
            (.missingBraces, "\"a\":1"), (.truncated, "[1"), (.trailingContent, "1 1"),
            (.duplicateKey, "{\"a\":1,\"a\":1}"), (.singleQuotes, "['a']"), (.smartQuotes, "[“a”]"),
            (.backtickQuotes, "[`a`]"), (.doubledQuote, "[\"\"a\"]"), (.unescapedQuote, "[\"a\"b\"]"),
            (.unquotedKey, "{a:1}"), (.invalidKey, "{a-b:1}"), (.unquotedString, "[a]"),
            (.unterminatedString, "[\"a\n]"), (.lineBreakInString, "[\"a\nb\"]"), (.controlCharacter, "[\"\t\"]"),
            (.lineContinuation, "[\"\\\n\"]"), (.javaScriptEscape, "[\"\\v\"]"), (.unknownEscape, "[\"\\d\"]"),
            (.invalidEscape, "[\"\\u\"]"), (.loneSurrogate, "[\"\\ud800\"]"), (.hexadecimalNumber, "[0x1]"),
            (.leadingZero, "[01]"), (.plusSign, "[+1]"), (.bareDecimalPoint, "[.1]"), (.infinityOrNaN, "[NaN]"),
            (.malformedNumber, "[1.2.3]"), (.pythonLiteral, "[None]"), (.wrongCaseLiteral, "[TRUE]"),
            (.undefined, "[undefined]"), (.numberTooLong, String(repeating: "1", count: 1_001)),
            (.tooDeep, String(repeating: "[", count: 513)), (.tooManyProblems, String(repeating: "[,", count: 200)),
        ].map { (kind: SourceProblemKind, text: String) in (kind, Array(text.utf8)) }

    @Test func `every kind has an example here, except the slow ones`() {
        let rest = Set(SourceProblemKind.allCases).subtracting(Self.examples.map(\.0))
        #expect(rest == [.tooLarge, .tooManyValues])
    }

    @Test(arguments: SourceProblemTests.examples)
    func `has a message and a fix in the form of findings`(kind: SourceProblemKind, bytes: [UInt8]) throws {
        let problem = try #require(SourceReader.read(bytes, as: .json).problems.first { $0.kind == kind })
        for words in [problem.message, problem.fix ?? "none"] {
            #expect(!words.isEmpty && !words.hasSuffix("."))
            #expect(!words.contains("  ") && !words.contains("''") && !words.contains("\n"))
            let first = try #require(words.unicodeScalars.first)
            #expect(
                !("A"..."Z").contains(first) || words.hasPrefix("JSON") || problem.message.hasPrefix(problem.subject))
        }
        #expect(problem.isError == ![.byteOrderMark, .duplicateKey, .loneSurrogate].contains(kind))
    }

    @Test func `a message has no control characters and is cut`() throws {
        let problem = try #require(
            read("['\u{1B}]0;\u{7}\u{202E}" + String(repeating: "é", count: 1_000) + "']").problems.first)
        #expect(problem.kind == .singleQuotes)
        #expect(problem.subject.unicodeScalars.count == 41)
        #expect(problem.message.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x202E })
    }
}
