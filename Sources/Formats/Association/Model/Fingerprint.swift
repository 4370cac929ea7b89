// The SHA-256 fingerprint of an Android signing certificate. Consumers compare the text exactly: 32 upper-case pairs of hexadecimal
// digits with colons between them. People paste many other forms, which are recognised here.

import SourceJSON

/// A SHA-256 certificate fingerprint in the one form that every consumer accepts.
public struct Fingerprint: Hashable, Sendable {
    /// Such as `14:6D:E9:…`, 95 characters.
    public let text: String

    /// Reads any spelling of 32 bytes: in either case, with colons, spaces, hyphens or nothing between them, after the label
    /// that keytool prints. Nil for anything else.
    public init?(normalising text: String) {
        if Fingerprint.isCanonical(text) {
            self.text = text
            return
        }
        guard case .bytes(let digits) = Fingerprint.read(text), digits.count == 64 else { return nil }
        self.text = Fingerprint.canonical(digits)
    }

    /// The beginning of a fingerprint in the served form, with the note of its app file: `30:EF:E5:5E…` and the note.
    package static func short(_ text: some StringProtocol, note: String?) -> String {
        "\(text.prefix(11))…" + (note.map { " (\($0.quoted))" } ?? "")
    }

    /// The longest note, in bytes: messages quote it.
    static let noteBytesMax = 100

    /// The problems of a fingerprint in a statement list, which consumers do not normalise. With a `replacement`, only the
    /// spelling is wrong, and an app file accepts it.
    public static func problems(in text: String) -> [TextProblem] {
        guard let normal = Fingerprint(normalising: text) else { return [explain(text)] }
        if normal.text == text { return normal.placeholderProblem.map { [$0] } ?? [] }
        let problem: TextProblem
        if text.uppercased() == normal.text {
            problem = TextProblem(
                .dal010,
                "a fingerprint has lower-case letters, so Google ignores the statement, and Chromium and Android find no match",
                fix: "write it in upper case", replacement: normal.text)
        } else {
            problem = TextProblem(
                .dal011,
                "a fingerprint is not 32 upper-case pairs of hexadecimal digits with single colons between them, so Google "
                    + "ignores the statement, and Chromium and Android find no match",
                fix: "write it as keytool prints it, with colons and in upper case", replacement: normal.text)
        }
        return [problem] + (normal.placeholderProblem.map { [$0] } ?? [])
    }

    private enum Reading {
        case bytes([Unicode.Scalar])
        case notHex(Unicode.Scalar)
    }

