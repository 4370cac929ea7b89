// The app ids of an apple-app-site-association file, grouped to apps. One app file has ids with the same rules and services. The builds
// of one app (`com.acme.shop`, `com.acme.shop.beta`) stay together: each has the services of all of them. The work and the result grow
// with the file and not with its square: there are at most eight apps for each list of rules.

import Association
import SourceJSON

/// Why the app files would be too large.
package struct ImportTooLarge: Error {
    package let message: String
}

struct AppleBuilds {
    /// The ids of each service, under its name in app files.
    private let services: [(name: String, ids: Set<ExactText>)]
    private var ids: [(id: String, family: Family)] = []
    private var known: Set<ExactText> = []
    /// The apps without ids, and their places by what they contain.
    private var contents: [ImportedApp] = []
    private var places: [Content: Int] = [:]
    private var bytesLeft = AppleBuilds.bytesMax

    /// Defaults and variables are written out for each app that inherits or uses them, so a small file could become a large one.
    private static let bytesMax = 64 * 1_024 * 1_024

    private struct Content: Hashable {
        let isLinked: Bool
        let hasLegacyPaths: Bool
        let variables: [SubstitutionVariable]
        let rules: [[UInt8]]
    }

    /// The builds of one app that have the same rules.
    private struct Family: Hashable {
        let name: String
        let content: Int
    }

    private struct Group: Hashable {
        let content: Int
        let services: [String]
    }

    init(_ association: AppleAssociation) {
        let linked = association.applinks?.details.flatMap(\.appIDs) ?? []
        let listed = [
            ("applinks", linked), ("webcredentials", association.webcredentials?.apps ?? []),
            ("activitycontinuation", association.activitycontinuation?.apps ?? []),
        ]
        services = listed.map { name, ids in (name, Set(ids.map { ExactText($0.text) })) }
    }

    /// Whether an id is seen for the first time.
    mutating func isNew(_ id: String) -> Bool { known.insert(ExactText(id)).inserted }

    /// Adds new ids that have the rules of `app`.
    mutating func add(_ new: [String], to app: ImportedApp) throws(ImportTooLarge) {
        guard let first = new.first else { return }
        bytesLeft -= app.variables.reduce(0) { $0 + $1.values.reduce(0) { $0 + $1.utf8.count } }
        _ = try charge(app.rules)
        let rules = app.rules.map { SourceWriter.minified($0.value(includingComment: true)) }
        let content = Content(
            isLinked: services[0].ids.contains(ExactText(first)), hasLegacyPaths: app.hasLegacyPaths,
            variables: app.variables, rules: rules)
        let place = places[content] ?? contents.count
        if place == contents.count {
            places[content] = place
            contents.append(app)
        }
        ids += new.map { ($0, Family(name: ImportedApp.family(of: ImportedApp.bundleID(of: $0)), content: place)) }
    }

    /// Counts rules against the limit.
    mutating func charge(_ rules: [AppleComponent]) throws(ImportTooLarge) -> [AppleComponent] {
        for rule in rules where bytesLeft >= 0 {
            bytesLeft -= SourceWriter.minified(rule.value(includingComment: true)).count
        }
        guard bytesLeft >= 0 else {
            throw ImportTooLarge(
                message:
                    "the app files would have more than \(AppleBuilds.bytesMax >> 20) MiB, because many apps share long defaults or "
                    + "variables; import a file with fewer apps")
        }
        return rules
    }

    /// The apps in the order of their first ids, and the families whose builds had different services.
    func apps() -> (apps: [ImportedApp], mixed: [String]) {
        let own = ids.map { id, _ in services.filter { $0.ids.contains(ExactText(id)) }.map(\.name) }
        var ofFamily: [Family: Set<String>] = [:]
        for ((_, family), names) in zip(ids, own) { ofFamily[family, default: []].formUnion(names) }
        var apps: [ImportedApp] = []
        var indices: [Group: Int] = [:]
        var mixed: [String] = []
        for ((id, family), names) in zip(ids, own) {
            let all = services.map(\.name).filter { ofFamily[family]?.contains($0) == true }
            if names.count < all.count { mixed.append(family.name) }
            let group = Group(content: family.content, services: all)
            let index = indices[group] ?? apps.count
            if index == apps.count {
                indices[group] = index
                apps.append(contents[family.content])
                apps[index].services = all
            }
            apps[index].appIDs.append(id)
        }
        return (apps, mixed)
    }
}
