// Reading ranges of a body of a thousand bytes.

import HTTP
import Testing

struct RequestedRangeTests {
    private func read(_ value: String, bodyCount: Int = 1_000) -> RequestedRange {
        RequestedRange(octets(value).span, bodyCount: bodyCount)
    }

    @Test(arguments: [
        ("bytes=0-9", 0..<10), ("bytes=0-0", 0..<1), ("bytes=10-", 10..<1_000), ("bytes=-5", 995..<1_000),
        ("bytes=-5000", 0..<1_000), ("bytes=990-2000", 990..<1_000), ("BYTES=0-1", 0..<2),
        ("bytes= ,0-1,, ", 0..<2), ("bytes=999-999", 999..<1_000), ("bytes=0-99999999999999999999999", 0..<1_000),
    ])
    func `finds the requested range`(value: String, range: Range<Int>) {
        #expect(read(value) == .satisfiable(range))
    }

    @Test(arguments: ["bytes=1000-", "bytes=2000-3000", "bytes=-0", "bytes=99999999999999999999999-"])
    func `reports a range outside the document`(value: String) { #expect(read(value) == .unsatisfiable) }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=1", "lines=0-1", "bytes=0-1;2-3",
        "bytes= 0 - 1", "bytes=--5", "bytes=+1-2",
    ])
    func `ignores malformed ranges`(value: String) { #expect(read(value) == .ignored) }

    @Test(arguments: ["bytes=0-1,5-6", "bytes=0-5,3-8", "bytes=0-1,2000-", "bytes=2000-,3000-"])
    func `ignores several ranges`(value: String) { #expect(read(value) == .ignored) }

    @Test func `an empty body has no range`() {
        #expect(read("bytes=0-", bodyCount: 0) == .unsatisfiable)
        #expect(read("bytes=-1", bodyCount: 0) == .unsatisfiable)
    }
}
