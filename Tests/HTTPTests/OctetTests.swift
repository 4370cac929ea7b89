// The character classes, spelt out.

import Testing

@testable import HTTP

struct OctetTests {
    @Test func `a token is made of letters, digits and fifteen marks`() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let token = Set("!#$%&'*+-.^_`|~\(letters)".utf8)
        for byte in UInt8.min...UInt8.max { #expect(Octet.isToken(byte) == token.contains(byte), "\(byte)") }
    }

    @Test func `a target is visible ASCII but for five characters`() {
        let left = Set("\"#<>\\".utf8)
        for byte in UInt8.min...UInt8.max {
            #expect(Octet.isTarget(byte) == ((0x21...0x7E).contains(byte) && !left.contains(byte)), "\(byte)")
        }
    }

    @Test func `hexadecimal digits have their values`() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte < 0x80 ? Character(Unicode.Scalar(byte)).hexDigitValue : nil
            #expect(Octet.hexValue(byte).map(Int.init) == expected, "\(byte)")
        }
    }
}
