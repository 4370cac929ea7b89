// The `android` part of an app file.

import SourceJSON

struct AndroidReader {
    private let object: ObjectReader
    private var findings: FindingCollector { object.findings }

    init(_ object: ObjectReader) { self.object = object }

    func app(ranges: inout AppFile.Ranges) -> AndroidApp {
        let packages = packages()
        ranges.packages = packages.map(\.range)
        var app = AndroidApp(packages: packages.map(\.value))
        app.relations = relations() ?? [AndroidApp.handleAllURLs]
        if let flag = object.bool("dynamicRules") {
            app.hasDynamicRules = flag.value
            ranges.dynamicRules = flag.range
        }
        app.isInPlayStore = object.bool("playStore")?.value ?? true
        if app.hasDynamicRules, !app.relations.contains(AndroidApp.handleAllURLs) {
            findings.report(
                .app023, at: ranges.dynamicRules,
                "`android.dynamicRules` has no effect without the relation handle_all_urls",
                fix: "add \"handle_all_urls\" to `android.relations`")
        }
        return app
    }

    /// Either one `package` with `fingerprints`, or `packages`.
    private func packages() -> [Located<AndroidPackage>] {
        if object["packages"] != nil {
            if let single = object["package"] ?? object["fingerprints"] {
                findings.report(
                    .app007, at: single.keyRange, "`android` has both `\(single.key)` and `packages`",
                    fix: "move everything to `packages`")
            }
            return packageList()
        }
        if object["package"] == nil {
            if object.misspells("package") || object.misspells("packages") { return [] }
            findings.report(
                .app006, at: object.range, "`android.package` is missing, so no app is associated with the hosts",
                fix: "add package: \"<application id>\"")
        }
        return [package(in: object, "package")].compactMap { $0 }
    }

    private func packageList() -> [Located<AndroidPackage>] {
        guard let values = object.elements("packages", of: "packages") else { return [] }
        object.require("packages", because: "no app is associated with the hosts")
        var seen: Set<ExactText> = []
        return values.enumerated().compactMap { index, value in
            let place = "android.packages[\(index)]"
            guard let entry = findings.object(value, place, keys: ["name", "fingerprints"]) else { return nil }
            if entry["name"] == nil, !entry.misspells("name") {
                findings.report(
                    .app006, at: value.range, "`\(place).name` is missing, so the fingerprints belong to no app",
                    fix: "add name: \"<application id>\"")
            }
            let package = package(in: entry, "name")
            if let package, !seen.insert(ExactText(package.value.name)).inserted {
                findings.report(
                    .app014, at: package.range, "`android.packages` lists \(package.value.name) twice",
                    fix: "merge the two")
            }
            return package
        }
    }

    /// A package whose name is under a key, with the range of the name.
    private func package(in object: ObjectReader, _ key: String) -> Located<AndroidPackage>? {
        guard let name = object.packageName(key) else { return nil }
        object.require("fingerprints", because: "no build of the app is trusted")
        let prints = object.fingerprints("fingerprints")
        var package = AndroidPackage(name: name.text, fingerprints: prints.map(\.value.text))
        for print in prints { package.notes[print.value.text] = print.value.note }
        return Located(value: package, range: name.range)
    }

    private func relations() -> [String]? {
        guard let texts = object.strings("relations", of: "relations") else { return nil }
        if texts.isEmpty { object.require("relations", because: "the app gets no permission") }
        var relations: [Located<String>] = []
        for text in texts {
            guard let relation = AndroidRelation.expanded(text.text) else {
                findings.report(
                    .dal006, at: text.range, "\(text.text.quoted) is not a relation, so Google rejects the statement",
                    fix: "use a short name such as handle_all_urls, or kind/detail in lower case")
                continue
            }
            if !AndroidRelation.known.contains(relation) { reportUnknown(relation, text, of: texts) }
            relations.append(Located(value: relation, range: text.range))
        }
        return findings.unique(relations, "android.relations", by: { $0 }) { $0 }.map(\.value)
    }

    private func reportUnknown(_ relation: String, _ text: LocatedText, of texts: [LocatedText]) {
        let short = AndroidRelation.known.map(AndroidRelation.shortened)
        let nearest = NearestKey.find(AndroidRelation.shortened(relation), among: short)
        let isListed = texts.contains { AndroidRelation.expanded($0.text).map(AndroidRelation.shortened) == nearest }
        findings.report(
            .dal007, at: text.range, "nothing on Android uses the relation \(relation.quoted)",
            fix: nearest.map { isListed ? "remove it" : "write \"\($0)\"" }
                ?? "use one of \(short.joined(separator: ", "))",
            edit: nearest.flatMap { isListed ? nil : SourceEdit(range: text.range, replacement: $0.jsonQuoted) },
            severity: nearest == nil ? .warning : .error)
    }
}
