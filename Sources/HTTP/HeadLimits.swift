// How much of a head the parser takes before it gives up.

/// Bounds on a request's head. `Limits` holds them and takes them from `server.json`.
public struct HeadLimits: Sendable {
    /// The whole head, in bytes: 431 beyond it.
    public var headBytesMax: Int
    /// The request line, in bytes: 414 beyond it. RFC 9112 §3 asks for 8,000 at least.
    public var requestLineBytesMax: Int
    /// Field lines: 431 beyond it.
    public var fieldCountMax: Int

    public init(headBytesMax: Int = 16_384, requestLineBytesMax: Int = 8_192, fieldCountMax: Int = 100) {
        self.headBytesMax = headBytesMax
        self.requestLineBytesMax = requestLineBytesMax
        self.fieldCountMax = fieldCountMax
    }
}
