// The rules of an app file, and what their patterns say that was not meant.

import SourceJSON

extension AppFileReader {
    static let linkKeys = ["/", "?", "#", "exclude", "caseSensitive", "percentEncoded", "comment"]

    /// The rules, which use what `ios` defines.
    mutating func links(in fields: AppFileFields, _ ios: IOSApp?) -> [AppleComponent] {
        guard let values = elements("links", in: fields, of: "rules") else { return [] }
        var links: [AppleComponent] = []
        let names = VariableNames(ios?.variables ?? [])
        for (index, value) in values.enumerated() {
            if let link = link(value, place: "links[\(index)]", ios, names) { links.append(link) }
        }
        return links
    }

    private mutating func link(
        _ value: SourceValue, place: @autoclosure () -> String, _ ios: IOSApp?, _ names: VariableNames
    ) -> AppleComponent? {
        if case .string(let path) = value.kind {
            let object = Self.rule(fromText: path)
            wrongType(
                value, place(), wanted: "an object", fix: "write \(object.quoted)",
                edit: SourceEdit(range: value.range, replacement: object))
            return nil
        }
        guard let fields = fields(of: value, place: place(), known: Self.linkKeys) else { return nil }
        var link = AppleComponent(range: value.range)
        link.percentEncoded = bool("percentEncoded", in: fields)?.value
        link.caseSensitive = bool("caseSensitive", in: fields)?.value
        var check = ApplePatternCheck(
            part: .path, percentEncoded: link.percentEncoded ?? ios?.defaults.percentEncoded ?? true,
            caseSensitive: link.caseSensitive ?? ios?.defaults.caseSensitive ?? true, variables: names)
        link.path = pattern("/", in: fields, check)
        check.part = .query
        link.query = query(in: fields, check)
        check.part = .fragment
        link.fragment = pattern("#", in: fields, check)
        link.exclude = bool("exclude", in: fields)?.value
        link.comment = string("comment", in: fields)?.value
        // A key that is none of these may be the misspelt pattern, and has been reported.
        if ["/", "?", "#"].allSatisfy({ fields[$0] == nil }), fields.unknownCount == 0 {
            findings.reportRuleWithoutPattern("rule", excludes: link.exclude == true, at: value.range)
        }
        return link
    }

    /// The rule that a path of iOS 9 to 12 stands for.
    private static func rule(fromText path: String) -> String {
        guard path.lowercased().begins(with: "not ") else { return "{ \"/\": \(path.jsonQuoted) }" }
        return "{ \"/\": \(path.dropping(firstBytes: 4).jsonQuoted), exclude: true }"
    }

    private mutating func pattern(_ key: String, in fields: AppFileFields, _ check: ApplePatternCheck) -> String? {
        guard let text = string(key, in: fields) else { return nil }
        lint(text.value, text.range, fields.path(key), check)
        return text.value
    }

    /// A pattern for the whole query, or one for each named item. An empty pattern is a pattern: no query, no item.
    private mutating func query(in fields: AppFileFields, _ check: ApplePatternCheck) -> AppleQuery? {
        guard let value = fields["?"]?.value else { return nil }
        switch value.kind {
        case .string(let pattern):
            lint(pattern, value.range, fields.path("?"), check)
            findings.reportWholeQuery(pattern, at: value.range)
            return .whole(pattern)
        case .object:
            let place = fields.path("?")
            var items: [QueryItemPattern] = []
            for member in named(value, place: place, wanted: "an object", max: Self.elementsMax) {
                if let item = item(member, place: place, check) { items.append(item) }
            }
            return .items(items)
        default:
            wrongType(value, fields.path("?"), wanted: "a string, or an object of strings")
            return nil
        }
    }

    private mutating func item(
        _ member: SourceMember, place: String, _ check: ApplePatternCheck
    ) -> QueryItemPattern? {
        let place = "\(place)[\(member.key)]"
        guard case .string(let pattern) = member.value.kind else {
            wrongType(
                member.value, place, wanted: "a string; Apple would drop the whole query", fix: "put it in quotes")
            return nil
        }
        lint(pattern, member.value.range, place, check)
        findings.reportLoneStar(pattern, at: member.value.range)
        return QueryItemPattern(name: member.key, pattern: pattern)
    }

    private mutating func lint(
        _ pattern: String, _ range: SourceRange, _ place: @autoclosure () -> String, _ check: ApplePatternCheck
    ) {
        guard pattern.unicodeScalars.count <= Self.patternMax else {
            report(.app020, range, "\(place().quoted) is a pattern of more than \(Self.patternMax) characters")
            return
        }
        guard findings.hasRoom else { return }
        for var problem in check.problems(in: pattern) {
            // The same mistake has another remedy here than in the document.
            if problem.rule == .aasa060, problem.replacement == nil {
                problem.fix = "define it under `ios.variables`"
            }
            findings.report(problem, at: range)
        }
    }
}
