// `applinks`: its defaults and variables first, because patterns are judged with them, then `details` in each of its
// forms.

import SourceJSON

extension AppleReader {
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
                hasLegacyApps = true
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
        reportRepeatedApps(links.details)
        reportLegacyUse(links)
    }

    /// The same app in two entries: whether the second counts is unsettled.
    private mutating func reportRepeatedApps(_ details: [AppleDetail]) {
        var first: [ExactText: Int] = [:]
        for (index, detail) in details.enumerated() {
            for app in detail.appIDs {
                guard let earlier = first[ExactText(app.text)] else {
                    first[ExactText(app.text)] = index
                    continue
                }
                guard earlier != index else { continue }
                let line = details[earlier].range.start.line
                findings.report(
                    .aasa023, at: app.range,
                    "app \(app.text.quoted) also has the entry in line \(line); whether the second counts is unsettled",
                    fix: "merge the entries")
            }
        }
    }

    private mutating func reportLegacyUse(_ links: AppleLinks) {
        guard let legacy = links.details.first(where: { $0.paths != nil }) else { return }
        if !links.hasApps {
            findings.report(
                .aasa013, at: legacy.range,
                "iOS 9 to 12 read paths only where \"apps\": [] is beside details; iOS 13 and later read them here, but "
                    + "paths cannot look at the query or the fragment",
                fix: "write appIDs and components, or add \"apps\": [] for iOS 12 and earlier")
            return
        }
        guard let only = links.details.first(where: { $0.paths != nil && $0.components == nil }) else { return }
        findings.reportOnce(
            .aasa027, at: only.range,
            "the entry has paths and no components, so its rules cannot look at the query or the fragment",
            fix: "write appIDs and components, unless iOS 12 matters")
    }
}
