// The settings of the server: one list with each key of `server.json`, how its value is read, and the command-line option that
// overrides it. The reader of the file, the options, their variables, help and completions use this list, and a test compares it
// with docs/settings.md.

import Association
import HTTP
import Posix
import SourceJSON
import TLS

public struct Setting: Sendable {
    /// As in `server.json`: `workers`, or `tls.publicPort` for a key in an object.
    public let key: String
    /// The kinds of values that may replace the whole object with this key: `"sandbox": "off"`.
    let shorthand: Shorthand
    public let option: Option?
    /// The value if the setting is missing; nil for none, or for one that depends on the system.
    let defaultText: String?
    /// Sets the value of a member, or reports what is wrong with it.
    let read: @Sendable (inout SettingsReader, SourceMember) -> Void

    init(
        _ key: String, _ option: Option? = nil, default defaultText: String? = nil, shorthand: Shorthand = .none,
        read: @escaping @Sendable (inout SettingsReader, SourceMember) -> Void
    ) {
        (self.key, self.option, self.defaultText) = (key, option, defaultText)
        (self.shorthand, self.read) = (shorthand, read)
    }

    enum Shorthand {
        case none, strings
        /// Any value except an object.
        case anything
    }

    /// The key at the top of the file, and the one in its object.
    var section: Substring { key.prefix { $0 != "." } }
    var name: String { String(key.dropFirst(section.count == key.count ? 0 : section.count + 1)) }

    /// Why the value of an option is invalid.
    public struct Objection: Error {
        public let value: String
        /// Follows the option and the value in the message.
        public let reason: String
    }

    /// An option that overrides the key. Its variable has the same name.
    public struct Option: Sendable {
        /// With its dashes.
        public let name: String
        /// The placeholder of its value in the help; nil for a switch.
        public let value: String?
        /// A noun phrase or an imperative, with the default in brackets.
        public let help: String
        /// The words that completion offers as its value.
        public let words: [String]
        public let isRepeatable: Bool
        /// The environment variable that is used if the option is not given.
        public var variable: String { "ASSOCIATED_" + name.dropFirst(2).uppercased().replacing("-", with: "_") }
        private let put: @Sendable (inout ServerSettings, [String]) throws(Objection) -> Void

        /// - Parameter reason: the objection to a value for which `parse` returns nil.
        init<Value>(
            _ name: String, _ value: String?, _ help: String, words: [String] = [], isRepeatable: Bool = false,
            reason: String = "", parse: @escaping @Sendable (String) -> Value?,
            put: @escaping @Sendable (inout ServerSettings, [Value]) -> Void
        ) {
            (self.name, self.value, self.help, self.words) = (name, value, help, words)
            self.isRepeatable = isRepeatable
            self.put = { settings, texts throws(Objection) in
                var values: [Value] = []
                for text in texts {
                    guard let value = parse(text) else { throw Objection(value: text, reason: reason) }
                    values.append(value)
                }
                put(&settings, values)
            }
        }

        public func apply(_ values: [String], to settings: inout ServerSettings) throws(Objection) {
            try put(&settings, values)
        }
    }

    public static func option(_ name: String) -> Option {
        guard let option = all.lazy.compactMap(\.option).first(where: { $0.name == name }) else {
            preconditionFailure("no setting has the option \(name)")
        }
        return option
    }

    /// The keys at the top of the file, each once.
    public static let sections = all.reduce(into: [String]()) { keys, setting in
        if keys.last != String(setting.section) { keys.append(String(setting.section)) }
    }

    /// In the order in which findings list them.
    public static let all: [Setting] = Array(
        [process, secure, LimitKey.all.map(limit), outward, issuance, delivery, store].joined())
}

/// Kinds of settings that occur more than once.
extension Setting {
    typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable
    /// Name, placeholder and help of an option that takes the value of the key.
    typealias Texts = (name: String, value: String, help: String)

