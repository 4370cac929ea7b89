// Which files are never served, whatever leads to them: private keys, and the server's own certificates beside them. By the name
// and by the content, so that a copy, a link of any kind and a packed form are no way around it.

import Association

enum KeyGuard {
    /// Why a file must not be served, by its name; nil when it may.
    static func refusal(of path: String) -> String? {
        hasName(path) ? "its name is that of a file with a private key or with a certificate of the server" : nil
    }

    /// The same by its content.
    static func refusal(of bytes: [UInt8]) -> String? { isIn(bytes) ? "there is a private key in it" : nil }

    static func finding(_ file: String, _ reason: String) -> Finding {
        Finding(
            rule: .cfg009, severity: .error, file: file, range: nil, message: "the file is not served: \(reason)",
            fix: "remove it, and replace the key if others could read it")
    }

    /// Whether a file is called as keys and the server's own certificates are, packed or not.
    private static func hasName(_ path: String) -> Bool {
        var name = (path.split(separator: "/").last ?? "").lowercased()
        if name.hasSuffix(PackedPage.suffix) { name.removeLast(PackedPage.suffix.utf8.count) }
        if ["key", "p12", "pfx", "jks", "keystore"].contains(where: { name.hasSuffix(".\($0)") }) { return true }
        return name.hasSuffix(".pem") && (name.hasPrefix("privkey") || name.hasPrefix("fullchain"))
    }

    /// Whether there is a private key in PEM anywhere in the bytes, or they are one in DER; in gzip form too.
    private static func isIn(_ bytes: [UInt8]) -> Bool {
        if isPEM(bytes) || isDER(bytes) { return true }
        guard bytes.starts(with: [0x1F, 0x8B]) else { return false }
        let unpacked = Gzip.start(of: bytes, bytesMax: unpackedBytesMax)
        return isPEM(unpacked) || isDER(unpacked)
    }

    /// No key is larger, even with its chain. A few bytes may unpack to so much, and there may be thousands of such files.
    private static let unpackedBytesMax = 65_536
    private static let labelBytesMax = 64
    private static let begin = Array("-----BEGIN ".utf8)
    private static let end = Array("PRIVATE KEY-----".utf8)

    /// RFC 7468 §10 and §11, and the older forms that name an algorithm before `PRIVATE KEY`. One pass, because every page of every
    /// host comes through here: the last beginning before an end is the nearest.
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

    /// A sequence as long as the file that begins as PKCS #8 (RFC 5958), PKCS #1 (RFC 8017), SEC 1 (RFC 5915) or encrypted
    /// PKCS #8 by a password (RFC 8018) does.
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
        // 1.2.840.113549.1.5.13, PBES2, as the first thing in it.
        return body.prefix(24).firstRange(of: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x05, 0x0D]) != nil
    }
}
