// Checks other well-known files: those under `/.well-known/` that are not association files. It checks only files with a
// documented format whose mistakes clients do not report.

public import Association
import SourceJSON

/// A file in `/.well-known/` other than the association files.
public enum WellKnownFile {
    public static let names = [
        "webauthn", "security.txt", "apple-developer-merchantid-domain-association", "windows-app-web-link",
        "applinking.json",
    ]

    /// Lints the content of a file.
    /// - Parameters:
    ///   - name: its path below `/.well-known/`.
    ///   - file: its name in findings.
    ///   - isWildcard: whether it is served for a wildcard host.
    ///   - now: seconds since 1970.
    public static func lint(
        _ bytes: [UInt8], name: String, file: String, isWildcard: Bool = false, now: Int64
    ) -> [Finding] {
        var findings = FindingList(file: file)
        switch name {
        case "webauthn": lintOrigins(bytes, &findings)
        case "security.txt": SecurityText(bytes).lint(now: now, &findings)
        case "apple-developer-merchantid-domain-association",
            "apple-developer-merchantid-domain-association.txt":
            lintMerchant(bytes, &findings)
        case "windows-app-web-link": lintWindows(bytes, isWildcard: isWildcard, &findings)
        case "windows-app-web-link.json":
            findings.report(
                .srv012, at: nil,
                "Windows requests windows-app-web-link without an extension, so it does not find this file",
                fix: "rename it to windows-app-web-link")
        case "applinking.json": lintHuawei(bytes, &findings)
        default: break
        }
        return findings.sorted
    }

    /// WebAuthn Level 3 §5.11: an object with `origins`; browsers accept at most five registrable labels.
    private static func lintOrigins(_ bytes: [UInt8], _ findings: inout FindingList) {
        guard let origins = object(bytes, .srv007, &findings)?.member(named: "origins")?.asArray else {
            return findings.report(
                .srv007, at: nil, "there is no array `origins`, so no other origin may use the passkeys",
                fix: "write {\"origins\": [\"https://…\"]}")
        }
        var labels: Set<String> = []
        for origin in origins {
            guard let text = origin.asString, let label = Passkeys.registrableLabel(of: text) else {
                findings.report(
                    .srv007, at: origin.range, "this is not an https origin, so browsers ignore it",
                    fix: "write it like \"https://example.com\"")
                continue
            }
            if labels.insert(label).inserted, labels.count == Passkeys.labelsMax + 1 {
                findings.report(
                    .srv007, at: origin.range,
                    "the origins have more than five different names, and browsers ignore those after the fifth",
                    fix: "list at most five names")
            }
        }
    }

    /// Apple compares the file with the downloaded one, which has only the hexadecimal digits of a JSON object.
    private static func lintMerchant(_ bytes: [UInt8], _ findings: inout FindingList) {
        let fix = "download it again and serve it unchanged"
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) {
            return findings.report(
                .srv011, at: nil, "the file starts with a byte order mark; Apple's original has none", fix: fix)
        }
        if bytes.first == UInt8(ascii: "<") {
            return findings.report(.srv011, at: nil, "this is an HTML page instead of Apple's file", fix: fix)
        }
        if bytes.contains(UInt8(ascii: "\r")) || bytes.contains(UInt8(ascii: "\n")) {
            findings.report(.srv011, at: nil, "the file contains line breaks; Apple's original has none", fix: fix)
        }
    }

    private static func lintWindows(_ bytes: [UInt8], isWildcard: Bool, _ findings: inout FindingList) {
        let document = SourceReader.read(bytes, as: .json)
        guard let apps = document.value?.asArray, document.problems.isEmpty else {
            return findings.report(
                .srv012, at: document.problems.first?.range,
                "this is not a JSON array of apps, so links stay in the browser",
                fix: "write [{\"packageFamilyName\": \"…\", \"paths\": [\"*\"]}]")
        }
        for app in apps {
            if app.member(named: "packageFamilyName")?.asString == nil {
                findings.report(
                    .srv012, at: app.range, "this entry has no `packageFamilyName`, so it names no app",
                    fix: "add the package family name of the app")
            } else if isWildcard, app.member(named: "allowSubdomains")?.asBool != true {
                findings.report(
                    .srv012, at: app.range,
                    "this entry has no `allowSubdomains`, so links to hosts of the wildcard stay in the browser",
                    fix: "add \"allowSubdomains\": true")
            }
        }
    }

    private static func lintHuawei(_ bytes: [UInt8], _ findings: inout FindingList) {
        let fix = "write {\"applinking\": {\"apps\": [{\"appIdentifier\": \"…\"}]}}"
        guard let root = object(bytes, .srv013, &findings) else { return }
        let apps = root.member(named: "applinking")?.member(named: "apps")?.asArray ?? []
        if apps.isEmpty {
            findings.report(
                .srv013, at: root.range, "`applinking.apps` lists no app, so Huawei's service finds none", fix: fix)
        }
        for app in apps where app.member(named: "appIdentifier")?.asString == nil {
            findings.report(
                .srv013, at: app.range, "this app has no `appIdentifier`, so Huawei's service does not find it",
                fix: fix)
        }
    }

    /// The JSON object in a file. If there is none, reports it and returns nil.
    private static func object(_ bytes: [UInt8], _ rule: RuleID, _ findings: inout FindingList) -> SourceValue? {
        let document = SourceReader.read(bytes, as: .json)
        if let value = document.value, value.asObject != nil, document.problems.isEmpty { return value }
        findings.report(
            rule, at: document.problems.first?.range, "this is not a JSON object, so clients ignore it",
            fix: "write a JSON object")
        return nil
    }
}

/// `security.txt` (RFC 9116): where to report vulnerabilities. Without a contact, or after its expiry date, it is invalid.
struct SecurityText {
    private var hasContact = false
    /// The values of `Expires` with their lines.
    private var expiries: [(value: String, line: Int)] = []

    init(_ bytes: [UInt8]) {
        let lines = bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            guard let colon = line.firstIndex(of: UInt8(ascii: ":")), line.first != UInt8(ascii: "#") else { continue }
            let name = String(decoding: line[..<colon], as: UTF8.self).lowercased()
            let value = line[(colon + 1)...].filter { $0 > 0x20 && $0 < 0x7F }
            if name == "contact", !value.isEmpty { hasContact = true }
            if name == "expires" { expiries.append((String(decoding: value, as: UTF8.self), index + 1)) }
        }
    }

    func lint(now: Int64, _ findings: inout FindingList) {
        if !hasContact {
            findings.report(
                .srv010, at: nil, "`Contact` is missing, so the file is invalid",
                fix: "add a line such as `Contact: mailto:security@example.com`")
        }
        guard let expiry = expiries.first else {
            return findings.report(
                .srv010, at: nil, "`Expires` is missing, so the file is invalid",
                fix: "add a line such as `Expires: 2030-01-01T00:00:00Z`")
        }
        let range = SourceRange(at: SourcePosition(line: expiry.line, column: 1, offset: 0))
        if expiries.count > 1 {
            findings.report(
                .srv010, at: range, "there is more than one `Expires`, so the file is invalid", fix: "keep one")
        }
        guard let time = Timestamp.seconds(expiry.value) else {
            return findings.report(
                .srv010, at: range, "`Expires` is not a date of the form 2030-01-01T00:00:00Z",
                fix: "write it in that form")
        }
        if time <= now {
            findings.report(
                .srv010, at: range, "the file expired on \(expiry.value.prefix(10)), so it is invalid",
                fix: "review it and set a later date")
        }
    }
}
