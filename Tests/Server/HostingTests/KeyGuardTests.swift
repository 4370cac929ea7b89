// Which files are never served, by name and by content.

import Testing

@testable import Hosting

struct KeyGuardTests {
    @Test(arguments: [
        ("/privkey.pem", true), ("a/privkey1.pem", true), ("PRIVKEY.RSA.PEM", true), ("fullchain.pem", true),
        ("privkey.pem.gz", true), ("server.key", true), ("server.KEY.gz", true), ("a.p12", true), ("a.pfx", true),
        ("a.jks", true), ("a.keystore", true),
        ("keys.html", false), ("monkey", false), ("key", false), ("ca.pem", false), ("privkey.txt", false),
        ("privkey.pem/readme", false), ("public-key.pem", false),
    ])
    func `recognises names of keys and of the server's certificates`(name: String, isRefused: Bool) {
        #expect((KeyGuard.refusal(of: name) != nil) == isRefused)
    }

    private static let body = "MC4CAQAwBQYDK2VwBCIEIA==\n"

    @Test(arguments: [
        ("-----BEGIN PRIVATE KEY-----\n", true), ("-----BEGIN RSA PRIVATE KEY-----\r\n", true),
        ("-----BEGIN EC PRIVATE KEY-----\n", true), ("-----BEGIN ENCRYPTED PRIVATE KEY-----\n", true),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\n", true), ("-----BEGIN DSA PRIVATE KEY-----", true),
        ("-----BEGIN CERTIFICATE-----\nx\n-----END CERTIFICATE-----\n-----BEGIN PRIVATE KEY-----\n", true),
        ("<pre>-----BEGIN PRIVATE KEY-----</pre>", true),
        ("-----BEGIN CERTIFICATE-----\n", false), ("-----BEGIN PUBLIC KEY-----\n", false),
        ("-----BEGIN -----BEGIN PRIVATE KEY-----", true), ("-----------BEGIN RSA PRIVATE KEY-----", true),
        ("-----BEGIN \(String(repeating: "X", count: 48))PRIVATE KEY-----", true),
        ("-----BEGIN \(String(repeating: "X", count: 49))PRIVATE KEY-----", false),
        ("write -----BEGIN\nPRIVATE KEY-----", false), ("-----BEGIN X\rPRIVATE KEY-----", false),
        ("a PRIVATE KEY----- alone", false), ("", false),
    ])
    func `recognises private keys in PEM form anywhere in a file`(text: String, isRefused: Bool) {
        for before in ["", String(repeating: "x", count: 50_000)] {
            let bytes = Array((before + text + KeyGuardTests.body).utf8)
            #expect((KeyGuard.refusal(of: bytes) != nil) == isRefused)
            #expect((KeyGuard.refusal(of: Gzip.compress(bytes)) != nil) == isRefused, "packed")
        }
    }

    @Test(arguments: ["-----BEGIN ", "-", "-----BEGIN PRIVATE KEY ", "PRIVATE KEY----", "P"])
    func `a file full of BEGIN lines is read in one pass`(part: String) {
        let bytes = Array(String(repeating: part, count: 1_000_000 / part.utf8.count).utf8)
        #expect(KeyGuard.refusal(of: bytes) == nil)
        #expect(KeyGuard.refusal(of: bytes + Array("-----BEGIN PRIVATE KEY-----".utf8)) != nil)
    }

    private static func sequence(_ head: [UInt8], length: Int = 48) -> [UInt8] {
        [0x30, UInt8(length)] + head + [UInt8](repeating: 7, count: length - head.count)
    }

    @Test(
        arguments: [
            // PKCS #8, PKCS #1, SEC 1, encrypted PKCS #8.
            (sequence([2, 1, 0, 0x30, 5]), true), (sequence([2, 1, 0, 2, 8]), true),
            (sequence([2, 1, 1, 4, 32]), true),
            (sequence([0x30, 20, 6, 9, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 1, 5, 0x0D]), true),
            ([0x30, 0x81, 48] + sequence([2, 1, 0, 0x30, 5]).dropFirst(2), true),
            // A certificate, a signed message, PKCS #8 followed by another byte, half of one.
            (sequence([0x30, 20, 0xA0, 3, 2, 1, 2]), false), (sequence([6, 9, 0x2A, 0x86]), false),
            (sequence([2, 1, 0, 0x30, 5]) + [0], false), (Array(sequence([2, 1, 0, 0x30, 5]).dropLast()), false),
            ([0x30], false), ([0x30, 0x84, 1, 1, 1, 1] + [UInt8](repeating: 0, count: 20), false),
        ] as [([UInt8], Bool)])
    func `recognises private keys in DER form`(bytes: [UInt8], isRefused: Bool) {
        #expect((KeyGuard.refusal(of: bytes) != nil) == isRefused)
    }

    @Test func `broken gzip data is not a key`() {
        #expect(KeyGuard.refusal(of: [0x1F, 0x8B, 8, 0, 1, 2, 3]) == nil)
        #expect(Gzip.start(of: Gzip.compress(Array("hello".utf8)), bytesMax: 3) == Array("hel".utf8))
    }
}
