// Base64 for URLs against the examples of RFC 4648 §10 and RFC 7515 Appendix C.

import TLS
import Testing

struct Base64URLTests {
    @Test(
        arguments: [
            ([], ""), ([0x66], "Zg"), ([0x66, 0x6F], "Zm8"), ([0x66, 0x6F, 0x6F], "Zm9v"),
            ([3, 236, 255, 224, 193], "A-z_4ME"),
            ([0, 0, 0], "AAAA"), ([255], "_w"),
        ] as [([UInt8], String)])
    func `writes and reads`(bytes: [UInt8], text: String) {
        #expect(Base64URL.text(bytes) == text)
        #expect(Base64URL.bytes(text) == bytes)
    }

    @Test func `reads every byte that it writes`() {
        for count in 0..<260 {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ count) }
            #expect(Base64URL.bytes(Base64URL.text(bytes)) == bytes)
        }
    }

    @Test(arguments: ["A+z/4ME=", "A-z/4ME", "A+z_4ME="]) func `also reads the standard alphabet`(text: String) {
        #expect(Base64URL.bytes(text) == [3, 236, 255, 224, 193])
    }

    @Test(arguments: ["A", "Zh", "Zm9", "Zm 9v", "Zm9v\n", "Zg===", "Zg=a", "Zm9vé", "A=A="])
    func `refuses other text`(text: String) {
        #expect(Base64URL.bytes(text) == nil)
    }
}
