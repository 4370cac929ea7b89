// The settings of the manager: `acme`, `delivery`, `store` and `manager` in `server.json`. The manager is a second process that
// orders certificates and watches which files Apple and Google have. The server itself uses only `acme.webroot` and
// `acme.thumbprint`, which are in `ACMESettings`.

public import Association
public import Posix
import SourceJSON
public import TLS

public struct ManagerSettings: Sendable {
    /// How certificates are ordered; nil if none are.
    public var issuance: IssuanceSettings?
    /// How the copies at Apple and Google are watched; nil if they are not.
    public var delivery: DeliverySettings?
    /// The receivers of messages.
    public var webhooks: [Webhook] = []
    /// The URL of a PostgreSQL database; nil for SQLite in the state directory. It may contain a password.
    public var databaseURL: String?
    /// The file with the key that encrypts the secrets in the database; nil for one in the state directory.
    public var keyFile: String?
    /// The admin listener of the manager; nil for none.
    public var admin: SocketAddress?
    /// The listener of the API for publishing; nil for none.
    public var api: SocketAddress?
    /// Whether the manager runs in a unit or a container of its own, so that `serve` starts none.
    public var isSeparate = false
    /// The URL of the HTTP proxy for requests over TLS; nil for none. It may contain a password.
    public var proxyURL: String?
    /// The first error in what the manager is asked for, of which it does nothing then. A manager that works is not replaced by one with
    /// these settings.
    public internal(set) var objection: Finding?
    /// Whether certificates are asked for, although they may not be ordered because of an error.
    public internal(set) var asksForCertificates = false
    /// What `acme` says, before it is known whether it can be used.
    var draft = IssuanceSettings()
    /// What `delivery` says, before it is known whether it can be used.
    var deliveryDraft = DeliverySettings()

    /// Of what the manager is asked for.
    static let sections: Set = ["acme", "api", "delivery", "store"]

    public struct Webhook: Sendable, Equatable {
        public var url: String
        /// A file with the secret that signs the messages.
        public var secretFile: String
    }

    public init() {}

    /// Whether there is something for a manager to do.
    public var isUsable: Bool {
        issuance != nil || delivery != nil || (databaseURL != nil || api != nil) && objection == nil
    }

    /// Whether one is asked for. With an error, it says that it cannot work.
    public var isWanted: Bool { isUsable || objection != nil }

    /// Why the manager does not listen there; nil if it may. Its admin listener asks for no token.
    public static func objection(toAdmin address: SocketAddress) -> String? {
        address.isLocal ? nil : "\(address) is reachable from other machines, and the manager's listener has no token"
    }

    /// Tokens must not cross a network in clear text.
    static func objection(toAPI address: SocketAddress) -> String? {
        address.isLocal ? nil : "\(address) is reachable from other machines, and the API sends tokens in clear text"
    }

    /// Whether the manager is to order a certificate for a served host that has none.
    public func orders(_ host: String) -> Bool {
        issuance.map { $0.covers(host) && $0.canValidate(host) } ?? asksForCertificates
    }
}

/// For which hosts certificates are ordered, and from which authority.
public struct IssuanceSettings: Sendable, Equatable {
    /// `mailto:` URLs.
    public var contact: [String] = []
    /// Whether the operator has agreed to the terms of the authorities.
    public var isTermsAgreed = false
    /// The directory URLs of the authorities; later ones are for when earlier ones fail.
    public var directories = ["https://acme-v02.api.letsencrypt.org/directory"]
    /// The certificate profile, for authorities that have it.
    public var profile: String? = "tlsserver"
    /// The common name of the root of the preferred chain.
    public var preferredIssuer: String?
    public var allow: [HostPattern] = []
    public var deny: [HostPattern] = []
    /// The public addresses of the server, to which a host must lead before a certificate is ordered.
    public var expectedAddresses: [String] = []
    /// Names with the same purpose: a host that is an alias of one of them leads to the server.
    public var expectedNames: [String] = []
    public var preflight = Preflight.required
    public var externalAccount: AccountBinding?
    /// A file with the root certificates that the authorities' servers are checked with; nil for those of the system.
    public var caFile: String?
    /// The kind of key for which each host gets a certificate.
    public var key = SigningKey.Kind.p256
    /// Empty for those of /etc/resolv.conf.
    public var resolvers: [SocketAddress] = []
    /// The port on which the authority fetches challenges. Only test authorities use one other than 80.
    public var port: UInt16 = 80
    /// How control of a host is proved; wildcards allow only `dns`.
    public var challenge = Challenge.http
    /// The name server that takes TXT records; nil if there is none, and so no wildcards.
    public var updates: UpdateSettings?

    public enum Challenge: String, Sendable, CaseIterable {
        case http = "http-01"
        case dns = "dns-01"
    }

    /// A primary name server and a key that may change TXT records there (RFC 2136, RFC 8945).
    public struct UpdateSettings: Sendable, Equatable {
        public var server: SocketAddress
        public var keyName: String
        public var algorithm = Algorithm.sha256
        /// A file with the secret in Base64.
        public var keyFile: String
        /// The zone of all records; nil to look it up for each.
        public var zone: String?

