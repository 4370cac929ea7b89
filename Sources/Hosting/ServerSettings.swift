// The settings of the server itself: `config/server.json`, over which environment variables and flags go.

public import HTTP
public import Posix

/// How the server runs, as opposed to what it serves.
public struct ServerSettings: Sendable {
    /// Where plain HTTP is spoken.
    public var http: [SocketAddress]
    /// Threads that serve; nil for one per processor.
    public var workers: Int?
    /// Which of the app files' environments is served.
    public var environment: String?
    /// Refuse to start when a finding is an error, instead of serving the rest.
    public var isStrict = false
    public var limits = Limits()

    /// Loopback only: a stranger's first try is not on the internet.
    public init() { http = [SocketAddress("127.0.0.1:8080")!] }
}
