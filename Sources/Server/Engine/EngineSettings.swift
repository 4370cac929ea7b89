// The settings of an engine.

public import HTTP
public import Posix
public import TLS
public import Telemetry

/// Where and how to serve.
public struct EngineSettings: Sendable {
    public var listeners: [ListenerGroup]
    /// Needed for TLS.
    public var secure: SecureSettings?
    public var workerCount: Int
    public var limits = Limits()
    /// For how many seconds browsers should use only TLS (RFC 6797); 0 sends no such field.
    public var strictTransportSeconds = 0
    /// Whether pages requested in plain HTTP are redirected to TLS, on hosts that have a certificate. Association files are never
    /// redirected.
    public var redirectsPages = false
    /// The external port of TLS, if it is not the first listening one: with a container's port mapping or a load balancer.
    public var publicSecurePort: UInt16?

    /// The metrics of as many workers; nil to let the engine create them.
    public var metrics: WorkerMetrics?
    /// The access log, created with the same metrics; nil for none.
    public var accessLog: AccessLog?

    /// Returns the answer to a certificate authority's challenge for a host in lower case and a token; nil if there is none. A
    /// thread calls it that may wait for the disk.
    public typealias ChallengeSource = @Sendable (_ host: [UInt8], _ token: [UInt8]) -> [UInt8]?
    public var challenges: ChallengeSource?

    public var trustedProxies = TrustedProxies()

    public init(listeners: [ListenerGroup], workerCount: Int) {
        (self.listeners, self.workerCount) = (listeners, workerCount)
    }
}

/// The sockets that listen at one address, and what is spoken there.
public struct ListenerGroup: Sendable {
    public var sockets: [ListeningSocket]
    public var isSecure: Bool
    /// Whether each connection begins with the header of a trusted proxy (the PROXY protocol).
    public var expectsProxyHeader: Bool

    public init(_ sockets: [ListeningSocket], isSecure: Bool, expectsProxyHeader: Bool = false) {
        precondition(!sockets.isEmpty, "a group has a socket")
        (self.sockets, self.isSecure, self.expectsProxyHeader) = (sockets, isSecure, expectsProxyHeader)
    }

    var address: SocketAddress { sockets[0].address }

    /// Which of a group's sockets a worker accepts from. Each worker has as many as the others for itself; all of them accept from the
    /// sockets that are left over, because connections wait in every socket of a group.
    static func share(of count: Int, worker: Int, workerCount: Int) -> [Int] {
        let owned = count - count % workerCount
        return Array(stride(from: worker, to: owned, by: workerCount)) + Array(owned..<count)
    }
}
