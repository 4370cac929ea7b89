// The settings that a command runs with: `server.json`, over it the environment, over both the flags. Secrets are never
// taken from the command line, which every user of the machine can read.

import Administration
import Association
import HTTP
import Hosting
import Posix
import TLS

extension Command.Option {
    static let config = Command.Option(
        name: "--config", value: "DIR", help: "the folder with server.json and apps/ (config)",
        variable: "ASSOCIATED_CONFIG")
    static let http = Command.Option(
        name: "--http", value: "ADDR:PORT",
        help: "where to speak plain HTTP; may be repeated, with commas in the variable (127.0.0.1:8080)",
        variable: "ASSOCIATED_HTTP", isRepeatable: true)
    static let https = Command.Option(
        name: "--https", value: "ADDR:PORT", help: "where to speak TLS; may be repeated, with commas in the variable",
        variable: "ASSOCIATED_HTTPS",
        isRepeatable: true)
    static let admin = Command.Option(
        name: "--admin", value: "ADDR:PORT", help: "where those who run the server ask it (nowhere)",
        variable: "ASSOCIATED_ADMIN")
    static let adminTokenFile = Command.Option(
        name: "--admin-token-file", value: "FILE", help: "a file with the token that they have to show",
        variable: "ASSOCIATED_ADMIN_TOKEN_FILE")
    static let accessLog = Command.Option(
        name: "--access-log", value: "FILE", help: "log requests: off, stdout or the path of a file (off)",
        variable: "ASSOCIATED_ACCESS_LOG", words: ["off", "stdout"])
    static let accessLogFormat = Command.Option(
        name: "--access-log-format", value: "FORMAT", help: "how: json or combined (json)",
        variable: "ASSOCIATED_ACCESS_LOG_FORMAT", words: AccessLogSettings.Format.allCases.map(\.rawValue))
    static let logFormat = Command.Option(
        name: "--log-format", value: "FORMAT", help: "format of the process log: text or json (default: text)",
        variable: "ASSOCIATED_LOG_FORMAT", words: ProcessLogSettings.Format.allCases.map(\.rawValue))
    static let logLevel = Command.Option(
        name: "--log-level", value: "LEVEL", help: "what goes into it: error, warning or info (default: info)",
        variable: "ASSOCIATED_LOG_LEVEL", words: ProcessLogSettings.Level.allCases.map(\.name))
    static let acmeWebroot = Command.Option(
        name: "--acme-webroot", value: "DIR", help: "folder where an ACME client leaves challenges of all hosts",
        variable: "ASSOCIATED_ACME_WEBROOT")
    static let state = Command.Option(
        name: "--state", value: "DIR", help: "the folder for what is to be remembered (state)",
        variable: "ASSOCIATED_STATE")
}

/// Settings, and what was found while reading them. A server is made from these alone, and so is what its sandbox leaves open:
/// an option that is not resolved here has no effect.
struct LoadedSettings {
    var configPath: String
    var publicPath: String
    var statePath: String
    /// Whether hosts without a certificate are given one for development.
    var isDevelopment: Bool
    /// What is in force: also the addresses, files and modes that the command line has changed.
    var settings: ServerSettings
    var passphrase: PassphraseSource?
    var findings: [Finding]
    /// What a server does not start without.
    var lostSafeguards: [String]
    /// The limits that the memory of this process allows, where nothing else is asked for.
    var limitsByMemory: Limits

    enum Outcome {
        case success(LoadedSettings)
        case failure(ExitStatus)
    }

    static func load(_ arguments: ParsedArguments) -> Outcome {
        let configPath = arguments["--config"] ?? "config"
        let limits = Limits(fitting: ProcessMemory.limitBytes)
        let (publicPath, statePath) = (arguments["--public"] ?? "public", arguments["--state"] ?? "state")
        let reader = SettingsReader(
            file: "\(configPath)/server.json", limits: limits, folders: [publicPath, statePath])
        var loaded = LoadedSettings(
            configPath: configPath, publicPath: publicPath, statePath: statePath, isDevelopment: arguments.has("--dev"),
            settings: reader.settings,
            passphrase: .given(arguments, settingsFile: reader.settings.passphraseFile), findings: reader.findings,
            lostSafeguards: reader.lostSafeguards, limitsByMemory: limits)
        loaded.settings.passphraseFile = loaded.passphrase?.file
        do {
            if let addresses = try addresses("--http", arguments) { loaded.settings.http = addresses }
            if let addresses = try addresses("--https", arguments) { loaded.settings.https = addresses }
            try loaded.readAdmin(arguments)
            try loaded.readLogs(arguments)
        } catch {
            return .failure(.usage(saying: error.description))
        }
        if let text = arguments["--workers"] {
            guard let count = Int(text), (1...256).contains(count) else {
                return .failure(
                    .usage(saying: "\(arguments.spelling("--workers", text)) is not a number from 1 to 256"))
            }
            loaded.settings.workers = count
        }
        if let path = arguments["--acme-webroot"] { loaded.settings.acme.webroot = path }
        if let name = arguments["--environment"] { loaded.settings.environment = name }
        if let networks = arguments.all("--trust") {
            loaded.settings.fronts.trusted = TrustedNetworks()
            for network in networks where !loaded.settings.fronts.trusted.add(network) {
                return .failure(
                    .usage(
                        saying:
                            "\(arguments.spelling("--trust", network)) is not a network; write 10.0.0.0/8, fd00::/8 or unix:"
                    ))
            }
        }
        if arguments.has("--proxy-protocol") { loaded.settings.proxyProtocol = .everywhere }
        if let user = arguments["--user"] { loaded.settings.user = user }
        if let text = arguments["--sandbox"] {
            guard let mode = SandboxSettings.Mode(rawValue: text) else {
                return .failure(.usage(saying: "\(arguments.spelling("--sandbox", text)) is none of on, required, off"))
            }
            loaded.settings.sandbox.mode = mode
        }
        let addresses = SocketAddress.sharingFamilies(loaded.settings.http + loaded.settings.https)
        loaded.settings.https = Array(addresses.dropFirst(loaded.settings.http.count))
        loaded.settings.http = Array(addresses.prefix(loaded.settings.http.count))
        if arguments.has("--strict") { loaded.settings.isStrict = true }
        if arguments.has("--reuse-port") { loaded.settings.reusesPort = true }
        return .success(loaded)
    }

