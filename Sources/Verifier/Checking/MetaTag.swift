// Finds a meta tag in a page. It is not an HTML parser: comments and scripts are not skipped, because a tag in one of them is
// a mistake too. The page is untrusted, so the time is linear in its size.

/// A meta tag by its name.
enum MetaTag {
    private static let bytesMax = 1_048_576

    /// The value of `content` of the first `<meta name="…">`; nil if there is none. Entities are not decoded.
    static func content(named name: String, in page: [UInt8]) -> String? {
        let page = page.prefix(bytesMax)
        var rest = page
        while let start = rest.firstIndex(of: UInt8(ascii: "<")) {
            rest = rest[(start + 1)...]
            guard isMeta(rest) else { continue }
            // A tag without an end extends to the end of the page.
            let end = rest.firstIndex(of: UInt8(ascii: ">")) ?? rest.endIndex
            let attributes = attributes(of: rest[(rest.startIndex + 5)..<end])
            if let found = attributes["name"], found.lowercased() == name { return attributes["content"] ?? "" }
            rest = rest[end...]
        }
        return nil
    }

    private static func isMeta(_ rest: ArraySlice<UInt8>) -> Bool {
        let word = rest.prefix(5)
        guard word.count == 5, let last = word.last, isSpace(last) else { return false }
        return word.prefix(4).elementsEqual("meta".utf8) { $0 | 0x20 == $1 }
    }

    /// The first value of each name.
    private static func attributes(of tag: ArraySlice<UInt8>) -> [String: String] {
        var found: [String: String] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: UInt8(ascii: "=")) {
            let key = rest[..<equals].split(whereSeparator: isSpace).last.map { text($0).lowercased() } ?? ""
            rest = rest[(equals + 1)...].drop(while: isSpace)
            let value: ArraySlice<UInt8>
            if let quote = rest.first, quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'") {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 1)
            } else {
                value = rest.prefix { !isSpace($0) }
                rest = rest.dropFirst(value.count)
            }
            if found[key] == nil { found[key] = text(value) }
        }
        return found
    }

    private static func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

    private static func text(_ bytes: ArraySlice<UInt8>) -> String { String(decoding: bytes, as: UTF8.self) }
}