    private static func text(_ key: String, _ path: Path<String?>, _ texts: Texts? = nil) -> Setting {
        let option = texts.map { texts in
            Option(texts.name, texts.value, texts.help, parse: { $0 }) { $0[keyPath: path] = $1.last }
        }
        return Setting(key, option, default: ServerSettings()[keyPath: path]) {
            $0.settings[keyPath: path] = $0.string($1)
        }
    }

    private static func flag(_ key: String, _ path: Path<Bool>, _ texts: (name: String, help: String)? = nil) -> Setting
    {
        let option = texts.map { texts in
            Option(texts.name, nil, texts.help, parse: { $0 }) { settings, _ in settings[keyPath: path] = true }
        }
        let usual = ServerSettings()[keyPath: path]
        return Setting(key, option, default: "\(usual)") { $0.settings[keyPath: path] = $0.bool($1) ?? usual }
    }

    private static func addresses(_ key: String, _ path: Path<[SocketAddress]>, _ help: String) -> Setting {
        let usual = ServerSettings()[keyPath: path].first.map { "\($0)" }
        let option = Option(
            "--\(key)", "ADDR:PORT", "\(help) (repeatable; default: \(usual ?? "off"))", isRepeatable: true,
            reason: "is not an address with a port from 1 to 65535; write 127.0.0.1:8080, [::1]:8080 or unix:/path",
            parse: { SocketAddress(listening: $0) }
        ) { $0[keyPath: path] = $1 }
        return Setting(key, option, default: usual) { $0.settings[keyPath: path] = $0.addresses($1) }
    }

    /// A setting that takes an array of texts. A text for which `parse` returns nil is reported.
    private static func list<Value: Sendable>(
        _ key: String, _ path: Path<[Value]>, _ what: String, example: String,
        parse: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        Setting(key) { reader, member in
            let values = reader.list(member, what, example: example, parse: parse)
            reader.settings[keyPath: path] = values
        }
    }

    /// A setting that takes a text. With one that `parse` does not accept, nothing changes, and it is reported.
    private static func parsed<Value: Sendable>(
        _ key: String, _ path: Path<Value>, _ texts: Texts? = nil, words: [String] = [], reason: String = "",
        default defaultText: String? = nil, fix: String? = nil,
        objection: @escaping @Sendable (String) -> String, parse: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        let option = texts.map { texts in
            Option(texts.name, texts.value, texts.help, words: words, reason: reason, parse: parse) {
                if let value = $1.last { $0[keyPath: path] = value }
            }
        }
        return Setting(key, option, default: defaultText) { reader, member in
            guard let value = reader.value(member, fix: fix, objection: objection, parse: parse) else { return }
            reader.settings[keyPath: path] = value
        }
    }

    /// A setting that takes one of a few words. For another word, the default is used and reported.
    /// - Parameter instead: what happens then.
    private static func choice<Value: NamedChoice>(
        _ key: String, _ path: Path<Value>, _ what: String, instead: String, _ texts: Texts? = nil, reason: String = ""
    ) -> Setting {
        let usual = ServerSettings()[keyPath: path]
        let option = texts.map { texts in
            Option(
                texts.name, texts.value, "\(texts.help) (default: \(usual.name))", words: Value.names, reason: reason,
                parse: { Value(named: $0) }
            ) { if let value = $1.last { $0[keyPath: path] = value } }
        }
        return Setting(key, option, default: usual.name) { reader, member in
            guard let text = reader.string(member) else { return }
            let value = Value(named: text)
            reader.settings[keyPath: path] = value ?? usual
            if value != nil { return }
            reader.report(
                member.value.range, "`\(text)` is not a \(what), so \(instead)",
                fix: "write `\(NearestKey.find(text, among: Value.names) ?? Value.names[0])`")
        }
    }

    private static func limit(_ limit: LimitKey) -> Setting {
        Setting("limits.\(limit.name)") { reader, member in
            if let number = reader.integer(member, limit.allowed) { limit.set(number, &reader.settings.limits) }
        }
    }
}