    /// Whether a text needs no normalisation, as most.
    private static func isCanonical(_ text: String) -> Bool {
        guard text.utf8.count == 95 else { return false }
        // The number of digits since the last colon.
        var digits = 0
        for byte in text.utf8 {
            switch byte {
            case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "A")...UInt8(ascii: "F"):
                digits += 1
                if digits > 2 { return false }
            case UInt8(ascii: ":"):
                if digits != 2 { return false }
                digits = 0
            default: return false
            }
        }
        return true
    }

    private static func read(_ text: String) -> Reading {
        var digits: [Unicode.Scalar] = []
        for scalar in withoutLabel(text).unicodeScalars {
            // Separators, and the invisible marks that certificate dialogs add to copied text.
            if scalar == ":" || scalar == "-" || scalar.isInvisible { continue }
            guard scalar.isHexDigit else { return .notHex(scalar) }
            digits.append(scalar)
        }
        return .bytes(digits)
    }

    private static func withoutLabel(_ text: String) -> String {
        let trimmed = text.trimmingSpaces()
        let lower = trimmed.lowercased()
        for label in ["sha256 fingerprint=", "sha-256 fingerprint=", "sha256:", "sha-256:", "sha256=", "sha256/"]
        where lower.begins(with: label) {
            return String(trimmed.dropFirst(label.count))
        }
        return trimmed
    }

    private static func canonical(_ digits: [Unicode.Scalar]) -> String {
        var result = ""
        for (index, digit) in digits.enumerated() {
            if index > 0, index % 2 == 0 { result += ":" }
            result.unicodeScalars.append(digit)
        }
        return result.uppercased()
    }

    /// Recognises other text in the place of a SHA-256 fingerprint.
    private static func explain(_ text: String) -> TextProblem {
        let fix = "use the SHA-256 fingerprint (keytool -list -v, or App integrity in the Play Console)"
        switch read(text) {
        case .bytes(let digits) where digits.isEmpty:
            return TextProblem(
                .dal011, "a fingerprint is empty, so Google ignores the statement", fix: fix)
        case .bytes(let digits) where digits.count % 2 == 1:
            return TextProblem(
                .dal011,
                "fingerprint has \(digits.count) hexadecimal digits, an odd number; SHA-256 has 64", fix: fix)
        case .bytes(let digits):
            let bytes = digits.count / 2
            let name = [16: "MD5", 20: "SHA-1", 28: "SHA-224", 48: "SHA-384", 64: "SHA-512"][bytes]
            let what = name.map { ", so it is \($0)" } ?? "; SHA-256 has 32"
            return TextProblem(.dal011, "fingerprint has \(bytes) bytes\(what)", fix: fix)
        case .notHex(let scalar):
            if looksLikePlaceholder(text) {
                return TextProblem(.dal011, "fingerprint \(text.quoted) is a placeholder from a template", fix: fix)
            }
            if looksLikeBase64(text) {
                return TextProblem(
                    .dal011, "fingerprint \(text.quoted) is base64, not pairs of hexadecimal digits", fix: fix)
            }
            return TextProblem(
                .dal011,
                "fingerprint has \(String(scalar).quoted), which is not a hexadecimal digit, so Google rejects the statement",
                fix: fix)
        }
    }

    private static func looksLikePlaceholder(_ text: String) -> Bool {
        let upper = text.uppercased()
        return ["XX:XX", "XXXX", "...", "…"].contains { upper.contains(run: $0) }
            || ["YOUR", "SHA256", "SHA_256", "SHA-256", "FINGERPRINT", "CERT", "HASH", "REPLACE", "<", "${", "{{"]
                .contains { upper.contains($0) }
    }

    /// 20 or 32 bytes in base64, as Facebook and the web key-hash forms write them.
    private static func looksLikeBase64(_ text: String) -> Bool {
        let body = text.unicodeScalars.filter { $0 != "=" }
        return [27, 43].contains(body.count)
            && body.allSatisfy { $0.isLetter || $0.isDigit || $0 == "+" || $0 == "/" || $0 == "-" || $0 == "_" }
    }

    private var placeholderProblem: TextProblem? {
        if let owner = Fingerprint.documented[text] {
            return TextProblem(
                .dal013, "fingerprint is the one in \(owner), so your app is not signed with it",
                fix: "use your own (keytool -list -v, or App integrity in the Play Console)")
        }
        if let owner = Fingerprint.publicKeys[text] {
            return TextProblem(
                .dal015,
                "fingerprint is that of \(owner), whose private key is public, so anyone can sign an app that this host trusts",
                fix: "list the release key here, and debug keys on a test host only", severity: .warning)
        }
        guard let pattern = pattern else { return nil }
        return TextProblem(
            .dal013, "fingerprint \(pattern) (placeholder), so no app is signed with it",
            fix: "use your own (keytool -list -v, or App integrity in the Play Console)")
    }

    /// A pattern that no hash has: of 32 random bytes about 30 differ, and so do the steps between them.
    private var pattern: String? {
        let digits = text.utf8.compactMap(\.hexadecimalValue)
        let bytes = stride(from: 0, to: digits.count - 1, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
        let differing = Self.differing(bytes)
        if differing == 1 { return "repeats one byte" }
        if differing <= 4 { return "repeats only \(differing) byte values" }
        if Self.differing(zip(bytes, bytes.dropFirst()).map { $1 &- $0 }) <= 3 { return "is a counting pattern" }
        return differing <= 16 ? "repeats a few bytes" : nil
    }

    private static func differing(_ bytes: [UInt8]) -> Int {
        bytes.indices.count { !bytes[..<$0].contains(bytes[$0]) }
    }

    private static let documented = [
        "14:6D:E9:83:C5:73:06:50:D8:EE:B9:95:2F:34:FC:64:16:A0:83:42:E6:1D:BE:A8:8A:04:96:B2:3F:CF:44:E5":
            "Google's documentation"
    ]

    private static let publicKeys = [
        "FA:C6:17:45:DC:09:03:78:6F:B9:ED:E6:2A:96:2B:39:9F:73:48:F0:BB:6F:89:9B:83:32:66:75:91:03:3B:9C":
            "the debug keystore of React Native's template",
        "A4:0D:A8:0A:59:D1:70:CA:A9:50:CF:15:C1:8C:45:4D:47:A3:9B:26:98:9D:8B:64:0E:CD:74:5B:A7:1B:F5:DC":
            "Android's public test key",
        "C8:A2:E9:BC:CF:59:7C:2F:B6:DC:66:BE:E2:93:FC:13:F2:FC:47:EC:77:BC:6B:2B:0D:52:C1:1F:51:19:2A:B8":
            "Android's public platform test key",
    ]
}
