// From the values of an apple-app-site-association file to the model, with a finding for whatever Apple's systems would
// ignore, misread or never match. One reader walks one file and goes on after each finding, so that a person sees every
// mistake at once. Rules that need the whole list of patterns are in `AppleListCheck`.

import SourceJSON

/// Reads one file and remembers what was wrong with it.
struct AppleReader {
    var findings: FindingList
    /// `applinks.defaults`; known before any component is read.
    var defaults: AppleComponent?
    /// What `substitutionVariables` defines; known before any pattern is read.
    var variables: [SubstitutionVariable] = [] {
        didSet {
            variableNames = VariableNames(variables)
            table = SubstitutionTable(variables)
        }
    }
    private(set) var variableNames = VariableNames([])
    private(set) var table = SubstitutionTable([])
    var variableRanges: [ExactText: SourceRange] = [:]
    var usedVariables: Set<ExactText> = []
    /// The place of the first `$(region)`, and whether any text says UK: together they are a mistake.
    var regionUse: SourceRange?
    var mentionsUK = false

    init(findings: FindingList) { self.findings = findings }

    /// Seen in the wild, known to Apple's systems, and none of our business.
    private static let otherServices: Set<String> = ["authsrv", "messagefilter", "classificationreport"]

    /// The top level.
    mutating func association(_ root: SourceValue) -> AppleAssociation? {
        guard case .object(let members) = root.kind else {
            findings.report(
                .aasa002, at: root.range,
                "the top level is \(root.spokenName); every service is looked up by its key in an object, so none is "
                    + "found",
                fix: "put the services into one object: {\"applinks\": …}")
            return nil
        }
        var association = AppleAssociation(range: root.range)
        for member in members {
            switch member.key {
            case "applinks": association.applinks = links(member.value)
            case "webcredentials": association.webcredentials = service(member)
            case "appclips": association.appclips = service(member)
            case "activitycontinuation": association.activitycontinuation = service(member)
            case _ where Self.otherServices.contains(member.key): continue
            default: reportUnknownService(member, beside: members)
            }
        }
        if !members.contains(where: {
            AppleAssociation.services.contains($0.key) || Self.otherServices.contains($0.key)
        }) {
            findings.report(
                .aasa009, at: root.range,
                "the file has no applinks, webcredentials, appclips or activitycontinuation, so it associates nothing",
                fix: "add a service, or answer 404")
        }
        reportVariables()
        return association
    }

    private mutating func reportUnknownService(_ member: SourceMember, beside members: [SourceMember]) {
        let key = member.key
        if ["details", "apps", "paths", "components", "defaults", "substitutionVariables", "appIDs", "appID"].contains(
            key)
        {
            findings.report(
                .aasa008, at: member.keyRange, "\(key.quoted) stands at the top level, where it is ignored",
                fix: "put it into \"applinks\"")
            return
        }
        let nearest = findings.nearest(key, among: AppleAssociation.services)
        let remedy = KeyRemedy(member, nearest: nearest, beside: members, replacement: \.jsonQuoted)
        findings.report(
            .aasa008, at: member.keyRange, "\(key.quoted) is no service that Apple's systems know, so it is ignored",
            fix: remedy.fix ?? "use applinks, webcredentials, appclips or activitycontinuation", edit: remedy.edit,
            // An edit is there where the service is not, and then the file lacks what it was written for.
            severity: remedy.edit == nil ? .warning : .error)
    }

    /// An unknown key below the top level, with the key that was probably meant.
    mutating func reportUnknownKey(
        _ member: SourceMember, in place: String, known: [String], beside members: [SourceMember]
    ) {
        let key = member.key
        if let home = Self.homes.first(where: { $0.keys.contains(key) })?.place {
            findings.report(
                .aasa035, at: member.keyRange, "\(key.quoted) has no meaning in \(place), so it is ignored",
                fix: "put it into \(home)")
            return
        }
        let synonym = Self.synonyms[key.lowercased()].flatMap { known.contains($0) ? $0 : nil }
        let nearest = synonym ?? findings.nearest(key, among: known)
        let remedy = KeyRemedy(member, nearest: nearest, beside: members, replacement: \.jsonQuoted)
        let isOtherCase = nearest.map { $0.lowercased() == key.lowercased() } ?? false
        findings.report(
            .aasa035, at: member.keyRange,
            "\(key.quoted) is no key of \(place), so it is ignored" + (isOtherCase ? "; case counts" : ""),
            fix: remedy.fix ?? "remove it", edit: remedy.edit,
            // Without its exclude a rule includes what it was to exclude.
            severity: nearest == "exclude" && remedy.edit != nil ? .error : .warning)
    }

