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
