// What the manager works with: the settings of `server.json` in the terms of its modules, its database and its key.

import ACME
import Administration
import Association
import Client
import DNS
public import Database
public import Delivery
public import Issuance
public import Posix
public import Settings
import Store
public import Supervision
public import TLS

public struct ManagerInputs: Sendable {
    /// Nil if no certificates are ordered.
    public let rules: IssuanceRules?
    /// Nil if the copies at Apple and Google are not watched.
    public private(set) var delivery: DeliveryRules?
    /// Empty until their secrets are read.
    private(set) var webhooks: [WebhookTarget] = []
    /// Why some get no messages.
    public private(set) var webhookProblems: [String] = []
    /// What else does not work because of a secret.
    public private(set) var registrationProblem: String?
    /// For requests over TLS.
    let proxy: ProxySettings?
    public let places: ManagerPlaces
    public let location: DatabaseLocation
    private let settings: ManagerSettings
    /// The server's end of the link.
    public let link: SocketAddress
    /// The admin listener of the server; nil if it has none.
    public let server: AdminPlace?
    private let keyFile: String
    /// Whether the key file is not one of the settings.
    private let ownsKey: Bool
    public let statePath: String
    /// Of the app files that are published here.
    let environment: String?
    let configPath: String
    /// Whether the console asks nobody on this machine to sign in.
    let isDevelopment: Bool
    /// Whether releases are published here.
    var hasAPI: Bool { settings.api != nil }
    /// Of the manager that works in the state directory.
    public var lockPath: String { "\(statePath)/manager.lock" }

    /// What the manager cannot use of its settings.
    public let objection: String?

    /// Throws what a manager would refuse of its settings, as far as that can be known without the secrets in the files that they name.
    public static func check(_ loaded: LoadedSettings) throws(Refusal) {
        let settings = loaded.settings.manager
        if let objection = settings.objection { throw refusal(objection) }
        guard settings.isWanted, !settings.isSeparate else { return }
        try checkKeyFile(settings)
        let issuance = settings.issuance
        let files = [
            settings.keyFile, issuance?.caFile, issuance?.externalAccount?.keyFile, issuance?.updates?.keyFile,
        ]
        for file in files.compactMap(\.self) {
            do throws(FileError) { _ = try File.status(file) } catch {
                // Its user may be allowed what this process is not.
                if error.isMissing {
                    throw .failure("the manager cannot read a file that its settings name: \(file): \(error)")
                }
            }
        }
    }

    /// Whether there may be orders although the settings on disk allow none because of an error: a manager that works keeps its own.
    public static func remembersOrders(_ loaded: LoadedSettings) -> Bool {
        let settings = loaded.settings.manager
        return settings.asksForCertificates
            && (settings.databaseURL != nil || File.exists("\(loaded.statePath)/manager.db"))
    }

    private static func checkKeyFile(_ settings: ManagerSettings) throws(Refusal) {
        if settings.databaseURL == nil || settings.keyFile != nil { return }
        throw .failure(
            "`store.keyFile` is missing in server.json: nodes that share a database need the same key; create it with "
                + "`openssl rand -out FILE 32` and chmod 600")
    }

    static func refusal(_ objection: Finding) -> Refusal {
        .failure("the manager cannot use its settings: \(objection.line)")
    }