        public enum Algorithm: String, Sendable, CaseIterable {
            case sha256 = "hmac-sha256"
            case sha384 = "hmac-sha384"
            case sha512 = "hmac-sha512"
        }
    }

    /// Whether DNS is checked before a certificate is ordered.
    public enum Preflight: String, Sendable, CaseIterable {
        case required, off
    }

    /// Credentials of a customer account at the authority (RFC 8555 §7.3.4).
    public struct AccountBinding: Sendable, Equatable {
        public var keyID: String
        /// A file with the key in Base64.
        public var keyFile: String
    }

    public init() {}

    /// Whether certificates may be ordered for a host. `deny` takes precedence; an empty `allow` allows all hosts.
    public func covers(_ host: String) -> Bool {
        if deny.contains(where: { $0.matches(host) }) { return false }
        return allow.isEmpty || allow.contains { $0.matches(host) }
    }

    /// Whether control of a host can be proved.
    public func canValidate(_ host: String) -> Bool { updates != nil || !host.hasPrefix("*.") }
}

/// Parsers of single values; each returns nil for a text that is not one.
extension IssuanceSettings {
    /// A `mailto:` URL for one recipient and without header fields, which authorities reject (RFC 8555 §7.3).
    static func mailURL(_ text: String) -> String? {
        let scheme = "mailto:"
        let mail = text.hasPrefix(scheme) ? String(text.dropFirst(scheme.count)) : text
        let parts = mail.split(separator: "@", omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty, isPlain(mail), !mail.contains(","),
            !mail.contains("?")
        else { return nil }
        return scheme + mail
    }

    static func authorityURL(_ text: String) -> String? {
        let scheme = "https://"
        guard text.hasPrefix(scheme), text.utf8.count <= 2_048, isPlain(text) else { return nil }
        // As the manager does, which could not start with it.
        let authority = text.dropFirst(scheme.count).prefix { $0 != "/" && $0 != "?" }
        guard let first = authority.first, first != ":", !authority.contains("@"),
            !text.contains(where: { "\"<>\\^`{|}#".contains($0) })
        else { return nil }
        return text
    }

    /// Whether it is in ASCII and without spaces.
    private static func isPlain(_ text: String) -> Bool { text.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

    static func hostPattern(_ text: String) -> HostPattern? {
        if case .success(let host) = HostPattern.parse(text) { host } else { nil }
    }

    static func hostName(_ text: String) -> String? {
        guard let host = hostPattern(text), !host.isWildcard else { return nil }
        return host.name
    }

    /// A name in DNS, which may be a single label and may end with a dot.
    static func domainName(_ text: String) -> String? {
        let name = text.hasSuffix(".") ? text.dropLast() : text[...]
        let labels = name.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        let isValid = labels.allSatisfy { label in
            (1...63).contains(label.count)
                && label.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"): true
                    default: false
                    }
                }
        }
        return isValid && name.utf8.count <= 253 ? name.lowercased() : nil
    }

    /// An address in its usual form, so that it can be compared as text.
    static func ipAddress(_ text: String) -> String? { SocketAddress(ip: text, port: 0)?.host }

    /// An address with or without a port.
    static func nameServer(_ text: String) -> SocketAddress? {
        if let server = SocketAddress(ip: text, port: 53) { return server }
        guard let server = SocketAddress(text), !server.isUnix, server.port != 0 else { return nil }
        return server
    }
}

extension SettingsReader {
    mutating func readDirectories(_ member: SourceMember) {
        let example = IssuanceSettings().directories[0]
        let urls = list(member, "an https URL", example: example) { IssuanceSettings.authorityURL($0) }
        settings.manager.draft.directories = urls
        guard member.value.asArray?.isEmpty == true else { return }
        report(
            member.value.range, "`directories` is empty, so no certificates are ordered",
            fix: "write `[\"\(example)\"]`")
    }

    mutating func readKey(_ member: SourceMember) {
        let names = SigningKey.Kind.names
        if let list = member.value.asArray {
            let known = names.filter { name in list.contains { $0.asString == name } }
            return report(
                member.value.range, "`key` is a list, but a host has one certificate, so no certificates are ordered",
                fix: "write `\(known.first ?? names[0])` without brackets")
        }
        let text = member.value.asString ?? ""
        if let kind = SigningKey.Kind(rawValue: text) {
            settings.manager.draft.key = kind
        } else {
            report(
                member.value.range, "`\(text)` is not a kind of key, so no certificates are ordered",
                fix: "write `\(NearestKey.find(text, among: names) ?? names[0])`")
        }
    }