/// The settings themselves.
extension Setting {
    private static let process: [Setting] = [
        addresses("http", \.http, "listen for plain HTTP on this address"),
        addresses("https", \.https, "listen for TLS on this address"),
        Setting(
            "workers",
            Option(
                "--workers", "N", "threads that serve requests (default: one per processor)",
                reason: "is not a number from 1 to 256",
                parse: { Int($0).flatMap { workers.contains($0) ? $0 : nil } }
            ) { $0.workers = $1.last }
        ) { $0.settings.workers = $0.integer($1, workers) },
        text(
            "environment", \.environment,
            (
                "--environment", "NAME",
                "environment of the app files to serve, such as staging (default: that of server.json, or none)"
            )),
        flag("strict", \.isStrict, ("--strict", "refuse to start if there is any error")),
        flag(
            "reusePort", \.reusesPort,
            ("--reuse-port", "share the addresses with another server of this user")),
    ]

    private static let workers = 1...256

    private static let secure: [Setting] = [
        text("tls.ticketKeyFile", \.ticketKeyFile),
        Setting("tls.strictTransportSeconds", default: "\(ServerSettings().strictTransportSeconds)") {
            $0.settings.strictTransportSeconds = $0.integer($1, 0...63_072_000) ?? $0.settings.strictTransportSeconds
        },
        flag("tls.redirectPages", \.redirectsPages),
        Setting("tls.publicPort") { $0.settings.publicSecurePort = $0.integer($1, 1...65_535).map { UInt16($0) } },
        Setting("signing.certificateFile") { $0.signing.certificateFile = $0.string($1) ?? "" },
        Setting("signing.keyFile") { $0.signing.keyFile = $0.string($1) ?? "" },
    ]