    public init(_ loaded: LoadedSettings) throws(Refusal) {
        settings = loaded.settings.manager
        objection = settings.objection.map { ManagerInputs.refusal($0).message }
        (statePath, environment) = (loaded.statePath, loaded.settings.environment)
        (isDevelopment, configPath) = (loaded.isDevelopment, loaded.configPath)
        places = ManagerPlaces(
            certificates: loaded.certificatesPath, thumbprint: loaded.thumbprintPath,
            hosts: "\(loaded.configPath)/hosts")
        server = loaded.settings.admin
        guard let link = SocketAddress("unix:\(loaded.linkPath)") else {
            throw .failure(
                "the path of \(loaded.linkPath), where the manager asks the server, is too long for a socket; use a --state with a "
                    + "shorter path")
        }
        self.link = link
        let listeners = loaded.settings.http + loaded.settings.https
        var rules: IssuanceRules? =
            if let issuance = settings.issuance { try ManagerInputs.rules(issuance, listeners) } else { nil }
        var delivery = settings.delivery.flatMap { DeliveryRules($0) }
        proxy = settings.proxyURL.flatMap { ProxySettings($0) }
        if settings.proxyURL != nil, proxy == nil {
            throw .failure(
                "`manager.proxy` in server.json is not the URL of an HTTP proxy, such as http://proxy.example.com:3128")
        }
        rules?.proxy = proxy
        delivery?.proxy = proxy
        (self.rules, self.delivery) = (rules, delivery)
        location =
            settings.databaseURL.map { .postgreSQL(uri: $0) } ?? .sqlite(path: "\(loaded.statePath)/manager.db")
        try ManagerInputs.checkKeyFile(settings)
        ownsKey = settings.keyFile == nil
        keyFile = settings.keyFile ?? "\(loaded.statePath)/manager.key"
    }

    /// Reads the secrets of the webhooks and of the registration API, which only the process that sends the requests needs. One that
    /// cannot be read must not stop the certificates, or the monitor.
    /// - Returns: what does not work.
    public mutating func readSecrets() -> [String] {
        readRegistrationKey()
        readWebhooks()
        return webhookProblems + [registrationProblem].compactMap(\.self)
    }

    private mutating func readRegistrationKey() {
        guard let own = settings.delivery, let file = own.registrationKeyFile else { return }
        do throws(Refusal) {
            let key = try ManagerInputs.firstWord(of: file, setting: "delivery.registrationKeyFile")
            if delivery?.watchRegistrations(key: key, at: own.registrationURL) == true { return }
            throw .failure("\(file) has no API key; write only the key to it")
        } catch { registrationProblem = "not asking Google whether apps are registered: \(error)" }
    }

    private mutating func readWebhooks() {
        for webhook in settings.webhooks {
            guard let location = WebLocation(webhook.url) else { continue }
            do throws(Refusal) {
                let secret = try ManagerInputs.firstWord(of: webhook.secretFile, setting: "secretFile")
                guard let target = WebhookTarget(location, secret: secret) else {
                    throw .failure(
                        "\(webhook.secretFile) has no secret of \(WebhookTarget.keyBytesMin) bytes or more; "
                            + "write one made by `echo whsec_$(openssl rand -base64 32)` and restart")
                }
                webhooks.append(target)
            } catch {
                webhookProblems.append("sending no messages to the webhook at \(location.host): \(error)")
            }
        }
        delivery?.messages = WebhookQueue(webhooks)
    }

    /// Keeps other managers out of the state directory, which is created if need be.
    func lockState() throws(Refusal) -> FileLock {
        do throws(SystemError) {
            try Directory.createPrivate(statePath)
            if let lock = try FileLock.take(lockPath) { return lock }
        } catch {
            throw .failure(
                "cannot write to the state directory \(statePath): \(error.reason); \(error.remedy(writingTo: statePath))"
            )
        }
        throw .failure("another manager works in \(statePath); stop it, or use another --state")
    }

    /// Whether the settings allow certificates for a host.
    public func allows(_ host: String) -> Bool { settings.issuance?.covers(host) ?? false }

    /// Whether they allow certificates for a host, and have what its challenge needs.
    public func covers(_ host: String) -> Bool { settings.orders(host) }

    /// Why the settings, or a certificate of the operator, exclude a host; nil if they do not.
    public func exclusion(of host: String) -> String? {
        if settings.issuance?.covers(host) == false { return "`acme.allow` or `acme.deny` in server.json excludes it" }
        if settings.issuance?.canValidate(host) == false { return "it is a wildcard, which needs `acme.rfc2136`" }
        return places.ownCertificate(of: host).map { "it has a certificate of its own, \($0)" }
    }

