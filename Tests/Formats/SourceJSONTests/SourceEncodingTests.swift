// UTF-16 and UTF-32: JSON must be UTF-8, and another encoding is one problem of its own.

import Testing

@testable import SourceJSON

struct SourceEncodingTests {
    private static let text = "{\"é\": [1, \"😀\"]}"

    private static func bytes(_ encoding: SourceEncoding) -> [UInt8] {
        switch encoding {
        case .utf8: Array(text.utf8)
        case .utf16LittleEndian: text.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        case .utf16BigEndian: text.utf16.flatMap { [UInt8($0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        case .utf32LittleEndian: text.unicodeScalars.flatMap { Self.units($0.value).reversed() }
        case .utf32BigEndian: text.unicodeScalars.flatMap { Self.units($0.value) }
        }
    }

    private static func units(_ value: UInt32) -> [UInt8] {
        [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) }
    }

    private static func mark(_ encoding: SourceEncoding) -> [UInt8] {
        switch encoding {
        case .utf8: [0xEF, 0xBB, 0xBF]
        case .utf16LittleEndian: [0xFF, 0xFE]
        case .utf16BigEndian: [0xFE, 0xFF]
        case .utf32LittleEndian: [0xFF, 0xFE, 0, 0]
        case .utf32BigEndian: [0, 0, 0xFE, 0xFF]
        }
    }

    @Test(arguments: SourceEncoding.allCases)
    func `decodes each encoding, and reports it unless it is UTF-8`(encoding: SourceEncoding) {
        for (bytes, hasMark) in [(Self.bytes(encoding), false), (Self.mark(encoding) + Self.bytes(encoding), true)] {
            let document = SourceReader.read(bytes, as: .json)
            #expect(String(decoding: document.text, as: UTF8.self) == Self.text)
            #expect(document.value.map(minified) == "{\"é\":[1,\"😀\"]}")
            #expect(document.isAcceptable == (encoding == .utf8))
            #expect(document.problems.contains { $0.kind == .otherEncoding } == (encoding != .utf8))
            #expect(document.problems.contains { $0.kind == .byteOrderMark } == hasMark)
            #expect(SourceReader.read(bytes, as: .json5).isAcceptable)
        }
    }

    @Test func `reports an incomplete unit and half a surrogate pair`() {
        let odd = SourceReader.read([0xFF, 0xFE, 0x5B, 0x00, 0x5D, 0x00, 0x20], as: .json5)
        #expect(odd.problems.contains { $0.kind == .invalidEncoding })
        let half = SourceReader.read([0xFE, 0xFF, 0x00, 0x22, 0xD8, 0x00, 0x00, 0x22], as: .json5)
        #expect(problems(half).last == "invalidEncoding@1:2")
        let beyond = SourceReader.read([0, 0, 0xFE, 0xFF, 0, 0x11, 0, 0], as: .json5)
        #expect(!beyond.isAcceptable)
    }

    @Test func `reports the line and column of bytes that are not UTF-8`() {
        let bytes = Array("[\"é\",\n\"caf".utf8) + [0xE9] + Array("\"]".utf8)
        let document = SourceReader.read(bytes, as: .json)
        #expect(problems(document) == ["invalidEncoding@2:5"])
        #expect(document.value?.asArray?.last?.asString == "caf\u{FFFD}")
    }
}
