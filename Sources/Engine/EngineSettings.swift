// What an engine is told when it is started.

public import HTTP
public import Posix
public import TLS
public import Telemetry

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

    /// Where the workers leave what they see; nil for records of the engine's own. Made for as many workers.
    public var records: Records?
    /// The access log, made with these records; nil for none.
    public var journal: Journal?

    /// Looks for the answer to a certificate authority's challenge, given the host in lower case and the token, by a thread
    /// that may wait for the disk; nil where there is none.
    public typealias ChallengeSource = @Sendable (_ host: [UInt8], _ token: [UInt8]) -> [UInt8]?
    public var challenges: ChallengeSource?

    /// Who may speak for other clients.
    public var fronts = FrontSettings()
    /// On which listeners a front does so at the beginning of each connection (the PROXY protocol).
    public var proxyListeners = ProxyListeners.none

    public enum ProxyListeners: Sendable {
        case none
        case all
        /// As they were asked for.
        case addresses([SocketAddress])
    }

    /// For each listener, in the order of `listening`, whether connections begin so.
    var expectsProxyHeader: [Bool] {
        (listening.plain + listening.secure).map { source in
            switch proxyListeners {
            case .none: false
            case .all: true
            case .addresses(let addresses): addresses.contains { $0.description == source.address.description }
            }
        }
    }

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
