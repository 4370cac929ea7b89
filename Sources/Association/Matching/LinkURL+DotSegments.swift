// What a browser makes of `/a/./b/../c` before anybody compares it (RFC 3986 §5.2.4). Matching itself does not do this.

extension LinkURL {
    /// The URL with its dot segments removed; nil where it has none.
    var withoutDotSegments: LinkURL? {
        guard let path = DotSegments.removed(from: path) else { return nil }
        var text = "\(scheme)://\(host)" + path
        if let query { text += "?" + query }
        if let fragment { text += "#" + fragment }
        return LinkURL(text)
    }
}

/// `.` and `..` between the slashes of a path.
enum DotSegments {
    /// The path without them; nil where it has none.
    static func removed(from path: String) -> String? {
        guard path.utf8.contains(UInt8(ascii: ".")) else { return nil }
        let segments = path.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
        guard segments.contains(where: { $0 == "." || $0 == ".." }) else { return nil }
        var kept: [Substring] = []
        for segment in segments {
            if segment == ".." { _ = kept.popLast() } else if segment != "." { kept.append(segment) }
        }
        if segments.last == "." || segments.last == ".." { kept.append("") }
        return "/" + kept.joined(separator: "/")
    }
}
