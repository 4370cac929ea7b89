// Dates with a time and a time zone.

import SourceJSON
import Testing

struct TimestampTests {
    @Test(
        arguments: [
            ("1970-01-01T00:00:00Z", 0), ("2027-01-15T08:00:00Z", 1_800_000_000),
            ("2027-01-15T10:00:00+02:00", 1_800_000_000), ("2027-01-15t07:30:00.123-00:30", 1_800_000_000),
            ("2000-02-29T00:00:00Z", 951_782_400), ("1969-12-31T23:59:59Z", -1),
        ] as [(String, Int64)])
    func `reads a date`(text: String, seconds: Int64) {
        #expect(Timestamp.seconds(text) == seconds)
    }

    @Test(arguments: [
        "", "2027-01-15", "2027-01-15T08:00:00", "2027-13-15T08:00:00Z", "2027-01-15 08:00:00Z", "2027-01-15T24:00:00Z",
        "2027-01-15T08:00:00+2", "2027-01-15T08:00:00*02:00", "x027-01-15T08:00:00Z",
    ])
    func `rejects a text that is not a date`(text: String) {
        #expect(Timestamp.seconds(text) == nil)
    }
}
