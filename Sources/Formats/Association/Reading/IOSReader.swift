// The `ios` part of an app file.

import SourceJSON

struct IOSReader {
    private let object: ObjectReader
    private var findings: FindingCollector { object.findings }

    private static let variablesMax = 1_000

    init(_ object: ObjectReader) { self.object = object }

    func app(ranges: inout AppFile.Ranges) -> IOSApp {
        let appIDs = object.appIDs("appIDs")
        ranges.appIDs = appIDs.map(\.range)
        object.require("appIDs", because: "no app is associated with the hosts")
        var app = IOSApp(appIDs: appIDs.map(\.value))
        app.services = services() ?? AppleService.defaults
        app.appClips = object.appIDs("appClips").map(\.value)
        app.storeID = storeID()
        if let flag = object.bool("legacyPaths") {
            app.hasLegacyPaths = flag.value
            ranges.legacyPaths = flag.range
        }
        app.signing = signing()
        ranges.signed = object["signed"]?.value.range
        let defaults = object.object("defaults", keys: AppFileSchema.matchingKeys)
        app.defaults.caseSensitive = defaults?.bool("caseSensitive")?.value
        app.defaults.percentEncoded = defaults?.bool("percentEncoded")?.value
        ranges.iosDefaults = object["defaults"]?.value.range
        let variables = object.names(
            "variables", of: "an object of names and their values", max: Self.variablesMax
        ).compactMap(variable)
        app.variables = variables.map(\.value)
        ranges.variables = variables.map(\.range)
        return app
    }

    private func services() -> [AppleService]? {
        guard let texts = object.strings("services", of: "services") else { return nil }
        var services: [Located<AppleService>] = []
        for (index, text) in texts.enumerated() {
            if text.text == "appclips" {
                findings.report(
                    .app007, at: text.range, "the service appclips is on if `appClips` lists App Clips",
                    fix: "remove it here and list the ids under `appClips`")
            } else if let service = findings.word(text, "ios.services[\(index)]", as: AppleService.self) {
                services.append(Located(value: service, range: text.range))
            }
        }
        return findings.unique(services, "ios.services", by: { $0 }, text: \.rawValue).map(\.value)
    }

    private func storeID() -> String? {
        guard let text = object.string("storeID") else { return nil }
        if text.text.unicodeScalars.allSatisfy(\.isDigit), text.text.utf8.count <= 20 { return text.text }
        findings.report(
            .app019, at: text.range, "`ios.storeID` is \(text.text.quoted), which is not the number of an app",
            fix: "use the digits after /id in its App Store address")
        return nil
    }

    /// `true` signs both copies, `"root"` only the one at the root of the site.
    private func signing() -> DocumentSigning {
        guard let value = object["signed"]?.value else { return .none }
        switch value.kind {
        case .bool(let flag): return flag ? .everywhere : .none
        case .string("root"): return .root
        default:
            findings.report(
                .app007, at: value.range, "`ios.signed` has an unknown value", fix: "write true, false or \"root\"")
            return .none
        }
    }

    /// A variable, with the range of its name.
    private func variable(_ member: SourceMember) -> Located<SubstitutionVariable>? {
        let name = member.key
        if name.isEmpty || name.unicodeScalars.contains(where: { "$()".contains($0) }) {
            findings.report(
                .app024, at: member.keyRange, "the variable \(name.quoted) cannot be written as $(name) in a pattern",
                fix: "use a name without $, ( and )")
            return nil
        }
        let values = findings.strings(member.value, "ios.variables[\(name)]", of: "values") ?? []
        for text in values where text.text.contains(run: "$(") {
            findings.report(
                .aasa062, at: text.range,
                "a value of the variable \(name.quoted) refers to a variable, so Apple ignores the value",
                fix: "write the text that it stands for")
        }
        if values.isEmpty {
            findings.report(
                .app024, at: member.value.range, "the variable \(name.quoted) has no values, so it never matches",
                fix: "add values, or remove it")
        }
        return Located(value: SubstitutionVariable(name: name, values: values.map(\.text)), range: member.keyRange)
    }
}
