// Encrypted keys that name the cost of opening them, and keys with false or excessive costs.

import Foundation
import TestSupport
import Testing

@testable import TLS

struct KeyDerivationTests {
    static func element(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        let count = content.count
        let length = count < 0x80 ? [UInt8(count)] : [0x82, UInt8(count >> 8), UInt8(count & 0xFF)]
        return [tag] + length + content
    }

    private static func integer(_ value: UInt64) -> [UInt8] {
        let bytes = (0..<8).map { UInt8(truncatingIfNeeded: value >> (56 - 8 * $0)) }.drop { $0 == 0 }
        return element(2, (bytes.first ?? 0x80 >= 0x80 ? [0] : []) + bytes)
    }

    private static let salt = element(4, [1, 2, 3, 4, 5, 6, 7, 8])
    private static let pbes2: [UInt8] = [0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]
    private static let aes128: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01, 0x02]

    /// A file whose algorithm has this identifier and these parameters.
    private static func file(_ identifier: [UInt8], _ parameters: [UInt8]) -> [UInt8] {
        let algorithm = element(0x30, element(6, identifier) + element(0x30, parameters))
        return element(0x30, algorithm + element(4, [UInt8](repeating: 9, count: 48)))
    }

    private static func pbes2(_ function: [UInt8], _ parameters: [UInt8]) -> [UInt8] {
        let derivation = element(0x30, element(6, function) + element(0x30, parameters))
        let cipher = element(0x30, element(6, aes128) + element(4, [UInt8](repeating: 0, count: 16)))
        return file(pbes2, derivation + cipher)
    }

    static func pbkdf2(_ rounds: UInt64) -> [UInt8] {
        pbes2([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0C], salt + integer(rounds))
    }

    static func scrypt(_ n: UInt64, _ r: UInt64, _ p: UInt64) -> [UInt8] {
        pbes2([0x2B, 0x06, 0x01, 0x04, 0x01, 0xDA, 0x47, 0x04, 0x0B], salt + integer(n) + integer(r) + integer(p))
    }

    @Test(arguments: [
        (pbkdf2(2048), KeyDerivation.rounds(2048), true, true), (pbkdf2(10_000), .rounds(10_000), true, true),
        (pbkdf2(10_001), .rounds(10_001), false, true), (pbkdf2(2_000_000), .rounds(2_000_000), false, true),
        (pbkdf2(2_000_001), .rounds(2_000_001), false, false), (pbkdf2(1 << 31), .rounds(1 << 31), false, false),
        (pbkdf2(.max), .rounds(.max), false, false),
        (scrypt(16_384, 8, 1), .scrypt(n: 16_384, r: 8, p: 1), false, true),
        (scrypt(16_384, 8, 16), .scrypt(n: 16_384, r: 8, p: 16), false, true),
        (scrypt(16_384, 8, 17), .scrypt(n: 16_384, r: 8, p: 17), false, false),
        (scrypt(32_768, 9, 1), .scrypt(n: 32_768, r: 9, p: 1), false, false),
        (scrypt(1 << 60, 1 << 40, 1), .scrypt(n: 1 << 60, r: 1 << 40, p: 1), false, false),
        (scrypt(2, 1, .max), .scrypt(n: 2, r: 1, p: .max), false, false),
        // PBES1 and PKCS #12, which have their rounds in the same place.
        (
            file([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0A], salt + integer(1 << 31)), .rounds(1 << 31),
            false, false
        ),
        (
            file([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x0C, 0x01, 0x03], salt + integer(9)), .rounds(9), true,
            true
        ),
    ])
    func `reads the cost of opening a key`(der: [UInt8], derivation: KeyDerivation, isQuick: Bool, isAllowed: Bool) {
        #expect(KeyDerivation(der) == derivation)
        #expect(derivation.isQuick == isQuick)
        #expect((derivation.excess == nil) == isAllowed)
    }

    @Test func `finds no cost in other derivations, numbers that are too large, and truncated files`() {
        #expect(KeyDerivation([]) == nil)
        #expect(KeyDerivation(Self.pbes2([0x2B, 0x06, 0x01], Self.salt + Self.integer(1))) == nil)
        #expect(KeyDerivation(Self.file([0x2B, 0x06, 0x01], Self.salt + Self.integer(1))) == nil)
        let negative: [UInt8] = [2, 1, 0xFF]
        let huge = Self.element(2, [1] + [UInt8](repeating: 0, count: 8))
        for number in [negative, huge, [2, 0]] {
            let file = Self.file(Self.pbes2, Self.element(0x30, Self.element(6, [0x2A]) + Self.salt + number))
            #expect(KeyDerivation(file) == nil)
            let older = Self.file([0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0A], Self.salt + number)
            #expect(KeyDerivation(older) == nil)
        }
        let whole = Self.pbkdf2(2048)
        for count in 0..<whole.count { #expect(KeyDerivation(Array(whole[..<count])) == nil) }
        // With any bytes replaced, it returns.
        for index in whole.indices {
            for byte: UInt8 in [0, 0x7F, 0x80, 0x84, 0xFF] {
                var changed = whole
                changed[index] = byte
                _ = KeyDerivation(changed)
            }
        }
    }

    private static func pem(_ der: [UInt8]) -> String {
        "-----BEGIN ENCRYPTED PRIVATE KEY-----\n\(Data(der).base64EncodedString(options: .lineLength64Characters))\n-----END ENCRYPTED PRIVATE KEY-----\n"
    }

    /// The result of a key file, and how often the passphrase was requested.
    private func open(_ text: [UInt8]) -> (problem: CertificateProblem?, questions: Int) {
        let questions = Shared(0)
        let passphrase = Passphrase { _ in
            questions.change { $0 += 1 }
            return Array("word".utf8)
        }
        let problem: CertificateProblem? = text.withUnsafeBytes { bytes in
            do throws(CertificateProblem) {
                let key = try PrivateKey(bytes, PrivateKey.Protection(of: bytes), file: "privkey.pem", passphrase)
                return KeyKind(key.pointer) == .ecdsa(bits: 256)
                    ? nil : CertificateProblem(.weakKey, file: "", "", fix: "")
            } catch {
                return error
            }
        }
        return (problem, questions.value)
    }

    @Test(arguments: [
        (Array(pem(pbkdf2(1 << 31)).utf8), "2147483648 rounds"), (pbkdf2(1 << 31), "2147483648 rounds"),
        (Array(pem(scrypt(1 << 20, 8, 1)).utf8), "scrypt with N=1048576"),
        (Array(pem([0x30, 0x03, 0x30, 0x01, 0x05]).utf8), "only PBKDF2 and scrypt are supported"),
        // After a block that cannot be decoded, where OpenSSL would continue with the next.
        (Array("-----BEGIN PRIVATE KEY-----\n?\n-----END PRIVATE KEY-----\n\(pem(pbkdf2(1 << 31)))".utf8), nil),
        (Array("-----BEGIN X PRIVATE KEY-----\nAAAA\n-----END X PRIVATE KEY-----\n\(pem(pbkdf2(1 << 31)))".utf8), nil),
    ])
    func `refuses an expensive key before it reads the passphrase`(
        text: [UInt8], reason: String?
    ) throws {
        let (problem, questions) = open(text)
        #expect(questions == 0)
        #expect(problem?.kind == (reason == nil ? .malformedKey : .passphrase))
        if let reason {
            #expect(problem?.message.contains(reason) == true, "\(problem?.message ?? "")")
            #expect(problem?.fix.contains("openssl pkcs8 -topk8 -iter") == true)
        }
    }

    @Test(arguments: [
        ["-v2", "aes-256-cbc", "-iter", "20000"], ["-scrypt"], ["-v1", "PBE-SHA1-3DES"], ["-v2prf", "hmacWithSHA512"],
    ])
    func `opens keys that openssl has encrypted, in PEM and DER`(arguments: [String]) throws {
        let authority = try TestAuthority.shared
        let key = try authority.issue(["a.example"]).key
        for form in ["PEM", "DER"] {
            let command = ["pkcs8", "-topk8", "-outform", form, "-passout", "pass:word"] + arguments
            let made = try OpenSSLCommand.run(command, input: Array(key.utf8), in: authority.folder)
            let (problem, questions) = open(made.output)
            #expect(problem == nil, "\(form)")
            #expect(questions == 1)
        }
    }
}
