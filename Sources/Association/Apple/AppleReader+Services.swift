// The services that only name apps, and what can be said about an app across all services of a file.

import SourceJSON

extension AppleReader {
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

    /// What only shows when the services are seen together.
    mutating func reportAcrossServices(_ association: AppleAssociation) {
        reportVariables(association.applinks)
        reportAppClips(association)
        reportMissingCredentials(association)
        let services = [association.webcredentials, association.appclips, association.activitycontinuation]
        let named = services.flatMap { $0?.apps ?? [] }
        if let links = association.applinks, links.details.isEmpty, named.isEmpty, !findings.hasErrors {
            findings.report(
                .aasa009, at: links.range, "the file names no app, so it associates nothing",
                fix: "add an entry to details, or answer 404")
        }
    }

    /// An App Clip is called like its app with one more part. The app itself may stand beside it, for App Clip Codes.
    private mutating func reportAppClips(_ association: AppleAssociation) {
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

    private mutating func reportMissingCredentials(_ association: AppleAssociation) {
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

extension SourceValue {
    var isArray: Bool { if case .array = kind { true } else { false } }
}
