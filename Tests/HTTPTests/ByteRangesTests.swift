// Reading ranges of a body of a thousand bytes.

import HTTP
import Testing

struct ByteRangesTests {
    private func read(_ value: String, bodyCount: Int = 1_000) -> [Range<Int>]? {
        let bytes = octets(value)
        switch ByteRanges.read(bytes.span, bodyCount: bodyCount) {
        case .ignored: return nil
        case .unsatisfiable: return []
        case .satisfiable(let ranges): return (0..<ranges.count).map { ranges[$0] }
        }
    }

    @Test(arguments: [
        ("bytes=0-9", [0..<10]), ("bytes=0-0", [0..<1]), ("bytes=10-", [10..<1_000]), ("bytes=-5", [995..<1_000]),
        ("bytes=-5000", [0..<1_000]), ("bytes=990-2000", [990..<1_000]), ("BYTES=0-1", [0..<2]),
        ("bytes=0-1, 5-6 ,, -1", [0..<2, 5..<7, 999..<1_000]), ("bytes=999-999", [999..<1_000]),
        ("bytes=0-1,2000-", [0..<2]), ("bytes=0-99999999999999999999999", [0..<1_000]),
    ])
    func `finds the requested ranges`(value: String, ranges: [Range<Int>]) {
        #expect(read(value) == ranges)
    }

    @Test(arguments: ["bytes=1000-", "bytes=2000-3000", "bytes=-0", "bytes=99999999999999999999999-"])
    func `reports ranges outside the document`(value: String) { #expect(read(value) == []) }

    @Test(arguments: [
        "", "bytes", "bytes=", "bytes=,", "bytes=-", "bytes=a-b", "bytes=5-4", "bytes=1", "lines=0-1", "bytes=0-1;2-3",
        "bytes= 0 - 1",
        "bytes=0-5,3-8", "bytes=0-1,2-3,4-5,6-7,8-9,10-11,12-13,14-15,16-17", "bytes=--5", "bytes=+1-2",
    ])
    func `ignores malformed and unreasonable ranges`(value: String) {
        #expect(read(value) == nil)
    }

    @Test func `an empty body has no ranges`() {
        #expect(read("bytes=0-", bodyCount: 0) == [])
        #expect(read("bytes=-1", bodyCount: 0) == [])
    }
}
