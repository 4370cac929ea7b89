// `relation_extensions` and Android 15's rules in it. One malformed or empty field, and Android throws the whole list
// away and lets the manifest decide.

import SourceJSON

extension StatementReader {
    static let dynamicRulesKey = "dynamic_app_link_components"
    private static let ruleKeys = ["/", "?", "#", "exclude", "comments"]
    private static let appleKeys: Set<String> = ["caseSensitive", "percentEncoded", "comment"]

    mutating func readDynamicRules(_ member: SourceMember, into statement: inout Statement) {
        guard case .object(let relations) = member.value.kind else {
            findings.report(
                .dal027, at: member.value.range,
                "relation_extensions is \(member.value.spokenName), so its rules do nothing",
                fix: "write an object keyed by relation")
            return
        }
        for relation in relations {
            if relation.key == Self.dynamicRulesKey {
                reportMisplacedRules(relation, in: "relation_extensions itself")
                continue
            }
            guard case .object(let fields) = relation.value.kind else {
                findings.report(
                    .dal027, at: relation.value.range,
                    "the extension of \(relation.key.quoted) is \(relation.value.spokenName), so it does nothing",
                    fix: "write {\"dynamic_app_link_components\": [ … ]}")
                continue
            }
            let isRead = reportKey(relation, of: statement)
            for field in fields {
                guard field.key == Self.dynamicRulesKey else {
                    reportExtensionKey(field)
                    continue
                }
                malformedRule = nil
                let rules = self.rules(field.value)
                if let rules { statement.ruleLists.append(rules) }
                if isRead { (statement.dynamicRules, statement.malformedRule) = (rules, malformedRule) }
            }
        }
    }

    /// Whether rules under this relation are read.
    private mutating func reportKey(_ relation: SourceMember, of statement: Statement) -> Bool {
        let wanted = StatementRelation.handleAllURLs
        if relation.key == wanted {
            if statement.relations.contains(where: { $0.text == wanted }) { return true }
            // A relation that was itself misspelt is reported where it stands.
            guard !statement.relations.isEmpty else { return false }
            findings.report(
                .dal027, at: relation.keyRange,
                "the statement does not grant \(wanted.quoted), so the rules under it do nothing",
                fix: "add the relation, or remove the extension")
            return false
        }
        findings.report(
            .dal027, at: relation.keyRange,
            "rules are read under \(wanted.quoted) only, so those under \(relation.key.quoted) do nothing",
            fix: "write \(wanted.quoted)", edit: SourceEdit(range: relation.keyRange, replacement: wanted.jsonQuoted))
        return false
    }

    private mutating func reportExtensionKey(_ field: SourceMember) {
        let nearest = NearestKey.find(field.key, among: [Self.dynamicRulesKey, "dynamic_app_links"])
        let isNear = nearest != nil || field.key == "components"
        findings.report(
            .dal027, at: field.keyRange, "\(field.key.quoted) is no extension that Android reads, so it does nothing",
            fix: "write \(Self.dynamicRulesKey.quoted)",
            edit: isNear ? SourceEdit(range: field.keyRange, replacement: Self.dynamicRulesKey.jsonQuoted) : nil,
            severity: isNear ? .error : .warning)
    }

    mutating func reportMisplacedRules(_ member: SourceMember, in place: String) {
        findings.report(
            .dal027, at: member.keyRange, "\(Self.dynamicRulesKey.quoted) stands in \(place), where it is not read",
            fix: "put it under relation_extensions and \(StatementRelation.handleAllURLs.quoted)")
    }