    mutating func readAccountBinding(_ member: SourceMember) {
        var texts: [String: String] = [:]
        let known = members(of: member.value, "`eab`", known: Setting.accountBinding.keys)
        for inner in known { texts[inner.key] = string(inner) }
        if let keyID = texts["keyID"], let keyFile = texts["keyFile"] {
            settings.manager.draft.externalAccount = IssuanceSettings.AccountBinding(keyID: keyID, keyFile: keyFile)
        } else if member.value.asObject != nil, known.count < 2 {
            report(
                member.value.range, "`eab` needs both `keyID` and `keyFile`",
                fix: "write the id that the certificate authority gave you, and the path of a file with its key")
        }
    }

    mutating func readUpdates(_ member: SourceMember) {
        let known = members(of: member.value, "`rfc2136`", known: Setting.updates.keys)
        var texts: [String: String] = [:]
        var (server, algorithm) = (SocketAddress?.none, IssuanceSettings.UpdateSettings.Algorithm.sha256)
        for inner in known {
            guard let text = string(inner) else { continue }
            switch inner.key {
            case "server":
                server = IssuanceSettings.nameServer(text)
                if server != nil { continue }
                report(inner.value.range, "this is not the address of a name server", fix: "write `192.0.2.53:53`")
            case "algorithm":
                let found = IssuanceSettings.UpdateSettings.Algorithm(named: text)
                algorithm = found ?? algorithm
                if found != nil { continue }
                let names = IssuanceSettings.UpdateSettings.Algorithm.names
                report(
                    inner.value.range, "`\(text)` is not an algorithm for signatures",
                    fix: "write `\(NearestKey.find(text, among: names) ?? names[0])`")
            case "keyFile": texts[inner.key] = text
            default:
                texts[inner.key] = IssuanceSettings.domainName(text)
                if texts[inner.key] != nil { continue }
                let example = inner.key == "zone" ? "example.com" : "associated"
                report(inner.value.range, "`\(inner.key)` is not a name in DNS", fix: "write `\(example)`")
            }
        }
        if let server, let keyName = texts["keyName"], let keyFile = texts["keyFile"] {
            settings.manager.draft.updates = IssuanceSettings.UpdateSettings(
                server: server, keyName: keyName, algorithm: algorithm, keyFile: keyFile, zone: texts["zone"])
        }
        let missing = Setting.updates.required.filter { key in !known.contains { $0.key == key } }
        if member.value.asObject == nil || missing.isEmpty { return }
        report(
            member.value.range, "`rfc2136` needs \(missing.map { "`\($0)`" }.joined(separator: " and "))",
            fix: "write the address of the primary name server, the name of the key, and the path of its secret")
    }

    /// The URL may contain a password, so no message contains it.
    mutating func readProxy(_ member: SourceMember) {
        guard let text = string(member) else { return }
        // It may begin with a name and a password.
        let place = text.hasPrefix("http://") ? text.dropFirst("http://".count).split(separator: "@").last ?? "" : ""
        if text.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }), DeliverySettings.isWebURL("http://\(place)") {
            settings.manager.proxyURL = text
        } else {
            report(
                member.value.range, "`proxy` is not the URL of an HTTP proxy",
                fix: "write `http://proxy.example.com:3128`")
        }
    }

    /// Certificates are ordered only if `acme` and `store` have no errors. With the default of a misspelt `deny`, they
    /// would be ordered for hosts that the operator excluded.
    mutating func finishIssuance(_ root: SourceValue) {
        let names = Setting.all.filter { $0.section == "acme" }.map(\.name)
        guard let acme = root.members(named: "acme").last?.value,
            acme.asObject?.contains(where: { member in
                let name = names.contains(member.key) ? member.key : NearestKey.find(member.key, among: names)
                return Setting.issuance.contains { $0.name == name }
            }) == true
        else { return }
        settings.manager.asksForCertificates = true
        let terms = acme.members(named: "termsAgreed").last?.value
        if terms == nil || terms?.asBool == false {
            report(
                terms?.range ?? acme.range,
                "`acme` needs `termsAgreed: true`: read the terms of the certificate authority first; until then no "
                    + "certificates are ordered", fix: "write `termsAgreed: true`")
        }
        if settings.acme.thumbprint != nil {
            report(
                acme.member(named: "thumbprint")?.range,
                "the manager's own account answers challenges; `acme.thumbprint` answers them with another account's "
                    + "key, so orders would fail", fix: "remove it")
        }
        if settings.manager.draft.challenge == .dns, acme.member(named: "rfc2136") == nil {
            report(
                acme.member(named: "challenge")?.range,
                "`challenge` is dns-01, and `rfc2136` does not say which name server takes the TXT records; until then no "
                    + "certificates are ordered", fix: "write `rfc2136`, or remove `challenge`")
        }
        if isUsable(["acme", "store", "tests"], root) { settings.manager.issuance = settings.manager.draft }
    }

    /// Whether nothing is wrong with the values of these keys, which the manager is asked to use.
    mutating func isUsable(_ keys: [String], _ root: SourceValue) -> Bool {
        let places = keys.flatMap { root.members(named: $0) }.map(\.value.range)
        let found = findings.first { finding in
            guard let range = finding.range else { return false }
            return places.contains { $0.contains(range) }
        }
        settings.manager.objection = settings.manager.objection ?? found
        return found == nil
    }
}
