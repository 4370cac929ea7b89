// The rules of an apple-app-site-association file: components, paths, and the defaults that both inherit. A value of the wrong
// type makes a rule wider: a pattern that cannot be read counts as absent, so the rule matches more than its author meant.

import SourceJSON

struct AppleRuleReader {
    private let findings: FindingCollector
    /// `applinks.defaults`; set before any component is read.
    var defaults: AppleComponent?
    /// Set before any pattern is read.
    var variables: AppleVariables

    init(_ findings: FindingCollector) {
        self.findings = findings
        variables = AppleVariables(findings)
    }

    static let keys = ["/", "?", "#", "exclude", "comment", "caseSensitive", "percentEncoded"]

    /// `components`, and the places of elements that are not components; nil where it is not an array.
    mutating func components(
        _ value: SourceValue, defaults own: AppleComponent?
    ) -> (rules: [AppleComponent], ignored: [Int])? {
        let elements = findings.read(
            \.asArray, of: value, "components", .aasa031, "but must be an array", fix: "write an array of objects",
            converts: false,
            edit: value.asObject.flatMap { _ in findings.list.wrapping(value.range, in: "[", "]", changesMeaning: true)
            })
        guard let elements else { return nil }
        if elements.isEmpty {
            findings.report(
                .aasa028, at: value.range, "components is empty, so no link opens the app",
                fix: "add rules such as {\"/\": \"*\"}, or remove the entry")
        }
        let rules = elements.map { component($0, defaults: own) }
        return (rules.compactMap { $0 }, rules.indices.filter { rules[$0] == nil })
    }

    private mutating func component(_ value: SourceValue, defaults own: AppleComponent?) -> AppleComponent? {
        let object = findings.object(
            value, "a component", keys: Self.keys, .aasa031, "and how systems read that is undocumented",
            fix: "write an object such as {\"/\": \"/buy/*\"}"
                + (value.asString == nil ? "" : "; strings belong in the legacy paths"))
        guard let object else { return nil }
        let rule = read(object)
        let layers = [rule.component, own, defaults].compactMap { $0 }
        checkPatterns(of: rule, inheriting: Array(layers.dropFirst()))
        if !layers.contains(where: { $0.path != nil || $0.query != nil || $0.fragment != nil }), !rule.hasFaultyPattern
        {
            findings.list.reportRuleWithoutPattern(
                "component", excludes: layers.compactMap(\.exclude).first == true, at: value.range)
        }
        return rule.component
    }

    /// `defaults` of applinks or of one entry. Every key of a component is inherited, not only the two documented ones.
    mutating func defaults(_ value: SourceValue, _ place: String) -> AppleComponent? {
        let object = findings.object(
            value, place, keys: Self.keys, .aasa036, "and how systems read that is undocumented",
            fix: "write an object such as {\"caseSensitive\": false}")
        guard let object else { return nil }
        for member in object.members where ["/", "?", "#", "exclude"].contains(member.key) {
            findings.report(
                .aasa068, at: member.keyRange,
                "every component without \(member.key.quoted) inherits it from \(place), which few readers expect",
                fix: "write it in the components")
        }
        let rule = read(object)
        checkPatterns(of: rule, inheriting: defaults.map { [$0] } ?? [])
        return rule.component
    }

    /// The values of a component or of defaults, with the places of its patterns, which are not checked yet.
    private struct Rule {
        var component: AppleComponent
        var path: LocatedText?
        var fragment: LocatedText?
        var query: [LocatedText] = []
        /// A pattern could not be read, or an unknown key may be a misspelt pattern.
        var hasFaultyPattern: Bool
    }

    private mutating func read(_ object: ObjectReader) -> Rule {
        var rule = Rule(component: AppleComponent(range: object.range), hasFaultyPattern: object.hasUnknownKeys)
        rule.path = pattern("/", "path", in: object, &rule)
        rule.component.path = rule.path?.text
        rule.fragment = pattern("#", "fragment", in: object, &rule)
        rule.component.fragment = rule.fragment?.text
        if let query = object["?"]?.value { readQuery(query, into: &rule) }
        rule.component.exclude = flag("exclude", in: object, &rule)
        rule.component.caseSensitive = flag("caseSensitive", in: object, &rule)
        rule.component.percentEncoded = flag("percentEncoded", in: object, &rule)
        rule.component.comment = object["comment"]?.value.asString
        if let comment = rule.component.comment { variables.lookForUK(comment) }
        if rule.component.caseSensitive == false {
            findings.list.reportOnce(
                .aasa056, at: object["caseSensitive"]?.keyRange,
                "`caseSensitive: false` needs iOS 13.5 or macOS 10.15.5; earlier versions compare case")
        }
        if rule.component.percentEncoded == false {
            findings.list.reportOnce(
                .aasa055, at: object["percentEncoded"]?.keyRange,
                "`percentEncoded: false` needs iOS 14 or macOS 11, and makes %2F in a URL a slash")
        }
        return rule
    }

    private func flag(_ key: String, in object: ObjectReader, _ rule: inout Rule) -> Bool? {
        guard let value = object[key]?.value else { return nil }
        let flag = findings.read(
            \.asBool, of: value, key.quoted, .aasa036, "and how systems read that is undocumented",
            fix: "write true or false" + (value.asString == nil ? "" : " without quotation marks"), changesMeaning: true
        )
        if flag == nil { rule.component.unreadFlags.append(key) }
        return flag
    }

