// The character classes, with all their characters.

import Testing

@testable import HTTP

struct OctetTests {
    @Test func `accepts letters, digits and fifteen other characters in a token`() {
        let letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        let token = Set("!#$%&'*+-.^_`|~\(letters)".utf8)
        for byte in UInt8.min...UInt8.max { #expect(Octet.isToken(byte) == token.contains(byte), "\(byte)") }
    }

    @Test func `accepts all visible ASCII characters except five in a target`() {
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

    @Test func `lower-cases only ASCII capitals`() {
        for byte in UInt8.min...UInt8.max {
            let expected = byte < 0x80 ? Character(Unicode.Scalar(byte)).lowercased().utf8.first : byte
            #expect(Octet.lowercased(byte) == expected, "\(byte)")
        }
    }
}
