// The values of numbers.

import SourceJSON
import Testing

struct SourceNumberTests {
    @Test(
        arguments: [
            ("0", 0), ("-0", 0), ("7", 7), ("-7", -7), ("9223372036854775807", .max), ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("99999999999999999999", nil), ("1e2", 100),
            ("1E+2", 100), ("100e-2", 1), ("1.50e1", 15), ("1.0", 1), ("1.5", nil), ("1e-1", nil),
            ("0e999999999999999999999", 0),
            ("1e999999999999999999999", nil), ("1e-999999999999999999999", nil), ("0.000", 0),
            ("1e18", 1_000_000_000_000_000_000),
            ("1e19", nil), ("0x1F", 31), ("-0x1f", -31), ("0x7FFFFFFFFFFFFFFF", .max), ("0x8000000000000000", nil),
            ("0xFFFFFFFFFFFFFFFFFF", nil), ("+5", 5), (".5e1", 5), ("5.", 5), ("007", 7), ("Infinity", nil),
            ("NaN", nil),
            ("", nil), ("-", nil), ("x", nil), ("0x", nil), ("1e", 1), (".", nil), ("-.", nil),
        ] as [(String, Int?)])
    func `is an integer if its value is exactly one`(text: String, expected: Int?) {
        #expect(SourceNumber(text: text).asInt == expected)
    }

    @Test(arguments: [
        ("1E+2", "1E+2"), ("-0", "-0"), ("+1", "1"), (".5", "0.5"), ("-.5", "-0.5"), ("5.", "5"), ("5.e3", "5e3"),
        ("007", "7"), ("00.5", "0.5"), ("0x1F", "31"), ("-0x1F", "-31"), ("0xffffffffffffffff", "18446744073709551615"),
        ("0x10000000000000000", "1.8446744073709552e+19"), ("NaN", "null"), ("-Infinity", "null"), ("", "null"),
        ("x", "null"),
    ])
    func `has one spelling in JSON`(text: String, expected: String) {
        #expect(SourceNumber(text: text).canonicalText == expected)
        #expect(read(expected).isAcceptable)
    }
}
