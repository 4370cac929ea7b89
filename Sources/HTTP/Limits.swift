// Every bound there is on what a client or a host can make the server do or keep, in one place, each with its unit and its reason.
// `server.json` sets them under `limits`, by the same names.

/// Bounds on clients and hosts. The defaults suit an open internet and verifiers that give up after five seconds.
public struct Limits: Sendable {
    /// A request's head: its bytes, its first line, its fields.
    public var head = HeadLimits()
    /// A request's body in bytes, framing included. Nothing here takes one, so it is only read past.
    public var bodyBytesMax: UInt64 = 65_536
    /// Milliseconds for a TLS handshake, the client's round trips included.
    public var handshakeTimeoutMilliseconds: Int64 = 10_000
    /// Handshakes under way at once. They cost a hundred times what a request does, so a flood of them is refused early.
    public var handshakesMax = 8_192
    /// Milliseconds from the first byte of a head (or from the connection's start) to its last: a slow sender is cut off,
    /// however steadily it sends.
    public var headTimeoutMilliseconds: Int64 = 10_000
    /// Milliseconds in which a request's body must come, or at least as much of it as `bodyBytesPerSecondMin` asks for;
    /// then the next ones begin.
    public var bodyTimeoutMilliseconds: Int64 = 10_000
    /// Bytes per second that a body must come with; a slower one is a client that only holds a connection.
    public var bodyBytesPerSecondMin = 1_024
    /// Milliseconds in which a client must take an answer, or as much of it as `writeBytesPerSecondMin` asks for.
    public var writeTimeoutMilliseconds: Int64 = 20_000
    /// Bytes per second that a client must take an answer with: below a slow telephone line.
    public var writeBytesPerSecondMin = 1_024
    /// Milliseconds that a connection may be silent between requests: long enough for a page with its parts.
    public var idleTimeoutMilliseconds: Int64 = 25_000
    /// Milliseconds to go on reading after a refusal, so that the client sees the answer instead of a reset.
    public var lingerTimeoutMilliseconds: Int64 = 2_000
    /// Requests on one connection before it is closed: it lets load balancers spread old connections again.
    public var requestsPerConnectionMax: UInt32 = 100_000
    /// Bytes received on one connection before it is closed, for the same reason.
    public var bytesPerConnectionMax = 1_073_741_824
    /// Connections of all workers together. Beyond it one that has not asked for anything makes room, or one between two
    /// requests; when all are busy the answer is 503.
    public var connectionsMax = 65_536
    /// Connections from one address (for IPv6 from one /64, four times as many from a /56, sixteen times from a /48); more are
    /// answered 503. One in a handshake counts four times. Loopback is not counted, because a proxy may stand there. 0 is no
    /// limit.
    public var connectionsPerAddressMax = 1_024
    /// Bytes of memory that all connections together may hold: sessions, unfinished requests, answers that are not taken.
    /// Beyond it the oldest of those that hold most is closed.
    public var heldBytesMax = 2_147_483_648
    /// Milliseconds to finish what is in flight when the server is told to stop. Container engines kill after ten seconds.
    public var drainTimeoutMilliseconds: Int64 = 8_000
    /// Milliseconds that a silent connection is kept when the server is told to stop: a request may be on its way. Longer
    /// than a second, so that clients who have not said anything yet show themselves (`TCP_DEFER_ACCEPT`).
    public var drainIdleMilliseconds: Int64 = 1_500
    /// Files in the folders of one host, links to files included: a site with thousands of pages is served elsewhere.
    public var filesPerHostMax = 4_096
    /// Folders in them, links to folders included; each is watched.
    public var foldersPerHostMax = 1_024
    /// Bytes of those files that are kept in memory. With its gzip forms, and twice while it is replaced, one host takes
    /// about three times as much, which leaves room for others in a container of 256 MiB.
    public var bytesPerHostMax = 33_554_432

    /// Files directly in `config/apps`, which are the operator's: names of all kinds, folders among them.
    public var appFilesMax = 1_000_000
    /// Files in one folder of `config/apps` and below it, which may be a tenant's: links and other names included. An agency with
    /// a thousand apps has room four times over; a refused file costs each change of others some microseconds.
    public var filesPerAppFolderMax = 4_096
    /// Folders in it, links to folders included; each is watched.
    public var foldersPerAppFolderMax = 1_024
    /// Bytes of the app files in it, by their sizes. Texts are kept as last good versions, in memory and in the state directory.
    /// A thousand apps have 16 KiB each; most need one.
    public var bytesPerAppFolderMax = 16_777_216

    /// What every connection costs: its place in the table, and what the kernel keeps for its socket.
    public static let connectionBytes = 4_096
    /// What a TLS session costs beyond that: 13 KiB were measured, and OpenSSL may have a record of 16 KiB for a while.
    public static let sessionBytes = 16_384
    /// What one in the middle of its handshake costs: 47 KiB were measured.
    public static let handshakeBytes = 49_152

    public init() {}

    /// The defaults for a process that may use so much memory: half of it is for connections, and half of that for handshakes.
    /// The other half is for what is served.
    public init(fitting memoryBytes: Int) {
        heldBytesMax = min(heldBytesMax, max(Limits.heldBytesMin, memoryBytes / 2))
        connectionsMax = min(connectionsMax, heldBytesMax / Limits.connectionBytes)
        handshakesMax = min(handshakesMax, heldBytesMax / 2 / Limits.handshakeBytes)
    }

    /// Less is of no use: a few dozen connections would be all.
    public static let heldBytesMin = 4_194_304
}
