// `relation_extensions` of a statement, with the rules for Android 15. For one malformed or empty field Android discards the whole
// list, and only the manifest counts.

import SourceJSON

/// Reads the dynamic rules of statements.
struct DynamicRuleReader {
    private let findings: FindingCollector

    init(_ findings: FindingCollector) { self.findings = findings }

    static let key = "dynamic_app_link_components"
    private static let appleKeys = ["caseSensitive", "percentEncoded", "comment"]

    /// Reports rules directly in an object, where Android does not look for them.
    func reportMisplaced(in object: ObjectReader) {
        if let member = object[Self.key] { reportMisplaced(member, in: object.place) }
    }

    private func reportMisplaced(_ member: SourceMember, in place: String) {
        findings.report(
            .dal027, at: member.keyRange, "Android does not read \(Self.key.quoted) in \(place)",
            fix: "move it to relation_extensions, under \(StatementRelation.handleAllURLs.quoted)")
    }

    /// Reads `relation_extensions`.
    func read(_ value: SourceValue, into statement: inout Statement) {
        let relations = findings.read(
            \.asObject, of: value, "relation_extensions", .dal027, "so its rules have no effect",
            fix: "write an object with the relation as key")
        for relation in relations ?? [] {
            if relation.key == Self.key {
                reportMisplaced(relation, in: "relation_extensions itself")
                continue
            }
            let fields = findings.read(
                \.asObject, of: relation.value, "the extension of \(relation.key.quoted)", .dal027,
                "so it has no effect",
                fix: "write {\"dynamic_app_link_components\": [ … ]}")
            guard let fields else { continue }
            let isRead = check(relation, of: statement)
            for field in fields {
                guard field.key == Self.key else {
                    reportUnknown(field)
                    continue
                }
                var list = RuleList()
                read(field.value, into: &list)
                if let rules = list.rules { statement.ruleLists.append(rules) }
                if isRead { (statement.dynamicRules, statement.malformedRule) = (list.rules, list.malformedRule) }
            }
        }
    }

    /// Whether Android reads the rules under this relation.
    private func check(_ relation: SourceMember, of statement: Statement) -> Bool {
        let wanted = StatementRelation.handleAllURLs
        if relation.key != wanted {
            findings.report(
                .dal027, at: relation.keyRange,
                "rules under \(relation.key.quoted) have no effect: Android reads those under \(wanted.quoted) only",
                fix: "write \(wanted.quoted)",
                edit: SourceEdit(range: relation.keyRange, replacement: wanted.jsonQuoted, changesMeaning: true))
            return false
        }
        if statement.relations.contains(where: { $0.text == wanted }) { return true }
        // A misspelt relation is reported itself.
        guard !statement.relations.isEmpty else { return false }
        findings.report(
            .dal027, at: relation.keyRange,
            "the statement does not have the relation \(wanted.quoted), so its rules have no effect",
            fix: "add the relation, or remove the extension")
        return false
    }

    private func reportUnknown(_ field: SourceMember) {
        let nearest = NearestKey.find(field.key, among: [Self.key, "dynamic_app_links"])
        let isNear = nearest != nil || field.key == "components"
        findings.report(
            .dal027, at: field.keyRange, "Android does not read \(field.key.quoted) in an extension",
            fix: "write \(Self.key.quoted)",
            edit: isNear
                ? SourceEdit(range: field.keyRange, replacement: Self.key.jsonQuoted, changesMeaning: true) : nil,
            severity: isNear ? .error : .warning)
    }

    /// A list of rules while it is read.
    private struct RuleList {
        /// Nil where Android discards them.
        var rules: [AndroidRule]?
        /// The index of the current rule, and the first value of the wrong type.
        var index = 0
        var malformedRule: MalformedRule?
    }

