// Digests of the published examples.

import TLS
import Testing

struct DigestTests {
    @Test(arguments: [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
    ])
    func `computes SHA-256`(text: String, expected: String) {
        let hexadecimal = Digest.sha256(Array(text.utf8)).map { byte in
            (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
        #expect(hexadecimal.joined() == expected)
    }

    @Test(arguments: [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("foob", "Zm9vYg==")])
    func `writes Base64`(text: String, expected: String) { #expect(Digest.base64(Array(text.utf8)) == expected) }

    @Test func `the library is OpenSSL 3`() { #expect(Library.version.hasPrefix("OpenSSL 3.")) }
}
