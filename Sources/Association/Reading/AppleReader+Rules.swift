// One component, and the defaults that components inherit. Wrong types degrade open here: a pattern that cannot be read
// counts as absent, so the component matches more than its author wrote.

import SourceJSON

extension AppleReader {
    private static let componentKeys = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]

    /// `components`, and the places of what is no component; nil where it is no array.
    mutating func components(
        _ value: SourceValue, defaults: AppleComponent?
    ) -> (rules: [AppleComponent], ignored: [Int])? {
        guard case .array(let elements) = value.kind else {
            findings.report(
                .aasa031, at: value.range, "components is \(value.spokenName) and must be an array",
                fix: "write an array of objects", edit: componentsEdit(value))
            return nil
        }
        if elements.isEmpty {
            findings.report(
                .aasa028, at: value.range, "components is empty, so nothing matches and no link opens the app",
                fix: "add rules such as {\"/\": \"*\"}, or remove the entry")
        }
        let rules = elements.map { component($0, defaults: defaults) }
        return (rules.compactMap { $0 }, rules.indices.filter { rules[$0] == nil })
    }

    private func componentsEdit(_ value: SourceValue) -> SourceEdit? {
        guard case .object = value.kind else { return nil }
        return findings.wrapping(value.range, in: "[", "]")
    }

    private mutating func component(_ value: SourceValue, defaults own: AppleComponent?) -> AppleComponent? {
        guard case .object(let members) = value.kind else {
            var hint = "write an object such as {\"/\": \"/buy/*\"}"
            if case .string = value.kind { hint += "; strings belong into the legacy paths" }
            findings.report(
                .aasa031, at: value.range,
                "a component is \(value.spokenName), and what systems make of it is undocumented",
                fix: hint)
            return nil
        }
        var fields = fields(members, place: "a component")
        fields.component.range = value.range
        let component = fields.component
        let layers = [component, own, defaults].compactMap { $0 }
        lint(fields, within: Array(layers.dropFirst()))
        if !layers.contains(where: { $0.path != nil || $0.query != nil || $0.fragment != nil }),
            !fields.hasFaultyPattern
        {
            findings.reportRuleWithoutPattern(
                "component", excludes: layers.compactMap(\.exclude).first == true, at: value.range)
        }
        return component
    }

    /// `defaults` of applinks or of one entry. Every key of a component is inherited, not only the documented two.
    mutating func readDefaults(_ value: SourceValue, place: String) -> AppleComponent? {
        guard case .object(let members) = value.kind else {
            findings.report(
                .aasa036, at: value.range,
                "\(place) is \(value.spokenName), and how that is read is undocumented",
                fix: "write an object such as {\"caseSensitive\": false}")
            return nil
        }
        for member in members where ["/", "?", "#", "exclude"].contains(member.key) {
            findings.report(
                .aasa068, at: member.keyRange,
                "\(member.key.quoted) in \(place) is inherited by every component that lacks it, which few readers "
                    + "expect",
                fix: "write it in the components")
        }
        var fields = fields(members, place: place)
        fields.component.range = value.range
        lint(fields, within: defaults.map { [$0] } ?? [])
        return fields.component
    }

    /// The keys of a component or of defaults, read but not yet judged as patterns.
    private mutating func fields(_ members: [SourceMember], place: String) -> AppleFields {
        var fields = AppleFields()
        for member in members {
            switch member.key {
            case "/":
                fields.path = pattern(member, &fields)
                fields.component.path = fields.path?.text
            case "#":
                fields.fragment = pattern(member, &fields)
                fields.component.fragment = fields.fragment?.text
            case "?": readQuery(member.value, into: &fields)
            case "exclude": fields.component.exclude = flag(member, of: &fields)
            case "caseSensitive":
                fields.component.caseSensitive = flag(member, of: &fields)
                if fields.component.caseSensitive == false { noteCaseSensitive(member) }
            case "percentEncoded":
                fields.component.percentEncoded = flag(member, of: &fields)
                if fields.component.percentEncoded == false { notePercentEncoded(member) }
            case "comment":
                if case .string(let text) = member.value.kind {
                    fields.component.comment = text
                    lookForUK(text)
                }
            default:
                fields.hasFaultyPattern = true
                reportUnknownKey(member, in: place, known: Self.componentKeys, beside: members)
            }
        }
        return fields
    }

    private mutating func flag(_ member: SourceMember, of fields: inout AppleFields) -> Bool? {
        let flag = flag(member)
        if flag == nil { fields.component.unreadFlags.append(member.key) }
        return flag
    }

    private mutating func pattern(_ member: SourceMember, _ fields: inout AppleFields) -> LocatedText? {
        if case .string(let text) = member.value.kind { return LocatedText(text, range: member.value.range) }
        fields.hasFaultyPattern = true
        let name = member.key == "/" ? "path" : "fragment"
        findings.report(
            .aasa032, at: member.value.range,
            "the \(name) pattern is \(member.value.spokenName), so it counts as absent and the component matches more "
                + "than it says",
            fix: "write a string")
        return nil
    }

    private mutating func readQuery(_ value: SourceValue, into fields: inout AppleFields) {
        switch value.kind {
        case .string(let text):
            fields.component.query = .whole(text)
            fields.query = [LocatedText(text, range: value.range)]
        case .object(let members):
            var items: [QueryItemPattern] = []
            var isWhole = true
            for member in members.withLastOfEachKey {
                guard case .string(let text) = member.value.kind else {
                    isWhole = false
                    reportQueryValue(member)
                    continue
                }
                items.append(QueryItemPattern(name: member.key, pattern: text))
                fields.query.append(LocatedText(text, range: member.value.range))
            }
            // One value of another type drops the whole dictionary (swcutil).
            if isWhole { fields.component.query = .items(items) } else { fields.hasFaultyPattern = true }
        default:
            fields.hasFaultyPattern = true
            findings.report(
                .aasa034, at: value.range,
                "the query is \(value.spokenName), so it is ignored and the component matches more than it says",
                fix: "write an object of names and patterns")
        }
    }

    private mutating func reportQueryValue(_ member: SourceMember) {
        var edit: SourceEdit?
        switch member.value.kind {
        case .number(let number): edit = SourceEdit(range: member.value.range, replacement: number.text.jsonQuoted)
        case .bool(let flag): edit = SourceEdit(range: member.value.range, replacement: String(flag).jsonQuoted)
        default: break
        }
        findings.report(
            .aasa033, at: member.value.range,
            "the pattern of query item \(member.key.quoted) is \(member.value.spokenName); that drops all query "
                + "patterns of the component, so it matches more than it says",
            fix: "put the value in quotation marks", edit: edit)
    }

    private mutating func noteCaseSensitive(_ member: SourceMember) {
        findings.reportOnce(
            .aasa056, at: member.keyRange,
            "caseSensitive is false, which needs iOS 13.5 or macOS 10.15.5; older systems compare case")
    }

    private mutating func notePercentEncoded(_ member: SourceMember) {
        findings.reportOnce(
            .aasa055, at: member.keyRange,
            "percentEncoded is false, which needs iOS 14 or macOS 11, and makes %2F of a URL a slash")
    }
}