    /// The keys that seal secrets in the store. The key of a single node is created by its first manager.
    public func keys(createsMissing: Bool) throws(Refusal) -> SealingKeys {
        do {
            if createsMissing, ownsKey, case .sqlite(let path) = location, !File.exists(path) {
                try SealingKeys.create(keyFile)
            }
            return try SealingKeys(file: keyFile)
        } catch {
            throw .failure("\(error); \(keyAdvice)")
        }
    }

    /// A new key would make everything in an old database useless.
    private var keyAdvice: String {
        switch location {
        case .sqlite(let path) where File.exists(path):
            "restore the copy that belongs to \(path), because a new key cannot open it"
        case .sqlite where ownsKey:
            "the manager creates it when it starts; if it has, run this as its user or root, in the directory where it was started, or "
                + "give --config and --state"
        default:
            "restore the copy that belongs to the database, because a new key cannot open it; for a new database, create it "
                + "with `openssl rand -out FILE 32` and chmod 600"
        }
    }

    private static func rules(
        _ settings: IssuanceSettings, _ listeners: [SocketAddress]
    ) throws(Refusal) -> IssuanceRules {
        let directories = settings.directories.compactMap { AuthorityURL($0) }
        guard directories.count == settings.directories.count else {
            throw .failure("`acme.directories` in server.json has an invalid URL")
        }
        var rules = IssuanceRules(directories: directories)
        (rules.contact, rules.profile, rules.preferredIssuer) = (
            settings.contact, settings.profile, settings.preferredIssuer
        )
        rules.key = settings.key
        (rules.authorityFile, rules.isPreflightRequired) = (settings.caFile, settings.preflight == .required)
        rules.port = settings.port
        rules.resolver.servers = settings.resolvers
        rules.preflight.expectedAddresses = settings.expectedAddresses.compactMap { text in
            SocketAddress(ip: text, port: 0).map { RemoteAddress($0) }
        }
        // A listener on all addresses names none.
        rules.preflight.localAddresses = listeners.map { RemoteAddress($0) }.filter { $0.high != 0 || $0.low != 0 }
        rules.preflight.expectedNames = settings.expectedNames.compactMap { DomainName($0) }
        rules.challenge = settings.challenge == .dns ? .dns : .http
        if let updates = settings.updates { rules.updates = try updateServer(updates) }
        guard let account = settings.externalAccount else { return rules }
        rules.externalAccount = ExternalAccount(
            keyID: account.keyID, key: try firstWord(of: account.keyFile, setting: "acme.eab.keyFile"))
        if rules.externalAccount == nil {
            throw .failure(
                "`acme.eab.keyFile` (\(account.keyFile)) has no key in Base64; write the one that the authority shows")
        }
        return rules
    }

    private static func updateServer(_ settings: IssuanceSettings.UpdateSettings) throws(Refusal) -> UpdateServer {
        guard let name = DomainName(settings.keyName),
            let algorithm = TransactionKey.Algorithm(rawValue: settings.algorithm.rawValue)
        else { throw .failure("`acme.rfc2136` in server.json names a key that cannot be used") }
        let secret = try firstWord(of: settings.keyFile, setting: "acme.rfc2136.keyFile")
        guard let key = TransactionKey(name: name, algorithm: algorithm, secret: secret) else {
            throw .failure(
                "`acme.rfc2136.keyFile` (\(settings.keyFile)) has no secret in Base64; write only the text after "
                    + "`secret` in the name server's key, without quotation marks")
        }
        return UpdateServer(settings.server, key: key, zone: settings.zone.flatMap { DomainName($0) })
    }

    /// Empty if the file has none.
    static func firstWord(of file: String, setting: String) throws(Refusal) -> String {
        do throws(FileError) {
            let text = String(decoding: try File.read(file, bytesMax: 4_096).bytes, as: UTF8.self)
            return text.split { $0.isWhitespace }.first.map(String.init) ?? ""
        } catch {
            throw .failure("cannot read `\(setting)`: \(error)")
        }
    }
}
