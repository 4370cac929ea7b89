// Files that name signing certificates, made byte by byte, whole and broken in each way.

import TLS
import Testing

@testable import AppSigning

struct SignedAppTests {
    private static func number(_ value: Int, _ count: Int = 4) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: value >> ($0 * 8)) }
    }

    private static func block(_ parts: [UInt8]...) -> [UInt8] {
        let body = parts.flatMap(\.self)
        return number(body.count) + body
    }

    /// A certificate as far as its place is concerned.
    static func certificate(_ name: String, serial: UInt8 = 1) -> [UInt8] {
        let signed = der(0x30, der(2, [serial]) + der(0x30, []) + der(0x30, Array(name.utf8)))
        return der(0x30, signed + der(0x30, []) + der(3, [0]))
    }

    static func der(_ tag: UInt8, _ content: [UInt8]) -> [UInt8] {
        content.count < 0x80
            ? [tag, UInt8(content.count)] + content
            : [tag, 0x82, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    private static func signer(_ certificates: [[UInt8]], lineage: [[UInt8]]? = nil, isV2: Bool = false) -> [UInt8] {
        let chain = block(certificates.flatMap { block($0) })
        let levels = (lineage ?? []).flatMap {
            block(block(block($0), number(0x0103)), number(1), number(2), block([7]))
        }
        let attributes = lineage == nil ? block() : block(block(number(0x3BA0_6F8C), number(1), levels))
        let data = block(block([9, 9]), chain, isV2 ? block() : number(28) + number(33) + attributes)
        return block(data, isV2 ? [] : number(28) + number(33), block([1]), block([2]))
    }

    private static func pair(_ id: Int, _ value: [UInt8]) -> [UInt8] {
        number(value.count + 4, 8) + number(id) + value
    }

    private static func v2(_ certificates: [UInt8]...) -> [UInt8] {
        pair(0x7109_871A, block(certificates.flatMap { signer([$0], isV2: true) }))
    }

    private static func signingBlock(_ pairs: [UInt8]...) -> [UInt8] {
        let body = pairs.flatMap(\.self)
        let size = number(body.count + 24, 8)
        return size + body + size + Array("APK Sig Block 42".utf8)
    }

    /// A ZIP file of stored entries, with something between them and the directory.
    static func archive(_ entries: [(String, [UInt8])], block: [UInt8] = [], comment: String = "") -> [UInt8] {
        var (bytes, directory): ([UInt8], [UInt8]) = ([], [])
        for (name, content) in entries {
            let sizes = number(0) + number(content.count) + number(content.count) + number(name.utf8.count, 2)
            directory +=
                [0x50, 0x4B, 1, 2] + number(0, 12) + sizes + number(0, 12) + number(bytes.count) + Array(name.utf8)
            bytes += [0x50, 0x4B, 3, 4] + number(0, 10) + sizes + number(0, 2) + Array(name.utf8) + content
        }
        let start = bytes.count + block.count
        return bytes + block + directory + [0x50, 0x4B, 5, 6] + number(0, 4) + number(entries.count, 2)
            + number(entries.count, 2) + number(directory.count) + number(start) + number(comment.utf8.count, 2)
            + Array(comment.utf8)
    }

    private static func read(_ bytes: [UInt8]) throws(SigningProblem) -> SignedApp {
        try SignedApp(
            byteCount: bytes.count,
            read: { offset, count in
                offset < 0 || offset > bytes.count
                    ? [] : Array(bytes[offset..<min(bytes.count, offset + max(0, count))])
            }, expand: { _, _ in nil })
    }

    private static func problem(_ bytes: [UInt8]) -> String? {
        do throws(SigningProblem) {
            _ = try read(bytes)
            return nil
        } catch { return "\(error)" }
    }

    private static func fingerprint(_ der: [UInt8]) -> String { Digest.hexadecimal(Digest.sha256(der)) }

    private static let manifest = ("AndroidManifest.xml", [UInt8]([1, 2, 3]))
    private static let (first, second) = (certificate("first"), certificate("second"))

    @Test(arguments: ["", "a comment", "PK\u{5}\u{6} in a comment that is longer than the record"])
    func `an APK has the certificate of its scheme v2, behind pairs of other ids`(comment: String) throws {
        let block = Self.signingBlock(Self.pair(0x4272_6577, [0, 0]), Self.v2(Self.first), Self.pair(7, []))
        let app = try Self.read(Self.archive([Self.manifest], block: block, comment: comment))
        #expect(app.kind == .apk)
        #expect(app.certificates.map(\.fingerprint) == [Self.fingerprint(Self.first)])
        #expect(app.certificates.first?.signs == [.v2] && app.certificates.first?.precedes == [])
    }

    @Test func `a rotated key is the signer of v3, and the earlier one that of v2`() throws {
        let v3 = Self.pair(0xF053_68C0, Self.block(Self.signer([Self.second], lineage: [Self.first, Self.second])))
        let app = try Self.read(Self.archive([Self.manifest], block: Self.signingBlock(v3, Self.v2(Self.first))))
        #expect(app.certificates.map(\.fingerprint) == [Self.first, Self.second].map(Self.fingerprint))
        #expect(app.certificates.map(\.signs) == [[.v2], [.v3]])
        #expect(app.certificates.map(\.precedes) == [[.v3], []])
    }

    @Test func `v3.1 has its own lineage, beside v3 for earlier versions`() throws {
        let third = Self.certificate("third")
        let v31 = Self.pair(0x1B93_AD61, Self.block(Self.signer([third], lineage: [Self.first, Self.second, third])))
        let v3 = Self.pair(0xF053_68C0, Self.block(Self.signer([Self.first])))
        let app = try Self.read(Self.archive([Self.manifest], block: Self.signingBlock(v31, v3)))
        #expect(app.certificates.map(\.fingerprint) == [Self.first, third, Self.second].map(Self.fingerprint))
        #expect(app.certificates.map(\.signs) == [[.v3], [.v31], []])
        #expect(app.certificates.map(\.precedes) == [[.v31], [], [.v31]])
    }

    @Test func `several signers are listed, and the chain of a certificate is not`() throws {
        let value = Self.block(Self.signer([Self.first, Self.certificate("authority")], isV2: true))
        let chained = Self.archive([Self.manifest], block: Self.signingBlock(Self.pair(0x7109_871A, value)))
        #expect(try Self.read(chained).certificates.map(\.fingerprint) == [Self.fingerprint(Self.first)])
        let both = Self.archive([Self.manifest], block: Self.signingBlock(Self.v2(Self.first, Self.second)))
        #expect(try Self.read(both).certificates.count == 2)
    }

    /// A CMS message with two certificates, of which the second is the signer's.
    private static var message: [UInt8] {
        let identity = der(0x30, der(0x30, Array("second".utf8)) + der(2, [1]))
        let signers = der(0x31, der(0x30, der(2, [1]) + identity + der(0x30, [])))
        let data = der(2, [1]) + der(0x31, []) + der(0x30, der(6, [1])) + der(0xA0, first + second) + signers
        return der(0x30, der(6, [42]) + der(0xA0, der(0x30, data)))
    }

    @Test func `without a signing block, the JAR signature names the signer`() throws {
        let signature = ("META-INF/CERT.RSA", Self.message)
        let app = try Self.read(Self.archive([Self.manifest, signature]))
        #expect(app.kind == .apk && app.certificates.map(\.signs) == [[.v1]])
        #expect(app.certificates.map(\.fingerprint) == [Self.fingerprint(Self.second)])
        let bundle = try Self.read(Self.archive([("BundleConfig.pb", []), ("META-INF/KEY0.EC", Self.message)]))
        #expect(bundle.kind == .bundle && bundle.certificates.count == 1)
        // A signing block that names no certificate is that of a build tool.
        let padded = Self.archive([Self.manifest, signature], block: Self.signingBlock(Self.pair(7, [1])))
        #expect(try Self.read(padded).certificates.map(\.signs) == [[.v1]])
    }

    @Test func `a certificate is read in DER and in PEM`() throws {
        let pem =
            "some text\r\n-----BEGIN CERTIFICATE-----\r\n\(Digest.base64(Self.first))\r\n-----END CERTIFICATE-----\r\n"
        for bytes in [Self.first, Array(pem.utf8)] {
            let app = try Self.read(bytes)
            #expect(app.kind == .certificate && app.certificates.map(\.fingerprint) == [Self.fingerprint(Self.first)])
        }
        let two = pem + pem.replacing(Digest.base64(Self.first), with: Digest.base64(Self.second))
        #expect(try Self.read(Array(two.utf8)).certificates.count == 2)
    }

    @Test(
        arguments: [
            ([], "it is no APK, no App Bundle and no certificate"),
            (Array("hello".utf8), "it is no APK, no App Bundle and no certificate"),
            ([0xFE, 0xED, 0xFE, 0xED, 0], "it is a keystore;"), (der(0x30, der(2, [3])), "it is a keystore;"),
            (certificate("one") + certificate("two"), "a certificate in it is damaged"),
            (certificate("one") + [10], "a certificate in it is damaged"),
            (der(0x30, der(6, [42])), "it is no APK, no App Bundle and no certificate"),
            (
                Array("-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n".utf8),
                "a certificate in it is damaged"
            ),
            ([0x50, 0x4B, 3, 4] + [UInt8](repeating: 0, count: 100), "it has no end of a ZIP file;"),
            (archive([manifest]), "it is not signed;"),
            (archive([("a.txt", [])]), "it is no APK, no App Bundle and no certificate"),
            (archive([("splits/base.apk", [])]), "it is an archive of APKs;"),
            (archive([manifest, ("META-INF/A.RSA", [1, 2])]), "a certificate in it is damaged"),
            (archive([manifest, ("META-INF/A.RSA", der(0x30, []))]), "its JAR signature is damaged"),
        ] as [([UInt8], String)])
    func `says what else a file is`(bytes: [UInt8], message: String) {
        #expect(Self.problem(bytes)?.hasPrefix(message) == true, "\(Self.problem(bytes) ?? "nothing")")
    }

    @Test func `no length and no place is trusted`() {
        let whole = Self.archive([Self.manifest], block: Self.signingBlock(Self.v2(Self.first)))
        // Cut anywhere, and with each byte wrong in two ways: an answer or a message, but no trap and no endless loop.
        for count in 0..<whole.count { #expect(Self.problem(Array(whole.prefix(count))) != nil) }
        let jar = Self.archive([Self.manifest, ("META-INF/CERT.RSA", Self.message)])
        for bytes in [whole, jar, Self.message, Self.first] {
            for index in bytes.indices {
                for value in [UInt8(0xFF), 0x80, 0] {
                    var broken = bytes
                    broken[index] = value
                    _ = Self.problem(broken)
                }
            }
        }
    }

    @Test func `only the parts that name certificates are read, and no more than their limits`() throws {
        // An APK of a terabyte, whose entries are never read.
        let (size, block) = (1 << 40, Self.signingBlock(Self.v2(Self.first)))
        let tail = Self.archive([Self.manifest], block: block).suffix(22 + 65)
        #expect(throws: SigningProblem.self) {
            try SignedApp(byteCount: size, read: { _, _ in [] }, expand: { _, _ in nil })
        }
        var readBytes = 0
        let problem = #expect(throws: SigningProblem.self) {
            try SignedApp(
                byteCount: size,
                read: { offset, count in
                    readBytes += count
                    if offset == 0 { return [0x50, 0x4B, 3, 4] }
                    return offset + count == size ? Array(repeating: 0, count: count - tail.count) + tail : []
                }, expand: { _, _ in nil })
        }
        #expect(problem != nil && readBytes < 17 << 20)

        let many = (0..<65).map { Self.certificate("\($0)") }
        let signers = Self.pair(0x7109_871A, Self.block(many.flatMap { Self.signer([$0], isV2: true) }))
        let apk = Self.archive([Self.manifest], block: Self.signingBlock(signers))
        #expect(Self.problem(apk) == "it has more than 64 certificates")
        let large = Self.pair(0x7109_871A, [UInt8](repeating: 0, count: 1 << 20))
        #expect(
            Self.problem(Self.archive([Self.manifest], block: Self.signingBlock(large)))?.contains("damaged") == true)
    }
}
