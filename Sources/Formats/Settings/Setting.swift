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
    /// The values that it takes. `read` uses the same keys, words and bounds.
    private let form: JSONSchema
    /// Whether the other keys of its object need it.
    let isRequired: Bool
    /// The value if the setting is missing; nil for none, or for one that depends on the system.
    let defaultText: String?
    /// Sets the value of a member, or reports what is wrong with it.
    let read: @Sendable (inout SettingsReader, SourceMember) -> Void

    init(
        _ key: String, _ form: JSONSchema, _ option: Option? = nil, isRequired: Bool = false,
        default defaultText: String? = nil, shorthand: Shorthand = .none,
        read: @escaping @Sendable (inout SettingsReader, SourceMember) -> Void
    ) {
        (self.key, self.form, self.option, self.defaultText) = (key, form, option, defaultText)
        (self.isRequired, self.shorthand, self.read) = (isRequired, shorthand, read)
    }

    enum Shorthand {
        case none, strings
        /// Any value except an object.
        case anything
    }

    /// The key at the top of the file, and the one in its object.
    var section: Substring { key.prefix { $0 != "." } }
    var name: String { String(key.dropFirst(section.count == key.count ? 0 : section.count + 1)) }

    /// The values that it takes, for editors. Without an own description it has the help of the option.
    var schema: JSONSchema {
        let usual = defaultText.map { text -> SourceValue in
            switch form["type"]?.asString {
            case "integer": .integer(Int(text) ?? 0)
            case "boolean": .bool(text == "true")
            case "array": .array([.string(text)])
            default: .string(text)
            }
        }
        return form.described(option?.help).with("default", usual)
    }

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
        [process, secure, LimitKey.all.map(limit), outward, issuance, delivery, store, [schemaPlace]].joined())
}

/// Kinds of settings that occur more than once.
extension Setting {
    typealias Path<Value> = any WritableKeyPath<ServerSettings, Value> & Sendable
    /// Name, placeholder and help of an option that takes the value of the key.
    typealias Texts = (name: String, value: String, help: String)

    static func text(
        _ key: String, _ path: Path<String?>, _ texts: Texts? = nil, help: String? = nil
    ) -> Setting {
        let option = texts.map { texts in
            Option(texts.name, texts.value, texts.help, parse: { $0 }) { $0[keyPath: path] = $1.last }
        }
        return Setting(key, .text(help, lengthMin: 1), option, default: ServerSettings()[keyPath: path]) {
            $0.settings[keyPath: path] = $0.string($1)
        }
    }

    static func flag(
        _ key: String, _ path: Path<Bool>, _ texts: (name: String, help: String)? = nil, help: String? = nil
    ) -> Setting {
        let option = texts.map { texts in
            Option(texts.name, nil, texts.help, parse: { $0 }) { settings, _ in settings[keyPath: path] = true }
        }
        let usual = ServerSettings()[keyPath: path]
        return Setting(key, .bool(help), option, default: "\(usual)") {
            $0.settings[keyPath: path] = $0.bool($1) ?? usual
        }
    }

    /// A setting that takes a whole number. With one outside the bounds, nothing changes, and it is reported.
    static func number(
        _ key: String, _ allowed: ClosedRange<Int>, _ option: Option? = nil, default usual: Int? = nil,
        help: String? = nil, set: @escaping @Sendable (inout ServerSettings, Int) -> Void
    ) -> Setting {
        Setting(key, .integer(allowed, help), option, default: usual.map(String.init)) { reader, member in
            if let number = reader.integer(member, allowed) { set(&reader.settings, number) }
        }
    }

    private static func addresses(_ key: String, _ path: Path<[SocketAddress]>, _ help: String) -> Setting {
        let usual = ServerSettings()[keyPath: path].first.map { "\($0)" }
        let option = Option(
            "--\(key)", "ADDR:PORT", "\(help) (repeatable; default: \(usual ?? "off"))", isRepeatable: true,
            reason: "is not an address with a port from 1 to 65535; write 127.0.0.1:8080, [::1]:8080 or unix:/path",
            parse: { SocketAddress(listening: $0) }
        ) { $0[keyPath: path] = $1 }
        return Setting(key, .list(of: listener(), help), option, default: usual) {
            $0.settings[keyPath: path] = $0.addresses($1)
        }
    }

