// The `ios` part of an app file.

import SourceJSON

extension AppFileReader {
    static let iosKeys = [
        "appIDs", "services", "appClips", "storeID", "legacyPaths", "signed", "defaults", "variables",
    ]

    mutating func ios(_ value: SourceValue, ranges: inout AppFile.Ranges) -> IOSApp? {
        guard let fields = fields(of: value, place: "ios", known: Self.iosKeys) else { return nil }
        let appIDs = appIDs("appIDs", in: fields)
        ranges.appIDs = appIDs.map(\.range)
        requireElements("appIDs", in: fields, because: "no app is bound to the hosts")
        var app = IOSApp(appIDs: appIDs.map(\.value))
        app.services = services(in: fields) ?? AppleService.defaults
        app.appClips = self.appIDs("appClips", in: fields).map(\.value)
        app.storeID = storeID(in: fields)
        if let flag = bool("legacyPaths", in: fields) {
            app.hasLegacyPaths = flag.value
            ranges.legacyPaths = flag.range
        }
        app.signing = signing(in: fields)
        ranges.signed = fields["signed"]?.value.range
        app.defaults = defaults(in: fields)
        ranges.iosDefaults = fields["defaults"]?.value.range
        (app.variables, ranges.variables) = variables(in: fields)
        return app
    }

    private mutating func services(in fields: AppFileFields) -> [AppleService]? {
        guard let texts = strings("services", in: fields, of: "services") else { return nil }
        var services: [Located<AppleService>] = []
        for (index, text) in texts.enumerated() {
            if text.value == "appclips" {
                report(
                    .app007, text.range, "the service appclips is turned on by naming App Clips",
                    fix: "remove it here and list their ids under `appClips`")
            } else if let service = word(text, place: "ios.services[\(index)]", as: AppleService.self) {
                services.append(Located(value: service, range: text.range))
            }
        }
        return unique(services, place: "ios.services", text: \.rawValue).map(\.value)
    }

    private mutating func storeID(in fields: AppFileFields) -> String? {
        if let value = fields["storeID"]?.value, case .number(let number) = value.kind {
            wrongType(
                value, "ios.storeID", wanted: "a string", fix: "put it in quotes",
                edit: SourceEdit(range: value.range, replacement: number.text.jsonQuoted))
            return nil
        }
        guard let text = string("storeID", in: fields) else { return nil }
        let digits = text.value.unicodeScalars.allSatisfy(\.isDigit)
        guard digits, text.value.utf8.count <= 20 else {
            report(
                .app019, text.range, "`ios.storeID` is \(text.value.quoted), and must be the number of the app",
                fix: "use the digits after /id in its App Store address")
            return nil
        }
        return text.value
    }

    /// `true` signs everything, `"root"` the copy at the root of the site only.
    private mutating func signing(in fields: AppFileFields) -> DocumentSigning {
        guard let value = fields["signed"]?.value else { return .none }
        switch value.kind {
        case .bool(let flag): return flag ? .everywhere : .none
        case .string("root"): return .root
        default:
            report(.app007, value.range, "`ios.signed` must be true, false or \"root\"")
            return .none
        }
    }

    private mutating func defaults(in root: AppFileFields) -> AppleDefaults {
        guard let value = root["defaults"]?.value else { return AppleDefaults() }
        guard let fields = fields(of: value, place: "ios.defaults", known: ["caseSensitive", "percentEncoded"]) else {
            return AppleDefaults()
        }
        return AppleDefaults(
            caseSensitive: bool("caseSensitive", in: fields)?.value,
            percentEncoded: bool("percentEncoded", in: fields)?.value)
    }

    /// The variables in order, with the ranges of their names.
    private mutating func variables(in root: AppFileFields) -> ([SubstitutionVariable], [SourceRange]) {
        guard let value = root["variables"]?.value else { return ([], []) }
        let members = named(
            value, place: "ios.variables", wanted: "an object of names and their values", max: Self.variablesMax)
        var variables: [SubstitutionVariable] = []
        var ranges: [SourceRange] = []
        for member in members {
            if member.key.isEmpty || member.key.unicodeScalars.contains(where: { "$()".contains($0) }) {
                report(
                    .app024, member.keyRange, "\(member.key.quoted) cannot be named in $(…)",
                    fix: "use a name without $, ( and )")
                continue
            }
            let place = "ios.variables[\(member.key)]"
            let values = strings(member.value, place: place, of: "values") ?? []
            for text in values where text.value.contains(run: "$(") {
                findings.report(
                    .aasa062, at: text.range,
                    "a value of \(member.key.quoted) names a variable, and Apple drops such a value",
                    fix: "write out what it stands for")
            }
            if values.isEmpty {
                report(.app024, member.value.range, "\(member.key.quoted) has no values, so it never matches")
            }
            variables.append(SubstitutionVariable(name: member.key, values: values.map(\.value)))
            ranges.append(member.keyRange)
        }
        return (variables, ranges)
    }
}
