// The same URL reads differently to different rules: decoded or not, folded or not.

/// How a rule reads a URL before it compares.
struct URLReading: Hashable, Sendable {
    /// `percentEncoded: false`
    var decodes: Bool
    /// `caseSensitive: false`
    var folds: Bool

    static let plain = URLReading(decodes: false, folds: false)

    var isPlain: Bool { !decodes && !folds }

    /// From 0 for the plain reading to 3.
    var index: Int { (decodes ? 1 : 0) + (folds ? 2 : 0) }

    /// `bytes` as this reading has them.
    func read(_ bytes: [UInt8]) -> [UInt8] {
        if isPlain { return bytes }
        return read(bytes[...])
    }

    func read(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        let decoded = decodes ? Percent.decode(bytes) : Array(bytes)
        guard folds else { return decoded }
        if decoded.allSatisfy({ $0 < 0x80 }) { return decoded.map(ASCII.lowercased) }
        return Array(String(decoding: decoded, as: UTF8.self).folded.utf8)
    }
}
