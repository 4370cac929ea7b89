// Comparing and splitting bytes as text.

import Testing

@testable import HTTP

struct SpanTextTests {
    @Test(arguments: [
        ("host", "host", true), ("HoSt", "host", true), ("hosts", "host", false), ("h@st", "host", false),
    ])
    func `compares without regard to case`(left: String, right: String, isEqual: Bool) {
        let left = octets(left)
        let right = octets(right)
        #expect(left.span.equalsIgnoringCase(right.span) == isEqual)
    }

    @Test func `compares exactly`() {
        let bytes = octets("GET")
        #expect((bytes.span.equals("GET"), bytes.span.equals("get"), bytes.span.equals("GETS")) == (true, false, false))
    }

    @Test func `finds a byte within a range`() {
        let bytes = octets("a,b,c")
        let comma = UInt8(ascii: ",")
        #expect(bytes.span.firstIndex(of: comma) == 1)
        #expect(bytes.span.firstIndex(of: comma, from: 2) == 3)
        #expect(bytes.span.firstIndex(of: comma, from: 2, to: 3) == nil)
        #expect(bytes.span.firstIndex(of: comma, from: 5) == nil)
    }

    @Test(arguments: [(" a b\t", "a b"), ("", ""), (" \t ", ""), ("a", "a")])
    func `trims blanks`(text: String, trimmed: String) {
        let bytes = octets(text)
        let range = bytes.span.trimmed(0, bytes.count).range
        #expect(String(decoding: bytes[range], as: UTF8.self) == trimmed)
    }

    @Test func `field text contains no control character but the tab`() {
        for byte in UInt8.min...UInt8.max {
            let bytes = [UInt8](repeating: 0x61, count: 40) + [byte]
            let isText = byte == 0x09 || byte >= 0x20 && byte != 0x7F
            #expect(bytes.span.isFieldText(0, bytes.count) == isText, "\(byte)")
        }
    }
}