    private func read(_ value: SourceValue, into list: inout RuleList) {
        let elements = findings.read(
            \.asArray, of: value, Self.key, .dal029, "so Android discards it and only the manifest counts",
            fix: "write an array of objects", converts: false)
        guard let elements else { return }
        if let first = elements.first {
            findings.list.reportOnce(
                .dal040, at: first.range,
                "dynamic rules need Android 15 or later with Google services; on other devices only the manifest decides",
                fix: "keep the manifest's intent filters as narrow as possible")
        }
        var rules: [AndroidRule] = []
        for (index, element) in elements.enumerated() {
            list.index = index
            if let rule = rule(element, &list) { rules.append(rule) }
        }
        if list.malformedRule == nil { list.rules = rules }
    }

    /// A value as another type; with a wrong type, Android discards the list.
    private func read<Value>(
        _ cast: (SourceValue) -> Value?, of value: SourceValue, _ name: String, _ type: String, _ list: inout RuleList
    ) -> Value? {
        let read = findings.read(
            cast, of: value, name, .dal029, "so Android ignores at least this value, and possibly the whole list",
            fix: "write \(type)", converts: type != "an array")
        if read == nil {
            list.malformedRule = list.malformedRule ?? MalformedRule(index: list.index, range: value.range)
        }
        return read
    }

    private func rule(_ value: SourceValue, _ list: inout RuleList) -> AndroidRule? {
        guard let members = read(\.asObject, of: value, "a rule", "an object", &list) else { return nil }
        let object = ObjectReader(
            members, "a rule", at: value.range, keys: ["/", "?", "#", "exclude", "comments"], more: Self.appleKeys,
            findings)
        var rule = AndroidRule(range: value.range)
        if let path = object["/"]?.value { rule.path = pattern(path, "the path pattern", isPath: true, &list) }
        if let query = object["?"]?.value { rule.query = self.query(query, &list) }
        if let fragment = object["#"]?.value { rule.fragment = pattern(fragment, "the fragment pattern", &list) }
        if let flag = object["exclude"]?.value {
            rule.exclude = read(\.asBool, of: flag, "exclude", "true or false", &list) ?? false
        }
        if let comments = object["comments"]?.value {
            _ = read(\.asString, of: comments, "comments", "a string", &list)
        }
        for member in object.members where Self.appleKeys.contains(member.key) {
            findings.report(
                .dal039, at: member.keyRange, "\(member.key.quoted) is a key of Apple's rules, so Android ignores it",
                fix: "remove it")
        }
        if ["/", "?", "#"].allSatisfy({ object[$0] == nil }) {
            findings.report(
                .dal030, at: value.range,
                "the rule has no \"/\", \"?\" or \"#\", so it never matches on Android; on iOS it would match every URL",
                fix: "write {\"/\": \"*\"} to match every URL")
        }
        return rule
    }

    private func query(_ value: SourceValue, _ list: inout RuleList) -> [QueryItemPattern]? {
        guard let members = read(\.asObject, of: value, "the query", "an object of names and patterns", &list) else {
            return nil
        }
        if members.isEmpty { reportEmpty("the query", value.range) }
        let distinct = members.withLastOfEachKey
        var items: [QueryItemPattern] = []
        for member in distinct {
            if member.key.isEmpty { reportEmpty("the name of a query parameter", member.keyRange) }
            guard let text = pattern(member.value, "the pattern of query parameter \(member.key.quoted)", &list) else {
                continue
            }
            items.append(QueryItemPattern(name: member.key, pattern: text))
        }
        return items.count == distinct.count ? items : nil
    }

    private func pattern(
        _ value: SourceValue, _ name: String, isPath: Bool = false, _ list: inout RuleList
    ) -> String? {
        guard let text = read(\.asString, of: value, name, "a string", &list) else { return nil }
        if text.isEmpty { reportEmpty(name, value.range) }
        findings.report(AndroidPatternCheck.problems(in: text, isPath: isPath), at: value.range)
        return text
    }

    private func reportEmpty(_ name: String, _ range: SourceRange) {
        findings.report(
            .dal028, at: range,
            "\(name) is empty, so Android discards all rules of the list and only the manifest counts",
            fix: "remove it")
    }
}
