// Digests of the published examples, by OpenSSL and without it.

import Testing

@testable import TLS

struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `computes SHA-256`(text: String, expected: String) {
        #expect(Digest.hexadecimal(Digest.sha256(Array(text.utf8))) == expected)
        #expect(Digest.hexadecimal(SHA256.digest(Array(text.utf8))) == expected)
    }

    @Test func `both digests are the same`() {
        for count in Array(0...130) + [1_000, 4_095] {
            let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ count) }
            #expect(SHA256.digest(bytes) == Digest.sha256(bytes), "\(count) bytes")
        }
    }

    @Test func `the library is OpenSSL 3`() { #expect(Library.version.hasPrefix("OpenSSL 3.")) }

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
