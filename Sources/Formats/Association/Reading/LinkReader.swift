// The `links` of an app file, which are rules in Apple's form.

import SourceJSON

struct LinkReader {
    private let findings: FindingCollector
    private let defaults: AppleDefaults
    private let variables: VariableNames

    /// Characters of one pattern; no real URL is longer.
    private static let patternMax = 2_048

    /// The rules use what `ios` defines.
    init(_ findings: FindingCollector, _ ios: IOSApp?) {
        self.findings = findings
        defaults = ios?.defaults ?? AppleDefaults()
        variables = VariableNames(ios?.variables ?? [])
    }

    func links(in root: ObjectReader) -> [AppleComponent] {
        (root.elements("links", of: "rules") ?? []).enumerated().compactMap { link($1, "links[\($0)]") }
    }

    private func link(_ value: SourceValue, _ place: @autoclosure () -> String) -> AppleComponent? {
        if let path = value.asString {
            let not = LegacyNot(path)
            let rule = "{ \"/\": \(not.pattern.jsonQuoted)\(not.excludes ? ", exclude: true" : "") }"
            findings.report(
                .app005, at: value.range, "\(place().quoted) is a string, but must be an object",
                fix: "write \(rule.quoted)",
                edit: SourceEdit(range: value.range, replacement: rule))
            return nil
        }
        guard let object = findings.object(value, place(), keys: AppFileSchema.linkKeys) else { return nil }
        var link = AppleComponent(range: value.range)
        link.percentEncoded = object.bool("percentEncoded")?.value
        link.caseSensitive = object.bool("caseSensitive")?.value
        var check = ApplePatternCheck(
            part: .path, percentEncoded: link.percentEncoded ?? defaults.percentEncoded ?? true,
            caseSensitive: link.caseSensitive ?? defaults.caseSensitive ?? true, variables: variables)
        link.path = pattern("/", in: object, check).map(slashed)
        check.part = .query
        link.query = query(in: object, check)
        check.part = .fragment
        link.fragment = pattern("#", in: object, check)
        link.exclude = object.bool("exclude")?.value
        link.comment = object.string("comment")?.text
        // An unknown key may be the misspelt pattern, and is reported.
        if ["/", "?", "#"].allSatisfy({ object[$0] == nil }), !object.hasUnknownKeys {
            findings.list.reportRuleWithoutPattern("rule", excludes: link.exclude == true, at: value.range)
        }
        return link
    }

    /// The pattern with the slash that every path begins with, which the newest systems add and earlier ones perhaps do not.
    private func slashed(_ path: String) -> String {
        path.isEmpty || ["/", "*", "$(", "?"].contains(where: path.begins(with:)) ? path : "/" + path
    }

    private func pattern(_ key: String, in object: ObjectReader, _ check: ApplePatternCheck) -> String? {
        guard let text = object.string(key) else { return nil }
        lint(text, object.path(key), check)
        return text.text
    }

    /// A pattern for the whole query, or one for each named item. An empty pattern is valid: no query, no item.
    private func query(in object: ObjectReader, _ check: ApplePatternCheck) -> AppleQuery? {
        guard let value = object["?"]?.value else { return nil }
        let place = object.path("?")
        switch value.kind {
        case .string(let pattern):
            lint(LocatedText(pattern, range: value.range), place, check)
            findings.list.reportWholeQuery(pattern, at: value.range)
            return .whole(pattern)
        default:
            let members = object.names("?", of: "a string, or an object of strings", max: AppFileReader.elementsMax)
            guard case .object = value.kind else { return nil }
            return .items(
                members.compactMap { member in
                    let place = "\(place)[\(member.key)]"
                    let pattern = findings.read(
                        \.asString, of: member.value, place.quoted, .app005,
                        "but must be a string; Apple would ignore the whole query", fix: "put it in quotation marks")
                    guard let pattern else { return nil }
                    lint(LocatedText(pattern, range: member.value.range), place, check)
                    findings.list.reportLoneStar(pattern, at: member.value.range)
                    return QueryItemPattern(name: member.key, pattern: pattern)
                })
        }
    }

    private func lint(_ pattern: LocatedText, _ place: @autoclosure () -> String, _ check: ApplePatternCheck) {
        guard pattern.text.unicodeScalars.count <= Self.patternMax else {
            return findings.report(
                .app020, at: pattern.range, "\(place().quoted) has more than \(Self.patternMax) characters",
                fix: "write a shorter pattern")
        }
        guard findings.list.hasRoom else { return }
        for var problem in check.problems(in: pattern.text) {
            // The key has another name here than in the document.
            if problem.rule == .aasa060, problem.replacement == nil { problem.fix = "define it under `ios.variables`" }
            // It gets the slash, so another spelling of it means the same.
            if problem.rule == .aasa049, problem.replacement != nil {
                problem.message = "\(pattern.text.quoted) does not start with a slash, so it is published with one"
                problem.changesMeaning = false
            }
            findings.report([problem], at: pattern.range)
        }
    }
}
