// Reads `config/server.json`. Every key is optional; an unknown one is a finding that names the nearest known key.

public import Association
public import HTTP
public import Posix
import SourceJSON
import TLS

/// Turns the text of `server.json` into settings and findings.
public struct SettingsReader {
    private let file: String
    /// Folders that have what belongs to all tenants.
    let tenantFolders: [String]
    public internal(set) var settings = ServerSettings()
    public private(set) var findings: [Finding] = []
    /// Settings that are there, cannot be used as they are, and without which the server would be less safe than somebody
    /// wants it. Nothing starts without them.
    public private(set) var lostSafeguards: [String] = []
    /// That of them which is being read.
    private var safeguard: String?

    /// The keys of the whole file, and those of `limits`.
    static let keys = [
        "http", "https", "workers", "environment", "strict", "reusePort", "tls", "signing", "limits", "admin", "log",
        "user", "sandbox", "fronts", "lint", "linkTargets", "acme", "owners",
    ]
    /// Who the server becomes, what it may do, who may ask it, whom it believes, whether it speaks TLS, what a client may
    /// make it do, which tenant may name a host, and whether an error keeps it from starting.
    private static let safeguards: Set = ["user", "sandbox", "admin", "fronts", "https", "strict", "limits", "owners"]
    static let tlsKeys = ["ticketKeyFile", "passphraseFile", "strictTransportSeconds", "redirectPages", "publicPort"]
    static let acmeKeys = ["webroot", "thumbprint"]
    static let signingKeys = ["certificateFile", "keyFile"]
    static let logKeys = ["access", "format", "only", "query", "handshakes", "process", "level"]

    private static let bytesMax = 1024 * 1024

    /// Reads the file. That it is missing is fine; that it cannot be read is a finding.
    /// - Parameter limits: those that hold where the file says nothing.
    /// - Parameter folders: those of all tenants beside the one that the file is in; no link target may hold one.
    public init(file: String, limits: Limits = Limits(), folders: [String] = []) {
        self.file = file
        let config = String(file.dropLast("/server.json".count))
        tenantFolders = [config] + ["apps", "retired", "hosts"].map { "\(config)/\($0)" } + folders
        settings.limits = limits
        do {
            let contents = try File.read(file, bytesMax: SettingsReader.bytesMax)
            read(SourceReader.read(contents.bytes, as: .json5))
        } catch {
            if error.isMissing { return }
            let fix = error.isRefused ? "let the server's user read it" : nil
            report(nil, "cannot read the settings: \(error)", fix: fix, rule: "CFG-001")
        }
    }

    private mutating func read(_ document: SourceDocument) {
        for problem in document.problems where problem.isError {
            report(problem.range, problem.message, fix: problem.fix, rule: "CFG-001")
        }
        guard let root = document.value else { return }
        guard case .object = root.kind else {
            return report(root.range, "the settings must be an object", fix: nil, rule: "CFG-001")
        }
        for member in members(of: root, "the settings", known: SettingsReader.keys) {
            safeguard = SettingsReader.safeguards.contains(member.key) ? member.key : nil
            defer { safeguard = nil }
            switch member.key {
            case "http": settings.http = addresses(member)
            case "https": settings.https = addresses(member)
            case "tls": readTLS(member.value)
            case "signing": readSigning(member.value)
            case "log": readLog(member.value)
            case "lint": readLint(member.value)
            case "workers": settings.workers = integer(member, 1...256)
            case "admin": settings.admin = admin(member)
            case "environment": settings.environment = string(member)
            case "fronts": readFronts(member.value)
            case "user": settings.user = string(member)
            case "sandbox": settings.sandbox = sandbox(member)
            case "acme": readACME(member.value)
            case "owners": readOwners(member.value)
            case "linkTargets": settings.linkTargets = linkTargets(member)
            case "strict": settings.isStrict = bool(member) ?? false
            case "reusePort": settings.reusesPort = bool(member) ?? false
            default: readLimits(member.value)
            }
        }
    }

    mutating func addresses(_ member: SourceMember) -> [SocketAddress] {
        guard case .array(let elements) = member.value.kind else {
            report(
                member.value.range, "`\(member.key)` is not an array of addresses", fix: "write `[\"127.0.0.1:8080\"]`")
            return []
        }
        var addresses: [SocketAddress] = []
        for element in elements {
            if case .string(let text) = element.kind, let address = SocketAddress(listening: text) {
                addresses.append(address)
            } else {
                report(
                    element.range, "this is not an address", fix: "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`"
                )
            }
        }
        return addresses
    }

