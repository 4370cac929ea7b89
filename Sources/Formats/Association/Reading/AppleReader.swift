// From the values of an apple-app-site-association file to the model, with a finding for everything that Apple's systems ignore,
// misread or never match. The reader continues after each finding, so that a person sees every mistake at once. Rules that need
// the whole list of patterns are in `AppleListCheck`.

public import SourceJSON

/// Reads the services of one file, and the apps in them.
struct AppleReader {
    let findings: FindingCollector
    private var rules: AppleRuleReader

    init(_ list: FindingList) {
        findings = FindingCollector(list, Self.keyRules)
        rules = AppleRuleReader(findings)
    }

    /// Keys below the top level.
    private static let keyRules = KeyRules(
        rule: .aasa035,
        synonyms: KeyRules.synonymsOfRules.merging(
            [
                "apps": "appIDs", "app_id": "appID", "app": "appID", "bundleid": "appID", "rules": "components",
                "variables": "substitutionVariables",
            ]
        ) { key, _ in key },
        homes: [
            (["details", "substitutionVariables"], "applinks"),
            (["appIDs", "appID", "components", "paths"], "an entry of details"),
            (Set(AppleRuleReader.keys), "a component"),
        ]
    ) { _, intended, isFixable in
        // Without its exclude, a rule includes what it was meant to exclude.
        intended == "exclude" && isFixable ? .error : .warning
    }

    /// The services at the top level.
    private static let serviceRules = KeyRules(
        rule: .aasa008,
        homes: [
            (
                ["details", "apps", "paths", "components", "defaults", "substitutionVariables", "appIDs", "appID"],
                "applinks"
            )
        ]
    ) { _, _, isFixable in
        // With an edit, the service that was meant is missing.
        isFixable ? .error : .warning
    }

    /// The top level.
    mutating func association(_ root: SourceValue) -> AppleAssociation? {
        let file = findings.object(
            root, "the file", keys: AppleAssociation.services, more: AppleAssociation.otherServices,
            rules: Self.serviceRules,
            .aasa002,
            "so it has no services", fix: "put the services into one object: {\"applinks\": …}")
        guard let file else { return nil }
        var association = AppleAssociation(range: root.range)
        association.applinks = file["applinks"].flatMap { links($0.value) }
        association.webcredentials = service("webcredentials", in: file)
        association.appclips = service("appclips", in: file)
        association.activitycontinuation = service("activitycontinuation", in: file)
        if file.members.isEmpty {
            findings.report(
                .aasa009, at: root.range,
                "the file has no applinks, webcredentials, appclips or activitycontinuation, so it has no effect",
                fix: "add a service, or answer 404")
        }
        rules.variables.reportUse()
        return association
    }

    private mutating func links(_ value: SourceValue) -> AppleLinks? {
        let object = findings.object(
            value, "applinks", keys: ["details", "apps", "defaults", "substitutionVariables"], .aasa010,
            "so no link opens an app", fix: "write {\"details\": [ … ]}")
        guard let object else { return nil }
        // Both are used by the components.
        if let variables = object["substitutionVariables"]?.value { rules.variables.read(variables) }
        rules.defaults = object["defaults"].flatMap { rules.defaults($0.value, "applinks.defaults") }
        var links = AppleLinks(
            details: [], defaults: rules.defaults, variables: rules.variables.all, hasApps: object["apps"] != nil,
            range: value.range)
        if let apps = object["apps"]?.value, apps.asArray?.isEmpty != true {
            findings.report(
                .aasa014, at: apps.range,
                "\"apps\" of applinks is \(apps.asArray == nil ? apps.typeName : "not empty"); how systems read that is "
                    + "undocumented",
                fix: "write \"apps\": [], and name the apps in details",
                edit: SourceEdit(range: apps.range, replacement: "[]"),
                // No system is known to reject a file with details for it.
                severity: object["details"] == nil ? .error : .warning)
        }
        guard let details = object["details"]?.value else {
            findings.report(
                .aasa010, at: value.range, "applinks has no details, so no link opens an app",
                fix: "add \"details\": [{\"appIDs\": [ … ], \"components\": [ … ]}]")
            return links
        }
        if let members = details.asObject {
            findings.report(
                .aasa011, at: details.range,
                "details is an object with app ids as keys, the form of 2015; systems read it, but it has no order of apps",
                fix: "write an array of objects with appIDs and components")
            links.details = members.compactMap { detail($0.value, legacyID: LocatedText($0.key, range: $0.keyRange)) }
        } else {
            let entries = findings.read(
                \.asArray, of: details, "details", .aasa012, "so it is ignored and no link opens an app",
                fix: "write an array of objects", converts: false)
            links.details = (entries ?? []).compactMap { detail($0, legacyID: nil) }
        }
        return links
    }