    private mutating func rules(_ value: SourceValue) -> [AndroidRule]? {
        guard case .array(let elements) = value.kind else {
            findings.report(
                .dal029, at: value.range,
                "\(Self.dynamicRulesKey) is \(value.spokenName), so Android discards it and the manifest alone decides",
                fix: "write an array of objects")
            return nil
        }
        guard let first = elements.first else { return [] }
        findings.reportOnce(
            .dal040, at: first.range,
            "dynamic rules need Android 15 with Google services; elsewhere the manifest alone decides",
            fix: "keep the manifest's intent filters as narrow as they can be")
        var rules: [AndroidRule] = []
        for (index, element) in elements.enumerated() {
            ruleIndex = index
            if let rule = rule(element) { rules.append(rule) }
        }
        // What Android throws away needs no closer look.
        if malformedRule != nil { return nil }
        return rules
    }

    private mutating func rule(_ value: SourceValue) -> AndroidRule? {
        guard case .object(let members) = value.kind else {
            reportType("a rule", value, wanted: "an object")
            return nil
        }
        var rule = AndroidRule(range: value.range)
        var isFaulty = false
        for member in members {
            switch member.key {
            case "/", "#":
                let part = member.key == "/" ? "path" : "fragment"
                guard let text = pattern(member.value, "the \(part) pattern", part: part) else {
                    isFaulty = true
                    continue
                }
                if member.key == "/" { rule.path = text } else { rule.fragment = text }
            case "?":
                rule.query = query(member.value)
                if rule.query == nil { isFaulty = true }
            case "exclude":
                guard case .bool(let flag) = member.value.kind else {
                    reportType("exclude", member.value, wanted: "true or false")
                    continue
                }
                rule.exclude = flag
            case "comments":
                guard case .string = member.value.kind else {
                    reportType("comments", member.value, wanted: "a string")
                    continue
                }
            case _ where Self.appleKeys.contains(member.key):
                findings.report(
                    .dal039, at: member.keyRange,
                    "\(member.key.quoted) is a key of Apple's rules; Android ignores it",
                    fix: "remove it")
            default: reportUnknownKey(member, in: "a rule", known: Self.ruleKeys, beside: members)
            }
        }
        if rule.path == nil, rule.query == nil, rule.fragment == nil, !isFaulty {
            findings.report(
                .dal030, at: value.range,
                "the rule looks at no part of the URL, so on Android it never matches; on Apple it would match "
                    + "everything",
                fix: "write {\"/\": \"*\"} to match everything")
        }
        return rule
    }

    private mutating func query(_ value: SourceValue) -> [QueryItemPattern]? {
        guard case .object(let members) = value.kind else {
            reportType("the query", value, wanted: "an object of names and patterns")
            return nil
        }
        if members.isEmpty { reportEmpty("the query", value.range) }
        let distinct = members.withLastOfEachKey
        var items: [QueryItemPattern] = []
        for member in distinct {
            if member.key.isEmpty { reportEmpty("the name of a query item", member.keyRange) }
            guard let text = pattern(member.value, "the pattern of query item \(member.key.quoted)", part: "query")
            else {
                continue
            }
            items.append(QueryItemPattern(name: member.key, pattern: text))
        }
        return items.count == distinct.count ? items : nil
    }

    private mutating func pattern(_ value: SourceValue, _ name: String, part: String) -> String? {
        guard case .string(let text) = value.kind else {
            reportType(name, value, wanted: "a string")
            return nil
        }
        if text.isEmpty { reportEmpty(name, value.range) }
        for problem in AndroidPatternCheck.problems(in: text, isPath: part == "path") {
            findings.report(problem, at: value.range)
        }
        return text
    }

    private mutating func reportType(_ name: String, _ value: SourceValue, wanted: String) {
        malformedRule = malformedRule ?? MalformedRule(index: ruleIndex, range: value.range)
        var edit: SourceEdit?
        switch value.kind {
        case .number(let number) where wanted == "a string":
            edit = SourceEdit(range: value.range, replacement: number.text.jsonQuoted)
        case .bool(let flag) where wanted == "a string":
            edit = SourceEdit(range: value.range, replacement: String(flag).jsonQuoted)
        case .string(let text) where wanted == "true or false" && ["true", "false"].contains(text.lowercased()):
            edit = SourceEdit(range: value.range, replacement: text.lowercased())
        default: break
        }
        findings.report(
            .dal029, at: value.range,
            "\(name) is \(value.spokenName) and must be \(wanted); Android discards all rules of the list, or ignores "
                + "this one",
            fix: "write \(wanted)", edit: edit)
    }

