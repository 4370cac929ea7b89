// The top level of an app file.

import SourceJSON

extension AppFileReader {
    static let rootKeys = [
        "$schema", "name", "hosts", "ios", "android", "scheme", "links", "examples", "priority", "cacheControl",
        "guard", "retired", "pages", "environments",
    ]

    static let pageKeys = ["spa", "landing", "tagline"]
    static let retiredKeys = ["appIDs", "fingerprints", "hosts"]

    /// A year: the longest that any cache keeps to (RFC 9111 leaves it open, browsers cap it there).
    private static let cacheSecondsMax = 31_536_000

    /// Reads the whole file. What comes back is of use only when no error was reported.
    mutating func appFile(_ root: SourceValue, environment: String?) -> AppFile? {
        guard case .object = root.kind else {
            report(
                .app002, root.range, "an app file is an object, and this one is \(root.spokenName)",
                fix: "put its keys into { }")
            return nil
        }
        guard let base = fields(of: root, place: "", known: Self.rootKeys) else { return nil }
        overlays = base["environments"]?.value.range
        environments = environmentNames(in: base)
        let exampleHosts = hostsOfAllEnvironments(base)
        allHosts = exampleHosts
        let merged = overlaid(base, environment: environment, names: environments)
        // For editors; nothing is read from there.
        _ = string("$schema", in: merged)
        let name = string("name", in: merged)
        let (hosts, hostRanges) = hosts("hosts", in: merged)
        if merged["name"] == nil, !merged.lacksMisspelt("name") {
            report(.app006, root.range, "the app file has no `name`", fix: "add name: \"…\"")
        }
        var app = AppFile(file: findings.file, name: name?.value ?? "", hosts: hosts, range: root.range)
        app.ranges.hosts = hostRanges
        app.environments = environments
        if let environment, environments.contains(environment) { app.environment = environment }
        readPlatforms(into: &app, from: merged)
        app.scheme = scheme(in: merged)
        app.links = links(in: merged, app.ios)
        app.ranges.links = merged["links"]?.value.range
        app.priority = integer("priority", in: merged, -1_000_000...1_000_000)?.value ?? 0
        if let seconds = integer("cacheControl", in: merged, 0...Self.cacheSecondsMax) {
            app.cacheSeconds = seconds.value
            app.ranges.cacheControl = seconds.range
        }
        app.removalGuard = word("guard", in: merged, as: RemovalGuard.self)?.value ?? .block
        app.retired = retired(in: merged)
        app.pages = pages(in: merged)
        isFitForExamples = !findings.hasErrors
        app.examples = examples(in: merged, hosts: exampleHosts + hosts)
        checkWhole(app, merged)
        return app
    }

    private mutating func readPlatforms(into app: inout AppFile, from fields: AppFileFields) {
        if let member = fields["ios"] { app.ios = ios(member.value, ranges: &app.ranges) }
        if let member = fields["android"] { app.android = android(member.value, ranges: &app.ranges) }
        let isMisspelt = fields.lacksMisspelt("ios") || fields.lacksMisspelt("android")
        if fields["ios"] == nil, fields["android"] == nil, !isMisspelt {
            report(
                .app016, fields.range, "the app file has neither `ios` nor `android`, so nothing is served for it",
                fix: "add the platform the app is on")
        }
    }

    /// A scheme as RFC 3986 §3.1 has it, in lower case because Android compares it exactly.
    private mutating func scheme(in fields: AppFileFields) -> String? {
        guard let text = string("scheme", in: fields) else { return nil }
        let scalars = text.value.unicodeScalars
        let isScheme =
            scalars.first?.isLowerLetter == true
            && scalars.allSatisfy { $0.isLowerLetter || $0.isDigit || "+-.".unicodeScalars.contains($0) }
        guard isScheme else {
            report(
                .app018, text.range,
                "`scheme` is \(text.value.quoted), which is no URL scheme that works on both platforms",
                fix: "use lower-case letters, digits, +, - and ., without ://")
            return nil
        }
        guard !["http", "https", "file", "data", "javascript", "intent", "mailto", "tel"].contains(text.value) else {
            report(
                .app018, text.range, "`scheme` is \"\(text.value)\", which belongs to the system and not to an app",
                fix: "use one of your own, such as the bundle id")
            return nil
        }
        return text.value
    }

    private mutating func pages(in root: AppFileFields) -> PageOptions {
        var options = PageOptions()
        guard let value = root["pages"]?.value,
            let fields = fields(of: value, place: "pages", known: Self.pageKeys)
        else { return options }
        options.isSinglePageApp = bool("spa", in: fields)?.value ?? false
        // A page that answers every path has its own way of speaking to people without the app.
        options.hasLandingPage = bool("landing", in: fields)?.value ?? !options.isSinglePageApp
        options.tagline = string("tagline", in: fields)?.value
        return options
    }

    private mutating func retired(in root: AppFileFields) -> RetiredIdentities {
        var retired = RetiredIdentities()
        guard let value = root["retired"]?.value,
            let fields = fields(of: value, place: "retired", known: Self.retiredKeys)
        else { return retired }
        retired.appIDs = (strings("appIDs", in: fields, of: "app ids") ?? []).map(\.value)
        retired.fingerprints = fingerprints("fingerprints", in: fields).map(\.value)
        retired.hosts = hosts("hosts", in: fields).0
        return retired
    }
}
