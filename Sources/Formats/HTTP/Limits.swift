// All limits on what a client or a host can make the server do or store, each with its unit and its reason. `server.json` sets
// them under `limits`, with the same names.

/// Bounds on clients and hosts. The defaults suit an open internet and verifiers that give up after five seconds.
public struct Limits: Sendable {
    /// A request's head: its bytes, its first line, its fields.
    public var head = HeadLimits()
    /// A request's body in bytes, framing included. No resource accepts one, so the server only skips it.
    public var bodyBytesMax: UInt64 = 65_536
    /// Milliseconds for a whole TLS handshake, including the client's round trips.
    public var handshakeTimeoutMilliseconds: Int64 = 10_000
    /// Handshakes in progress at once. One costs as much as a hundred requests, so a flood of them is refused early.
    public var handshakesMax = 8_192
    /// Milliseconds from the first byte of a head (or from the connection's start) to its last byte. A client that sends slowly
    /// but steadily is cut off too.
    public var headTimeoutMilliseconds: Int64 = 10_000
    /// Milliseconds in which a request's body must arrive, or at least as much of it as `bodyBytesPerSecondMin` requires. In the
    /// second case the time starts again.
    public var bodyTimeoutMilliseconds: Int64 = 10_000
    /// The least bytes per second of a body. A slower client only occupies a connection.
    public var bodyBytesPerSecondMin = 1_024
    /// Milliseconds in which a client must read an answer, or as much of it as `writeBytesPerSecondMin` requires.
    public var writeTimeoutMilliseconds: Int64 = 20_000
    /// The least bytes per second with which a client must read an answer: slower than a slow telephone line.
    public var writeBytesPerSecondMin = 1_024
    /// Milliseconds that a connection may be idle between requests: long enough for a page with its parts.
    public var idleTimeoutMilliseconds: Int64 = 25_000
    /// Milliseconds to continue reading after a refusal, so that the client sees the answer instead of a reset.
    public var lingerTimeoutMilliseconds: Int64 = 2_000
    /// Requests on one connection before it is closed, so that load balancers can distribute old connections again.
    public var requestsPerConnectionMax: UInt32 = 100_000
    /// Bytes received on one connection before it is closed, for the same reason.
    public var bytesPerConnectionMax = 1_073_741_824
    /// Connections of all workers together. Beyond it the server closes one that has not sent a request yet, or one between two
    /// requests; when all are busy, a new one is answered 503.
    public var connectionsMax = 65_536
    /// Connections from one address (for IPv6 from one /64, four times as many from a /56, sixteen times from a /48); more are
    /// answered 503. One in a handshake counts four times. Loopback is not counted, because a proxy may run there. 0: no limit.
    public var connectionsPerAddressMax = 1_024
    /// Bytes of memory that all connections together may hold: sessions, unfinished requests, unread answers. Beyond it the
    /// server closes the oldest connection of the kind that holds most.
    public var heldBytesMax = 2_147_483_648
    /// Milliseconds to finish open requests when the server stops. Container engines kill after ten seconds.
    public var drainTimeoutMilliseconds: Int64 = 8_000
    /// Milliseconds that an idle connection is kept when the server stops: a request may be on its way. Longer than
    /// a second, so that the kernel hands over connections that have not sent anything yet (`TCP_DEFER_ACCEPT`).
    public var drainIdleMilliseconds: Int64 = 1_500
    /// Files in the folders of one host, links to files included: a site with thousands of pages belongs on another server.
    public var filesPerHostMax = 4_096
    /// Folders in the folders of one host, links to folders included; each is watched.
    public var foldersPerHostMax = 1_024
    /// Bytes of one host's files that are kept in memory. With gzip forms, and two versions during a reload, one host needs about
    /// three times as much, which leaves room for others in a container of 256 MiB.
    public var bytesPerHostMax = 33_554_432

    /// Names directly in `config/apps`, which belongs to the operator, folders included.
    public var appFilesMax = 1_000_000
    /// Names in one folder of `config/apps` and below it, which may belong to a tenant; links included. That is four times what an
    /// agency with a thousand apps needs. A file beyond the limit costs each reload some microseconds.
    public var filesPerAppFolderMax = 4_096
    /// Folders in such a folder, links to folders included; each is watched.
    public var foldersPerAppFolderMax = 1_024
    /// Bytes of the app files in such a folder. Their texts are stored as last good versions, in memory and in the state directory.
    /// A thousand apps have 16 KiB each; most need 1 KiB.
    public var bytesPerAppFolderMax = 16_777_216

    /// The memory of any connection, in bytes: its slot in the table, and what the kernel stores for its socket.
    public static let connectionBytes = 4_096
    /// What a TLS session adds: 13 KiB were measured, and OpenSSL may hold a record of 16 KiB for a while.
    public static let sessionBytes = 16_384
    /// What a session in its handshake adds: 47 KiB were measured.
    public static let handshakeBytes = 49_152
    /// The certificate, with its chain and key, that this includes.
    static let usualCertificateBytes = 16_384

    /// The same with a certificate of this size, which exists as long as the handshake, even if the cache has given it up.
    public static func handshakeBytes(certificateBytes: Int) -> Int {
        handshakeBytes + max(0, certificateBytes - usualCertificateBytes)
    }

    public init() {}

    /// The defaults for a process with this much memory: half of it is for connections, and half of that for handshakes. The
    /// other half is for the catalogue.
    public init(fitting memoryBytes: Int) {
        heldBytesMax = min(heldBytesMax, max(Limits.heldBytesMin, memoryBytes / 2))
        connectionsMax = min(connectionsMax, heldBytesMax / Limits.connectionBytes)
        handshakesMax = min(handshakesMax, heldBytesMax / 2 / Limits.handshakeBytes)
    }

    /// Less would be enough for a few dozen connections only.
    public static let heldBytesMin = 4_194_304
}
