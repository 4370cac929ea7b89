import Testing

@testable import TLS

struct DigestTests {
    @Test func `both digests are the same`() {
        #expect(
            Digest.hexadecimal(SHA256.digest(Array("abc".utf8)))
                == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
        for count in Array(0...130) + [1_000, 4_095] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
            #expect(SHA256.digest(bytes) == Digest.sha256(bytes), "\(count) bytes")
        }
    }

    /// RFC 4648 §10.
    @Test(
        arguments: [
            ("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg=="), ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ])
    func `bytes in Base64`(text: String, base64: String) {
        #expect(Digest.base64(Array(text.utf8)) == base64)
    }
}
