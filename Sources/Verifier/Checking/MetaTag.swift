// Looks for one meta tag in a page. It reads what people write, not what a browser would make of it: comments and scripts
// are not skipped, because a tag in one of them is somebody's mistake too.

/// A meta tag by its name.
enum MetaTag {
    /// The value of `content` of the first `<meta name="…">`; nil where there is none. Entities are left as they are.
    static func content(named name: String, in page: [UInt8]) -> String? {
        let text = String(decoding: page.prefix(1_048_576), as: UTF8.self)
        var rest = text[...]
        while let start = rest.firstIndex(of: "<") {
            rest = rest[rest.index(after: start)...]
            guard rest.prefix(5).lowercased() == "meta " || rest.prefix(5).lowercased() == "meta\n" else { continue }
            let tag = rest.prefix { $0 != ">" }
            let attributes = attributes(of: tag.dropFirst(5))
            if attributes["name"]?.lowercased() == name { return attributes["content"] ?? "" }
        }
        return nil
    }

    private static func attributes(of tag: Substring) -> [String: String] {
        var found: [String: String] = [:]
        var rest = tag
        while let equals = rest.firstIndex(of: "=") {
            let key = rest[..<equals].split(whereSeparator: \.isWhitespace).last.map { $0.lowercased() } ?? ""
            rest = rest[rest.index(after: equals)...].drop(while: \.isWhitespace)
            let quote = rest.first
            let value: Substring
            if quote == "\"" || quote == "'" {
                rest = rest.dropFirst()
                value = rest.prefix { $0 != quote }
                rest = rest.dropFirst(value.count + 1)
            } else {
                value = rest.prefix { !$0.isWhitespace }
                rest = rest.dropFirst(value.count)
            }
            if found[key] == nil { found[key] = String(value) }
        }
        return found
    }
}
