// Reads `config/server.json`. Every key is optional; an unknown one is a finding that names the nearest known key. `Setting`
// has the list of keys; this file has the readers of their values.

public import Association
public import HTTP
import Posix
public import SourceJSON
import TLS

/// Turns the text of `server.json` into settings and findings.
public struct SettingsReader {
    private let file: String
    /// Folders with the files of all tenants.
    private let tenantFolders: [String]
    public internal(set) var settings = ServerSettings()
    public private(set) var findings: [Finding] = []
    /// The parsed file, for the lines of findings.
    public private(set) var document: SourceDocument?
    /// Settings that protect the server and are invalid. The server does not start without them, because it would be less
    /// secure than the operator wants.
    public private(set) var lostSafeguards: [String] = []
    /// The setting of these that is being read.
    private var safeguard: String?
    /// The certificate and key for signed documents, as far as they are named.
    var signing = NamedPair(certificateFile: "", keyFile: "")

    /// The settings that protect the server.
    private static let safeguards: Set = ["user", "sandbox", "admin", "fronts", "https", "strict", "limits", "owners"]
    private static let bytesMax = 1024 * 1024

    /// Reads the file. A missing file is fine; one that cannot be read is a finding.
    /// - Parameter limits: the default limits.
    /// - Parameter folders: further folders with files of all tenants; no link target may contain one.
    /// - Parameter text: what to read in place of the file; empty if there was no file.
    public init(file: String, limits: Limits = Limits(), folders: [String] = [], text: [UInt8]? = nil) {
        self.file = file
        let config = String(file.dropLast("/server.json".count))
        tenantFolders = [config] + ["apps", "retired", "hosts"].map { "\(config)/\($0)" } + folders
        settings.limits = limits
        do {
            if text?.isEmpty == true { return }
            let bytes = if let text { text } else { try File.read(file, bytesMax: SettingsReader.bytesMax).bytes }
            let document = SourceReader.read(bytes, as: .json5)
            read(document)
        } catch {
            if error.isMissing { return }
            let fix = error.isRefused ? "give the server's user permission to read it" : nil
            report(nil, "cannot read the settings: \(error)", fix: fix, rule: .cfg001)
        }
    }

    private mutating func read(_ document: SourceDocument) {
        // A link may lead to any file, and the findings go to logs: nothing is quoted of what cannot be settings.
        let start = document.value?.range.start.offset ?? document.text.firstIndex { $0 > 0x20 }
        guard start.map({ document.text[$0...].first == UInt8(ascii: "{") }) ?? true else {
            return report(document.value?.range, "the settings must be an object", fix: nil, rule: .cfg001)
        }
        self.document = document
        for problem in document.problems where problem.isError {
            report(problem.range, problem.message, fix: problem.fix, rule: .cfg001)
        }
        guard let root = document.value else { return }
        for member in members(of: root, "the settings", known: Setting.sections) {
            safeguard = SettingsReader.safeguards.contains(member.key) ? member.key : nil
            read(member, (Setting.all + Setting.tests).filter { $0.section == member.key })
            safeguard = nil
        }
        finishIssuance(root)
        finishDelivery(root)
        if root.members(named: "store").last?.value.member(named: "database") != nil { _ = isUsable(["store"], root) }
        if !root.members(named: "api").isEmpty { _ = isUsable(["api", "store"], root) }
    }

    /// Reads one key at the top of the file, or the keys in its object.
    private mutating func read(_ member: SourceMember, _ known: [Setting]) {
        if member.key == "admin" { settings.admin = AdminPlace() }
        let whole = known.first { setting in
            switch setting.shorthand {
            case .none: setting.key == member.key
            case .strings: member.value.asString != nil
            case .anything: member.value.asObject == nil
            }
        }
        if let whole { return whole.read(&self, member) }
        readMembers(of: member, known)
        switch member.key {
        case "signing": finishSigning(member.value)
        case "fronts": checkProxyProtocol(member.value)
        default: break
        }
    }

