// One entry of `details`: which apps it names, and which of its two lists of rules counts.

import SourceJSON

extension AppleReader {
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
        let lists = AppleListLint(
            entry: entry, defaults: [entry.defaults, defaults].compactMap { $0 }, table: table,
            isForOldSystems: hasLegacyApps)
        lists.report(into: &findings)
        lists.reportUseless(&findings, &scope)
        lists.reportBothDialects(&findings, &scope)
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
}