/// The keys of one component, with the places of its patterns.
struct AppleFields {
    var component = AppleComponent()
    var path: LocatedText?
    var fragment: LocatedText?
    var query: [LocatedText] = []
    /// A pattern was there and could not be read, or a key may be a misspelt one, so its absence was not meant.
    var hasFaultyPattern = false
}

extension AppleReader {
    mutating func lint(_ fields: AppleFields, within outer: [AppleComponent]) {
        let settings = fields.component.inheriting(from: outer)
        var check = ApplePatternCheck(
            part: .path, percentEncoded: settings.percentEncoded ?? true,
            caseSensitive: settings.caseSensitive ?? true, variables: variableNames)
        if let path = fields.path { lint(path, check) }
        check.part = .query
        for pattern in fields.query { lint(pattern, check) }
        check.part = .fragment
        if let fragment = fields.fragment { lint(fragment, check) }
        reportQueryForm(fields)
    }

    private mutating func lint(_ pattern: LocatedText, _ check: ApplePatternCheck) {
        for problem in check.problems(in: pattern.text) { findings.report(problem, at: pattern.range) }
        note(variablesOf: pattern.text, at: pattern.range)
        lookForUK(pattern.text)
    }

    private mutating func reportQueryForm(_ fields: AppleFields) {
        switch fields.component.query {
        case .items:
            for pattern in fields.query { findings.reportLoneStar(pattern.text, at: pattern.range) }
        case .whole(let text):
            if let range = fields.query.first?.range { findings.reportWholeQuery(text, at: range) }
        case nil: break
        }
    }
}