    /// Where a known key belongs that stands elsewhere.
    private static let homes: [(keys: Set<String>, place: String)] = [
        (["details", "substitutionVariables"], "applinks"),
        (["appIDs", "appID", "components", "paths"], "an entry of details"),
        (["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "comment"], "a component"),
    ]

    /// Keys of other formats and of hope.
    private static let synonyms = [
        "path": "/", "pathname": "/", "url": "/", "pattern": "/", "query": "?", "params": "?", "queryparams": "?",
        "parameters": "?", "fragment": "#", "hash": "#", "anchor": "#", "comments": "comment", "description": "comment",
        "_comment": "comment", "not": "exclude", "excluded": "exclude", "excludes": "exclude",
        "ignorecase": "caseSensitive",
        "caseinsensitive": "caseSensitive", "apps": "appIDs", "app_id": "appID", "app": "appID", "bundleid": "appID",
        "rules": "components", "variables": "substitutionVariables",
    ]

    /// A flag; nil where it is missing or of another type.
    mutating func flag(_ member: SourceMember) -> Bool? {
        if case .bool(let flag) = member.value.kind { return flag }
        var edit: SourceEdit?
        if case .string(let text) = member.value.kind, ["true", "false"].contains(text.lowercased()) {
            edit = SourceEdit(range: member.value.range, replacement: text.lowercased())
        }
        findings.report(
            .aasa036, at: member.value.range,
            "\(member.key.quoted) is \(member.value.spokenName), and how that is read is undocumented",
            fix: "write true or false without quotation marks", edit: edit)
        return nil
    }

    /// The strings of an array of app ids, each checked; nil where the value is no array.
    mutating func appIDs(_ value: SourceValue) -> [LocatedText]? {
        guard case .array(let elements) = value.kind else { return nil }
        var ids: [LocatedText] = []
        var seen: Set<ExactText> = []
        for element in elements {
            guard case .string(let text) = element.kind else {
                findings.report(
                    .aasa018, at: element.range, "an app id is \(element.spokenName), so it names no app",
                    fix: "write \"TEAMID.bundle.id\"")
                continue
            }
            for problem in AppID.problems(in: text) { findings.report(problem, at: element.range) }
            if !seen.insert(ExactText(text)).inserted {
                findings.report(
                    .aasa024, at: element.range, "app id \(text.quoted) stands twice in this list", fix: "remove one")
            }
            ids.append(LocatedText(text, range: element.range))
        }
        return ids
    }

    private static let linkKeys = ["details", "apps", "defaults", "substitutionVariables"]

    mutating func links(_ value: SourceValue) -> AppleLinks? {
        guard case .object(let members) = value.kind else {
            findings.report(
                .aasa010, at: value.range,
                "applinks is \(value.spokenName), so it has no details and no link opens an app",
                fix: "write {\"details\": [ … ]}")
            return nil
        }
        var links = AppleLinks(details: [], range: value.range)
        for member in members where member.key == "substitutionVariables" { readVariables(member.value) }
        for member in members where member.key == "defaults" {
            defaults = readDefaults(member.value, place: "applinks.defaults")
        }
        links.variables = variables
        links.defaults = defaults
        var details: SourceValue?
        for member in members {
            switch member.key {
            case "details": details = member.value
            case "apps":
                links.hasApps = true
                reportLegacyApps(member.value, hasDetails: members.contains { $0.key == "details" })
            case "defaults", "substitutionVariables": continue
            default: reportUnknownKey(member, in: "applinks", known: Self.linkKeys, beside: members)
            }
        }
        guard let details else {
            findings.report(
                .aasa010, at: value.range, "applinks has no details, so it names no app and no link opens one",
                fix: "add \"details\": [{\"appIDs\": [ … ], \"components\": [ … ]}]")
            return links
        }
        readDetails(details, into: &links)
        return links
    }

    private mutating func reportLegacyApps(_ value: SourceValue, hasDetails: Bool) {
        if case .array(let elements) = value.kind, elements.isEmpty { return }
        findings.report(
            .aasa014, at: value.range,
            "\"apps\" of applinks is \(value.isArray ? "not empty" : value.spokenName); it is a leftover that has to "
                + "be an empty array, and what systems do with anything else is undocumented",
            fix: "write \"apps\": [] here, and name apps in details",
            edit: SourceEdit(range: value.range, replacement: "[]"),
            // Beside details it is undocumented too, but no system is known to refuse the file for it.
            severity: hasDetails ? .warning : .error)
    }

    private mutating func readDetails(_ value: SourceValue, into links: inout AppleLinks) {
        switch value.kind {
        case .array(let elements):
            for element in elements {
                if let entry = detail(element, legacyID: nil) { links.details.append(entry) }
            }
        case .object(let members):
            links.form = .object
            findings.report(
                .aasa011, at: value.range,
                "details is an object keyed by app id, the form of 2015; it is still read, but has no order to decide "
                    + "between apps",
                fix: "write an array of objects with appIDs and components")
            for member in members {
                let id = LocatedText(member.key, range: member.keyRange)
                if let entry = detail(member.value, legacyID: id) { links.details.append(entry) }
            }
        default:
            findings.report(
                .aasa012, at: value.range,
                "details is \(value.spokenName), so it is ignored and no link opens an app",
                fix: "write an array of objects")
        }
    }

    private static let detailKeys = ["appIDs", "appID", "components", "paths", "defaults"]

    /// One entry. `legacyID` is the key under which the object form of 2015 keeps it.
    mutating func detail(_ value: SourceValue, legacyID: LocatedText?) -> AppleDetail? {
        guard case .object(let members) = value.kind else {
            findings.report(
                .aasa012, at: value.range, "an entry of details is \(value.spokenName), so it is ignored",
                fix: "write an object with appIDs and components")
            return nil
        }
        var entry = AppleDetail(appIDs: [], range: value.range)
        if let legacyID {
            for problem in AppID.problems(in: legacyID.text) { findings.report(problem, at: legacyID.range) }
            entry.appIDs = [legacyID]
        } else {
            entry.appIDs = apps(of: members, range: value.range)
        }
        for member in members where member.key == "defaults" {
            entry.defaults = readDefaults(member.value, place: "defaults")
        }
        for member in members {
            switch member.key {
            case "components":
                let list = components(member.value, defaults: entry.defaults)
                (entry.components, entry.ignoredComponents) = (list?.rules, list?.ignored ?? [])
            case "paths":
                let list = paths(member.value, defaults: entry.defaults)
                (entry.paths, entry.ignoredPaths) = (list?.rules, list?.ignored ?? [])
            case "defaults": continue
            case "appIDs" where legacyID == nil, "appID" where legacyID == nil: continue
            case "appIDs", "appID":
                findings.report(
                    .aasa035, at: member.keyRange,
                    "\(member.key.quoted) has no meaning here: the key of the object already names the app",
                    fix: "remove it")
            default: reportUnknownKey(member, in: "an entry of details", known: Self.detailKeys, beside: members)
            }
        }
        reportRuleLists(entry, members: members)
        return entry
    }

    /// `appIDs` wins where it is an array, even an empty one.
    private mutating func apps(of members: [SourceMember], range: SourceRange) -> [LocatedText] {
        let list = members.last { $0.key == "appIDs" }
        let single = members.last { $0.key == "appID" }
        guard list != nil || single != nil else {
            findings.report(
                .aasa015, at: range, "the entry has neither appIDs nor appID, so it is ignored",
                fix: "add \"appIDs\": [\"TEAMID.bundle.id\"]")
            return []
        }
        let ids = list.flatMap { appIDs($0.value) }
        if let list, ids == nil { reportWrongType(list, wanted: "an array of strings") }
        let id = single.flatMap { singleID($0) }
        guard let ids else { return id.map { [$0] } ?? [] }
        if ids.isEmpty, let list, case .array(let elements) = list.value.kind, elements.isEmpty {
            let extra = id == nil ? "" : ", although appID names one: the array wins"
            findings.report(
                .aasa016, at: list.value.range, "appIDs is empty, so no app is registered\(extra)",
                fix: "list the app ids, or remove the key")
        } else if let id, !ids.isEmpty, !ids.contains(where: { $0.text.isIdentical(to: id.text) }) {
            findings.report(
                .aasa017, at: id.range,
                "appID names \(id.text.quoted), which is not in appIDs: iOS 13 and later read the array, older systems "
                    + "the single id",
                fix: "put the same app into both, or drop appID")
        }
        return ids
    }

    private mutating func singleID(_ member: SourceMember) -> LocatedText? {
        guard case .string(let text) = member.value.kind else {
            reportWrongType(member, wanted: "a string")
            return nil
        }
        for problem in AppID.problems(in: text) { findings.report(problem, at: member.value.range) }
        return LocatedText(text, range: member.value.range)
    }

    private mutating func reportWrongType(_ member: SourceMember, wanted: String) {
        var edit: SourceEdit?
        if case .string = member.value.kind { edit = findings.wrapping(member.value.range, in: "[", "]") }
        findings.report(
            .aasa018, at: member.value.range,
            "\(member.key) is \(member.value.spokenName) and must be \(wanted), so it names no app",
            fix: member.key == "appID" ? "write \"appIDs\": [ … ] for several apps" : "write \"appIDs\": [\"…\"]",
            edit: edit)
    }

    /// What can be said of the two lists of rules from their presence alone.
    private mutating func reportRuleLists(_ entry: AppleDetail, members: [SourceMember]) {
        let hasComponents = members.contains { $0.key == "components" }
        let hasPaths = members.contains { $0.key == "paths" }
        if !hasComponents, !hasPaths {
            findings.report(
                .aasa029, at: entry.range,
                "the entry has neither components nor paths; by what is seen in the field, every URL of the host then "
                    + "opens the app",
                fix: "say it: \"components\": [{\"/\": \"*\"}]")
        }
        if let list = members.last(where: { $0.key == "defaults" }), hasPaths, !hasComponents {
            findings.report(
                .aasa069, at: list.keyRange,
                "defaults stand beside paths only, and iOS 9 to 12, for which paths are there, ignore them",
                fix: "write components, or spell the paths out")
        }
    }

    /// `{ "apps": [ … ] }`.
    mutating func service(_ member: SourceMember) -> AppleServiceApps? {
        let name = member.key
        guard case .object(let members) = member.value.kind else {
            findings.report(
                .aasa074, at: member.value.range,
                "\(name) is \(member.value.spokenName), so it names no app and does nothing",
                fix: "write {\"apps\": [\"TEAMID.bundle.id\"]}",
                edit: member.value.isArray ? findings.wrapping(member.value.range, in: "{\"apps\": ", "}") : nil)
            return nil
        }
        var apps: [LocatedText]?
        var hasApps = false
        for member in members {
            switch member.key {
            case "apps":
                hasApps = true
                apps = appIDs(member.value)
                if apps == nil { reportApps(of: name, member.value) }
            case "details", "components", "paths":
                findings.report(
                    .aasa075, at: member.keyRange,
                    "\(member.key.quoted) has no meaning in \(name): only applinks has patterns",
                    fix: "remove it")
            default: reportUnknownKey(member, in: name, known: ["apps"], beside: members)
            }
        }
        if !hasApps {
            findings.report(
                .aasa074, at: member.value.range, "\(name) has no \"apps\", so it names no app and does nothing",
                fix: "add \"apps\": [\"TEAMID.bundle.id\"]")
        }
        return AppleServiceApps(apps: apps ?? [], range: member.value.range)
    }

    private mutating func reportApps(of service: String, _ value: SourceValue) {
        var edit: SourceEdit?
        if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
        findings.report(
            .aasa074, at: value.range,
            "\"apps\" of \(service) is \(value.spokenName), so the service names no app",
            fix: "write an array of app ids", edit: edit)
    }
}

extension AppleAssociation {
    /// The decoded bytes that Apple's systems take of a file.
    public static let bytesMax = 131_072
    /// From here on it is said that the limit is near.
    static let bytesNear = 102_400

    /// Reads a file as it is served, after any gzip is undone. `file` is its name in the findings. Leniently read, a file
    /// that no system reads has the content that it was meant to have, as far as that shows.
    public static func read(_ bytes: [UInt8], file: String, leniently: Bool = false) -> AppleReading {
        var findings = FindingList(file: file)
        reportSize(bytes.count, &findings)
        // So far beyond the limit nobody wants to know the rest.
        if bytes.count > 4 * bytesMax {
            return AppleReading(problems: findings)
        }
        if SignedMessage.isCutOff(bytes) {
            findings.report(
                .aasa001, at: nil, "the file is signed and ends before its signature does, so nothing can read it",
                fix: "upload the whole file")
            return AppleReading(problems: findings, isSigned: true)
        }
        if SignedMessage.isSigned(bytes) {
            findings.report(
                .aasa079, at: nil,
                "the file is signed; only iOS 8 needed that, how Apple's CDN treats it is unknown, and its rules "
                    + "cannot be checked here",
                fix: "serve the plain JSON")
            return AppleReading(problems: findings, isSigned: true)
        }
        let document = SourceReader.read(bytes, as: .json)
        findings.takeProblems(of: document, as: .apple)
        let isReadable = !findings.hasErrors
        guard let root = document.value, leniently || document.isWorthLinting else {
            return AppleReading(problems: findings)
        }
        var reader = AppleReader(findings: findings)
        let content = reader.association(root)
        return AppleReading(
            association: isReadable || leniently ? content : nil, content: content, problems: reader.findings)
    }

    private static func reportSize(_ count: Int, _ findings: inout FindingList) {
        if count > bytesMax {
            findings.report(
                .aasa005, at: nil,
                "the file has \(count) bytes, more than the \(bytesMax) that Apple's systems read; gzip does not raise "
                    + "the limit",
                fix: "merge patterns with wildcards and variables, or split the apps over several hosts")
        } else if count > bytesNear {
            findings.report(
                .aasa006, at: nil,
                "the file has \(count) bytes; from \(bytesMax + 1) on it is refused, and every device downloads it",
                fix: "merge patterns with wildcards and variables")
        }
    }
}

/// What reading an apple-app-site-association file gave.
public struct AppleReading: Sendable {
    /// What Apple's systems see in the file; nil where they see nothing, and for a signed file, which is not decoded.
    public var association: AppleAssociation?
    /// What the text says, whether or not a system reads it.
    package var content: AppleAssociation?
    package var problems: FindingList
    public var isSigned = false

    /// What is wrong with the structure of the file and with single values, in the order of the text.
    public var findings: [Finding] { problems.sorted }
}

extension SourceValue {
    package var isArray: Bool { if case .array = kind { true } else { false } }
}

/// Tells a signed file from a plain one.
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

    /// Whether the outermost length goes beyond the file; one of indefinite length ends with two zero bytes.
    package static func isCutOff(_ bytes: [UInt8]) -> Bool {
        guard isSigned(bytes) else { return false }
        let first = bytes[1]
        if first == 0x80 { return !bytes.suffix(2).elementsEqual([0, 0]) }
        if first < 0x80 { return bytes.count < 2 + Int(first) }
        let lengthBytes = bytes.dropFirst(2).prefix(Int(first & 0x7F))
        return bytes.count < 2 + lengthBytes.count + lengthBytes.reduce(0) { $0 << 8 | Int($1) }
    }

    /// 1.2.840.113549.1.7.2 with its tag and length.
    private static let signedData: [UInt8] = [0x06, 0x09, 0x2A, 0x86, 0x48, 0x86, 0xF7, 0x0D, 0x01, 0x07, 0x02]
}
