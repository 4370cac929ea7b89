// The settings of the manager: certificates, deliveries, publishing and its database.

import Association
import Posix
import SourceJSON
import TLS

extension Setting {
    /// The keys of `acme` about certificates that the manager orders.
    static let issuance: [Setting] = [
        list(
            "acme.contact", \.manager.draft.contact, "a mail address", example: "ops@example.com",
            of: .text(pattern: #"^(mailto:)?[^@,?\s]+@[^@,?\s]+$"#), help: "mail addresses for the authority"
        ) { IssuanceSettings.mailURL($0) },
        flag(
            "acme.termsAgreed", \.manager.draft.isTermsAgreed,
            help: "whether you agree to the terms of the authority, without which no certificates are ordered"),
        Setting(
            "acme.directories",
            .list(
                of: .text(pattern: "^https://"), "authorities; later ones are for when earlier ones fail", countMin: 1)
        ) { $0.readDirectories($1) },
        text("acme.profile", \.manager.draft.profile, help: "certificate profile, where the authority has it"),
        text("acme.preferredIssuer", \.manager.draft.preferredIssuer, help: "root of the preferred chain"),
        list(
            "acme.allow", \.manager.draft.allow, "a host", example: "*.example.com", of: HostPattern.schema,
            help: "hosts to order certificates for (default: all)"
        ) { IssuanceSettings.hostPattern($0) },
        list(
            "acme.deny", \.manager.draft.deny, "a host", example: "*.example.com", of: HostPattern.schema,
            help: "hosts not to order certificates for; takes precedence over allow"
        ) { IssuanceSettings.hostPattern($0) },
        Setting(
            "acme.leadsTo",
            .object(leadsTo.map { ($0.name, $0.schema) }, "what hosts must lead to before a certificate is ordered")
        ) { $0.readMembers(of: $1, leadsTo) },
        choice(
            "acme.preflight", \.manager.draft.preflight, "mode of the preflight", instead: nothingOrdered,
            help: "whether DNS is checked before an order"),
        Setting("acme.eab", accountBinding) { $0.readAccountBinding($1) },
        text(
            "acme.caFile", \.manager.draft.caFile,
            help: "file with root certificates to check the authorities' servers with"),
        Setting(
            "acme.key",
            .word(SigningKey.Kind.names, "kind of the hosts' keys, from the next renewal of each host on"),
            default: SigningKey.Kind.p256.rawValue
        ) { $0.readKey($1) },
        list(
            "acme.resolvers", \.manager.draft.resolvers, "the address of a name server", example: "192.0.2.53:53",
            of: nameServer(), help: "name servers to ask (default: those of /etc/resolv.conf)"
        ) { IssuanceSettings.nameServer($0) },
        choice(
            "acme.challenge", \.manager.draft.challenge, "kind of challenge", instead: nothingOrdered,
            help: "how control of a host that is no wildcard is proved"),
        Setting("acme.rfc2136", updates) { $0.readUpdates($1) },
    ]

    /// What is in `eab`.
    static let accountBinding = JSONSchema.object(
        [
            ("keyID", .text("id that the authority gave you", lengthMin: 1)),
            ("keyFile", .text("file with the key in Base64", lengthMin: 1)),
        ], "credentials of a customer account at the authority", required: ["keyID", "keyFile"])

    /// What is in `rfc2136`.
    static let updates = JSONSchema.object(
        [
            ("server", nameServer("address of the primary name server")),
            ("keyName", .text("name of the key", pattern: domainName)),
            ("keyFile", .text("file with the secret in Base64", lengthMin: 1)),
            ("algorithm", .word(IssuanceSettings.UpdateSettings.Algorithm.names, "algorithm of the key")),
            ("zone", .text("zone of all records, if it is not to be looked up", pattern: domainName)),
        ], "name server that takes TXT records, which wildcards need", required: ["server", "keyName", "keyFile"])

    private static let domainName = "^[A-Za-z0-9_-]+(\\.[A-Za-z0-9_-]+)*\\.?$"

    private static func nameServer(_ help: String? = nil) -> JSONSchema {
        .text(help, pattern: #"^\[?[0-9A-Fa-f:.]+\]?(:[0-9]{1,5})?$"#)
    }

    private static let nothingOrdered = "no certificates are ordered"

    private static let leadsTo: [Setting] = [
        list(
            "addresses", \.manager.draft.expectedAddresses, "an IP address", example: "192.0.2.1",
            of: .text(pattern: "^[0-9A-Fa-f:.]+$"), help: "public addresses of this server"
        ) { IssuanceSettings.ipAddress($0) },
        list(
            "names", \.manager.draft.expectedNames, "a host name", example: "edge.example.net",
            of: .text(pattern: #"^[^*/:\s]+$"#), help: "names of this server, for CNAME records"
        ) { IssuanceSettings.hostName($0) },
    ]

    static let delivery: [Setting] = [
        flag(
            "delivery.enabled", \.manager.deliveryDraft.isEnabled,
            help: "watch which files Apple and Google have of each host"),
        text(
            "delivery.registrationKeyFile", \.manager.deliveryDraft.registrationKeyFile,
            help: "file with the key for Google's registration of Android apps"),
        // As `webhooks`, from when only the monitor had messages.
        Setting("delivery.webhooks", webhooks) { $0.readWebhooks($1) },
    ]

    private static let webhooks = JSONSchema.list(of: webhook, "receivers of messages about deliveries and releases")

    static let webhook = JSONSchema.object(
        [
            ("url", .text("URL that takes the messages", pattern: "^https?://")),
            ("secretFile", .text("file with the secret that signs the messages", lengthMin: 1)),
        ], required: ["url", "secretFile"])

    static let store: [Setting] = [
        Setting(
            "store.database",
            .text(
                "URL of a PostgreSQL database (default: SQLite in the state directory)", pattern: "^postgres(ql)?://")
        ) { reader, member in
            // The URL may contain a password, so no message contains it.
            let url: String? = reader.value(
                member, fix: "write `postgresql://user@db.example.com/associated`, or remove it to use SQLite",
                objection: { _ in "`database` is not the URL of a PostgreSQL database" },
                parse: { url in ["postgresql://", "postgres://"].contains(where: url.hasPrefix) ? url : nil })
            if let url { reader.settings.manager.databaseURL = url }
        },
        text(
            "store.keyFile", \.manager.keyFile,
            help: "file with the key that encrypts the secrets in the database (default: in the state directory)"),
        Setting("api", listener("address on this machine for publishing and the console")) { $0.readAPIAddress($1) },
        Setting(
            "manager.admin", listener("address on this machine for health and metrics of the manager, without a token")
        ) { $0.readManagerAddress($1) },
        flag(
            "manager.separate", \.manager.isSeparate,
            help: "whether the manager runs elsewhere, as `associated manage`, so that `serve` starts none"),
        Setting(
            "manager.proxy", .text("URL of an HTTP proxy for the manager's requests over TLS", pattern: "^http://")
        ) { $0.readProxy($1) },
        Setting("webhooks", webhooks) { $0.readWebhooks($1) },
    ]

    /// Where the manager finds stand-ins of what is elsewhere: the authority's port for challenges, Apple's and Google's services. Tests
    /// need them, so no document and no message names them.
    static let tests: [Setting] = [
        number("tests.challengePort", 1...65_535) { $0.manager.draft.port = UInt16($1) },
        serviceURL("tests.appleURL", \.manager.deliveryDraft.appleURL),
        serviceURL("tests.googleURL", \.manager.deliveryDraft.googleURL),
        serviceURL("tests.registrationURL", \.manager.deliveryDraft.registrationURL),
    ]

    private static func serviceURL(_ key: String, _ path: Path<String>) -> Setting {
        Setting(key, .text()) { if let url = $0.webURL($1) { $0.settings[keyPath: path] = url } }
    }
}
