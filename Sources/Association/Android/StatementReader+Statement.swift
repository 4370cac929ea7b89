// One statement: its relations and its target.

import SourceJSON

extension StatementReader {
    private static let statementKeys = ["relation", "target", "relation_extensions", "include"]

    mutating func statement(_ members: [SourceMember], range: SourceRange, isReadByAOSP: Bool) -> Statement {
        consumers = [.google, .chromium]
        var statement = Statement(range: range)
        var relation: SourceValue?
        var target: SourceValue?
        var extensions: SourceMember?
        for member in members {
            switch member.key {
            case "relation": relation = member.value
            case "target": target = member.value
            case "relation_extensions": extensions = member
            case Self.dynamicRulesKey: reportMisplacedRules(member, in: "a statement")
            default: reportUnknownKey(member, in: "a statement", known: Self.statementKeys, beside: members)
            }
        }
        let missing = [relation == nil ? "relation" : nil, target == nil ? "target" : nil].compactMap { $0 }
        if !missing.isEmpty {
            reject()
            findings.report(
                .dal004, at: range,
                "the statement has no \(missing.joined(separator: " and no ")), so Google rejects it",
                fix: "write {\"relation\": [ … ], \"target\": { … }}")
        }
        if let relation { statement.relations = relations(relation) }
        if let target { statement.target = self.target(target, relations: statement.relations) }
        if let extensions { readDynamicRules(extensions, into: &statement) }
        statement.consumers = isReadByAOSP ? consumers.union([.aosp]) : consumers
        return statement
    }

    private mutating func relations(_ value: SourceValue) -> [LocatedText] {
        guard case .array(let elements) = value.kind else {
            reject()
            var edit: SourceEdit?
            if case .string = value.kind { edit = findings.wrapping(value.range, in: "[", "]") }
            findings.report(
                .dal005, at: value.range, "relation is \(value.spokenName), so Google rejects the statement",
                fix: "write an array of strings", edit: edit)
            return []
        }
        if elements.isEmpty {
            reject()
            findings.report(
                .dal005, at: value.range, "relation is empty, so the statement says nothing",
                fix: "write \"delegate_permission/common.handle_all_urls\"")
        }
        var relations: [LocatedText] = []
        for element in elements {
            guard case .string(let text) = element.kind else {
                reject()
                findings.report(
                    .dal005, at: element.range,
                    "a relation is \(element.spokenName), so Google rejects the statement",
                    fix: "write a string")
                continue
            }
            if var problem = StatementRelation.problem(in: text) {
                // What is listed already would stand there twice.
                if elements.contains(where: { $0.asString == problem.replacement }) {
                    (problem.fix, problem.replacement) = ("remove it", nil)
                }
                findings.report(problem, at: element.range)
                // A relation of another spelling is accepted, and nobody looks for it.
                if problem.rule == .dal006 {
                    reject()
                    continue
                }
            }
            relations.append(LocatedText(text, range: element.range))
        }
        return relations
    }

    private mutating func target(_ value: SourceValue, relations: [LocatedText]) -> StatementTarget? {
        guard case .object(let members) = value.kind else {
            reject()
            findings.report(
                .dal004, at: value.range, "target is \(value.spokenName), so Google rejects the statement",
                fix: "write {\"namespace\": \"android_app\", … }")
            return nil
        }
        let namespace = members.last { $0.key == "namespace" }
        guard case .string(let name)? = namespace?.value.kind else {
            reject()
            let fault = namespace.map { "namespace is \($0.value.spokenName)" } ?? "the target has no namespace"
            findings.report(
                .dal008, at: namespace?.value.range ?? value.range, "\(fault), so Google rejects the statement",
                fix: "write \"namespace\": \"android_app\"")
            return nil
        }
        switch name {
        case "android_app": return androidApp(members, range: value.range, relations: relations)
        case "web": return web(members, range: value.range, relations: relations)
        case "ios_app": return iOSApp(members)
        default:
            reject()
            let nearest = findings.nearest(name, among: ["android_app", "web", "ios_app"])
            let range = namespace?.value.range ?? value.range
            findings.report(
                .dal008, at: range,
                "namespace \(name.quoted) is unknown, so Google rejects the statement",
                fix: "write \((nearest ?? "android_app").quoted)" + (nearest == nil ? " or `web`" : ""),
                edit: nearest.map { SourceEdit(range: range, replacement: $0.jsonQuoted) })
            return nil
        }
    }

    private mutating func iOSApp(_ members: [SourceMember]) -> StatementTarget? {
        for member in members where !["namespace", "appid"].contains(member.key) {
            reportUnknownKey(member, in: "an ios_app target", known: ["appid"], beside: members)
        }
        // Chromium reads no such target, and Google asks nothing more of it.
        reject(for: [.chromium])
        guard let id = members.last(where: { $0.key == "appid" })?.value, case .string(let text) = id.kind else {
            return nil
        }
        return .iOSApp(id: LocatedText(text, range: id.range))
    }
}
