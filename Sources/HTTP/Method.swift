// What a client may ask for. Only three methods mean something here; the others are told apart for nobody's benefit.

/// The method of a request.
public enum Method: UInt8, Sendable {
    case get
    case head
    case options
    case connect
    /// Any other well-formed token, known elsewhere or not: answered 405.
    case other

    /// Methods are case-sensitive (RFC 9110 §9.1).
    @inline(__always)
    init(_ token: Span<UInt8>) {
        if token.equals("GET") {
            self = .get
        } else if token.equals("HEAD") {
            self = .head
        } else if token.equals("OPTIONS") {
            self = .options
        } else if token.equals("CONNECT") {
            self = .connect
        } else {
            self = .other
        }
    }
}
