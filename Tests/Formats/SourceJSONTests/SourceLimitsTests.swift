// Both sides of each limit.

import SourceJSON
import Testing

#if canImport(Glibc)
    import Glibc
#endif

struct SourceLimitsTests {
    private static func nested(_ depth: Int) -> String {
        String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    }

    @Test func `accepts brackets up to the maximum depth`() {
        #expect(read(Self.nested(512)).isAcceptable)
        #expect(problems(Self.nested(513)) == ["tooDeep@1:513"])
        #expect(read(Self.nested(513)).value == nil)
        let limits = SourceLimits(depth: 2)
        #expect(read("{\"a\":[1],\"b\":[{}]}", limits: limits).problems.map(\.range.start.column) == [15])
        #expect(read("[[],[]]", limits: limits).isAcceptable)
        #expect(read("1", limits: SourceLimits(depth: -1)).isAcceptable)
        #expect(!read("[]", limits: SourceLimits(depth: 0)).isAcceptable)
    }

    @Test func `limits the depth so that it cannot overflow the stack`() {
        var limits = SourceLimits(depth: .max)
        #expect(limits.depth == SourceLimits.depthMax)
        limits.depth = 1_000_000
        #expect(limits.depth == SourceLimits.depthMax)
        #expect(!read(Self.nested(SourceLimits.depthMax + 1), limits: limits).isAcceptable)
    }

    @Test func `reports a hundred thousand opening brackets as one problem`() {
        for piece in ["[", "{\"a\":", "[{\"a\":", "{a:["] {
            let document = read(String(repeating: piece, count: 100_000), as: .json5)
            #expect(document.problems.map(\.kind) == [.tooDeep])
        }
    }

    #if canImport(Glibc)
        @Test func `a thread with a small stack can read the greatest depth`() {
            var attributes = pthread_attr_t()
            pthread_attr_init(&attributes)
            defer { pthread_attr_destroy(&attributes) }
            #expect(pthread_attr_setstacksize(&attributes, 512 * 1_024) == 0)
            var thread = pthread_t()
            let status = pthread_create(&thread, &attributes, { _ in readDeeply() }, nil)
            #expect(status == 0)
            var result: UnsafeMutableRawPointer?
            pthread_join(thread, &result)
            #expect(result != nil)
        }
    #endif

    @Test func `accepts the values of the largest app file, and reports more`() {
        func text(_ count: Int) -> String { "[" + String(repeating: "{a:1},", count: count) + "]" }
        let inner = SourceLimits.standard.values / 2
        // Each object is a value and has one, and the array around them is one.
        #expect(read(text(inner - 1), as: .json5).isAcceptable)
        let document = read(text(inner + 1_000), as: .json5)
        #expect(problems(document) == ["tooManyValues@1:\(5 + inner * 6)"])
        #expect(!document.isAcceptable)
    }

    @Test func `accepts a file of the maximum size`() {
        #expect(read("[12]", limits: SourceLimits(bytes: 4)).isAcceptable)
        let document = read("[123]", limits: SourceLimits(bytes: 4))
        #expect(problems(document) == ["tooLarge@1:1"])
        #expect(document.text.isEmpty)
    }

    @Test func `accepts a number of the maximum length`() {
        #expect(read("[12345]", limits: SourceLimits(numberBytes: 5)).isAcceptable)
        #expect(problems(read("[123456]", limits: SourceLimits(numberBytes: 5))) == ["numberTooLong@1:2"])
        #expect(problems(read("[0x1234]", as: .json5, limits: SourceLimits(numberBytes: 5))) == ["numberTooLong@1:2"])
        #expect(read(String(repeating: "9", count: 1_000)).isAcceptable)
        #expect(!read(String(repeating: "9", count: 1_001)).isAcceptable)
    }

    @Test func `accepts the maximum number of values`() {
        #expect(read("[1,2,3]", limits: SourceLimits(values: 4)).isAcceptable)
        #expect(problems(read("[1,2,3,4]", limits: SourceLimits(values: 4))) == ["tooManyValues@1:1"])
    }

    @Test func `lists the maximum number of problems, and reports that there are more`() {
        let limits = SourceLimits(problems: 3)
        #expect(read("[1,,,,2]", limits: limits).problems.map(\.kind) == [.extraComma, .extraComma, .extraComma])
        let document = read("[1,,,,,2]", limits: limits)
        #expect(document.problems.map(\.kind).suffix(2) == [.extraComma, .tooManyProblems])
        #expect(document.problems.count == 4)
        #expect(document.value == nil)
    }

    @Test func `reports after the listed problems that there are more`() {
        // Bytes that are not UTF-8 are found before the text is read from its beginning.
        let bytes = [UInt8](repeating: 0xFF, count: 200)
        let problems = SourceReader.read(Array("@ [\"".utf8) + bytes, as: .json).problems
        #expect(problems.last?.kind == .tooManyProblems)
        #expect(problems.allSatisfy { $0.range.start.offset <= problems[problems.count - 1].range.start.offset })
    }

    @Test func `keeps the value however much there is that only JSON5 permits`() {
        let document = read(String(repeating: "/**/", count: 1_000) + "[1]")
        #expect(document.problems.count == SourceLimits.standard.problems + 1)
        #expect(document.value.map(minified) == "[1]")
        #expect(!document.isAcceptable)
    }

    @Test func `warnings beyond the limit neither reject the text nor hide an error`() {
        let duplicates = (0..<1_000).map { _ in "\"a\":1" }.joined(separator: ",")
        #expect(read("{" + duplicates + "}").isAcceptable)
        #expect(!read("{" + duplicates + ",}").isAcceptable)
        #expect(!read("{" + duplicates + "} x").isAcceptable)
    }
}

/// Reads, writes and destroys the deepest possible value; returns a pointer other than nil on success.
private func readDeeply() -> UnsafeMutableRawPointer? {
    let depth = SourceLimits.depthMax
    for (opening, closing) in [("[", "]"), ("{\"a\":", "}")] {
        let text = String(repeating: opening, count: depth) + "0" + String(repeating: closing, count: depth)
        guard let value = read(text, limits: SourceLimits(depth: depth)).value, minified(value) == text else {
            return nil
        }
    }
    return UnsafeMutableRawPointer(bitPattern: 1)
}
