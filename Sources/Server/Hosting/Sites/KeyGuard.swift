// Decides which files are never served: private keys, and the server's own certificates. Judges the name and the content, so that
// copies, links and gzip files cannot get around it.

import Association

enum KeyGuard {
    /// Why a file must not be served, by its name; nil if it may.
    static func refusal(of path: String) -> String? {
        hasName(path) ? "its name is that of a private key or of a server certificate" : nil
    }

    /// Why a file must not be served, by its content; nil if it may.
    static func refusal(of bytes: [UInt8]) -> String? { isIn(bytes) ? "it contains a private key" : nil }

    static func finding(_ file: String, _ reason: String) -> Finding {
        Finding(
            rule: .cfg009, severity: .error, file: file, range: nil, message: "the file is not served: \(reason)",
            fix: "remove it, and replace the key if others could have read it")
    }

    /// Whether a name is one that keys or the server's certificates have, also with `.gz`.
    private static func hasName(_ path: String) -> Bool {
        var name = (path.split(separator: "/").last ?? "").lowercased()
        if name.hasSuffix(PrecompressedPage.suffix) { name.removeLast(PrecompressedPage.suffix.utf8.count) }
        if ["key", "p12", "pfx", "jks", "keystore"].contains(where: { name.hasSuffix(".\($0)") }) { return true }
        return name.hasSuffix(".pem") && (name.hasPrefix("privkey") || name.hasPrefix("fullchain"))
    }

    /// Whether the bytes contain a private key in PEM form or are one in DER form, also gzipped.
    private static func isIn(_ bytes: [UInt8]) -> Bool {
        if isPEM(bytes) || isDER(bytes) { return true }
        guard bytes.starts(with: [0x1F, 0x8B]) else { return false }
        let unpacked = Gzip.start(of: bytes, bytesMax: unpackedBytesMax)
        return isPEM(unpacked) || isDER(unpacked)
    }

    /// No key is larger, even with its chain. The limit matters because a few bytes can unpack to very many.
    private static let unpackedBytesMax = 65_536
    private static let labelBytesMax = 64
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("PRIVATE KEY-----".utf8)

    /// RFC 7468 §10 and §11, and the older forms with an algorithm before `PRIVATE KEY`. Finds the last `BEGIN` before each end
    /// in a single pass, because all pages of all hosts are checked.
    private static func isPEM(_ bytes: [UInt8]) -> Bool {
        var labelStart: Int?
        for (index, byte) in bytes.enumerated() {
            switch byte {
            case begin[0] where bytes[index...].starts(with: begin): labelStart = index + begin.count
            case UInt8(ascii: "\n"), UInt8(ascii: "\r"): labelStart = nil
            case end[0]:
                guard let start = labelStart, index + end.count <= start + labelBytesMax else { continue }
                if bytes[index...].starts(with: end) { return true }
            default: continue
            }
        }
        return false
    }

    /// Whether the bytes are one DER sequence that begins like PKCS #8 (RFC 5958), PKCS #1 (RFC 8017), SEC 1 (RFC 5915) or
    /// password-encrypted PKCS #8 (RFC 8018).
    private static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 16, bytes[0] == 0x30 else { return false }
        let lengthCount = bytes[1] < 0x80 ? 0 : Int(bytes[1] & 0x7F)
        guard lengthCount <= 3 else { return false }
        let start = 2 + lengthCount
        let length =
            lengthCount == 0 ? Int(bytes[1]) : bytes[2..<start].reduce(0) { $0 << 8 | Int($1) }
        guard start + length == bytes.count else { return false }
        let body = bytes[start...]
        for version in [0, 1] as [UInt8] {
            for next in [0x30, 0x02, 0x04] as [UInt8] where body.starts(with: [2, 1, version, next]) { return true }
        }
        // 1.2.840.113549.1.5.13, PBES2, at the beginning.
        return body.prefix(24).firstRange(of: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]) != nil
    }
}