    /// One entry of details. `legacyID` is its key in the object form of 2015.
    private mutating func detail(_ value: SourceValue, legacyID: LocatedText?) -> AppleDetail? {
        let object = findings.object(
            value, "an entry of details", keys: ["appIDs", "appID", "components", "paths", "defaults"], .aasa012,
            "so it is ignored", fix: "write an object with appIDs and components")
        guard let object else { return nil }
        var entry = AppleDetail(appIDs: legacyID.map { [$0] } ?? apps(of: object), range: value.range)
        if let legacyID {
            findings.report(AppID.problems(in: legacyID.text), at: legacyID.range)
            for member in object.members where member.key == "appIDs" || member.key == "appID" {
                findings.report(
                    .aasa035, at: member.keyRange,
                    "\(member.key.quoted) is ignored here: the key of the object already names the app",
                    fix: "remove it")
            }
        }
        entry.defaults = object["defaults"].flatMap { rules.defaults($0.value, "defaults") }
        if let list = object["components"].flatMap({ rules.components($0.value, defaults: entry.defaults) }) {
            (entry.components, entry.ignoredComponents) = list
        }
        if let list = object["paths"].flatMap({ rules.paths($0.value, defaults: entry.defaults) }) {
            (entry.paths, entry.ignoredPaths) = list
        }
        if object["components"] == nil {
            if object["paths"] == nil {
                findings.report(
                    .aasa029, at: entry.range,
                    "the entry has no components and no paths; as far as is known, every URL of the host then opens the app",
                    fix: "if you mean that, write \"components\": [{\"/\": \"*\"}]")
            } else if let defaults = object["defaults"] {
                findings.report(
                    .aasa069, at: defaults.keyRange, "iOS 9 to 12, for which paths are meant, ignore defaults",
                    fix: "write components, or write each path in full")
            }
        }
        return entry
    }

    /// The apps of an entry. `appIDs` wins if it is an array, even an empty one.
    private func apps(of object: ObjectReader) -> [LocatedText] {
        guard object["appIDs"] != nil || object["appID"] != nil else {
            findings.report(
                .aasa015, at: object.range, "the entry has neither appIDs nor appID, so it is ignored",
                fix: "add \"appIDs\": [\"TEAMID.bundle.id\"]")
            return []
        }
        let list = object["appIDs"]?.value
        let ids = list.flatMap {
            appIDs($0, "appIDs", .aasa018, "but must be an array of strings", fix: "write \"appIDs\": [\"…\"]")
        }
        let id = object["appID"].flatMap { singleID($0.value) }
        guard let list, let ids else { return id.map { [$0] } ?? [] }
        if list.asArray?.isEmpty == true {
            findings.report(
                .aasa016, at: list.range,
                "appIDs is empty, so no app is registered" + (id == nil ? "" : "; appID is ignored next to it"),
                fix: "list the app ids, or remove the key")
        } else if let id, !ids.isEmpty, !ids.contains(where: { $0.text.isIdentical(to: id.text) }) {
            findings.report(
                .aasa017, at: id.range,
                "appID is \(id.text.quoted), which is not in appIDs; iOS 12 and earlier read appID, later versions appIDs",
                fix: "write the same app in both, or remove appID")
        }
        return ids
    }

    private func singleID(_ value: SourceValue) -> LocatedText? {
        let text = findings.read(
            \.asString, of: value, "appID", .aasa018, "but must be a string",
            fix: "write \"appIDs\": [ … ] for several apps", converts: false)
        guard let text else { return nil }
        findings.report(AppID.problems(in: text), at: value.range)
        return LocatedText(text, range: value.range)
    }

    /// The strings of an array of app ids; nil where the value is not an array.
    private func appIDs(
        _ value: SourceValue, _ name: String, _ rule: RuleID, _ consequence: String, fix: String
    ) -> [LocatedText]? {
        var seen: Set<ExactText> = []
        return findings.read(\.asArray, of: value, name, rule, consequence, fix: fix)?.compactMap { element in
            let text = findings.read(
                \.asString, of: element, "an app id", .aasa018, "so it names no app", fix: "write \"TEAMID.bundle.id\"",
                converts: false)
            guard let text else { return nil }
            findings.report(AppID.problems(in: text), at: element.range)
            if !seen.insert(ExactText(text)).inserted {
                findings.report(
                    .aasa024, at: element.range, "the list has app id \(text.quoted) twice", fix: "remove one of them")
            }
            return LocatedText(text, range: element.range)
        }
    }