extension AppleReader {
    /// `paths`, and the places of what is no path; nil where it is no array.
    mutating func paths(
        _ value: SourceValue, defaults own: AppleComponent?
    ) -> (rules: [AppleLegacyPath], ignored: [Int])? {
        guard case .array(let elements) = value.kind else {
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            findings.report(
                .aasa031, at: value.range, "paths is \(value.spokenName) and must be an array of strings",
                fix: "write an array of strings", edit: edit)
            return nil
        }
        if elements.isEmpty {
            findings.report(
                .aasa028, at: value.range, "paths is empty, so nothing matches and no link opens the app",
                fix: "add paths such as \"*\", or remove the entry", severity: .warning)
        }
        // iOS 13 and later read paths with the defaults; that older systems do not is said where the defaults stand.
        let check = ApplePatternCheck(
            part: .legacyPath, percentEncoded: own?.percentEncoded ?? defaults?.percentEncoded ?? true,
            caseSensitive: own?.caseSensitive ?? defaults?.caseSensitive ?? true, variables: variableNames)
        let rules = elements.map { path($0, check) }
        return (rules.compactMap { $0 }, rules.indices.filter { rules[$0] == nil })
    }

    private mutating func path(_ value: SourceValue, _ check: ApplePatternCheck) -> AppleLegacyPath? {
        guard case .string(let text) = value.kind else {
            findings.report(
                .aasa031, at: value.range,
                "a path is \(value.spokenName), and what systems make of it is undocumented",
                fix: "write a string; objects belong into components")
            return nil
        }
        var pattern = text
        // The comparison of the prefix ignores case, as far as is known.
        let isExclude = text.lowercased().begins(with: "not ")
        if isExclude { pattern = text.dropping(firstBytes: 4) }
        reportNot(text, isExclude: isExclude, at: value.range)
        for var problem in check.problems(in: pattern) {
            problem.replacement = problem.replacement.map { isExclude ? "NOT " + $0 : $0 }
            findings.report(problem, at: value.range)
        }
        note(variablesOf: pattern, at: value.range)
        return AppleLegacyPath(text: text, pattern: pattern, exclude: isExclude, range: value.range)
    }

    private mutating func reportNot(_ text: String, isExclude: Bool, at range: SourceRange) {
        let lower = text.lowercased()
        if isExclude, !text.begins(with: "NOT ") {
            findings.report(
                .aasa071, at: range, "\(text.quoted) writes NOT in lower case, which is undocumented",
                fix: "write NOT in upper case",
                edit: SourceEdit(range: range, replacement: ("NOT " + text.dropping(firstBytes: 4)).jsonQuoted))
        } else if !isExclude, lower.begins(with: "not/") || lower.begins(with: "not*") {
            findings.report(
                .aasa071, at: range,
                "\(text.quoted) has no space after NOT, so it is an ordinary pattern, which excludes nothing",
                fix: "write NOT and a space",
                edit: SourceEdit(range: range, replacement: ("NOT " + text.dropping(firstBytes: 3)).jsonQuoted))
        }
    }
}

