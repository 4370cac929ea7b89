// The shape of an app file as a JSON Schema, for editors. A test holds its keys to those that the reader knows; what a schema
// cannot say is the reader's business.

public import SourceJSON

public enum AppFileSchema {
    /// Draft 7, which the editors know.
    public static var value: SourceValue {
        var root = object(rootProperties, required: ["name", "hosts"])
        root.insert(("$schema", .string("http://json-schema.org/draft-07/schema#")), at: 0)
        root.insert(("title", .string("App file of associated")), at: 1)
        return .object(root)
    }

    typealias Members = [(String, SourceValue)]

    static var rootProperties: Members {
        [("$schema", text("where this schema is, for editors"))] + appProperties + [
            ("priority", integer("files that share a host are merged from the lowest up, then by path")),
            (
                "environments",
                map(of: overlay(.object(object(appProperties))), "overlays by name, chosen by --environment")
            ),
        ]
    }

    /// What an overlay may change too.
    static var appProperties: Members {
        [
            ("name", text("the app's name, for pages and messages")),
            ("hosts", list(of: text(), "exact names, or *.suffix for any name below it")),
            ("ios", .object(object(iosProperties, required: ["appIDs"]))),
            ("android", .object(object(androidProperties))),
            ("scheme", text("the app's own URL scheme, in lower case")),
            ("links", list(of: .object(object(linkProperties)), "the rules; the first that matches decides")),
            ("examples", map(of: example, "links and where they must open")),
            ("cacheControl", integer("seconds that the documents may be cached")),
            ("guard", word(RemovalGuard.allCases.map(\.rawValue), "what happens when something live disappears")),
            ("retired", .object(object(retiredProperties))), ("pages", .object(object(pageProperties))),
        ]
    }

    private static var iosProperties: Members {
        [
            ("appIDs", list(of: text(), "PREFIX.bundle.id, one for each build that may open the links")),
            ("services", list(of: word(AppleService.allCases.map(\.rawValue)), "default: applinks, webcredentials")),
            ("appClips", list(of: text(), "ids of App Clips")),
            ("storeID", text("the number in the App Store")),
            ("legacyPaths", bool("also write paths for iOS 9 to 12")),
            ("signed", .object([("enum", .array([.bool(true), .bool(false), .string("root")]))])),
            ("defaults", .object(object([("caseSensitive", bool()), ("percentEncoded", bool())]))),
            ("variables", map(of: list(of: text()), "name and values, used as $(name) in rules")),
        ]
    }

    private static var androidProperties: Members {
        let prints = list(of: text(), "SHA-256 fingerprints of the signing certificates")
        let package: Members = [("name", text("the application id")), ("fingerprints", prints)]
        return [
            ("package", text("the application id")),
            ("packages", list(of: .object(object(package, required: ["name", "fingerprints"])))),
            ("fingerprints", prints),
            ("relations", list(of: text("such as \(AndroidRelation.shortNames.joined(separator: ", "))"))),
            ("dynamicRules", bool("publish the rules for Android 15")),
            ("playStore", bool("whether it is in Google Play, for the landing page")),
        ]
    }

    private static var linkProperties: Members {
        let query: SourceValue = .object([("type", .array([.string("string"), .string("object")]))])
        return [
            ("/", text("pattern for the path")), ("?", query), ("#", text("pattern for the fragment")),
            ("exclude", bool("stays in the browser")), ("caseSensitive", bool()), ("percentEncoded", bool()),
            ("comment", text()),
        ]
    }

    private static var pageProperties: Members {
        [
            ("spa", bool("answer index.html for any path")),
            ("landing", bool("show the landing page (default: true, with spa false)")),
            ("tagline", text("a sentence on the landing page")),
        ]
    }

    private static var retiredProperties: Members {
        ["appIDs", "fingerprints", "hosts"].map { ($0, list(of: text())) }
    }

    private static var example: SourceValue {
        let outcome = word(LinkExample.Outcome.allCases.map(\.rawValue))
        return .object([
            ("anyOf", .array([outcome, .object(object(LinkExample.platforms.map { ($0, outcome) }))]))
        ])
    }

    /// The schema of what is laid over such a value: nothing in it is required, and null removes a key.
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