    private static let outward: [Setting] = [
        Setting(
            "admin.address",
            Option(
                "--admin", "ADDR:PORT", "admin listener for health, metrics and status (default: off)",
                reason: "is not an address with a port from 1 to 65535; write \(AdminPlace.defaultAddress), [::1]:9464 "
                    + "or unix:/path",
                parse: { SocketAddress(listening: $0) }
            ) { settings, addresses in
                guard let address = addresses.last else { return }
                settings.admin = settings.admin ?? AdminPlace()
                settings.admin?.address = address
            }, shorthand: .strings, read: { $0.readAdminAddress($1) }),
        Setting(
            "admin.tokenFile",
            Option(
                "--admin-token-file", "FILE",
                "file with the bearer token that admin requests other than health checks must send",
                parse: { $0 }
            ) { $0.admin?.tokenFile = $1.last }
        ) { reader, member in
            let file = reader.string(member)
            reader.settings.admin?.tokenFile = file
        },
        Setting("admin.socketMode") { $0.readSocketMode($1) },
        Setting("admin.hosts") { $0.readAdminHosts($1) },
        parsed(
            "log.access", \.accessLog.place,
            ("--access-log", "FILE", "access log: off, stdout or the path of a file (default: off)"),
            words: ["off", "stdout"], reason: "is not off, stdout or a path; \(AccessLogSettings.Place.advice)",
            default: "off", fix: AccessLogSettings.Place.advice,
            objection: { "`\($0)` is not off, stdout or a path, so there is no access log" },
            parse: { AccessLogSettings.Place($0) }),
        choice(
            "log.format", \.accessLog.format, "format of the access log", instead: "JSON is used",
            ("--access-log-format", "FORMAT", "format of the access log: json or combined"),
            reason: "is not a format; write json or combined"),
        choice("log.only", \.accessLog.selection.only, "choice of lines", instead: "all requests are logged"),
        flag("log.query", \.accessLog.selection.hasQuery),
        flag("log.handshakes", \.accessLog.selection.hasHandshakes),
        choice(
            "log.process", \.processLog.format, "format of the process log", instead: "text is used",
            ("--log-format", "FORMAT", "format of the process log: text or json"),
            reason: "is not a format; write text or json"),
        choice(
            "log.level", \.processLog.level, "level of the process log", instead: "info is used",
            ("--log-level", "LEVEL", "lowest level in the process log: error, warning or info"),
            reason: "is not a level; write error, warning or info"),
        text(
            "user", \.user,
            (
                "--user", "USER",
                "user to switch to when started as root: a name, or numbers such as 65532 or 65532:65532"
            )),
        Setting(
            "sandbox.mode",
            Option(
                "--sandbox", "MODE",
                "restrict file and system-call access after startup: on (whatever the system supports), required "
                    + "(refuse to start if a part is missing) or off (default: on)",
                words: SandboxSettings.Mode.names, reason: "is not a mode; write on, required or off",
                parse: { SandboxSettings.Mode(named: $0) }
            ) { if let mode = $1.last { $0.sandbox.mode = mode } },
            default: SandboxSettings().mode.name, shorthand: .anything,
            read: { $0.settings.sandbox.mode = $0.sandboxMode($1) }),
        Setting("sandbox.read") { $0.settings.sandbox.readable = $0.paths($1) },
        Setting("sandbox.write") { $0.settings.sandbox.writable = $0.paths($1) },
        Setting(
            "fronts.trust",
            Option(
                "--trust", "NETWORK",
                "trust forwarding headers from reverse proxies in this network, such as 10.0.0.0/8 (repeatable)",
                isRepeatable: true, reason: "is not a network; write 10.0.0.0/8, fd00::/8 or unix:",
                parse: { text in
                    var networks = TrustedNetworks()
                    return networks.add(text) ? text : nil
                }
            ) { settings, networks in
                settings.proxies.networks = TrustedNetworks()
                for network in networks { _ = settings.proxies.networks.add(network) }
            }
        ) { $0.readTrust($1) },
        Setting(
            "fronts.proxyProtocol",
            Option(
                "--proxy-protocol", nil,
                "accept only proxies of --trust, and require a PROXY protocol header from them", parse: { $0 }
            ) { settings, _ in settings.proxyProtocol = .everywhere }
        ) { $0.readProxyProtocol($1) },
        parsed(
            "fronts.fields", \.proxies.fields,
            objection: { _ in
                let words = TrustedProxies.Fields.allCases.map { "\"\($0.rawValue)\"" }
                return "`fields` must be \(words.joined(separator: " or "))"
            }, parse: { TrustedProxies.Fields(rawValue: $0) }),
        flag("fronts.host", \.proxies.readsForwardedHost),
        Setting("lint.ignore") { $0.readIgnored($1.value) },
        Setting("lint.severity") { $0.readSeverities($1.value) },
        Setting("linkTargets") { $0.settings.linkTargets = $0.linkTargets($1) },
        Setting("owners") { $0.readOwners($1.value) },
        text(
            "acme.webroot", \.acme.webroot,
            ("--acme-webroot", "DIR", "directory where an ACME client writes the challenges of all hosts")),
        Setting("acme.thumbprint") { reader, member in
            let thumbprint: String? = reader.value(
                member, fix: "write the 43 characters of its SHA-256 in base64url",
                objection: { _ in "`thumbprint` is not the thumbprint of an account key" },
                parse: { ACMESettings.isThumbprint($0) ? $0 : nil })
            if let thumbprint { reader.settings.acme.thumbprint = thumbprint }
        },
    ]

    /// The keys of `acme` about certificates that the manager orders.
    static let issuance: [Setting] = [
        list("acme.contact", \.manager.draft.contact, "a mail address", example: "ops@example.com") {
            IssuanceSettings.mailURL($0)
        },
        flag("acme.termsAgreed", \.manager.draft.isTermsAgreed),
        Setting("acme.directories") { $0.readDirectories($1) },
        text("acme.profile", \.manager.draft.profile),
        text("acme.preferredIssuer", \.manager.draft.preferredIssuer),
        list("acme.allow", \.manager.draft.allow, "a host", example: "*.example.com") {
            IssuanceSettings.hostPattern($0)
        },
        list("acme.deny", \.manager.draft.deny, "a host", example: "*.example.com") {
            IssuanceSettings.hostPattern($0)
        },
        Setting("acme.leadsTo") { $0.readMembers(of: $1, leadsTo) },
        choice("acme.preflight", \.manager.draft.preflight, "mode of the preflight", instead: nothingOrdered),
        Setting("acme.eab") { $0.readAccountBinding($1) },
        text("acme.caFile", \.manager.draft.caFile),
        Setting("acme.key", default: SigningKey.Kind.p256.rawValue) { $0.readKey($1) },
        list("acme.resolvers", \.manager.draft.resolvers, "the address of a name server", example: "192.0.2.53:53") {
            IssuanceSettings.nameServer($0)
        },
        choice("acme.challenge", \.manager.draft.challenge, "kind of challenge", instead: nothingOrdered),
        Setting("acme.rfc2136") { $0.readUpdates($1) },
    ]