extension AppleReader {
    mutating func readVariables(_ value: SourceValue) {
        guard case .object(let members) = value.kind else {
            findings.report(
                .aasa064, at: value.range,
                "substitutionVariables is \(value.spokenName), so no variable is defined",
                fix: "write an object of names and arrays of strings")
            return
        }
        variables = members.map { member in
            if SubstitutionTable.predefinedNames.contains(member.key) {
                findings.report(
                    .aasa063, at: member.keyRange,
                    "variable \(member.key.quoted) has the name of a predefined one and, as far as is known, replaces "
                        + "it in the whole file",
                    fix: "choose another name")
            }
            if member.key.unicodeScalars.contains(where: "$()".unicodeScalars.contains) {
                findings.report(
                    .aasa064, at: member.keyRange,
                    "variable \(member.key.quoted) has a name that no pattern can write between $( and ), so it is "
                        + "never used",
                    fix: "choose a name without $, ( and )")
                usedVariables.insert(ExactText(member.key))
            }
            var variable = SubstitutionVariable(name: member.key, values: values(of: member))
            if case .string = member.value.kind { variable.isBare = true }
            return variable
        }
        for member in members { variableRanges[ExactText(member.key)] = member.keyRange }
    }

    private mutating func values(of member: SourceMember) -> [String] {
        let elements: [SourceValue]
        switch member.value.kind {
        case .array(let array): elements = array
        case .string:
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) is a string; it seems to be read as its only value, but values are "
                    + "documented to stand in an array",
                fix: "write an array of strings", edit: findings.wrapping(member.value.range, in: "[", "]"))
            elements = [member.value]
        default:
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) is \(member.value.spokenName), so it has no value and a pattern with it "
                    + "never matches",
                fix: "write an array of strings")
            return []
        }
        let values = elements.compactMap { value($0, of: member.key) }
        if elements.isEmpty {
            findings.report(
                .aasa064, at: member.value.range,
                "variable \(member.key.quoted) has no value, so a pattern with it never matches",
                fix: "add values, or remove the variable")
        }
        return values
    }

    private mutating func value(_ element: SourceValue, of name: String) -> String? {
        guard case .string(let text) = element.kind else {
            findings.report(
                .aasa064, at: element.range,
                "a value of variable \(name.quoted) is \(element.spokenName), so it matches nothing",
                fix: "put it in quotation marks")
            return nil
        }
        if text.contains(run: "$(") {
            findings.report(
                .aasa062, at: element.range,
                "the value \(text.quoted) of variable \(name.quoted) refers to a variable, which Apple does not allow; "
                    + "the value is dropped",
                fix: "write the alternatives out")
            return nil
        }
        lookForUK(text)
        return text
    }

    /// Remembers the variables of a pattern.
    mutating func note(variablesOf pattern: String, at range: SourceRange) {
        let names = ParsedPattern(pattern).names
        guard !names.isEmpty else { return }
        findings.reportOnce(
            .aasa067, at: range,
            "the pattern uses a variable, which needs iOS 13.5 or macOS 10.15.6; on older systems it never matches")
        usedVariables.formUnion(names.map(ExactText.init(_:)))
        if names.contains("region"), !variables.contains(where: { $0.name == "region" }) {
            regionUse = regionUse ?? range
        }
    }

    /// Whether an author speaks of the United Kingdom by the code that `$(region)` lacks.
    mutating func lookForUK(_ text: String) {
        let words = text.lowercased().split { !($0.isLetter || $0.isNumber) }
        if words.contains("uk") { mentionsUK = true }
    }

    mutating func reportVariables() {
        for variable in variables where !usedVariables.contains(ExactText(variable.name)) {
            findings.report(
                .aasa065, at: variableRanges[ExactText(variable.name)],
                "variable \(variable.name.quoted) is never used",
                fix: "remove it")
        }
        if let regionUse, mentionsUK {
            findings.report(
                .aasa066, at: regionUse,
                "$(region) stands for ISO codes, in which the United Kingdom is GB, so it does not match UK, which "
                    + "this file speaks of",
                fix: "define a variable of your own with the codes that your URLs use")
        }
    }
}