    /// Reads the keys in the object of a member.
    mutating func readMembers(of member: SourceMember, _ known: [Setting]) {
        for inner in members(of: member.value, "`\(member.key)`", known: known.map(\.name)) {
            known.first { $0.name == inner.key }?.read(&self, inner)
        }
    }

    private mutating func finishSigning(_ value: SourceValue) {
        if !signing.certificateFile.isEmpty, !signing.keyFile.isEmpty {
            settings.signing = signing
        } else if value.asObject != nil {
            report(value.range, "`signing` needs both `certificateFile` and `keyFile`", fix: nil)
        }
    }

    private mutating func checkProxyProtocol(_ value: SourceValue) {
        if case .off = settings.proxyProtocol { return }
        guard settings.proxies.networks.isEmpty else { return }
        report(
            value.range, "`proxyProtocol` is on but `trust` is empty, so every connection is rejected",
            fix: "name the networks of the reverse proxies in `trust`", isLoss: false)
    }

    /// The members of an object whose keys are known.
    mutating func members(of value: SourceValue, _ place: String, known: [String]) -> [SourceMember] {
        guard case .object(let members) = value.kind else {
            report(value.range, "\(place) must be an object", fix: nil)
            return []
        }
        // `admin` is a safeguard, `manager.admin` is not.
        let isTop = known == Setting.sections
        return members.filter { member in
            if known.contains(member.key) || isTop && member.key == "tests" { return true }
            let nearest = NearestKey.find(member.key, among: known)
            let lost = nearest.flatMap { isTop && SettingsReader.safeguards.contains($0) ? $0 : nil }
            if let lost { lose(lost) }
            let isLoss = safeguard != nil || lost != nil
            let effect =
                isLoss
                ? "; the server does not start, because a misspelt setting could leave it less protected than intended"
                : " is ignored"
            report(
                member.keyRange, "unknown setting `\(member.key)`\(effect)",
                fix: nearest.map { "write `\($0)`" }
                    ?? "remove it; the known keys are \(known.joined(separator: ", "))",
                rule: .cfg002)
            if isTop, let nearest, ManagerSettings.sections.contains(nearest) {
                settings.manager.objection = settings.manager.objection ?? findings.last
                if nearest == "acme" { settings.manager.asksForCertificates = true }
            }
            return false
        }
    }

    private mutating func lose(_ key: String) {
        if !lostSafeguards.contains(key) { lostSafeguards.append(key) }
    }

    mutating func report(
        _ range: SourceRange?, _ message: String, fix: String?, rule: RuleID = .cfg003, isLoss: Bool = true,
        severity: Severity = .error
    ) {
        if isLoss, let safeguard { lose(safeguard) }
        findings.append(Finding(rule: rule, severity: severity, file: file, range: range, message: message, fix: fix))
    }
}

/// Values of the usual kinds.
extension SettingsReader {
    mutating func integer(_ member: SourceMember, _ allowed: ClosedRange<Int>) -> Int? {
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
        if let text = member.value.asString, !text.isEmpty { return text }
        report(member.value.range, "`\(member.key)` must be a string", fix: "put it in quotes")
        return nil
    }

    /// The value of a text that `parse` accepts.
    /// - Parameter objection: what is wrong with another text.
    mutating func value<Value>(
        _ member: SourceMember, fix: String? = nil, objection: (String) -> String, parse: (String) -> Value?
    ) -> Value? {
        guard let text = string(member) else { return nil }
        if let value = parse(text) { return value }
        report(member.value.range, objection(text), fix: fix)
        return nil
    }

    mutating func bool(_ member: SourceMember) -> Bool? {
        if let flag = member.value.asBool { return flag }
        report(member.value.range, "`\(member.key)` must be true or false", fix: nil)
        return nil
    }

