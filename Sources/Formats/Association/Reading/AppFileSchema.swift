// The keys of an app file, for its reader and, as a JSON Schema, for editors. The reader checks what a schema cannot express.

public import SourceJSON

public enum AppFileSchema {
    public static var value: SourceValue {
        JSONSchema.object(rootProperties, required: ["name", "hosts"]).document("App file of associated")
    }

    static let rootKeys = rootProperties.map(\.name)
    static let appKeys = appProperties.map(\.name)
    static let iosKeys = iosProperties.map(\.name)
    static let androidKeys = androidProperties.map(\.name)
    static let linkKeys = linkProperties.map(\.name)
    static let pageKeys = pageProperties.map(\.name)
    static let retiredKeys = retiredProperties.map(\.name)
    static let passkeyKeys = passkeyProperties.map(\.name)
    static let matchingKeys = matchingProperties.map(\.name)
    static let fingerprintKeys = fingerprintProperties.map(\.name)

    static let priorities = -1_000_000...1_000_000
    /// Up to a year: browsers cache no longer, though RFC 9111 has no limit.
    static let cacheSeconds = 0...31_536_000

    private static var rootProperties: JSONSchema.Properties {
        [("$schema", .text("location of this schema, for editors"))] + appProperties + [
            (
                "priority",
                .integer(
                    priorities, "files that share a host are merged by ascending priority, then by path (default: 0)")
            ),
            (
                "environments",
                .map(
                    of: JSONSchema(overlay(JSONSchema.object(appProperties).value)),
                    "overlays by name of the environment, chosen with --environment")
            ),
        ]
    }

    /// The keys that an overlay may have too.
    private static var appProperties: JSONSchema.Properties {
        [
            ("name", .text("name of the app, for pages and messages")),
            ("hosts", .list(of: HostPattern.schema, "host names, or *.suffix for every host below the suffix")),
            ("ios", .object(iosProperties, "app on iOS", required: ["appIDs"])),
            ("android", .object(androidProperties, "app on Android")),
            ("scheme", .text("custom URL scheme of the app, in lower case", pattern: "^[a-z][a-z0-9+.-]*$")),
            ("links", .list(of: .object(linkProperties), "link rules; the first that matches a URL decides")),
            ("examples", .map(of: example, "URLs and where they must open")),
            ("cacheControl", .integer(cacheSeconds, "seconds that clients may cache the documents (default: 3600)")),
            (
                "guard",
                .word(
                    RemovalGuard.allCases.map(\.rawValue), "what happens if a live entry is removed (default: block)")
            ),
            ("retired", .object(retiredProperties, "what was removed on purpose")),
            ("pages", .object(pageProperties, "pages of the hosts")),
            (
                "passkeys",
                .any(
                    of: [.bool(), .object(passkeyProperties)],
                    "let the apps use the passkeys of the hosts (default: false)")
            ),
        ]
    }

    private static var iosProperties: JSONSchema.Properties {
        let signed: [SourceValue] = [.bool(true), .bool(false), .string("root")]
        return [
            ("appIDs", .list(of: .text(), "team id, dot and bundle id of each build that may open the links")),
            (
                "services",
                .list(
                    of: .word(AppleService.allCases.map(\.rawValue)),
                    "services of the app (default: applinks, webcredentials)")
            ),
            ("appClips", .list(of: .text(), "ids of App Clips")),
            ("storeID", .text("number of the app in the App Store", pattern: "^[0-9]{0,20}$")),
            ("legacyPaths", .bool("also write paths for iOS 9 to 12 (default: false)")),
            (
                "signed",
                JSONSchema(.object([("enum", .array(signed))])).described(
                    "sign the documents; \"root\" only the copy at the root of the site (default: false)")
            ),
            ("defaults", .object(matchingProperties, "for rules that do not set them")),
            ("variables", .map(of: .list(of: .text()), "names and values, used as $(name) in rules")),
        ]
    }

    private static var androidProperties: JSONSchema.Properties {
        let prints = JSONSchema.list(of: fingerprint, "SHA-256 fingerprints of the signing certificates")
        let package: JSONSchema.Properties = [("name", .text("package name of the app")), ("fingerprints", prints)]
        return [
            ("package", .text("package name of the app")),
            (
                "packages",
                .list(of: .object(package, required: ["name", "fingerprints"]), "several, in place of package")
            ),
            ("fingerprints", prints),
            (
                "relations",
                .list(of: .text("relation, such as \(AndroidRelation.shortNames.joined(separator: ", "))"))
            ),
            ("dynamicRules", .bool("publish the links for Android 15 and later (default: false)")),
            ("playStore", .bool("whether the app is in Google Play, for the landing page (default: true)")),
        ]
    }

    private static var fingerprintProperties: JSONSchema.Properties {
        [
            ("sha256", .text("SHA-256 fingerprint")),
            ("note", .text("what it is of, such as Play; for people, not served")),
        ]
    }

    private static var fingerprint: JSONSchema {
        .any(of: [.text(), .object(fingerprintProperties, required: ["sha256"])])
    }

    private static var linkProperties: JSONSchema.Properties {
        [
            ("/", .text("pattern for the path")),
            ("?", .any(of: [.text(), .map(of: .text())], "pattern for the query, or for the values of its names")),
            ("#", .text("pattern for the fragment")),
            ("exclude", .bool("matching URLs stay in the browser (default: false)")),
        ] + matchingProperties + [("comment", .text("note for people, not published"))]
    }

    private static var matchingProperties: JSONSchema.Properties {
        [
            ("caseSensitive", .bool("whether upper and lower case differ (default: true)")),
            ("percentEncoded", .bool("whether patterns are percent-encoded, as URLs are (default: true)")),
        ]
    }

    private static var pageProperties: JSONSchema.Properties {
        [
            ("spa", .bool("answer index.html for any path (default: false)")),
            ("landing", .bool("show the landing page (default: true; with spa: false)")),
            ("tagline", .text("sentence on the landing page")),
        ]
    }

    private static var retiredProperties: JSONSchema.Properties {
        [
            ("appIDs", .list(of: .text())), ("fingerprints", .list(of: fingerprint)),
            ("hosts", .list(of: HostPattern.schema)),
        ]
    }

    private static var passkeyProperties: JSONSchema.Properties {
        [
            ("enroll", .text("https URL where an account adds a passkey")),
            ("manage", .text("https URL where an account manages its passkeys")),
            ("prfUsageDetails", .text("https URL that explains what the PRF extension is used for")),
            ("origins", .list(of: .text(), "other https origins that may use the passkeys")),
        ]
    }

    private static var example: JSONSchema {
        let outcome = JSONSchema.word(LinkExample.Outcome.allCases.map(\.rawValue))
        return .any(of: [outcome, .object(LinkExample.platforms.map { ($0, outcome) })])
    }

    /// The schema of an overlay of such a value: no key is required, and null removes a key.
    private static func overlay(_ schema: SourceValue) -> SourceValue {
        let members = (schema.asObject ?? []).filter { $0.key != "required" }
        return .object(
            members.map { member -> (String, SourceValue) in
                switch (member.key, member.value.kind) {
                case ("properties", .object(let keys)): (member.key, .object(keys.map { ($0.key, nullable($0.value)) }))
                case ("additionalProperties", .object): (member.key, nullable(member.value))
                default: (member.key, member.value)
                }
            })
    }

    private static func nullable(_ schema: SourceValue) -> SourceValue {
        .object([("anyOf", .array([overlay(schema), .object([("type", .string("null"))])]))])
    }
}
