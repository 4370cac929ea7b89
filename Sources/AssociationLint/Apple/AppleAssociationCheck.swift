// What shows only when the entries and services of an apple-app-site-association file are seen together.

import Association
import SourceJSON

/// Checks a file that has been read.
struct AppleAssociationCheck {
    let association: AppleAssociation
    private(set) var findings: FindingList

    /// - Parameter findings: what reading the file found.
    init(_ association: AppleAssociation, findings: FindingList) {
        self.association = association
        self.findings = findings
    }

    mutating func run() {
        if let links = association.applinks {
            reportLists(of: links)
            reportRepeatedApps(links.details)
            reportLegacyUse(links)
        }
        reportAcrossServices()
    }

    private mutating func reportLists(of links: AppleLinks) {
        let table = SubstitutionTable(links.variables)
        var scope = ListScope()
        for entry in links.details {
            let lists = AppleListCheck(
                entry: entry, defaults: [entry.defaults, links.defaults].compactMap { $0 }, table: table,
                isForOldSystems: links.hasApps)
            lists.report(into: &findings)
            lists.reportUseless(&findings, &scope)
            lists.reportBothDialects(&findings, &scope)
        }
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

    /// What only shows when the services are seen together.
    private mutating func reportAcrossServices() {
        reportAppClips()
        reportMissingCredentials()
        let services = [association.webcredentials, association.appclips, association.activitycontinuation]
        let named = services.flatMap { $0?.apps ?? [] }
        if let links = association.applinks, links.details.isEmpty, named.isEmpty, !findings.hasErrors {
            findings.report(
                .aasa009, at: links.range, "the file names no app, so it associates nothing",
                fix: "add an entry to details, or answer 404")
        }
    }

    /// An App Clip is called like its app with one more part. The app itself may stand beside it, for App Clip Codes.
    private mutating func reportAppClips() {
        guard let clips = association.appclips?.apps, !clips.isEmpty else { return }
        let apps =
            (association.applinks?.details.flatMap(\.appIDs) ?? []) + (association.webcredentials?.apps ?? [])
            + (association.activitycontinuation?.apps ?? [])
        guard !apps.isEmpty else { return }
        let texts = Set((apps + clips).map { ExactText($0.text) })
        let parents = Set(clips.flatMap { ancestors(of: $0.text) })
        for clip in clips {
            let isClip = ancestors(of: clip.text).contains(where: texts.contains)
            let isParent = parents.contains(ExactText(clip.text))
            guard !isClip, !isParent else { continue }
            findings.report(
                .aasa076, at: clip.range,
                "\(clip.text.quoted) does not continue the id of any app in this file, as the id of an App Clip does "
                    + "(`….Clip`)",
                fix: "compare with the bundle id of the App Clip target in Xcode")
        }
    }

    /// What stands before each dot of an id: the ids that it could continue. Bundle ids have a handful of parts.
    private func ancestors(of id: String) -> [ExactText] {
        id.utf8.indices.filter { id.utf8[$0] == UInt8(ascii: ".") }.prefix(32).map { ExactText(String(id[..<$0])) }
    }

    private mutating func reportMissingCredentials() {
        guard let links = association.applinks else { return }
        let linked = links.details.flatMap(\.appIDs)
        guard let first = linked.first else { return }
        let credentials = Set((association.webcredentials?.apps ?? []).map { ExactText($0.text) })
        guard association.webcredentials != nil else {
            findings.report(
                .aasa077, at: first.range,
                "the file has applinks and no webcredentials, so apps on this host have no passkeys and no password "
                    + "AutoFill",
                fix: "add webcredentials, if that is wanted")
            return
        }
        var reported: Set<ExactText> = []
        for app in linked {
            let text = ExactText(app.text)
            guard !credentials.contains(text), reported.insert(text).inserted else { continue }
            findings.report(
                .aasa077, at: app.range,
                "app \(app.text.quoted) is in applinks and not in webcredentials, so it has no passkeys and no "
                    + "password AutoFill on this host",
                fix: "add it to webcredentials.apps, if that is wanted")
        }
    }
}
