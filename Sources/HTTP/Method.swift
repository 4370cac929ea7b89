// What a client may ask for. Three methods are served; the others are told apart because the answer differs: a method that is
// known and not served is 405, one that is not known is 501 (RFC 9110 §9.1).

/// The method of a request.
public enum Method: UInt8, Sendable {
    case get
    case head
    case options
    case connect
    /// Another method that every resource on the web may have: those of RFC 9110 §9.3, and PATCH (RFC 5789).
    case notServed
    /// Any other well-formed token, extensions such as WebDAV's among them.
    case unknown

    /// Methods are case-sensitive (RFC 9110 §9.1).
    @inline(__always)
    init(_ token: Span<UInt8>) {
        if token.equals("GET") {
            self = .get
        } else if token.equals("HEAD") {
            self = .head
        } else {
            self.init(rare: token)
        }
    }

    private init(rare token: Span<UInt8>) {
        if token.equals("OPTIONS") {
            self = .options
        } else if token.equals("CONNECT") {
            self = .connect
        } else {
            let isKnown =
                token.equals("POST") || token.equals("PUT") || token.equals("DELETE") || token.equals("PATCH")
                || token.equals("TRACE")
            self = isKnown ? .notServed : .unknown
        }
    }
}