    /// What `SocketAddress(listening:)` accepts.
    static func listener(_ help: String? = nil) -> JSONSchema {
        .text(help, pattern: #"^(unix:.+|([0-9.]+:|localhost:|\*?:|\[[0-9A-Fa-f:.]+\]:)?[0-9]{1,5})$"#)
    }

    /// A setting that takes an array of texts. A text for which `parse` returns nil is reported.
    static func list<Value: Sendable>(
        _ key: String, _ path: Path<[Value]>, _ what: String, example: String, of element: JSONSchema, help: String,
        parse: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        Setting(key, .list(of: element, help)) { reader, member in
            let values = reader.list(member, what, example: example, parse: parse)
            reader.settings[keyPath: path] = values
        }
    }

    /// A setting that takes a text. With one that `parse` does not accept, nothing changes, and it is reported.
    static func parsed<Value: Sendable>(
        _ key: String, _ path: Path<Value>, _ form: JSONSchema, _ texts: Texts? = nil, words: [String] = [],
        reason: String = "", default defaultText: String? = nil, fix: String? = nil,
        objection: @escaping @Sendable (String) -> String, parse: @escaping @Sendable (String) -> Value?
    ) -> Setting {
        let option = texts.map { texts in
            Option(texts.name, texts.value, texts.help, words: words, reason: reason, parse: parse) {
                if let value = $1.last { $0[keyPath: path] = value }
            }
        }
        return Setting(key, form, option, default: defaultText) { reader, member in
            guard let value = reader.value(member, fix: fix, objection: objection, parse: parse) else { return }
            reader.settings[keyPath: path] = value
        }
    }

    /// A setting that takes one of a few words. For another word, the default is used and reported.
    /// - Parameter instead: what happens then.
    static func choice<Value: NamedChoice>(
        _ key: String, _ path: Path<Value>, _ what: String, instead: String, _ texts: Texts? = nil,
        reason: String = "", help: String? = nil
    ) -> Setting {
        let usual = ServerSettings()[keyPath: path]
        let option = texts.map { texts in
            Option(
                texts.name, texts.value, "\(texts.help) (default: \(usual.name))", words: Value.names, reason: reason,
                parse: { Value(named: $0) }
            ) { if let value = $1.last { $0[keyPath: path] = value } }
        }
        return Setting(key, .word(Value.names, help), option, default: usual.name) { reader, member in
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
        number("limits.\(limit.name)", limit.allowed, default: limit.usual, help: limit.help) {
            limit.set($1, &$0.limits)
        }
    }
}

/// The settings themselves.
extension Setting {
    private static let process: [Setting] = [
        addresses("http", \.http, "listen for plain HTTP on this address"),
        addresses("https", \.https, "listen for TLS on this address"),
        number(
            "workers", workers,
            Option(
                "--workers", "N", "threads that serve requests (default: one per processor)",
                reason: "is not a number from 1 to 256",
                parse: { Int($0).flatMap { workers.contains($0) ? $0 : nil } }
            ) { $0.workers = $1.last }
        ) { $0.workers = $1 },
        text(
            "environment", \.environment,
            (
                "--environment", "NAME",
                "environment of the app files to serve, such as staging (default: that of server.json, or none)"
            ), help: "environment of the app files to serve, such as staging"),
        flag("strict", \.isStrict, ("--strict", "refuse to start if there is any error")),
        flag(
            "reusePort", \.reusesPort,
            ("--reuse-port", "share the addresses with another server of this user")),
    ]

    private static let workers = 1...256

    /// For editors; only its type is checked.
    private static let schemaPlace = Setting("$schema", .text("location of this schema, for editors", lengthMin: 1)) {
        _ = $0.string($1)
    }

    private static let secure: [Setting] = [
        text("tls.ticketKeyFile", \.ticketKeyFile, help: "file with ticket keys that several servers share"),
        number(
            "tls.strictTransportSeconds", 0...63_072_000, default: ServerSettings().strictTransportSeconds,
            help: "seconds for which browsers must use TLS only (HSTS); 0 turns it off"
        ) { $0.strictTransportSeconds = $1 },
        flag("tls.redirectPages", \.redirectsPages, help: "redirect pages from HTTP to HTTPS"),
        number(
            "tls.publicPort", 1...65_535, help: "external HTTPS port, if it differs from the listening port"
        ) { $0.publicSecurePort = UInt16($1) },
        Setting(
            "signing.certificateFile", .text("file with the certificate that signs the documents", lengthMin: 1),
            isRequired: true
        ) { $0.signing.certificateFile = $0.string($1) ?? "" },
        Setting("signing.keyFile", .text("file with the key of the certificate", lengthMin: 1), isRequired: true) {
            $0.signing.keyFile = $0.string($1) ?? ""
        },
    ]

    private static let outward: [Setting] = [
        Setting(
            "admin.address", listener("address of the admin listener for health, metrics and status"),
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
            "admin.tokenFile", .text(lengthMin: 1),
            Option(
                "--admin-token-file", "FILE",
                "file with the bearer token that admin requests other than health checks must send",
                parse: { $0 }
            ) { $0.admin?.tokenFile = $1.last }
        ) { reader, member in
            let file = reader.string(member)
            reader.settings.admin?.tokenFile = file
        },
        Setting(
            "admin.socketMode", .text("permissions of a Unix-domain socket, in octal", pattern: "^0*[0-7]{1,3}$")
        ) { $0.readSocketMode($1) },
        Setting(
            "admin.hosts", .list(of: .text(), "names that requests may use, in addition to addresses and localhost")
        ) { $0.readAdminHosts($1) },
        parsed(
            "log.access", \.accessLog.place,
            .any(of: [.word(AccessLogSettings.Place.words), .text(pattern: "^.*[/.].*[^/.]$")]),
            ("--access-log", "FILE", "access log: off, stdout or the path of a file (default: off)"),
            words: AccessLogSettings.Place.words,
            reason: "is not off, stdout or a path; \(AccessLogSettings.Place.advice)",
            default: "off", fix: AccessLogSettings.Place.advice,
            objection: { "`\($0)` is not off, stdout or a path, so there is no access log" },
            parse: { AccessLogSettings.Place($0) }),
        choice(
            "log.format", \.accessLog.format, "format of the access log", instead: "JSON is used",
            ("--access-log-format", "FORMAT", "format of the access log: json or combined"),
            reason: "is not a format; write json or combined"),
        choice(
            "log.only", \.accessLog.selection.only, "choice of lines", instead: "all requests are logged",
            help: "which answers to log"),
        flag("log.query", \.accessLog.selection.hasQuery, help: "whether paths in the access log include the query"),
        flag("log.handshakes", \.accessLog.selection.hasHandshakes, help: "also log failed handshakes, in JSON"),
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
            "sandbox.mode", .word(SandboxSettings.Mode.names),
            Option(
                "--sandbox", "MODE",
                "restrict file and system-call access after startup: on (whatever the system supports), required "
                    + "(refuse to start if a part is missing) or off (default: on)",
                words: SandboxSettings.Mode.names, reason: "is not a mode; write on, required or off",
                parse: { SandboxSettings.Mode(named: $0) }
            ) { if let mode = $1.last { $0.sandbox.mode = mode } },
            default: SandboxSettings().mode.name, shorthand: .anything,
            read: { $0.settings.sandbox.mode = $0.sandboxMode($1) }),
        Setting("sandbox.read", .list(of: absolutePath, "folders and files that may be read too")) {
            $0.settings.sandbox.readable = $0.paths($1)
        },
        Setting("sandbox.write", .list(of: absolutePath, "folders that may be written to too")) {
            $0.settings.sandbox.writable = $0.paths($1)
        },
        Setting(
            "fronts.trust",
            .list(
                of: .text(pattern: "^(unix:|[0-9A-Fa-f:.]+(/[0-9]{1,3})?)$"),
                "networks of the trusted reverse proxies, such as 10.0.0.0/8; unix: for Unix-domain sockets"),
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
            .any(
                of: [.bool(), .list(of: listener())],
                "listeners that require a PROXY protocol header: true for all, or their addresses"),
            Option(
                "--proxy-protocol", nil,
                "accept only proxies of --trust, and require a PROXY protocol header from them", parse: { $0 }
            ) { settings, _ in settings.proxyProtocol = .everywhere }
        ) { $0.readProxyProtocol($1) },
        parsed(
            "fronts.fields", \.proxies.fields,
            .word(TrustedProxies.Fields.names, "fields in which the proxies name the client"),
            default: TrustedProxies().fields.name,
            objection: { _ in
                "`fields` must be \(TrustedProxies.Fields.names.map { "\"\($0)\"" }.joined(separator: " or "))"
            }, parse: { TrustedProxies.Fields(named: $0) }),
        flag("fronts.host", \.proxies.readsForwardedHost, help: "whether the proxies may set the host name"),
        Setting("lint.ignore", .list(of: rule, "rules to leave out")) { $0.readIgnored($1.value) },
        Setting(
            "lint.severity",
            .map(of: .word(Severity.allCases.map(\.rawValue)), "severities by rule", names: rule)
        ) { $0.readSeverities($1.value) },
        Setting("linkTargets", .list(of: absolutePath, "folders that symbolic links may lead into")) {
            $0.settings.linkTargets = $0.linkTargets($1)
        },
        Setting(
            "owners",
            .map(
                of: .list(of: HostPattern.schema),
                "hosts that the app files of each folder of apps/ may name; * is for all folders without an entry",
                names: .text(pattern: "^[^/]+$"))
        ) { $0.readOwners($1.value) },
        text(
            "acme.webroot", \.acme.webroot,
            ("--acme-webroot", "DIR", "directory where an ACME client writes the challenges of all hosts")),
        Setting(
            "acme.thumbprint",
            .text(
                "thumbprint of an ACME client's account key, from which challenges are answered",
                pattern: "^[A-Za-z0-9_-]{43}$")
        ) { reader, member in
            let thumbprint: String? = reader.value(
                member, fix: "write the 43 characters of its SHA-256 in base64url",
                objection: { _ in "`thumbprint` is not the thumbprint of an account key" },
                parse: { ACMESettings.isThumbprint($0) ? $0 : nil })
            if let thumbprint { reader.settings.acme.thumbprint = thumbprint }
        },
    ]

    private static let absolutePath = JSONSchema.text(pattern: "^/")
    private static let rule = JSONSchema.word(RuleID.allCases.map(\.description))
}
