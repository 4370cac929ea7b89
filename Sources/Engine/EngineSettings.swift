// The settings of an engine.

public import HTTP
public import Posix
public import TLS
public import Telemetry

/// Where and how to serve.
public struct EngineSettings: Sendable {
    /// The addresses of plain HTTP.
    public var plainAddresses: [SocketAddress]
    /// The addresses of TLS; they need `secure`.
    public var secureAddresses: [SocketAddress] = []
    public var secure: SecureSettings?
    /// Inherited sockets for plain HTTP and for TLS; they come after the addresses.
    public var plainSockets: [InheritedSocket] = []
    public var secureSockets: [InheritedSocket] = []
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
    /// The listeners on which each connection must begin with a header of a trusted proxy (the PROXY protocol).
    public var proxyListeners = ProxyListeners.none

    public enum ProxyListeners: Sendable {
        case none
        case all
        /// As written in the settings.
        case addresses([SocketAddress])
    }

    /// For each listener, in the order of `listening`, whether it requires that header.
    var expectsProxyHeader: [Bool] {
        (listening.plain + listening.secure).map { source in
            switch proxyListeners {
            case .none: false
            case .all: true
            case .addresses(let addresses): addresses.contains { $0.description == source.address.description }
            }
        }
    }

    /// All sources of listeners.
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