    mutating func addresses(_ member: SourceMember) -> [SocketAddress] {
        guard let elements = member.value.asArray else {
            report(
                member.value.range, "`\(member.key)` is not an array of addresses", fix: "write `[\"127.0.0.1:8080\"]`")
            return []
        }
        return elements.compactMap { element in
            if let address = element.asString.flatMap({ SocketAddress(listening: $0) }) { return address }
            report(
                element.range, SettingsReader.fault(ofAddress: element.asString),
                fix: "write `127.0.0.1:8080`, `[::1]:8080` or `unix:/path`")
            return nil
        }
    }

    /// An array of texts that `parse` accepts.
    /// - Parameter what: what an element must be, with its article.
    mutating func list<Value>(
        _ member: SourceMember, _ what: String, example: String, parse: (String) -> Value?
    ) -> [Value] {
        guard let elements = member.value.asArray else {
            report(member.value.range, "`\(member.key)` must be an array", fix: "write `[\"\(example)\"]`")
            return []
        }
        return elements.compactMap { element -> Value? in
            if let text = element.asString, let value = parse(text) { return value }
            report(element.range, "this is not \(what)", fix: "write `\(example)`")
            return nil
        }
    }

    /// Why a text is no address.
    private static func fault(ofAddress text: String?) -> String {
        guard let text, let colon = text.lastIndex(of: ":") else { return "this is not an address with a port" }
        let port = text[text.index(after: colon)...]
        return Int(port).map { $0 > 65_535 } == true ? "port \(port) is larger than 65535" : "this is not an address"
    }

    mutating func paths(_ member: SourceMember, example: String = "/srv/releases") -> [String] {
        if let elements = member.value.asArray {
            let paths = elements.compactMap(\.asString).filter { $0.hasPrefix("/") }
            if paths.count == elements.count { return paths }
        }
        report(
            member.value.range, "`\(member.key)` must be an array of absolute paths", fix: "write `[\"\(example)\"]`"
        )
        return []
    }
}

/// The admin listener.
extension SettingsReader {
    /// For an invalid address the listener is off; a default address would be a surprise.
    mutating func readAdminAddress(_ member: SourceMember) {
        let address = adminAddress(member, examplePort: 9464)
        if let address { settings.admin?.address = address } else { settings.admin = nil }
    }

    mutating func readManagerAddress(_ member: SourceMember) {
        guard let address = adminAddress(member, examplePort: 9465) else { return }
        if let objection = ManagerSettings.objection(toAdmin: address) {
            return report(member.value.range, objection, fix: "write `127.0.0.1:9465`, `[::1]:9465` or `unix:/path`")
        }
        settings.manager.admin = address
    }

    mutating func readAPIAddress(_ member: SourceMember) {
        guard let address = adminAddress(member, examplePort: 9466) else { return }
        if let objection = ManagerSettings.objection(toAPI: address) {
            return report(
                member.value.range, objection,
                fix: "write `127.0.0.1:9466` or `unix:/path`, and put a proxy with TLS in front of it")
        }
        settings.manager.api = address
    }

    private mutating func adminAddress(_ member: SourceMember, examplePort port: Int) -> SocketAddress? {
        if let address = member.value.asString.flatMap({ SocketAddress(listening: $0) }) { return address }
        report(
            member.value.range, SettingsReader.fault(ofAddress: member.value.asString),
            fix: "write `127.0.0.1:\(port)`, `[::1]:\(port)` or `unix:/path`")
        return nil
    }

    /// Permissions as for chmod, in quotes because JSON has no octal numbers.
    mutating func readSocketMode(_ member: SourceMember) {
        if let number = member.value.asString.flatMap({ UInt32($0, radix: 8) }), number <= 0o777 {
            settings.admin?.socketPermissions = number
        } else {
            report(
                member.value.range, "`socketMode` must be permissions in octal", fix: "write `\"0600\"` or `\"0660\"`")
        }
    }

    mutating func readAdminHosts(_ member: SourceMember) {
        let names = member.value.asArray?.compactMap(\.asString) ?? []
        let isFine = names.count == member.value.asArray?.count
        settings.admin?.hosts = isFine ? names : []
        if isFine { return }
        report(member.value.range, "`hosts` must be an array of names", fix: "write `[\"metrics.example.com\"]`")
    }
}