    private static let nothingOrdered = "no certificates are ordered"

    private static let leadsTo: [Setting] = [
        list("addresses", \.manager.draft.expectedAddresses, "an IP address", example: "192.0.2.1") {
            IssuanceSettings.ipAddress($0)
        },
        list("names", \.manager.draft.expectedNames, "a host name", example: "edge.example.net") {
            IssuanceSettings.hostName($0)
        },
    ]

    private static let delivery: [Setting] = [
        flag("delivery.enabled", \.manager.deliveryDraft.isEnabled),
        // As `webhooks`, from when only the monitor had messages.
        Setting("delivery.webhooks") { $0.readWebhooks($1) },
    ]

    private static let store: [Setting] = [
        Setting("store.database") { reader, member in
            // The URL may contain a password, so no message contains it.
            let url: String? = reader.value(
                member, fix: "write `postgresql://user@db.example.com/associated`, or remove it to use SQLite",
                objection: { _ in "`database` is not the URL of a PostgreSQL database" },
                parse: { url in ["postgresql://", "postgres://"].contains(where: url.hasPrefix) ? url : nil })
            if let url { reader.settings.manager.databaseURL = url }
        },
        text("store.keyFile", \.manager.keyFile),
        Setting("api") { $0.readAPIAddress($1) },
        Setting("manager.admin") { $0.readManagerAddress($1) },
        flag("manager.separate", \.manager.isSeparate),
        Setting("manager.proxy") { $0.readProxy($1) },
        Setting("webhooks") { $0.readWebhooks($1) },
    ]

    /// Where the manager finds stand-ins of what is elsewhere: the authority's port for challenges, Apple's and Google's services. Tests
    /// need them, so no document and no message names them.
    static let tests: [Setting] = [
        Setting("tests.challengePort") { reader, member in
            guard let port = reader.integer(member, 1...65_535) else { return }
            reader.settings.manager.draft.port = UInt16(port)
        },
        serviceURL("tests.appleURL", \.manager.deliveryDraft.appleURL),
        serviceURL("tests.googleURL", \.manager.deliveryDraft.googleURL),
    ]

    private static func serviceURL(_ key: String, _ path: Path<String>) -> Setting {
        Setting(key) { if let url = $0.webURL($1) { $0.settings[keyPath: path] = url } }
    }
}

/// A value that is one of a few words.
protocol NamedChoice: CaseIterable, Sendable {
    var name: String { get }
}

extension NamedChoice {
    init?(named name: String) {
        guard let value = Self.allCases.first(where: { $0.name == name }) else { return nil }
        self = value
    }

    static var names: [String] { allCases.map(\.name) }
}

extension NamedChoice where Self: RawRepresentable, RawValue == String {
    var name: String { rawValue }
}

extension LogSelection.Only: NamedChoice {}
extension LogFormat: NamedChoice {}
extension ProcessLogSettings.Format: NamedChoice {}
extension ProcessLogSettings.Level: NamedChoice {}
extension SandboxSettings.Mode: NamedChoice {}
extension IssuanceSettings.Preflight: NamedChoice {}
extension IssuanceSettings.Challenge: NamedChoice {}
extension IssuanceSettings.UpdateSettings.Algorithm: NamedChoice {}
extension SigningKey.Kind: NamedChoice {}
