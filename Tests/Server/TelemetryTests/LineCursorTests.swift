// Clients' text in a line: any bytes become one JSON string without side effects.

import SourceJSON
import Testing

@testable import Telemetry

struct LineCursorTests {
    private static func written(_ body: (inout LineCursor) -> Void) -> [UInt8] {
        withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 8) { memory in
            var cursor = LineCursor(memory.baseAddress!, byteCount: memory.count)
            body(&cursor)
            return Array(memory[..<(UnsafeMutableRawPointer(cursor.next) - memory.baseAddress!)])
        }
    }

    private static func json(_ bytes: [UInt8], bytesMax: Int = 32_768) -> [UInt8] {
        bytes.withUnsafeBytes { source in written { $0.put(json: source, bytesMax: bytesMax) } }
    }

    private static func combined(_ bytes: [UInt8], bytesMax: Int = 32_768) -> [UInt8] {
        bytes.withUnsafeBytes { source in written { $0.put(combined: source, bytesMax: bytesMax) } }
    }

    /// The strings that a strict reader gets, all of them in one array.
    private static func read(_ strings: [[UInt8]]) throws -> [String] {
        let inside = strings.map { [UInt8(ascii: "\"")] + json($0) + [UInt8(ascii: "\"")] }
        let document = SourceReader.read(
            Array("[".utf8) + inside.joined(separator: [UInt8(ascii: ",")]) + Array("]".utf8), as: .json)
        #expect(document.problems.isEmpty)
        guard case .array(let elements) = try #require(document.value).kind else { return [] }
        return elements.compactMap(\.asString)
    }

    /// Characters that must never be in a log: controls, delete, line ends, and those that turn or hide text.
    private static func isSafe(_ bytes: [UInt8]) -> Bool {
        String(validating: bytes, as: UTF8.self)?.unicodeScalars.allSatisfy { scalar in
            scalar.properties.generalCategory != .control && scalar.properties.generalCategory != .format
                && scalar.properties.generalCategory != .lineSeparator
                && scalar.properties.generalCategory != .paragraphSeparator || scalar.value == 0xAD
                || scalar.value > 0xFFFF || (0x600...0x605).contains(scalar.value)
                || [0x6DD, 0x70F, 0x890, 0x891, 0x8E2, 0x180E, 0xFFF9, 0xFFFA, 0xFFFB].contains(scalar.value)
        } ?? false
    }

    @Test func `every byte is decoded as other readers decode it`() throws {
        let strings = (0...255).map { [UInt8($0)] }
        #expect(try LineCursorTests.read(strings) == strings.map { String(decoding: $0, as: UTF8.self) })
        for string in strings { #expect(LineCursorTests.isSafe(LineCursorTests.json(string))) }
    }

    @Test func `every pair of bytes is decoded, wherever it is`() throws {
        for first in 0...255 {
            let strings = (0...255).map { second in
                Array(repeating: UInt8(ascii: "a"), count: second % 11) + [UInt8(first), UInt8(second)]
                    + Array(repeating: UInt8(ascii: "z"), count: first % 10)
            }
            #expect(try LineCursorTests.read(strings) == strings.map { String(decoding: $0, as: UTF8.self) })
        }
    }

    @Test func `decodes long runs of difficult bytes`() throws {
        var generator = SystemRandomNumberGenerator()
        let difficult: [UInt8] = [
            0, 0x0A, 0x0D, 0x1B, 0x22, 0x5C, 0x7F, 0x80, 0x9B, 0xBF, 0xC0, 0xC2, 0xE0, 0xE2, 0xED, 0xEF, 0xF0, 0xF4,
            0xF5, 0xFF, 0xA0, 0xA8, 0x90, 0x8F, 0x20, 0x61, 0x30, 0xBB,
        ]
        for _ in 0..<40 {
            let strings = (0..<50).map { _ in
                (0..<Int.random(in: 0..<40, using: &generator)).map { _ in
                    difficult.randomElement(using: &generator) ?? 0
                }
            }
            #expect(try LineCursorTests.read(strings) == strings.map { String(decoding: $0, as: UTF8.self) })
            for string in strings { #expect(LineCursorTests.isSafe(LineCursorTests.json(string)), "\(string)") }
        }
    }

    @Test func `every character is decoded, and no control character reaches a terminal`() throws {
        let scalars = (0x80...0xFFFF).compactMap(Unicode.Scalar.init)
        let strings = scalars.map { Array(String($0).utf8) }
        #expect(try LineCursorTests.read(strings) == scalars.map { String($0) })
        for (scalar, string) in zip(scalars, strings) where !LineCursorTests.isSafe(LineCursorTests.json(string)) {
            Issue.record("U+\(String(scalar.value, radix: 16)) is written as it is")
        }
    }

    @Test(arguments: [
        ("\"", "\\\""), ("\\", "\\\\"), ("\n", "\\n"), ("\r", "\\r"), ("\t", "\\t"), ("\u{1B}[2J", "\\u001b[2J"),
        ("\u{7F}", "\\u007f"), ("\u{9B}", "\\u009b"), ("\u{2028}", "\\u2028"), ("\u{202E}", "\\u202e"), ("é", "é"),
        ("\u{0}", "\\u0000"), ("日本", "日本"), ("😀", "😀"), ("</script>", "</script>"), ("", ""),
    ])
    func `escapes JSON like this`(text: String, expected: String) {
        #expect(String(decoding: LineCursorTests.json(Array(text.utf8)), as: UTF8.self) == expected)
    }

    @Test func `writes visible ASCII for every byte in the combined format`() {
        for byte in UInt8.min...UInt8.max {
            let isPlain = (0x20..<0x7F).contains(byte) && byte != 0x22 && byte != 0x5C
            let digits = String(byte, radix: 16, uppercase: true)
            let expected = isPlain ? [byte] : Array("\\x\(byte < 16 ? "0" : "")\(digits)".utf8)
            #expect(LineCursorTests.combined([byte]) == expected)
            let between = Array("0123456789".utf8)
            #expect(LineCursorTests.combined(between + [byte] + between) == between + expected + between)
        }
    }

    @Test func `truncates a long field at the end of a character`() {
        for bytesMax in 20..<60 {
            for text in ["abcdefgh", "é\u{1}", "\"", "日", "\u{2028}"] {
                let bytes = Array(String(repeating: text, count: 100).utf8)
                for line in [
                    LineCursorTests.json(bytes, bytesMax: bytesMax),
                    LineCursorTests.combined(bytes, bytesMax: bytesMax),
                ] {
                    #expect(line.count <= bytesMax + 3)
                    #expect(line.count >= bytesMax - 12)
                    #expect(line.suffix(3).elementsEqual("...".utf8))
                    #expect(String(validating: line, as: UTF8.self) != nil)
                }
            }
        }
        #expect(LineCursorTests.json(Array("just right".utf8), bytesMax: 20) == Array("just right".utf8))
    }

    @Test func `counts the leading plain bytes of a word`() {
        var generator = SystemRandomNumberGenerator()
        for _ in 0..<100_000 {
            let bytes = (0..<8).map { _ in
                UInt8.random(in: 0...255, using: &generator) & (Bool.random(using: &generator) ? 0x7F : 0xFF)
            }
            let word = bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) }
            let expected = bytes.firstIndex { !LineCursor.isPlain($0) } ?? 8
            if LineCursor.plainCount(word) != expected { Issue.record("\(bytes)") }
        }
    }

    @Test(arguments: [0, 1, 9, 10, 99, 100, 12_345, 4_294_967_296, Int.max])
    func `writes numbers in decimal`(number: Int) {
        #expect(String(decoding: LineCursorTests.written { $0.put(number) }, as: UTF8.self) == "\(number)")
    }
}
