// One character at a time: the same characters and replacements as Swift's own decoder.

import HTTP
import Testing

struct UTF8CharacterTests {
    @Test func `reads every character as Swift does`() {
        for value in UInt32(0x80)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let bytes = Array(String(Character(scalar)).utf8)
            let character = bytes.withUnsafeBytes { UTF8Character($0, at: 0) }
            if character.scalar != value || character.byteCount != bytes.count {
                Issue.record("U+\(String(value, radix: 16))")
                return
            }
        }
    }

    @Test(
        arguments: [
            [0x80], [0xC0, 0x80], [0xC3], [0xC3, 0x28], [0xE0, 0x80, 0x80], [0xE2, 0x82], [0xED, 0xA0, 0x80],
            [0xF0, 0x80, 0x80, 0x80], [0xF0, 0x9F, 0x98], [0xF4, 0x90, 0x80, 0x80], [0xF5], [0xFF, 0x41],
        ] as [[UInt8]])
    func `replaces invalid bytes as Swift does`(bytes: [UInt8]) {
        let swift = String(decoding: bytes, as: UTF8.self).unicodeScalars.filter { $0 == "\u{FFFD}" }.count
        var (index, replacements) = (0, 0)
        while index < bytes.count {
            if bytes[index] < 0x80 {
                index += 1
                continue
            }
            let character = bytes.withUnsafeBytes { UTF8Character($0, at: index) }
            if character.scalar == nil { replacements += 1 }
            index += character.byteCount
        }
        #expect(replacements == swift && replacements > 0)
    }
}
