// Dates to and from text.

import HTTP
import Testing

struct HTTPDateTests {
    @Test(arguments: [
        (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
        (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"), (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"),
        (1_709_164_799, "Wed, 28 Feb 2024 23:59:59 GMT"), (4_102_444_799, "Thu, 31 Dec 2099 23:59:59 GMT"),
        (-1, "Wed, 31 Dec 1969 23:59:59 GMT"), (1_795_132_800, "Fri, 20 Nov 2026 00:00:00 GMT"),
    ])
    func `writes and reads dates`(seconds: Int64, text: String) {
        #expect(HTTPDate.text(seconds) == text)
        #expect(HTTPDate.read(octets(text).span, now: 1_795_132_800) == seconds)
    }

    @Test func `reads back every day of four centuries`() {
        for day in stride(from: Int64(-40_000), to: 110_000, by: 13) {
            let seconds = day * 86_400 + 43_210
            #expect(HTTPDate.read(octets(HTTPDate.text(seconds)).span, now: 0) == seconds)
        }
    }

    @Test(arguments: [
        ("Sunday, 06-Nov-94 08:49:37 GMT", 784_111_777), ("Sun Nov  6 08:49:37 1994", 784_111_777),
        ("Sun Nov 16 08:49:37 1994", 784_975_777), ("Friday, 20-Nov-26 00:00:00 GMT", 1_795_132_800),
        ("Friday, 20-Nov-76 00:00:00 GMT", 3_373_056_000), ("Saturday, 20-Nov-77 00:00:00 GMT", 248_832_000),
    ])
    func `reads the two obsolete forms`(text: String, seconds: Int64) {
        #expect(HTTPDate.read(octets(text).span, now: 1_795_132_800) == seconds)
    }

    @Test(arguments: [
        "", "Sunday, 06-Nov-94 08:49:37 UTC", "Sun Nov  6 08:49:37 199x", "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 08:60:37 GMT", "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT ", "Sun, 06 Nov 1994 08:49:37 GMTx",
    ])
    func `refuses other dates`(text: String) {
        #expect(HTTPDate.read(octets(text).span, now: 1_795_132_800) == nil)
    }
}
