// The settings of the server itself: `config/server.json`, over which environment variables and flags go.

public import Association
public import HTTP
public import Posix
public import TLS

/// How the server runs, as opposed to what it serves.
public struct ServerSettings: Sendable {
    /// Where plain HTTP is spoken.
    public var http: [SocketAddress]
    /// Where TLS is spoken.
    public var https: [SocketAddress] = []
    /// A file with ticket keys that several servers share; nil for keys of this process alone.
    public var ticketKeyFile: String?
    /// A file with the passphrase of the private keys; nil where they have none.
    public var passphraseFile: String?
    /// Signs the documents of all hosts that want them signed; nil for each host's own certificate.
    public var signing: DocumentSigner.NamedPair?
    /// Seconds for which browsers shall use TLS only (RFC 6797); 0 says nothing about it. A day: long enough to be of use,
    /// short enough to get out of.
    public var strictTransportSeconds = 86_400
    /// Whether pages asked for in plain HTTP are sent to TLS, where that is spoken.
    public var redirectsPages = true
    /// The port they are sent to; nil for the first that TLS is spoken on.
    public var publicSecurePort: UInt16?
    /// Threads that serve; nil for one per processor.
    public var workers: Int?
    /// Which of the app files' environments is served.
    public var environment: String?
    /// Refuse to start when a finding is an error, instead of serving the rest.
    public var isStrict = false
    public var limits = Limits()
    /// Where those who run the server ask it; nil for nowhere.
    public var admin: AdminPlace?
    public var accessLog = AccessLogSettings()
    public var processLog = ProcessLogSettings()
    /// Who may speak for other clients, and where that is asked for.
    public var fronts = FrontSettings()
    public var proxyProtocol = ProxyProtocol.off
    /// Whom a server that is started as root becomes, as `NAME`, `UID` or either with `:GROUP`.
    public var user: String?
    public var sandbox = SandboxSettings()
    /// Where the answers to challenges of certificate authorities are.
    public var acme = ACMESettings()
    /// Where links of tenants may lead, beside their own folders.
    public var linkTargets = LinkTargets.none
    /// What `associated lint` reports of the configuration.
    public var lint = LintPreferences()

    /// Loopback only: a stranger's first try is not on the internet.
    public init() { http = [SocketAddress("127.0.0.1:8080")!] }
}
