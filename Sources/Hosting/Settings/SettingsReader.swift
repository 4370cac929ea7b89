// Reads `config/server.json`. Every key is optional; an unknown one is a finding that names the nearest known key.

public import Association
public import HTTP
import Posix
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
}