    private mutating func readTLS(_ value: SourceValue) {
        for member in members(of: value, "`tls`", known: SettingsReader.tlsKeys) {
            switch member.key {
            case "ticketKeyFile": settings.ticketKeyFile = string(member)
            case "passphraseFile": settings.passphraseFile = string(member)
            case "publicPort": settings.publicSecurePort = integer(member, 1...65_535).map { UInt16($0) }
            case "redirectPages": settings.redirectsPages = bool(member) ?? settings.redirectsPages
            default:
                settings.strictTransportSeconds = integer(member, 0...63_072_000) ?? settings.strictTransportSeconds
            }
        }
    }

    private mutating func readACME(_ value: SourceValue) {
        for member in members(of: value, "`acme`", known: SettingsReader.acmeKeys) {
            guard let text = string(member) else { continue }
            if member.key == "webroot" {
                settings.acme.webroot = text
            } else if ACMESettings.isThumbprint(text) {
                settings.acme.thumbprint = text
            } else {
                report(
                    member.value.range, "`thumbprint` is not the thumbprint of an account key",
                    fix: "write the 43 characters of its SHA-256 in base64url")
            }
        }
    }

    private mutating func readSigning(_ value: SourceValue) {
        var pair = DocumentSigner.NamedPair(certificateFile: "", keyFile: "")
        for member in members(of: value, "`signing`", known: SettingsReader.signingKeys) {
            let file = string(member) ?? ""
            if member.key == "keyFile" { pair.keyFile = file } else { pair.certificateFile = file }
        }
        if !pair.certificateFile.isEmpty, !pair.keyFile.isEmpty {
            settings.signing = pair
        } else if case .object = value.kind {
            report(value.range, "`signing` needs both `certificateFile` and `keyFile`", fix: nil)
        }
    }

    private mutating func readLimits(_ value: SourceValue) {
        for member in members(of: value, "`limits`", known: LimitKey.allCases.map(\.rawValue)) {
            guard let key = LimitKey(rawValue: member.key), let number = integer(member, key.allowed) else { continue }
            key.set(number, in: &settings.limits)
        }
    }

    /// The members of an object whose keys are known.
    mutating func members(of value: SourceValue, _ place: String, known: [String]) -> [SourceMember] {
        guard case .object(let members) = value.kind else {
            report(value.range, "\(place) must be an object", fix: nil)
            return []
        }
        return members.filter { member in
            if known.contains(member.key) { return true }
            let nearest = NearestKey.find(member.key, among: known)
            if safeguard == nil, let nearest, SettingsReader.safeguards.contains(nearest) { lose(nearest) }
            report(
                member.keyRange, "`\(member.key)` is not a setting, so it has no effect",
                fix: nearest.map { "write `\($0)`" } ?? "remove it; known are \(known.joined(separator: ", "))",
                rule: "CFG-002")
            return false
        }
    }

    private mutating func integer(_ member: SourceMember, _ allowed: ClosedRange<Int>) -> Int? {
        if case .number(let number) = member.value.kind, let value = Int(number.text), allowed.contains(value) {
            return value
        }
        report(
            member.value.range,
            "`\(member.key)` must be a whole number from \(allowed.lowerBound) to \(allowed.upperBound)",
            fix: nil)
        return nil
    }

    mutating func string(_ member: SourceMember) -> String? {
        if case .string(let text) = member.value.kind, !text.isEmpty { return text }
        report(member.value.range, "`\(member.key)` must be a string", fix: "put it in quotes")
        return nil
    }

    mutating func bool(_ member: SourceMember) -> Bool? {
        if case .bool(let flag) = member.value.kind { return flag }
        report(member.value.range, "`\(member.key)` must be true or false", fix: nil)
        return nil
    }

    private mutating func lose(_ key: String) {
        if !lostSafeguards.contains(key) { lostSafeguards.append(key) }
    }

    mutating func report(
        _ range: SourceRange?, _ message: String, fix: String?, rule: String = "CFG-003", isLoss: Bool = true
    ) {
        if isLoss, let safeguard { lose(safeguard) }
        findings.append(
            Finding(rule: rule, severity: .error, file: file, range: range, message: message, fix: fix))
    }

    static let adminKeys = ["address", "tokenFile", "socketMode", "hosts"]

    mutating func admin(_ member: SourceMember) -> AdminPlace? {
        if case .string(let text) = member.value.kind {
            guard let address = SocketAddress(listening: text) else { return refuse(member) }
            return AdminPlace(address: address)
        }
        var place = AdminPlace()
        for member in members(of: member.value, "`admin`", known: SettingsReader.adminKeys) {
            switch member.key {
            case "address":
                guard case .string(let text) = member.value.kind, let address = SocketAddress(listening: text) else {
                    return refuse(member)
                }
                place.address = address
            case "tokenFile": place.tokenFile = string(member)
            case "socketMode": place.socketPermissions = permissions(member) ?? place.socketPermissions
            default: place.hosts = names(member)
            }
        }
        return place
    }

