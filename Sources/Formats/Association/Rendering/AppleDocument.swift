// The apple-app-site-association document of a host.
//
// It has one entry of `details` for each app file, with all its app ids. If iOS 9 to 12 are supported, each app id has its
// own entry with both components and paths: those systems read a single `appID`, and later ones ignore `paths` next to
// `components`. Comments are not published, because every phone would download them and anyone could read them.

import SourceJSON

enum AppleDocument {
    static func render(_ apps: [AppFile], findings: inout [Finding]) -> SourceValue? {
        let ios = apps.compactMap(\.ios)
        guard !ios.isEmpty else { return nil }
        let applinks = applinks(apps, findings: &findings)
        let document: [(String, SourceValue?)] = [
            ("applinks", applinks),
            ("webcredentials", service(ios.filter { $0.services.contains(.webcredentials) }.flatMap(\.appIDs))),
            (
                "activitycontinuation",
                service(ios.filter { $0.services.contains(.activitycontinuation) }.flatMap(\.appIDs))
            ),
            ("appclips", service(ios.flatMap(\.appClips))),
        ]
        return document.contains { $0.1 != nil } ? .object(present: document) : nil
    }

    private static func service(_ appIDs: [String]) -> SourceValue? {
        var seen: Set<ExactText> = []
        let unique = appIDs.filter { seen.insert(ExactText($0)).inserted }
        return unique.isEmpty ? nil : .object([("apps", .strings(unique))])
    }

    private static func applinks(_ apps: [AppFile], findings: inout [Finding]) -> SourceValue? {
        let linked = apps.filter { $0.ios?.services.contains(.applinks) == true && !$0.links.isEmpty }
        guard !linked.isEmpty else { return nil }
        var details: [SourceValue] = []
        var table = VariableTable()
        for app in linked {
            let renamed = table.add(app)
            findings += renamedFindings(renamed, app)
            details += self.details(of: app, links: app.links.map { $0.renaming(renamed) })
        }
        let hasLegacy = linked.contains { $0.ios?.hasLegacyPaths == true }
        let variables = table.variables.map { ($0.name, SourceValue?.some(.strings($0.values))) }
        return .object(present: [
            // iOS 9 to 12 require the key with an empty array.
            ("apps", hasLegacy ? .array([]) : nil),
            ("details", .array(details)),
            ("substitutionVariables", variables.isEmpty ? nil : .object(present: variables)),
        ])
    }

    private static func details(of app: AppFile, links: [AppleComponent]) -> [SourceValue] {
        guard let ios = app.ios else { return [] }
        let defaults = ios.defaults == AppleDefaults() ? nil : app.defaults[0].value(includingComment: false)
        let components = SourceValue.array(links.map { $0.value(includingComment: false) })
        guard let legacy = app.legacyPaths else {
            return [
                .object(present: [
                    ("appIDs", .strings(ios.appIDs)), ("defaults", defaults), ("components", components),
                ])
            ]
        }
        return ios.appIDs.map { appID in
            .object(present: [
                ("appIDs", .strings([appID])), ("appID", .string(appID)), ("defaults", defaults),
                ("components", components), ("paths", .strings(legacy.rules)),
            ])
        }
    }

    private static func renamedFindings(_ renamed: [ExactText: String], _ app: AppFile) -> [Finding] {
        renamed.sorted { $0.key.text < $1.key.text }.map { key, newName in
            let name = key.text
            let index = app.ios?.variables.firstIndex { $0.name.isIdentical(to: name) }
            let reason =
                SubstitutionTable.predefinedNames.contains(name)
                ? "because Apple predefines this name" : "because another app of the host uses this name"
            return Finding(
                .app039, in: app, at: index.flatMap { app.ranges.variables.element(at: $0) },
                "the variable \(name.quoted) is published as \(newName.quoted), \(reason)")
        }
    }
}

/// Collects the variables of all apps. Variables with different values get different names.
struct VariableTable {
    private(set) var variables: [SubstitutionVariable] = []
    private var values: [ExactText: [String]] = [:]

    /// Adds the variables that an app's rules use. Returns the new names of those that were renamed.
    mutating func add(_ app: AppFile) -> [ExactText: String] {
        if app.ios?.variables.isEmpty != false { return [:] }
        let used = Set(app.links.flatMap(\.patterns).flatMap { ParsedPattern($0).names.map(ExactText.init(_:)) })
        var renamed: [ExactText: String] = [:]
        for variable in app.ios?.variables ?? [] where used.contains(ExactText(variable.name)) {
            let name = name(for: variable)
            if !name.isIdentical(to: variable.name) { renamed[ExactText(variable.name)] = name }
        }
        return renamed
    }

    private mutating func name(for variable: SubstitutionVariable) -> String {
        for number in 1... {
            let name = number == 1 ? variable.name : "\(variable.name)_\(number)"
            if SubstitutionTable.predefinedNames.contains(name) { continue }
            if let known = values[ExactText(name)] {
                if known.elementsEqual(variable.values, by: { $0.isIdentical(to: $1) }) { return name }
            } else {
                variables.append(SubstitutionVariable(name: name, values: variable.values))
                values[ExactText(name)] = variable.values
                return name
            }
        }
        return variable.name
    }
}
