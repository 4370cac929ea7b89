// What can only be said of an app file as a whole: settings that contradict each other or have nothing to work on.

import SourceJSON

extension AppFileReader {
    mutating func checkWhole(_ app: AppFile, _ fields: AppFileFields) {
        checkLinks(app, fields)
        checkVariables(app)
        checkRetired(app, fields)
        checkFacts(app, fields)
        if let ios = app.ios, !ios.appClips.isEmpty,
            let wildcard = zip(app.hosts, app.ranges.hosts).first(where: { $0.0.isWildcard })
        {
            report(
                .app013, wildcard.1,
                "App Clips do not work on \(wildcard.0.text): Apple allows them no wildcards",
                fix: "list the hosts that App Clips are to be invoked from")
        }
    }

    private mutating func checkFacts(_ app: AppFile, _ fields: AppFileFields) {
        let packages = app.android?.packages ?? []
        let ids = (app.ios?.appIDs.count ?? 0) + (app.ios?.appClips.count ?? 0) + packages.count
        let count = app.hosts.count * (1 + ids + packages.reduce(0) { $0 + $1.fingerprints.count })
        if count <= Self.factsMax { return }
        report(
            .app020, fields["hosts"]?.value.range ?? fields.range,
            "\(app.hosts.count) hosts times their app ids, packages and fingerprints are \(count) entries, and at most "
                + "\(Self.factsMax) make sense",
            fix: "split the file into several with fewer hosts each")
    }

    private mutating func checkLinks(_ app: AppFile, _ fields: AppFileFields) {
        // Links that could not be read, and those under another key, have been spoken of.
        if fields.lacksMisspelt("links") { return }
        switch fields["links"]?.value.kind {
        case nil: break
        case .array(let links) where links.isEmpty: break
        default: return
        }
        let wantsLinks = app.ios?.services.contains(.applinks) == true || app.android?.hasDynamicRules == true
        guard wantsLinks else { return }
        report(
            .app017, fields["links"]?.value.range ?? fields.range,
            "there are no `links`, so no URL opens the app on iOS and Android has only the app's manifest to go by",
            fix: "add rules, such as links: [{ \"/\": \"*\" }], or turn the service off")
    }

    private mutating func checkVariables(_ app: AppFile) {
        guard app.ios?.variables.isEmpty == false else { return }
        let used = Set(app.links.flatMap(\.patterns).flatMap { ParsedPattern($0).names.map(ExactText.init(_:)) })
        for (index, variable) in (app.ios?.variables ?? []).enumerated() where !used.contains(ExactText(variable.name))
        {
            findings.report(
                .aasa065, at: app.ranges.variables.element(at: index),
                "the variable \(variable.name.quoted) is used by no rule", fix: "remove it")
        }
    }

    private mutating func checkRetired(_ app: AppFile, _ fields: AppFileFields) {
        guard let range = fields["retired"]?.value.range else { return }
        let ids = Set((app.ios?.appIDs ?? []).map(ExactText.init(_:)))
        let prints = Set(app.android?.packages.flatMap(\.fingerprints) ?? [])
        let both =
            app.retired.appIDs.filter { ids.contains(ExactText($0)) } + app.retired.fingerprints.filter(prints.contains)
            + app.retired.hosts.filter(app.hosts.contains).map(\.text)
        for text in both {
            report(
                .app021, range, "\(text.quoted) is listed as retired and is still in use",
                fix: "remove it in one of the two places")
        }
    }
}
