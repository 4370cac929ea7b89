// Every bound there is on what a client can make the server do or keep, in one place, each with its unit and its reason.
// `server.json` sets them under `limits`, by the same names.

/// Bounds on clients. The defaults suit an open internet and verifiers that give up after five seconds.
public struct Limits: Sendable {
    /// A request's head: its bytes, its first line, its fields.
    public var head = HeadLimits()
    /// A request's body in bytes, framing included. Nothing here takes one, so it is only read past.
    public var bodyBytesMax: UInt64 = 65_536
    /// Milliseconds from the first byte of a head (or from the connection's start) to its last: a slow sender is cut off,
    /// however steadily it sends.
    public var headTimeoutMilliseconds: Int64 = 10_000
    /// Milliseconds for a request's body.
    public var bodyTimeoutMilliseconds: Int64 = 10_000
    /// Milliseconds for a client to take what could not be sent at once.
    public var writeTimeoutMilliseconds: Int64 = 20_000
    /// Milliseconds that a connection may be silent between requests. Apple's CDN and browsers reuse theirs within it.
    public var idleTimeoutMilliseconds: Int64 = 60_000
    /// Milliseconds to go on reading after a refusal, so that the client sees the answer instead of a reset.
    public var lingerTimeoutMilliseconds: Int64 = 2_000
    /// Requests on one connection before it is closed: it lets load balancers spread old connections again.
    public var requestsPerConnectionMax: UInt32 = 100_000
    /// Connections of all workers together. Beyond it the answer is 503.
    public var connectionsMax = 65_536
    /// Milliseconds to finish what is in flight when the server is told to stop.
    public var drainTimeoutMilliseconds: Int64 = 10_000

    public init() {}
}
