// The apple-app-site-association document of a host.
//
// One detail for each app file, with every app id in it. For iOS 9 to 12 each app id gets a detail of its own that
// carries both dialects, because those systems read a single `appID` and today's ignore `paths` beside `components`.
// Comments stay in the app file: they would cost every phone their bytes, and strangers read what is served.

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
        return document.contains { $0.1 != nil } ? .object(document) : nil
    }

    private static func service(_ appIDs: [String]) -> SourceValue? {
        var seen: Set<String> = []
        let unique = appIDs.filter { seen.insert($0).inserted }
        return unique.isEmpty ? nil : .object([("apps", .strings(unique))])
    }

    private static func applinks(_ apps: [AppFile], findings: inout [Finding]) -> SourceValue? {
        let linked = apps.filter { $0.ios?.services.contains(.applinks) == true && !$0.links.isEmpty }
        guard !linked.isEmpty else { return nil }
        var details: [SourceValue] = []
        var variables: [SubstitutionVariable] = []
        for app in linked {
            guard let ios = app.ios else { continue }
            variables += ios.variables
            details += self.details(of: ios, links: app.links)
        }
        let hasLegacy = linked.contains { $0.ios?.hasLegacyPaths == true }
        return .object([
            ("apps", hasLegacy ? .array([]) : nil),
            ("details", .array(details)),
            (
                "substitutionVariables",
                variables.isEmpty ? nil : .object(variables.map { ($0.name, .strings($0.values)) })
            ),
        ])
    }

    private static func details(of ios: IOSApp, links: [AppleComponent]) -> [SourceValue] {
        let defaults = ios.defaults.isEmpty ? nil : rendered(ios.defaults)
        let components = SourceValue.array(links.map(rendered))
        guard ios.hasLegacyPaths else {
            return [.object([("appIDs", .strings(ios.appIDs)), ("defaults", defaults), ("components", components)])]
        }
        let paths = SourceValue.strings(links.compactMap(\.path))
        return ios.appIDs.map { appID in
            .object([
                ("appIDs", .strings([appID])), ("appID", .string(appID)), ("defaults", defaults),
                ("components", components), ("paths", paths),
            ])
        }
    }

    private static func rendered(_ defaults: AppleDefaults) -> SourceValue {
        .object([
            ("caseSensitive", defaults.caseSensitive.map { .bool($0) }),
            ("percentEncoded", defaults.percentEncoded.map { .bool($0) }),
        ])
    }

    private static func rendered(_ link: AppleComponent) -> SourceValue {
        .object([
            ("/", link.path.map { .string($0) }),
            ("?", link.query.map(rendered)),
            ("#", link.fragment.map { .string($0) }),
            ("exclude", link.exclude == true ? .bool(true) : nil),
            ("caseSensitive", link.caseSensitive.map { .bool($0) }),
            ("percentEncoded", link.percentEncoded.map { .bool($0) }),
        ])
    }

    private static func rendered(_ query: AppleQuery) -> SourceValue {
        switch query {
        case .whole(let pattern): .string(pattern)
        case .items(let items): .object(items.map { ($0.name, .string($0.pattern)) })
        }
    }
}
