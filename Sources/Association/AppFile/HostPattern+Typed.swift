// Hosts as people type them, on a command line, in an example, as part of a URL: the one place where a name in another
// script becomes the one that is asked for.

extension HostPattern {
    /// `text` with the host that it begins with, or that stands behind its scheme, in ASCII: a name, a name and its port,
    /// or a URL. What is ASCII already stays as it is, and so does what is no host, for whoever reads it to refuse.
    public static func inASCII(_ text: String) -> String {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text }
        let bytes = Array(text.utf8)
        let range = hostRange(in: bytes)
        let written = String(decoding: bytes[range], as: UTF8.self)
        guard !written.utf8.allSatisfy({ $0 < 0x80 }), case .success(let host) = parse(written) else { return text }
        return String(
            decoding: bytes[..<range.lowerBound] + Array(host.text.utf8) + bytes[range.upperBound...], as: UTF8.self)
    }

    /// Where the host stands: behind `://` and any user, up to a port or a path.
    private static func hostRange(in bytes: [UInt8]) -> Range<Int> {
        var start = 0
        if let colon = bytes.firstIndex(of: UInt8(ascii: ":")), bytes[colon...].starts(with: "://".utf8) {
            start = colon + 3
        }
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.count
        if let at = bytes[start..<end].lastIndex(of: UInt8(ascii: "@")) { start = at + 1 }
        return start..<(bytes[start..<end].firstIndex(of: UInt8(ascii: ":")) ?? end)
    }
}
