// The pieces of an http address as statement lists write it. Not a URL parser: it cuts the text where RFC 3986 does and
// judges nothing.

/// A text of the form `scheme://[user@]host[:port][rest]`.
struct WebAddress {
    /// In lower case.
    var scheme: String
    var user: String?
    var host: String
    /// The text after the colon, if there is one; empty or no number where it is wrong.
    var portText: String?
    /// From the first `/`, `?` or `#` on.
    var rest: String

    var port: Int? { portText.flatMap { Int($0) } }

    init?(_ text: String) {
        guard let mark = text.firstRange(of: "://") else { return nil }
        let scheme = text[..<mark.lowerBound]
        guard let first = scheme.unicodeScalars.first, first.isLetter,
            scheme.unicodeScalars.allSatisfy({ $0.isLetter || $0.isDigit || $0 == "+" || $0 == "-" || $0 == "." })
        else { return nil }
        self.scheme = scheme.lowercased()
        let after = text[mark.upperBound...]
        var authority = after.prefix { $0 != "/" && $0 != "?" && $0 != "#" && $0 != "\\" }
        rest = String(after[authority.endIndex...])
        if let at = authority.lastIndex(of: "@") {
            user = String(authority[..<at])
            authority = authority[authority.index(after: at)...]
        }
        if let colon = authority.lastIndex(of: ":"), !authority.ends(with: "]") {
            portText = String(authority[authority.index(after: colon)...])
            authority = authority[..<colon]
        }
        host = String(authority)
    }
}
