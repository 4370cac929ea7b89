// The `android` part of an app file.

import SourceJSON

extension AppFileReader {
    static let androidKeys = ["package", "packages", "fingerprints", "relations", "dynamicRules", "playStore"]

    mutating func android(_ value: SourceValue, ranges: inout AppFile.Ranges) -> AndroidApp? {
        guard let fields = fields(of: value, place: "android", known: Self.androidKeys) else { return nil }
        let packages = packages(in: fields)
        ranges.packages = packages.map(\.range)
        var app = AndroidApp(packages: packages.map(\.value))
        app.relations = relations(in: fields) ?? [AndroidApp.handleAllURLs]
        if let flag = bool("dynamicRules", in: fields) {
            app.hasDynamicRules = flag.value
            ranges.dynamicRules = flag.range
        }
        app.isInPlayStore = bool("playStore", in: fields)?.value ?? true
        if app.hasDynamicRules, !app.relations.contains(AndroidApp.handleAllURLs) {
            report(
                .app023, ranges.dynamicRules,
                "`android.dynamicRules` belongs to handle_all_urls, which is not among the relations",
                fix: "add \"handle_all_urls\" to `android.relations`")
        }
        return app
    }

    /// Either one `package` with `fingerprints`, or `packages`.
    private mutating func packages(in fields: AppFileFields) -> [Located<AndroidPackage>] {
        if fields["packages"] != nil {
            if let single = fields["package"] ?? fields["fingerprints"] {
                report(
                    .app007, single.keyRange, "`android` has both `\(single.key)` and `packages`",
                    fix: "move everything into `packages`")
            }
            return packageList(in: fields)
        }
        guard fields["package"] != nil else {
            if fields.lacksMisspelt("package") || fields.lacksMisspelt("packages") { return [] }
            report(
                .app006, fields.range, "`android` has no `package`, so no app is bound to the hosts",
                fix: "add package: \"<application id>\"")
            return []
        }
        guard let name = packageName("package", in: fields) else { return [] }
        requireElements("fingerprints", in: fields, because: "no build of the app is trusted")
        let prints = fingerprints("fingerprints", in: fields)
        return [Located(value: AndroidPackage(name: name.value, fingerprints: prints.map(\.value)), range: name.range)]
    }

    private mutating func packageList(in fields: AppFileFields) -> [Located<AndroidPackage>] {
        guard let values = elements("packages", in: fields, of: "packages") else { return [] }
        requireElements("packages", in: fields, because: "no app is bound to the hosts")
        var packages: [Located<AndroidPackage>] = []
        var seen: Set<ExactText> = []
        for (index, value) in values.enumerated() {
            let place = "android.packages[\(index)]"
            guard let entry = self.fields(of: value, place: place, known: ["name", "fingerprints"]) else { continue }
            if entry["name"] == nil, !entry.lacksMisspelt("name") {
                report(.app006, value.range, "`\(place)` has no `name`")
            }
            guard let name = packageName("name", in: entry) else { continue }
            requireElements("fingerprints", in: entry, because: "no build of the app is trusted")
            let prints = fingerprints("fingerprints", in: entry)
            if !seen.insert(ExactText(name.value)).inserted {
                report(
                    .app014, name.range, "`android.packages` lists \(name.value) twice", fix: "merge the two")
            }
            packages.append(
                Located(
                    value: AndroidPackage(name: name.value, fingerprints: prints.map(\.value)), range: name.range))
        }
        return packages
    }

    private mutating func relations(in fields: AppFileFields) -> [String]? {
        guard let texts = strings("relations", in: fields, of: "relations") else { return nil }
        if texts.isEmpty { requireElements("relations", in: fields, because: "the app is allowed nothing") }
        var relations: [Located<String>] = []
        for text in texts {
            guard let relation = AndroidRelation.expanded(text.value) else {
                findings.report(
                    .dal006, at: text.range, "\(text.value.quoted) is no relation, so Google rejects the statement",
                    fix: "use a short name such as handle_all_urls, or kind/detail in lower case")
                continue
            }
            if !AndroidRelation.known.contains(relation) { reportUnknown(relation, text, beside: texts) }
            relations.append(Located(value: relation, range: text.range))
        }
        return unique(relations, place: "android.relations") { $0 }.map(\.value)
    }

    private mutating func reportUnknown(_ relation: String, _ text: Located<String>, beside texts: [Located<String>]) {
        let short = AndroidRelation.known.map(AndroidRelation.shortened)
        let nearest = NearestKey.find(AndroidRelation.shortened(relation), among: short)
        let isThere = texts.contains { AndroidRelation.expanded($0.value).map(AndroidRelation.shortened) == nearest }
        findings.report(
            .dal007, at: text.range, "nothing on Android reads the relation \(relation.quoted)",
            fix: nearest.map { isThere ? "remove it" : "write \"\($0)\"" }
                ?? "use one of \(short.joined(separator: ", "))",
            edit: nearest.flatMap { isThere ? nil : SourceEdit(range: text.range, replacement: $0.jsonQuoted) },
            severity: nearest == nil ? .warning : .error)
    }
}
