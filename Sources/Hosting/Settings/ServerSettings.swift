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
    /// Whether another process of the same user may listen on the same addresses, for a replacement without a gap.
    public var reusesPort = false
    public var limits = Limits()
    /// The admin listener; nil for none.
    public var admin: AdminPlace?
    public var accessLog = AccessLogSettings()
    public var processLog = ProcessLogSettings()
    /// Which proxies are trusted to speak for their clients (`fronts` in `server.json`), and on which listeners a connection begins
    /// with their header.
    public var proxies = FrontSettings()
    public var proxyProtocol = ProxyProtocol.off
    /// Whom a server that is started as root becomes, as `NAME`, `UID` or either with `:GROUP`.
    public var user: String?
    public var sandbox = SandboxSettings()
    /// Where the answers to challenges of certificate authorities are.
    public var acme = ACMESettings()
    /// Where links of tenants may lead, beside their own folders.
    public var linkTargets = LinkTargets.none
    /// Which hosts the app files of a folder may name.
    public internal(set) var owners = HostOwners()
    /// What `associated lint` reports of the configuration.
    public var lint = LintPreferences()

    /// Loopback only: a stranger's first try is not on the internet.
    public init() { http = [SocketAddress("127.0.0.1:8080")!] }
}

/// On which listeners a connection begins with the header of a trusted proxy (the PROXY protocol).
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
    /// Who may connect to a Unix-domain socket.
    public var socketPermissions: UInt32 = 0o600
    /// Names that it may be asked by, besides addresses and `localhost`.
    public var hosts: [String] = []

    /// Only this machine reaches it by default.
    public static let defaultAddress = "127.0.0.1:9464"

    public init(address: SocketAddress = SocketAddress(AdminPlace.defaultAddress)!) { self.address = address }
}

/// What of the sandbox is wanted, and what it leaves open beyond what the server finds out by itself.
public struct SandboxSettings: Sendable, Equatable {
    public var mode = Mode.on
    /// Folders and files that may be read.
    public var readable: [String] = []
    /// Folders that may be written to.
    public var writable: [String] = []

    public enum Mode: String, Sendable, CaseIterable {
        /// As far as the kernel has it.
        case on
        /// The server does not start where the kernel has not all of it.
        case required
        case off
    }

    public init() {}
}

/// What is said of an access log before it is opened.
public struct AccessLogSettings: Hashable, Sendable {
    public var place = Place.off
    public var format = Format.json
    /// Which requests have a line.
    public var only = Only.all
    /// Whether a line has the query.
    public var hasQuery = true
    /// Whether handshakes that came to nothing have lines, which the JSON form has.
    public var hasHandshakes = false

    public enum Only: String, CaseIterable, Sendable {
        case all, errors, verifiers
    }

    public enum Place: Hashable, Sendable {
        case off
        case standardOutput
        case file(String)
    }

    public enum Format: String, CaseIterable, Sendable {
        case json, combined
    }

    public init() {}
}

extension AccessLogSettings.Place {
    /// `off`, `stdout` or a path. A path has a slash or a dot, so that a slip in one of the words does not become a file.
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

    /// What to write instead of what is none of these.
    public static let advice = "write `off`, `stdout`, or a path such as `access.log`"
}

/// What is said of the process log before anything is written to it.
public struct ProcessLogSettings: Hashable, Sendable {
    public var format = Format.text
    public var level = Level.info

    public enum Format: String, CaseIterable, Sendable {
        case text, json
    }

    /// What an event means for the operator. The numbers are those of syslog(3), which journald understands.
    public enum Level: Int, CaseIterable, Comparable, Sendable {
        /// A host, a file or the server does not do what it should.
        case error = 3
        /// It does, and may not for long.
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
