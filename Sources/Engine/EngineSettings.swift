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
    /// The port that pages asked for in plain HTTP are to be fetched from instead; nil serves them where they are asked for.
    /// Association files are never sent elsewhere.
    public var redirectsPagesToPort: UInt16?

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