    /// Another address in its place would be a surprise, so there is none.
    private mutating func refuse(_ member: SourceMember) -> AdminPlace? {
        report(
            member.value.range, "this is not an address", fix: "write `127.0.0.1:9464`, `[::1]:9464` or `unix:/path`")
        return nil
    }

    /// As chmod takes them, in quotes, because JSON has no octal numbers.
    private mutating func permissions(_ member: SourceMember) -> UInt32? {
        if case .string(let text) = member.value.kind, let number = UInt32(text, radix: 8), number <= 0o777 {
            return number
        }
        report(member.value.range, "`socketMode` must be permissions", fix: "write `\"0600\"` or `\"0660\"`")
        return nil
    }

    private mutating func names(_ member: SourceMember) -> [String] {
        if case .array(let elements) = member.value.kind {
            let names = elements.compactMap { $0.asString }
            if names.count == elements.count { return names }
        }
        report(member.value.range, "`hosts` must be an array of names", fix: "write `[\"metrics.example.com\"]`")
        return []
    }

    static let frontKeys = ["trust", "proxyProtocol", "fields", "host"]

    mutating func readFronts(_ value: SourceValue) {
        for member in members(of: value, "`fronts`", known: SettingsReader.frontKeys) {
            switch member.key {
            case "trust": readTrust(member)
            case "proxyProtocol":
                if case .bool(let isOn) = member.value.kind {
                    settings.proxyProtocol = isOn ? .everywhere : .off
                } else {
                    settings.proxyProtocol = .on(addresses(member))
                }
            case "fields":
                if let text = string(member), let fields = FrontSettings.Fields(rawValue: text) {
                    settings.fronts.fields = fields
                } else {
                    let words = FrontSettings.Fields.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
                    report(member.value.range, "`fields` must be \(words)", fix: nil)
                }
            default: settings.fronts.namesHost = bool(member) ?? false
            }
        }
        if case .off = settings.proxyProtocol { return }
        if settings.fronts.trusted.isEmpty {
            report(
                value.range, "`proxyProtocol` without `trust` lets nobody in",
                fix: "name the networks of the fronts in `trust`", isLoss: false)
        }
    }

    private mutating func readTrust(_ member: SourceMember) {
        guard case .array(let elements) = member.value.kind else {
            return report(
                member.value.range, "`trust` is not an array of networks", fix: "write `[\"10.0.0.0/8\", \"unix:\"]`")
        }
        for element in elements {
            if case .string(let text) = element.kind, settings.fronts.trusted.add(text) { continue }
            report(
                element.range, "this is not a network", fix: "write `10.0.0.0/8`, `fd00::/8`, `192.0.2.1` or `unix:`")
        }
    }

    mutating func readLint(_ value: SourceValue) {
        for member in members(of: value, "`lint`", known: ["ignore", "severity"]) {
            if member.key == "ignore" { readIgnored(member.value) } else { readSeverities(member.value) }
        }
    }

    private mutating func readIgnored(_ value: SourceValue) {
        guard case .array(let elements) = value.kind else {
            return report(value.range, "`lint.ignore` is not an array of rules", fix: "write `[\"APP-040\"]`")
        }
        for element in elements {
            guard case .string(let id) = element.kind else {
                report(element.range, "this is not a rule", fix: "write its id, such as `\"APP-040\"`")
                continue
            }
            if isRule(id, element.range) { settings.lint.ignored.insert(id) }
        }
    }

    private mutating func readSeverities(_ value: SourceValue) {
        guard case .object(let entries) = value.kind else {
            return report(value.range, "`lint.severity` is not an object", fix: "write `{ \"APP-036\": \"error\" }`")
        }
        for entry in entries where isRule(entry.key, entry.keyRange) {
            guard case .string(let text) = entry.value.kind, let severity = Severity(rawValue: text) else {
                report(
                    entry.value.range, "this is not a severity", fix: "write `\"error\"`, `\"warning\"` or `\"note\"`")
                continue
            }
            settings.lint.severities[entry.key] = severity
        }
    }

    private mutating func isRule(_ id: String, _ range: SourceRange) -> Bool {
        if LintRule.named(id) != nil { return true }
        let nearest = LintRule.nearest(to: id)
        report(
            range, "`\(id)` is not a rule of lint", fix: nearest.map { "write `\($0)`" } ?? "docs/rules.md lists them")
        return false
    }

