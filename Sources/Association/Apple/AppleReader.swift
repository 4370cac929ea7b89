// From the values of an apple-app-site-association file to the model, with a finding for whatever Apple's systems would
// ignore, misread or never match. One reader walks one file and goes on after each finding, so that a person sees every
// mistake at once. Rules that need the whole list of patterns are in `AppleListLint`.

import SourceJSON

/// Reads one file and remembers what was wrong with it.
struct AppleReader {
    var findings: FindingList
    /// What is left of the effort that searches over all URLs may cost.
    var scope = ListScope()
    /// `applinks.defaults`; known before any component is read.
    var defaults: AppleComponent?
    /// Whether applinks has the key `apps`, which says that iOS 12 and older are meant to read the file.
    var hasLegacyApps = false
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

    static let services = ["applinks", "webcredentials", "appclips", "activitycontinuation"]
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
        if !members.contains(where: { Self.services.contains($0.key) || Self.otherServices.contains($0.key) }) {
            findings.report(
                .aasa009, at: root.range,
                "the file has no applinks, webcredentials, appclips or activitycontinuation, so it associates nothing",
                fix: "add a service, or answer 404")
        }
        reportAcrossServices(association)
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
        let nearest = findings.nearest(key, among: Self.services)
        let remedy = KeyRemedy(member, nearest: nearest, beside: members, replacement: \.jsonQuoted)
        findings.report(
            .aasa008, at: member.keyRange, "\(key.quoted) is no service that Apple's systems know, so it is ignored",
            fix: remedy.fix ?? "use applinks, webcredentials, appclips or activitycontinuation", edit: remedy.edit,
            // An edit is there where the service is not, and then the file lacks what it was written for.
            severity: remedy.edit == nil ? .warning : .error)
    }
}

extension AppleReader {
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
}
