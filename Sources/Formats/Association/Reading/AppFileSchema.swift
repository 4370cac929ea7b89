// The keys of an app file, for its reader and, as a JSON Schema, for editors. The reader checks what a schema cannot express.

public import SourceJSON

public enum AppFileSchema {
    /// Draft 7, which editors support.
    public static var value: SourceValue {
        var root = object(rootProperties, required: ["name", "hosts"])
        root.insert(("$schema", .string("http://json-schema.org/draft-07/schema#")), at: 0)
        root.insert(("title", .string("App file of associated")), at: 1)
        return .object(root)
    }

    typealias Members = [(String, SourceValue)]

    static let rootKeys = rootProperties.map(\.0)
    static let appKeys = appProperties.map(\.0)
    static let iosKeys = iosProperties.map(\.0)
    static let androidKeys = androidProperties.map(\.0)
    static let linkKeys = linkProperties.map(\.0)
    static let pageKeys = pageProperties.map(\.0)
    static let retiredKeys = retiredProperties.map(\.0)
    static let passkeyKeys = passkeyProperties.map(\.0)

    private static var rootProperties: Members {
        [("$schema", text("location of this schema, for editors"))] + appProperties + [
            (
                "priority",
                integer("files that share a host are merged by ascending priority, then by path (default: 0)")
            ),
            (
                "environments",
                map(
                    of: overlay(.object(object(appProperties))),
                    "overlays by name of the environment, chosen with --environment")
            ),
        ]
    }

    /// The keys that an overlay may have too.
    private static var appProperties: Members {
        [
            ("name", text("name of the app, for pages and messages")),
            ("hosts", list(of: text(), "host names, or *.suffix for every host below the suffix")),
            ("ios", .object(object(iosProperties, required: ["appIDs"]))),
            ("android", .object(object(androidProperties))),
            ("scheme", text("custom URL scheme of the app, in lower case")),
            ("links", list(of: .object(object(linkProperties)), "link rules; the first that matches a URL decides")),
            ("examples", map(of: example, "URLs and where they must open")),
            ("cacheControl", integer("seconds that clients may cache the documents (default: 3600)")),
            (
                "guard",
                word(
                    RemovalGuard.allCases.map(\.rawValue), "what happens if a live entry is removed (default: block)")
            ),
            ("retired", .object(object(retiredProperties))), ("pages", .object(object(pageProperties))),
            ("passkeys", .object([("anyOf", .array([bool(), .object(object(passkeyProperties))]))])),
        ]
    }

    private static var iosProperties: Members {
        [
            ("appIDs", list(of: text(), "team id, dot and bundle id of each build that may open the links")),
            (
                "services",
                list(
                    of: word(AppleService.allCases.map(\.rawValue)),
                    "services of the app (default: applinks, webcredentials)")
            ),
            ("appClips", list(of: text(), "ids of App Clips")),
            ("storeID", text("number of the app in the App Store")),
            ("legacyPaths", bool("also write paths for iOS 9 to 12 (default: false)")),
            ("signed", .object([("enum", .array([.bool(true), .bool(false), .string("root")]))])),
            ("defaults", .object(object([("caseSensitive", bool()), ("percentEncoded", bool())]))),
            ("variables", map(of: list(of: text()), "names and values, used as $(name) in rules")),
        ]
    }

    private static var androidProperties: Members {
        let prints = list(of: text(), "SHA-256 fingerprints of the signing certificates")
        let package: Members = [("name", text("package name of the app")), ("fingerprints", prints)]
        return [
            ("package", text("package name of the app")),
            ("packages", list(of: .object(object(package, required: ["name", "fingerprints"])))),
            ("fingerprints", prints),
            ("relations", list(of: text("relation, such as \(AndroidRelation.shortNames.joined(separator: ", "))"))),
            ("dynamicRules", bool("publish the links for Android 15 and later (default: false)")),
            ("playStore", bool("whether the app is in Google Play, for the landing page (default: true)")),
        ]
    }

    private static var linkProperties: Members {
        let query: SourceValue = .object([("type", .array([.string("string"), .string("object")]))])
        return [
            ("/", text("pattern for the path")), ("?", query), ("#", text("pattern for the fragment")),
            ("exclude", bool("matching URLs stay in the browser (default: false)")), ("caseSensitive", bool()),
            ("percentEncoded", bool()),
            ("comment", text()),
        ]
    }

    private static var pageProperties: Members {
        [
            ("spa", bool("answer index.html for any path (default: false)")),
            ("landing", bool("show the landing page (default: true; with spa: false)")),
            ("tagline", text("sentence on the landing page")),
        ]
    }

    private static var retiredProperties: Members {
        ["appIDs", "fingerprints", "hosts"].map { ($0, list(of: text())) }
    }

    private static var passkeyProperties: Members {
        [
            ("enroll", text("https URL where an account adds a passkey")),
            ("manage", text("https URL where an account manages its passkeys")),
            ("prfUsageDetails", text("https URL that explains what the PRF extension is used for")),
            ("origins", list(of: text(), "other https origins that may use the passkeys")),
        ]
    }

    private static var example: SourceValue {
        let outcome = word(LinkExample.Outcome.allCases.map(\.rawValue))
        return .object([
            ("anyOf", .array([outcome, .object(object(LinkExample.platforms.map { ($0, outcome) }))]))
        ])
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

    private static func object(_ properties: Members, required: [String] = []) -> Members {
        let members: Members = [
            ("type", .string("object")), ("additionalProperties", .bool(false)),
            ("properties", .object(properties)),
        ]
        return required.isEmpty ? members : members + [("required", .array(required.map { .string($0) }))]
    }

    private static func typed(_ type: String, _ description: String?, _ more: Members = []) -> SourceValue {
        .object([("type", .string(type))] + (description.map { [("description", .string($0))] } ?? []) + more)
    }

    private static func text(_ description: String? = nil) -> SourceValue { typed("string", description) }

    private static func bool(_ description: String? = nil) -> SourceValue { typed("boolean", description) }

    private static func integer(_ description: String) -> SourceValue { typed("integer", description) }

    private static func word(_ words: [String], _ description: String? = nil) -> SourceValue {
        typed("string", description, [("enum", .array(words.map { .string($0) }))])
    }

    private static func list(of element: SourceValue, _ description: String? = nil) -> SourceValue {
        typed("array", description, [("items", element)])
    }

    private static func map(of value: SourceValue, _ description: String) -> SourceValue {
        typed("object", description, [("additionalProperties", value)])
    }
}