    mutating func readLog(_ value: SourceValue) {
        for member in members(of: value, "`log`", known: SettingsReader.logKeys) {
            switch member.key {
            case "query":
                settings.accessLog.hasQuery = bool(member) ?? true
                continue
            case "handshakes":
                settings.accessLog.hasHandshakes = bool(member) ?? false
                continue
            default: break
            }
            guard let text = string(member) else { continue }
            switch member.key {
            case "only":
                settings.accessLog.only =
                    choice(text, AccessLogSettings.Only.allCases, \.rawValue, member, "choice of lines", "all") ?? .all
            case "access":
                if let place = AccessLogSettings.Place(text) {
                    settings.accessLog.place = place
                } else {
                    report(
                        member.value.range, "`\(text)` is not a place for the access log, so there is none",
                        fix: AccessLogSettings.Place.advice)
                }
            case "format":
                settings.accessLog.format =
                    choice(
                        text, AccessLogSettings.Format.allCases, \.rawValue, member, "format of the access log", "JSON")
                    ?? .json
            case "process":
                settings.processLog.format =
                    choice(
                        text, ProcessLogSettings.Format.allCases, \.rawValue, member, "format of the process log",
                        "text")
                    ?? .text
            default:
                settings.processLog.level =
                    choice(text, ProcessLogSettings.Level.allCases, \.name, member, "level of the process log", "info")
                    ?? .info
            }
        }
    }

    /// The one of that name; otherwise a finding that says what is used instead.
    private mutating func choice<Value>(
        _ text: String, _ values: [Value], _ name: (Value) -> String, _ member: SourceMember, _ what: String,
        _ instead: String
    ) -> Value? {
        if let value = values.first(where: { name($0) == text }) { return value }
        let known = values.map(name)
        report(
            member.value.range, "`\(text)` is not a \(what), so it is written as \(instead)",
            fix: "write `\(NearestKey.find(text, among: known) ?? known[0])`")
        return nil
    }

    static let sandboxKeys = ["mode", "read", "write"]

    /// `"off"`, or an object with more.
    mutating func sandbox(_ member: SourceMember) -> SandboxSettings {
        var sandbox = SandboxSettings()
        guard case .object = member.value.kind else {
            sandbox.mode = mode(member)
            return sandbox
        }
        for member in members(of: member.value, "`sandbox`", known: SettingsReader.sandboxKeys) {
            switch member.key {
            case "mode": sandbox.mode = mode(member)
            case "read": sandbox.readable = paths(member)
            default: sandbox.writable = paths(member)
            }
        }
        return sandbox
    }

    private mutating func mode(_ member: SourceMember) -> SandboxSettings.Mode {
        if case .string(let text) = member.value.kind, let mode = SandboxSettings.Mode(rawValue: text) { return mode }
        let words = SandboxSettings.Mode.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: ", ")
        report(member.value.range, "`\(member.key)` must be one of \(words)", fix: nil)
        return .on
    }

    /// The whole file system is no place: everything is in it, the other tenants' files too.
    mutating func linkTargets(_ member: SourceMember) -> LinkTargets {
        let paths = paths(member, example: "/srv/acme-challenges")
        if paths.contains(where: { $0.allSatisfy { $0 == "/" || $0 == "." } }) {
            report(
                member.value.range, "`linkTargets` must not name the root of the file system",
                fix: "name the folders that links may lead into")
            return .none
        }
        var held: (target: String, folder: String)?
        for target in paths where held == nil {
            held = tenantFolders.first { LinkTargets([target]).hold(directory: $0) }.map { (target, $0) }
        }
        guard let held else { return LinkTargets(paths) }
        var range = member.value.range
        if case .array(let elements) = member.value.kind, let index = paths.firstIndex(of: held.target) {
            range = elements[index].range
        }
        report(
            range,
            "`linkTargets` must not name \(held.target): \(held.folder) is in it, so links would reach all tenants",
            fix: "name folders beside config/, public/ and the state directory")
        return .none
    }

    private mutating func paths(_ member: SourceMember, example: String = "/srv/releases") -> [String] {
        if case .array(let elements) = member.value.kind {
            let paths = elements.compactMap { element -> String? in
                if case .string(let text) = element.kind, text.hasPrefix("/") { return text }
                return nil
            }
            if paths.count == elements.count { return paths }
        }
        report(
            member.value.range, "`\(member.key)` must be an array of absolute paths", fix: "write `[\"\(example)\"]`"
        )
        return []
    }
}

/// On which listeners a connection begins with the header of a front (the PROXY protocol).
public enum ProxyProtocol: Sendable {
    case off
    case everywhere
    case on([SocketAddress])
}