    /// The values of an address option; nil when it was not given.
    private static func addresses(_ name: String, _ arguments: ParsedArguments) throws(UsageError) -> [SocketAddress]? {
        guard let texts = arguments.all(name) else { return nil }
        var addresses: [SocketAddress] = []
        for text in texts {
            guard let address = SocketAddress(listening: text) else {
                throw UsageError(
                    description:
                        "\(arguments.spelling(name, text)) is not an address; write 127.0.0.1:8080, [::1]:8080 or unix:/path"
                )
            }
            addresses.append(address)
        }
        return addresses
    }

    private mutating func readLogs(_ arguments: ParsedArguments) throws(UsageError) {
        /// Puts the value of an option in its place, where it was given.
        func read<Value>(
            _ name: String, _ objection: String, into target: inout Value, _ parse: (String) -> Value?
        ) throws(UsageError) {
            guard let text = arguments[name] else { return }
            guard let value = parse(text) else {
                throw UsageError(description: "\(arguments.spelling(name, text)) is not a \(objection)")
            }
            target = value
        }
        try read("--access-log", "place; \(AccessLogSettings.Place.advice)", into: &settings.accessLog.place) {
            .init($0)
        }
        try read("--access-log-format", "format; write json or combined", into: &settings.accessLog.format) {
            .init(rawValue: $0)
        }
        try read("--log-format", "format; write text or json", into: &settings.processLog.format) {
            .init(rawValue: $0)
        }
        try read("--log-level", "level; write error, warning or info", into: &settings.processLog.level) { .init($0) }
    }

    /// The option and the variable are an address, and leave the rest of what `server.json` says.
    mutating func readAdmin(_ arguments: ParsedArguments) throws(UsageError) {
        if let text = arguments["--admin"] {
            guard let address = SocketAddress(listening: text) else {
                throw UsageError(
                    description:
                        "\(arguments.spelling("--admin", text)) is not an address; write \(AdminPlace.defaultAddress), [::1]:9464 or "
                        + "unix:/path")
            }
            var place = settings.admin ?? AdminPlace()
            place.address = address
            settings.admin = place
        }
        if let file = arguments["--admin-token-file"] {
            guard settings.admin != nil else { return }
            settings.admin?.tokenFile = file
        }
    }
}

extension AdminSettings {
    /// A token that cannot be used.
    struct TokenError: Error, CustomStringConvertible {
        let description: String
    }

    /// The place with its token: from ASSOCIATED_ADMIN_TOKEN, else from the file.
    init(_ place: AdminPlace) throws(TokenError) {
        var token: AdminToken?
        if let text = Environment.value(Environment.adminToken) {
            do throws(AdminToken.Problem) {
                token = try AdminToken(text.utf8)
            } catch {
                throw TokenError(description: "the token in ASSOCIATED_ADMIN_TOKEN is of no use: \(error)")
            }
        } else if let file = place.tokenFile {
            do throws(AdminToken.Problem) {
                token = try AdminToken(file: file)
            } catch {
                throw TokenError(description: "the admin token in \(file) is of no use: \(error)")
            }
        }
        self.init(
            address: place.address, token: token, socketPermissions: place.socketPermissions, hosts: place.hosts)
    }
}

extension Command.Option {
    static let passphraseFile = Command.Option(
        name: "--passphrase-file", value: "FILE", help: "a file whose first line is the passphrase of the private keys",
        variable: "ASSOCIATED_PASSPHRASE_FILE")
}

/// Where the passphrase of the private keys comes from.
enum PassphraseSource {
    case text([UInt8])
    case file(String)

    /// The file that is named, else ASSOCIATED_PASSPHRASE, else the file that the settings name.
    static func given(_ arguments: ParsedArguments, settingsFile: String? = nil) -> PassphraseSource? {
        if let file = arguments["--passphrase-file"] { return .file(file) }
        if let text = Environment.value(Environment.passphrase) { return .text(Array(text.utf8)) }
        return settingsFile.map { .file($0) }
    }

    /// What is read while the program runs.
    var file: String? { if case .file(let path) = self { path } else { nil } }

    var passphrase: Passphrase {
        switch self {
        case .text(let bytes): Passphrase(bytes)
        case .file(let path): Passphrase(file: path)
        }
    }
}
