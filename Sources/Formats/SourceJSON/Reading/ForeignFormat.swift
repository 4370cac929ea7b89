// Files that are not JSON at all, such as a server's start page, a signed file for iOS 8 or a compressed file. Each begins with
// bytes that no JSON text begins with.

/// A format other than JSON, recognised by how a file begins.
struct ForeignFormat {
    var kind: SourceProblemKind
    /// The name of the format in messages.
    var name: String

    /// Recognises a format by the bytes of a file, before decoding.
    init?(binary bytes: [UInt8]) {
        switch bytes.first {
        case 0x1F where bytes.starts(with: [0x1F, 0x8B, 0x08]): self.init(.compressed, "gzip")
        case 0x28 where bytes.starts(with: [0x28, 0xB5, 0x2F, 0xFD]): self.init(.compressed, "zstd")
        case 0x50 where bytes.starts(with: [0x50, 0x4B, 0x03, 0x04]): self.init(.compressed, "ZIP")
        case 0x30 where Self.isDER(bytes): self.init(.signedMessage, "a CMS message in DER")
        default: return nil
        }
    }

    /// Recognises a format by the beginning of a text, after its white space.
    init?(text bytes: [UInt8]) {
        let begin = bytes.drop(while: \.isSpace).prefix(64)
        let lower = String(decoding: begin, as: UTF8.self).lowercased()
        switch begin.first {
        case Byte.less:
            guard let found = Self.markup(lower) else { return nil }
            self = found
        case Byte.minus where lower.hasPrefix("-----begin "):
            let label = String(decoding: begin.dropFirst(11).prefix { $0 != Byte.minus }, as: UTF8.self)
            let isMessage = label == "PKCS7" || label == "CMS"
            self.init(
                isMessage ? .signedMessage : .pem,
                isMessage ? "a CMS message in PEM" : Printable.text(label.utf8Bytes, scalarsMax: 40))
        case UInt8(ascii: "M") where lower.hasPrefix("mime-version:"): self.init(.signedMessage, "an S/MIME mail")
        case UInt8(ascii: "M") where Self.isBase64DER(begin): self.init(.signedMessage, "a CMS message in Base64")
        case UInt8(ascii: "C") where lower.hasPrefix("content-type:"): self.init(.httpResponse, "header fields")
        case UInt8(ascii: "H") where lower.hasPrefix("http/"): self.init(.httpResponse, "a status line")
        default: return nil
        }
    }

    private init(_ kind: SourceProblemKind, _ name: String) {
        (self.kind, self.name) = (kind, name)
    }

    private static func markup(_ lower: String) -> ForeignFormat? {
        if lower.hasPrefix("<?xml") || lower.hasPrefix("<!doctype plist") || lower.hasPrefix("<plist") {
            return ForeignFormat(.xml, lower.contains("plist") ? "a property list" : "XML")
        }
        for tag in [
            "<!doctype html", "<html", "<head", "<body", "<!--", "<script", "<title", "<meta", "<br", "<b>", "<h1",
            "<p>", "<div",
        ]
        where lower.hasPrefix(tag) {
            return ForeignFormat(.html, Printable.text(tag.utf8Bytes, scalarsMax: 20))
        }
        // `<%` and `<<<<<<<` are not markup; the parser handles them.
        let second = lower.utf8.dropFirst().first ?? 0
        guard second.isLetter || second == UInt8(ascii: "?") || second == UInt8(ascii: "!") else { return nil }
        return ForeignFormat(.xml, "markup")
    }

    /// A DER sequence (tag 0x30) in the long form of length (X.690 §8.1.3) that begins with the object identifier of PKCS #7
    /// or CMS, or has exactly the length that it states. The bytes cannot be the JSON number 0: the next ones are not UTF-8.
    private static func isDER(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[1] >= 0x80, bytes[1] <= 0x84 else { return false }
        let lengthBytes = Int(bytes[1] - 0x80)
        let content = bytes.dropFirst(2 + lengthBytes)
        if content.starts(with: [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07]) { return true }
        guard lengthBytes > 0 else { return false }
        return bytes[2...].prefix(lengthBytes).reduce(0) { $0 << 8 | Int($1) } == content.count
    }

    /// Base64 of a DER sequence longer than 127 bytes begins with `MI`.
    private static func isBase64DER(_ bytes: ArraySlice<UInt8>) -> Bool {
        bytes.count >= 48 && bytes.starts(with: "MI".utf8)
            && bytes.prefix(48).allSatisfy { $0.isLetter || $0.isDigit || $0 == Byte.plus || $0 == Byte.slash }
    }
}

extension String {
    fileprivate var utf8Bytes: ArraySlice<UInt8> { Array(utf8)[...] }
}
