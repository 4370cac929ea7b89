// What an engine is told when it is started.

public import HTTP
public import Posix
public import TLS

/// Where and how to serve.
public struct EngineSettings: Sendable {
    /// Where plain HTTP is spoken.
    public var plainAddresses: [SocketAddress]
    /// Where TLS is spoken; needs `secure`.
    public var secureAddresses: [SocketAddress] = []
    public var secure: SecureSettings?
    /// Sockets that listen already, for plain HTTP and for TLS; they come behind the addresses.
    public var plainSockets: [InheritedSocket] = []
    public var secureSockets: [InheritedSocket] = []
    public var workerCount: Int
    public var limits = Limits()
    /// Seconds for which browsers shall use TLS only (RFC 6797); 0 says nothing about it.
    public var strictTransportSeconds = 0
    /// Whether pages asked for in plain HTTP are to be fetched over TLS instead, on hosts that have a certificate.
    /// Association files are never sent elsewhere.
    public var redirectsPages = false
    /// The port at which clients find TLS, where that is not the first of those listened on: behind a container's port
    /// mapping, or a load balancer.
    public var publicSecurePort: UInt16?

    /// Where plain HTTP is spoken, then where TLS is.
    var listening: (plain: [ListenerSource], secure: [ListenerSource]) {
        (
            plainAddresses.map { .address($0) } + plainSockets.map { .inherited($0) },
            secureAddresses.map { .address($0) } + secureSockets.map { .inherited($0) }
        )
    }

    public init(plainAddresses: [SocketAddress], workerCount: Int) {
        self.plainAddresses = plainAddresses
        self.workerCount = workerCount
    }
}
