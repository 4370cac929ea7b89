// A hundred thousand broken texts: seeds with random changes, the same in each run. None may trap, and the results must be
// consistent.

import SourceJSON
import Testing

struct SourceReaderMutationTests {
    private static let seeds = [
        #"{"applinks":{"details":[{"appIDs":["A.b"],"components":[{"/":"/x/*","exclude":true}]}]}}"#,
        #"[{"relation":["r"],"target":{"namespace":"web","site":"https://a.b"}},-1.5e+3,null,"\u00e9\ud83d\ude00"]"#,
        "{\n  // why\n  a: 'it\\'s', 'b': +.5, c: 0x1F, d: [Infinity, NaN,], /* é */ \"e\": \"f\\\n g\",\r\n}",
        "{“a”: “b”, \"c”: ‘d’, e: True, f: 007, {{g}}: <% h %>, \"i\" \"j\", ...}",
    ]

    private static let pieces: [[UInt8]] =
        [
            "{", "}", "[", "]", ",", ":", "\"", "'", "\\", "\\u", "\\ud83d", "0", "-", ".", "e", "//", "/*", "*/", "\n",
            "\r", "\u{A0}", "“", "”", "‘", "é", "😀", "{{", "}}", "<%", "${", "...", "#", "true", "None", "\"\"",
            "\"a”:", "=", ";",
        ].map { Array($0.utf8) } + [[0xFF], [0xC3], [0x00], [0xED, 0xA0], [0xFE, 0xFF]]

    @Test(arguments: 0..<4)
    func `results are consistent for any bytes`(seed: Int) {
        var random = Xorshift(state: 0x9E37_79B9_7F4A_7C15 &+ UInt64(seed))
        let source = Array(Self.seeds[seed].utf8)
        for round in 0..<25_000 {
            let bytes = Self.mutated(source, &random)
            if let fault = Self.fault(of: bytes) {
                Issue.record("\(fault) in round \(round): \(String(decoding: bytes, as: UTF8.self).debugDescription)")
                return
            }
        }
    }

    private static func mutated(_ source: [UInt8], _ random: inout Xorshift) -> [UInt8] {
        var bytes = source
        for _ in 0...random.below(3) {
            let place = random.below(bytes.count + 1)
            let end = min(bytes.count, place + random.below(6))
            switch random.below(6) {
            case 0: bytes.removeSubrange(place..<end)
            case 1: bytes.insert(contentsOf: bytes[place..<end], at: random.below(bytes.count + 1))
            case 2: bytes.removeSubrange((random.below(4) == 0 ? place : end)...)
            case 3: if place < bytes.count { bytes[place] = UInt8(truncatingIfNeeded: random.next()) }
            default: bytes.insert(contentsOf: pieces[random.below(pieces.count)], at: place)
            }
        }
        return bytes
    }

    /// What is inconsistent in the result of reading these bytes.
    private static func fault(of bytes: [UInt8]) -> String? {
        let strict = SourceReader.read(bytes, as: .json)
        let relaxed = SourceReader.read(bytes, as: .json5)
        if strict.isAcceptable && !relaxed.isAcceptable { return "JSON that is no JSON5" }
        for (document, dialect) in [(strict, SourceDialect.json), (relaxed, .json5)] {
            if document.value == nil && !document.problems.contains(where: \.isError) { return "no value, no error" }
            if document.problems.count > SourceLimits.standard.problems + 1 { return "too many problems" }
            for problem in document.problems {
                if !isOrdered(problem.range, in: document.text) { return "the range of \(problem.kind)" }
                if let range = problem.related, !isOrdered(range, in: document.text) {
                    return "what \(problem.kind) points to"
                }
                if let edit = problem.edit, !isOrdered(edit.range, in: document.text) {
                    return "the edit of \(problem.kind)"
                }
                if bytes.count % 8 == 0, !(1...600).contains(problem.message.utf8.count) {
                    return "the message of \(problem.kind)"
                }
            }
            guard document.isAcceptable, let value = document.value else { continue }
            let written = SourceWriter.minified(value)
            let again = SourceReader.read(written, as: .json)
            guard again.isAcceptable, let rewritten = again.value.map(SourceWriter.minified), rewritten == written
            else { return "writing what was read as \(dialect)" }
        }
        return nil
    }

    private static func isOrdered(_ range: SourceRange, in text: [UInt8]) -> Bool {
        let (start, end) = (range.start, range.end)
        let isForward = start.line < end.line || start.line == end.line && start.column <= end.column
        return start.offset <= end.offset && end.offset <= text.count && isForward && start.line >= 1
            && start.column >= 1
    }
}

/// A small pseudorandom generator with the same numbers in each run (Marsaglia's xorshift64).
private struct Xorshift {
    var state: UInt64

    mutating func next() -> UInt64 {
        state ^= state << 13
        state ^= state >> 7
        state ^= state << 17
        return state
    }

    mutating func below(_ bound: Int) -> Int { Int(next() % UInt64(bound)) }
}