    private func pattern(_ key: String, _ part: String, in object: ObjectReader, _ rule: inout Rule) -> LocatedText? {
        guard let value = object[key]?.value else { return nil }
        let text = findings.read(
            \.asString, of: value, "the \(part) pattern", .aasa032,
            "so it is ignored and the component matches more than intended", fix: "write a string", converts: false)
        if text == nil { rule.hasFaultyPattern = true }
        return text.map { LocatedText($0, range: value.range) }
    }

    private func readQuery(_ value: SourceValue, into rule: inout Rule) {
        if let text = value.asString {
            rule.component.query = .whole(text)
            rule.query = [LocatedText(text, range: value.range)]
            return
        }
        let members = findings.read(
            \.asObject, of: value, "the query", .aasa034,
            "so it is ignored and the component matches more than intended",
            fix: "write an object of names and patterns")
        let distinct = members?.withLastOfEachKey ?? []
        let items = distinct.compactMap { member -> QueryItemPattern? in
            let text = findings.read(
                \.asString, of: member.value, "the pattern of query parameter \(member.key.quoted)", .aasa033,
                "so all query patterns are ignored and the component matches more than intended",
                fix: "put the value in quotation marks", changesMeaning: true)
            guard let text else { return nil }
            rule.query.append(LocatedText(text, range: member.value.range))
            return QueryItemPattern(name: member.key, pattern: text)
        }
        // One value of another type drops the whole dictionary (swcutil).
        if members != nil, items.count == distinct.count {
            rule.component.query = .items(items)
        } else {
            rule.hasFaultyPattern = true
        }
    }

    private mutating func checkPatterns(of rule: Rule, inheriting outer: [AppleComponent]) {
        let settings = rule.component.inheriting(from: outer)
        var check = ApplePatternCheck(
            part: .path, percentEncoded: settings.percentEncoded ?? true,
            caseSensitive: settings.caseSensitive ?? true, variables: variables.names)
        if let path = rule.path { self.check(path, check) }
        check.part = .query
        for pattern in rule.query { self.check(pattern, check) }
        check.part = .fragment
        if let fragment = rule.fragment { self.check(fragment, check) }
        switch rule.component.query {
        case .items: for pattern in rule.query { findings.list.reportLoneStar(pattern.text, at: pattern.range) }
        case .whole(let text):
            if let range = rule.query.first?.range { findings.list.reportWholeQuery(text, at: range) }
        case nil: break
        }
    }

    private mutating func check(_ pattern: LocatedText, _ check: ApplePatternCheck) {
        findings.report(check.problems(in: pattern.text), at: pattern.range)
        variables.noteUse(in: pattern.text, at: pattern.range)
        variables.lookForUK(pattern.text)
    }

    /// `paths`, and the places of elements that are not paths; nil where it is not an array.
    mutating func paths(
        _ value: SourceValue, defaults own: AppleComponent?
    ) -> (rules: [AppleLegacyPath], ignored: [Int])? {
        let elements = findings.read(
            \.asArray, of: value, "paths", .aasa031, "but must be an array of strings",
            fix: "write an array of strings",
            converts: false,
            edit: value.asString.flatMap { _ in findings.list.wrapping(value.range, in: "[", "]", changesMeaning: true)
            })
        guard let elements else { return nil }
        if elements.isEmpty {
            findings.report(
                .aasa028, at: value.range, "paths is empty, so no link opens the app",
                fix: "add paths such as \"*\", or remove the entry", severity: .warning)
        }
        // iOS 13 and later read paths with the defaults; that earlier versions do not is reported at the defaults.
        let check = ApplePatternCheck(
            part: .legacyPath, percentEncoded: own?.percentEncoded ?? defaults?.percentEncoded ?? true,
            caseSensitive: own?.caseSensitive ?? defaults?.caseSensitive ?? true, variables: variables.names)
        let rules = elements.map { path($0, check) }
        return (rules.compactMap { $0 }, rules.indices.filter { rules[$0] == nil })
    }

    private mutating func path(_ value: SourceValue, _ check: ApplePatternCheck) -> AppleLegacyPath? {
        let text = findings.read(
            \.asString, of: value, "a path", .aasa031, "and how systems read that is undocumented",
            fix: "write a string; objects belong in components", converts: false)
        guard let text else { return nil }
        let not = LegacyNot(text)
        report(not, text, at: value.range)
        for var problem in check.problems(in: not.pattern) {
            problem.replacement = problem.replacement.map { not.excludes ? "NOT " + $0 : $0 }
            findings.report([problem], at: value.range)
        }
        variables.noteUse(in: not.pattern, at: value.range)
        return AppleLegacyPath(text: text, pattern: not.pattern, exclude: not.excludes, range: value.range)
    }

    private func report(_ not: LegacyNot, _ text: String, at range: SourceRange) {
        let written = "NOT " + (not.excludes ? not.pattern : not.otherPattern)
        let edit = SourceEdit(range: range, replacement: written.jsonQuoted, changesMeaning: true)
        switch not.doubt {
        case .lowerCaseNot:
            findings.report(
                .aasa071, at: range, "\(text.quoted) has NOT in lower case, which is undocumented",
                fix: "write NOT in upper case", edit: edit)
        case .notWithoutSpace:
            findings.report(
                .aasa071, at: range, "\(text.quoted) has no space after NOT, so it excludes nothing",
                fix: "write NOT and a space", edit: edit)
        default: break
        }
    }
}