    /// `{ "apps": [ … ] }`.
    private func service(_ name: String, in file: ObjectReader) -> AppleServiceApps? {
        guard let value = file[name]?.value else { return nil }
        let object = findings.object(
            value, name, keys: ["apps"], more: ["details", "components", "paths"], .aasa074,
            "so the service has no apps", fix: "write {\"apps\": [\"TEAMID.bundle.id\"]}",
            edit: value.asArray.flatMap { _ in findings.list.wrapping(value.range, in: "{\"apps\": ", "}") })
        guard let object else { return nil }
        for member in object.members where member.key != "apps" {
            findings.report(
                .aasa075, at: member.keyRange, "\(member.key.quoted) is ignored in \(name): only applinks has patterns",
                fix: "remove it")
        }
        guard let list = object["apps"]?.value else {
            findings.report(
                .aasa074, at: value.range, "\(name) has no \"apps\", so the service has no apps",
                fix: "add \"apps\": [\"TEAMID.bundle.id\"]")
            return AppleServiceApps(apps: [], range: value.range)
        }
        let apps = appIDs(
            list, "\"apps\" of \(name)", .aasa074, "so the service has no apps", fix: "write an array of app ids")
        return AppleServiceApps(apps: apps ?? [], range: value.range)
    }
}

extension AppleAssociation {
    /// The largest file that Apple's systems read, in bytes after decompression.
    public static let bytesMax = 131_072
    /// From this size on there is a warning.
    private static let bytesNear = 102_400

    /// Reads a file as it is served, after decompression. `file` is its name in the findings. If it is read leniently, a file
    /// that no system reads has its intended content, as far as that is clear.
    /// - Parameter document: the file, if it has been parsed already.
    public static func read(
        _ bytes: [UInt8], parsed document: SourceDocument? = nil, file: String, leniently: Bool = false
    ) -> AppleReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // Far beyond the limit, other findings are of no use.
        if bytes.count > 4 * bytesMax { return AppleReading(problems: findings) }
        if SignedMessage.isSigned(bytes) {
            if SignedMessage.isCutOff(bytes) {
                findings.report(
                    .aasa001, at: nil, "the file is signed and its end is missing, so no system can read it",
                    fix: "upload the whole file")
            } else {
                findings.report(
                    .aasa079, at: nil,
                    "the file is signed, which only iOS 8 needed; how Apple's CDN treats it is unknown, and its rules are "
                        + "not checked here",
                    fix: "serve the plain JSON")
            }
            return AppleReading(problems: findings, isSigned: true)
        }
        let document = document ?? SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .apple)
        let isReadable = !findings.hasErrors
        guard let root = document.value, leniently || document.isWorthLinting else {
            return AppleReading(problems: findings)
        }
        var reader = AppleReader(findings)
        let content = reader.association(root)
        return AppleReading(
            association: isReadable || leniently ? content : nil, content: content, problems: reader.findings.list)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        if count > bytesMax {
            findings.report(
                .aasa005, at: nil,
                "the file has \(count) bytes; Apple's systems reject more than \(bytesMax), also with gzip",
                fix: "merge patterns with wildcards and variables, or distribute the apps over several hosts")
        } else if count > bytesNear {
            findings.report(
                .aasa006, at: nil,
                "the file has \(count) bytes, and Apple's systems reject more than \(bytesMax)",
                fix: "merge patterns with wildcards and variables")
        }
    }
}

/// The result of reading an apple-app-site-association file.
public struct AppleReading: Sendable {
    /// The content for Apple's systems; nil if they reject the file, and for a signed file, which is not decoded.
    public var association: AppleAssociation?
    /// The content of the text, even if no system reads it.
    package var content: AppleAssociation?
    package var problems: FindingList
    public var isSigned = false

    /// Findings about the structure of the file and about single values, in the order of the text.
    public var findings: [Finding] { problems.sorted }
}

/// Recognises a signed file.
package enum SignedMessage {
    /// DER or BER: a sequence whose first element is the object identifier of signed data (RFC 5652 §5.1).
    package static func isSigned(_ bytes: [UInt8]) -> Bool {
        guard bytes.count > 2, bytes[0] == 0x30 else { return false }
        // Definite short, definite long with up to four bytes, or indefinite length (X.690 §8.1.3).
        let first = bytes[1]
        let lengthBytes = first < 0x80 ? 1 : 1 + Int(first & 0x7F)
        guard lengthBytes <= 5 else { return false }
        return bytes.dropFirst(1 + lengthBytes).starts(with: signedData)
    }

    /// Whether a signed file is shorter than its outermost length; one of indefinite length ends with two zero bytes.
    static func isCutOff(_ bytes: [UInt8]) -> Bool {
        let first = bytes[1]
        if first == 0x80 { return !bytes.suffix(2).elementsEqual([0, 0]) }
        if first < 0x80 { return bytes.count < 2 + Int(first) }
        let lengthBytes = bytes.dropFirst(2).prefix(Int(first & 0x7F))
        return bytes.count < 2 + lengthBytes.count + lengthBytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// 1.2.840.113549.1.7.2 with its tag and length.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
