// What the manager works with: the settings of `server.json` in the terms of its modules, its database and its key.

import ACME
import Administration
import DNS
import Database
import Hosting
import Manager
import Posix
import TLS

struct ManagerInputs {
    /// Nil if no certificates are ordered.
    let rules: IssuanceRules?
    /// Nil if the copies at Apple and Google are not watched.
    let delivery: DeliveryRules?
    let places: ManagerPlaces
    let location: DatabaseLocation
    /// Whether the settings allow certificates for a host.
    let covers: @Sendable (String) -> Bool
    /// The admin listener of the server.
    let server: AdminPlace
    private let keyFile: String
    /// Whether the key file is not one of the settings.
    private let ownsKey: Bool
    let statePath: String

    init(_ loaded: LoadedSettings) throws(Refusal) {
        let settings = loaded.settings.manager
        statePath = loaded.statePath
        places = ManagerPlaces(
            certificates: loaded.certificatesPath, thumbprint: loaded.thumbprintPath,
            hosts: "\(loaded.configPath)/hosts")
        guard let admin = loaded.settings.admin else {
            throw .failure("no admin listener of the server is configured; set `admin` in server.json, or give --admin")
        }
        server = admin
        let issuance = settings.issuance
        covers = { issuance?.covers($0) ?? false }
        let listeners = loaded.settings.http + loaded.settings.https
        rules = if let issuance = settings.issuance { try ManagerInputs.rules(issuance, listeners) } else { nil }
        delivery = if let delivery = settings.delivery { try DeliveryRules(delivery) } else { nil }
        location =
            settings.databaseURL.map { .postgreSQL(uri: $0) } ?? .sqlite(path: "\(loaded.statePath)/manager.db")
        if settings.databaseURL != nil, settings.keyFile == nil {
            throw .failure(
                "`store.keyFile` is missing in server.json: nodes that share a database need the same key; create it with "
                    + "`openssl rand -out FILE 32` and chmod 600")
        }
        ownsKey = settings.keyFile == nil
        keyFile = settings.keyFile ?? "\(loaded.statePath)/manager.key"
    }

    /// The keys that seal secrets in the store. The key of a single node is created by its first manager.
    func keys(createsMissing: Bool) throws(Refusal) -> SealingKeys {
        do {
            if createsMissing, ownsKey, case .sqlite(let path) = location, !File.exists(path) {
                try Directory.create(statePath, permissions: 0o700)
                try SealingKeys.create(keyFile)
            }
            return try SealingKeys(file: keyFile)
        } catch {
            throw .failure("\(error)")
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
        (rules.authorityFile, rules.isPreflightRequired) = (settings.caFile, settings.isPreflightRequired)
        rules.port = settings.port
        rules.resolver.servers = settings.resolvers
        rules.preflight.expectedAddresses = settings.expectedAddresses.compactMap { text in
            SocketAddress(ip: text, port: 0).map { RemoteAddress($0) }
        }
        // A listener on all addresses names none.
        rules.preflight.localAddresses = listeners.map { RemoteAddress($0) }.filter { $0.high != 0 || $0.low != 0 }
        rules.preflight.expectedNames = settings.expectedNames.compactMap { DomainName($0) }
        guard let account = settings.externalAccount else { return rules }
        do throws(FileError) {
            let text = String(decoding: try File.read(account.keyFile, bytesMax: 4_096).bytes, as: UTF8.self)
            let key = text.split { $0.isWhitespace }.first.map(String.init) ?? ""
            rules.externalAccount = ExternalAccount(keyID: account.keyID, key: key)
        } catch {
            throw .failure("cannot read `acme.eab.keyFile`: \(error)")
        }
        if rules.externalAccount == nil {
            throw .failure(
                "`acme.eab.keyFile` (\(account.keyFile)) has no key in Base64; write the one that the authority shows")
        }
        return rules
    }
}