    private mutating func reportEmpty(_ name: String, _ range: SourceRange) {
        findings.report(
            .dal028, at: range,
            "\(name) is empty, so Android discards all rules of the list and the manifest alone decides",
            fix: "remove it")
    }
}

/// Checks one pattern of a dynamic rule.
enum AndroidPatternCheck {
    static func problems(in pattern: String, isPath: Bool) -> [TextProblem] {
        var problems: [TextProblem] = []
        if pattern.contains(run: "*?") || pattern.contains(run: "**") {
            let mended = collapsed(pattern)
            problems.append(
                TextProblem(
                    .dal036,
                    "\(pattern.quoted) has a star followed by ? or *, for which AOSP looks for a literal dot",
                    fix: "write ?* for one or more characters, or one star", replacement: mended))
        }
        if let escape = firstEscape(pattern) {
            problems.append(
                TextProblem(
                    .dal037,
                    "\(pattern.quoted) has \(escape.quoted), but Android decodes the URL before comparing, so only links "
                        + "that are encoded twice match",
                    fix: "write the decoded character"))
        }
        if pattern.contains(run: "$(") {
            problems.append(
                TextProblem(
                    .dal039, "\(pattern.quoted) has a variable of Apple's rules, which Android compares as text",
                    fix: "write one rule for each value"))
        }
        if isPath, let first = pattern.unicodeScalars.first, first != "/", first != "*", first != "?" {
            problems.append(
                TextProblem(
                    .dal043,
                    "\(pattern.quoted) does not start with a slash, as every path does, so on Android it never matches",
                    fix: "write the slash", replacement: "/" + pattern))
        }
        if let problem = innerStar(pattern) { problems.append(problem) }
        return problems
    }

    /// `**` is one star, and `*?` means `?*`.
    private static func collapsed(_ pattern: String) -> String? {
        var result = String.UnicodeScalarView()
        for character in pattern.unicodeScalars {
            if character == "*", result.last == "*" { continue }
            if character == "?", result.last == "*" {
                result.removeLast()
                result += "?*".unicodeScalars
                continue
            }
            result.append(character)
        }
        let text = String(result)
        return text.contains(run: "*?") || text.contains(run: "**") ? nil : text
    }

    private static func firstEscape(_ pattern: String) -> String? {
        let scalars = Array(pattern.unicodeScalars)
        for index in scalars.indices where scalars[index] == "%" {
            let digits = scalars[(index + 1)...].prefix(2)
            if digits.count == 2, digits.allSatisfy(\.isHexDigit) {
                return "%" + digits.map { String($0) }.joined()
            }
        }
        return nil
    }

    /// A star that would have to try again: behind it stands more than one character before the next star or the end.
    /// Before a slash it is mostly meant for one segment, which is what it does.
    private static func innerStar(_ pattern: String) -> TextProblem? {
        let scalars = Array(pattern.unicodeScalars)
        for index in scalars.indices.dropLast() where scalars[index] == "*" {
            let next = scalars[index + 1]
            if next == "*" || next == "?" { continue }
            // The first place is as good as any for a single character that is followed by a star.
            let rest = scalars[(index + 2)...].drop { $0 == "?" }
            if rest.first == "*" { continue }
            let isSegment = next == "/"
            return TextProblem(
                .dal035,
                isSegment
                    ? "the star before a slash in \(pattern.quoted) stays within one segment on Android; on Apple it "
                        + "spans several"
                    : "the star in \(pattern.quoted) stops at the first \(String(next).quoted) and does not try again, "
                        + "so a text with two of them fails; on Apple it would match",
                fix: "end the pattern with the star, or write one rule for each shape",
                severity: isSegment ? .note : .warning)
        }
        return nil
    }
}