/// Trusted proxies: their networks, and how they report their clients.
extension SettingsReader {
    mutating func readTrust(_ member: SourceMember) {
        guard let elements = member.value.asArray else {
            return report(
                member.value.range, "`trust` is not an array of networks", fix: "write `[\"10.0.0.0/8\", \"unix:\"]`")
        }
        for element in elements {
            if let text = element.asString, settings.proxies.networks.add(text) { continue }
            report(
                element.range, "this is not a network", fix: "write `10.0.0.0/8`, `fd00::/8`, `192.0.2.1` or `unix:`")
        }
    }

    mutating func readProxyProtocol(_ member: SourceMember) {
        settings.proxyProtocol = member.value.asBool.map { $0 ? .everywhere : .off } ?? .on(addresses(member))
    }
}

/// The sandbox, and the targets of symbolic links.
extension SettingsReader {
    mutating func sandboxMode(_ member: SourceMember) -> SandboxSettings.Mode {
        if let mode = member.value.asString.flatMap({ SandboxSettings.Mode(named: $0) }) { return mode }
        let words = SandboxSettings.Mode.names.map { "\"\($0)\"" }.joined(separator: ", ")
        report(member.value.range, "`\(member.key)` must be one of \(words)", fix: nil)
        return .on
    }

    /// The root of the file system is not allowed, because the files of all tenants are in it.
    mutating func linkTargets(_ member: SourceMember) -> LinkTargets {
        let paths = paths(member, example: "/srv/acme-challenges")
        if paths.contains(where: { $0.allSatisfy { $0 == "/" || $0 == "." } }) {
            report(
                member.value.range, "`linkTargets` must not name the root of the file system",
                fix: "name the folders that links need")
            return .none
        }
        var held: (target: String, folder: String)?
        for target in paths where held == nil {
            held = tenantFolders.first { LinkTargets([target]).contain(directory: $0) }.map { (target, $0) }
        }
        guard let held else { return LinkTargets(paths) }
        let element = paths.firstIndex(of: held.target).flatMap { member.value.asArray?[$0] }
        report(
            element?.range ?? member.value.range,
            "`linkTargets` must not name \(held.target): it contains \(held.folder), so links would reach all tenants' files",
            fix: "name folders outside config/, public/ and the state directory")
        return .none
    }
}

/// Lint rules to ignore, and severities of others. An unknown rule is an error, because the intended rule would still be reported.
extension SettingsReader {
    mutating func readIgnored(_ value: SourceValue) {
        guard let elements = value.asArray else {
            return report(value.range, "`lint.ignore` is not an array of rules", fix: "write `[\"APP-040\"]`")
        }
        for element in elements {
            guard let id = element.asString else {
                report(element.range, "this is not a rule", fix: "write its id, such as `\"APP-040\"`")
                continue
            }
            if let rule = rule(id, element.range) { settings.lint.ignored.insert(rule) }
        }
    }

    mutating func readSeverities(_ value: SourceValue) {
        guard let entries = value.asObject else {
            return report(value.range, "`lint.severity` is not an object", fix: "write `{ \"APP-036\": \"error\" }`")
        }
        for entry in entries {
            guard let rule = rule(entry.key, entry.keyRange) else { continue }
            guard let severity = entry.value.asString.flatMap({ Severity(rawValue: $0) }) else {
                report(
                    entry.value.range, "this is not a severity", fix: "write `\"error\"`, `\"warning\"` or `\"note\"`")
                continue
            }
            settings.lint.severities[rule] = severity
        }
    }

    private mutating func rule(_ id: String, _ range: SourceRange) -> RuleID? {
        if let rule = RuleID(id) { return rule }
        let nearest = RuleID.nearest(to: id)
        report(range, "unknown lint rule `\(id)`", fix: nearest.map { "write `\($0)`" } ?? "docs/rules.md lists them")
        return nil
    }
}
