// Checks that need all entries and services of an apple-app-site-association file together.

import Association
import SourceJSON

/// Checks a file that has been read.
struct AppleAssociationCheck {
    let association: AppleAssociation
    /// At first, what reading the file found.
    var findings: FindingList

    mutating func run() -> [Finding] {
        if let links = association.applinks {
            reportLists(of: links)
            reportRepeatedApps(links.details)
            reportLegacyUse(links)
        }
        reportAcrossServices()
        return findings.sorted
    }

    private mutating func reportLists(of links: AppleLinks) {
        let table = SubstitutionTable(links.variables)
        var budget = SearchBudget()
        for entry in links.details {
            let lists = AppleListCheck(
                entry: entry, defaults: [entry.defaults, links.defaults].compactMap { $0 }, table: table,
                isForOldSystems: links.hasApps)
            lists.report(into: &findings)
            lists.reportUseless(&findings, &budget)
            lists.reportBothKinds(&findings, &budget)
        }
    }

    /// The same app in two entries: it is not known whether the second counts.
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
                    "app \(app.text.quoted) also has the entry on line \(line); it is not known whether the second counts",
                    fix: "merge the entries")
            }
        }
    }

    private mutating func reportLegacyUse(_ links: AppleLinks) {
        guard let legacy = links.details.first(where: { $0.paths != nil }) else { return }
        if !links.hasApps {
            findings.report(
                .aasa013, at: legacy.range,
                "\"apps\": [] is missing next to details, so iOS 9 to 12 ignore paths; iOS 13 and later read them, but "
                    + "paths cannot match the query or the fragment",
                fix: "write appIDs and components, or add \"apps\": [] for iOS 12 and earlier")
            return
        }
        guard let only = links.details.first(where: { $0.paths != nil && $0.components == nil }) else { return }
        findings.reportOnce(
            .aasa027, at: only.range,
            "the entry has paths but no components, so its rules cannot match the query or the fragment",
            fix: "write appIDs and components, unless you still support iOS 12")
    }

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

    /// The id of an App Clip is the id of its app with one more part. The app itself may be listed too, for App Clip Codes.
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
                "\(clip.text.quoted) does not begin with the id of an app in this file; an App Clip has the id of its "
                    + "app with one more part, such as .Clip",
                fix: "compare it with the bundle id of the App Clip target in Xcode")
        }
    }

    /// The beginnings of an id before each of its dots. Bundle ids have only a few parts.
    private func ancestors(of id: String) -> [ExactText] {
        id.utf8.indices.filter { id.utf8[$0] == UInt8(ascii: ".") }.prefix(32).map { ExactText(String(id[..<$0])) }
    }

    private mutating func reportMissingCredentials() {
        guard let links = association.applinks else { return }
        let linked = links.details.flatMap(\.appIDs)
        guard let first = linked.first else { return }
        let credentials = Set((association.webcredentials?.apps ?? []).map { ExactText($0.text) })
        guard association.webcredentials != nil else {
            // Its value may be wrong, which has a finding of its own.
            if findings.sorted.contains(where: { $0.rule == .aasa074 }) { return }
            findings.report(
                .aasa077, at: first.range,
                "the file has applinks but not webcredentials, so passkeys and password AutoFill do not work on this host",
                fix: "add webcredentials if you need them")
            return
        }
        var reported: Set<ExactText> = []
        for app in linked {
            let text = ExactText(app.text)
            guard !credentials.contains(text), reported.insert(text).inserted else { continue }
            findings.report(
                .aasa077, at: app.range,
                "app \(app.text.quoted) is in applinks but not in webcredentials, so passkeys and password AutoFill do "
                    + "not work on this host",
                fix: "add it to webcredentials.apps if you need them")
        }
    }
}
