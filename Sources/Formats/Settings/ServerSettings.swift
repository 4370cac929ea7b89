// The settings of the server itself, as they are after `config/server.json`, environment variables and options were read.

public import Association
public import HTTP
public import Posix
public import TLS

/// How the server runs, as opposed to what it serves.
public struct ServerSettings: Sendable {
    /// Addresses for plain HTTP.
    public var http: [SocketAddress]
    /// Addresses for TLS.
    public var https: [SocketAddress] = []
    /// A file with ticket keys that several servers share; nil for keys of this process only.
    public var ticketKeyFile: String?
    /// The certificate that signs the documents of all hosts with signed documents; nil for each host's own.
    public var signing: NamedPair?
    /// Seconds for which browsers must use TLS only (RFC 6797); 0 sends no such header. A day is long enough to be useful,
    /// and short enough to turn it off again.
    public var strictTransportSeconds = 86_400
    /// Whether requests for pages over plain HTTP are redirected to TLS, if TLS is on.
    public var redirectsPages = true
    /// The port of these redirects; nil for the first TLS address's.
    public var publicSecurePort: UInt16?
    /// Threads that serve requests; nil for one per processor.
    public var workers: Int?
    /// The environment of the app files that is served.
    public var environment: String?
    /// Whether an error prevents the start; otherwise everything without errors is served.
    public var isStrict = false
    /// Whether another process of the same user may listen on the same addresses, for restarts without downtime.
    public var reusesPort = false
    public var limits = Limits()
    /// The admin listener; nil for none.
    public var admin: AdminPlace?
    public var accessLog = AccessLogSettings()
    public var processLog = ProcessLogSettings()
    /// The trusted proxies (`fronts` in `server.json`).
    public var proxies = TrustedProxies()
    public var proxyProtocol = ProxyProtocol.off
    /// The user that a server started as root switches to: `NAME` or `UID`, either with or without `:GROUP`.
    public var user: String?
    public var sandbox = SandboxSettings()
    /// Where the answers to ACME challenges come from.
    public var acme = ACMESettings()
    /// The second process, and the certificates that it orders.
    public var manager = ManagerSettings()
    /// The folders that symbolic links of tenants may lead into, in addition to their own.
    public var linkTargets = LinkTargets.none
    /// Which hosts the app files of a folder may name.
    public internal(set) var owners = HostOwners()
    /// The rules that `associated lint` ignores, and other severities.
    public var lint = LintPreferences()

    /// Listens on loopback only, so that a first try is not reachable from the internet.
    public init() { http = [SocketAddress("127.0.0.1:8080")!] }
}

/// The listeners on which each connection begins with a trusted proxy's header (PROXY protocol).
public enum ProxyProtocol: Sendable {
    case off
    case everywhere
    case on([SocketAddress])
}

/// The settings of the admin listener.
public struct AdminPlace: Sendable {
    public var address: SocketAddress
    /// A file with the token that clients must send; nil for none.
    public var tokenFile: String?
    /// Permissions of a Unix-domain socket.
    public var socketPermissions: UInt32 = 0o600
    /// Host names that requests may use, in addition to addresses and `localhost`.
    public var hosts: [String] = []

    /// Reachable from this machine only.
    public static let defaultAddress = "127.0.0.1:9464"

    public init(address: SocketAddress = SocketAddress(AdminPlace.defaultAddress)!) { self.address = address }
}

/// The mode of the sandbox, and the paths that it allows in addition to those that the server needs.
public struct SandboxSettings: Sendable, Equatable {
    public var mode = Mode.on
    /// Folders and files that may be read.
    public var readable: [String] = []
    /// Folders that may be written to.
    public var writable: [String] = []

    public enum Mode: String, Sendable, CaseIterable {
        /// As far as the kernel supports it.
        case on
        /// The server does not start if the kernel lacks a part of it.
        case required
        case off
    }

    public init() {}
}

public struct AccessLogSettings: Hashable, Sendable {
    public var place = Place.off
    public var format = LogFormat.json
    /// Failed handshakes are logged in JSON only.
    public var selection = LogSelection()

    public enum Place: Hashable, Sendable {
        case off
        case standardOutput
        case file(String)
    }

    public init() {}
}

extension AccessLogSettings.Place {
    /// The values that are no paths.
    static let words = ["off", "stdout"]

    /// `off`, `stdout` or a path. A path must contain a slash or a dot, so that a misspelt word does not become a file.
    public init?(_ text: String) {
        switch text {
        case "off": self = .off
        case "stdout": self = .standardOutput
        default:
            guard text.contains("/") || text.contains("."), !text.hasSuffix("/"), !text.hasSuffix("."),
                !text.utf8.contains(0)
            else { return nil }
            self = .file(text)
        }
    }

    /// What to write instead of an invalid value.
    public static let advice = "write `off`, `stdout`, or a path such as `access.log`"
}

public struct ProcessLogSettings: Hashable, Sendable {
    public var format = Format.text
    public var level = Level.info

    public enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// The severity of an event for the operator. The numbers are those of syslog(3), which journald understands.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        /// A host, a file or the server does not work as it should.
        case error = 3
        /// It works, but may soon fail.
        case warning = 4
        case info = 6

        public var name: String {
            switch self {
            case .error: "error"
            case .warning: "warning"
            case .info: "info"
            }
        }

        public static func < (left: Level, right: Level) -> Bool { left.rawValue < right.rawValue }
    }

    public init() {}
}

/// `acme` of `server.json`.
public struct ACMESettings: Hashable, Sendable {
    /// The folder in which an ACME client puts the answers for all hosts.
    public var webroot: String?
    /// The thumbprint of an account's key, from which every answer can be computed.
    public var thumbprint: String?

    public init() {}

    /// RFC 7638: a SHA-256 in base64url.
    package static func isThumbprint(_ text: String) -> Bool {
        text.utf8.count == 43 && text.utf8.allSatisfy(Base64URL.isDigit)
    }
}
