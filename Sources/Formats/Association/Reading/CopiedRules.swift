// Rules in a form that no system reads, and that tutorials about Android 15 show all the same: `include` and `exclude` of a statement
// with `paths` and `query_parameters`. This recognises it and translates it into dynamic rules.

import SourceJSON

struct CopiedRules {
    /// The members that have them.
    let members: [SourceMember]
    /// The meaning as dynamic rules: what is excluded first, and everything else if nothing is included.
    private let components: [SourceValue]
    /// Whether one of them is `include`, which turns the whole statement into an include.
    let hidesStatement: Bool

    private static let keys = ["include", "exclude"]

    /// Nil if an entry has no such rules.
    init?(in entry: [SourceMember]) {
        let members = entry.filter { Self.keys.contains($0.key) && Self.isList($0.value) }
        guard !members.isEmpty else { return nil }
        self.members = members
        hidesStatement = members.contains { $0.key == "include" }
        func parts(_ key: String) -> [(String, SourceValue)] {
            members.filter { $0.key == key }.flatMap { Self.parts(of: $0.value) }
        }
        let included = parts("include")
        let excluded = parts("exclude").map { SourceValue.object([$0, ("exclude", .bool(true))]) }
        components = excluded + (included.isEmpty ? [("/", .string("*"))] : included).map { .object([$0]) }
    }

    private static func isList(_ value: SourceValue) -> Bool {
        value.member(named: "paths") != nil || value.member(named: "query_parameters") != nil
            || value.asArray?.contains { $0.asString != nil } == true
    }

    /// The conditions of a list: paths, and parameters as `name=value`.
    private static func parts(of value: SourceValue) -> [(String, SourceValue)] {
        let paths = (value.asArray ?? value.member(named: "paths")?.asArray ?? []).compactMap(\.asString)
        let items = (value.member(named: "query_parameters")?.asArray ?? []).compactMap(\.asString)
        return paths.filter { !$0.isEmpty }.map { ("/", .string($0)) }
            + items.compactMap { item in
                let parts = item.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
                guard let name = parts.first, !name.isEmpty, parts.last?.isEmpty == false else { return nil }
                return ("?", .object([(name, .string(parts.count == 2 ? parts[1] : "*"))]))
            }
    }

    /// The same rules where Android reads them.
    private var extensions: SourceValue {
        .object([
            (AndroidApp.handleAllURLs, .object([(DynamicRuleReader.key, .array(components))]))
        ])
    }

    /// Reports them, with the whole statement in the right form unless it has dynamic rules already.
    func report(in entry: SourceValue, to findings: FindingCollector) {
        let rest = (entry.asObject ?? []).filter { member in
            !members.contains { $0.keyRange == member.keyRange }
        }
        let hasRules = rest.contains { $0.key == "relation_extensions" }
        let fixed = SourceValue.object(rest.map { ($0.key, $0.value) } + [("relation_extensions", extensions)])
        let names = members.map(\.key.quoted).joined(separator: " and ")
        findings.report(
            .dal046, at: members[0].keyRange,
            hidesStatement
                ? "no system reads rules in \(names); the statement counts as an include, so Android ignores the app"
                : "no system reads rules in \(names), so they exclude nothing",
            fix: "write \"relation_extensions\": \(SourceWriter.line(extensions))",
            edit: hasRules
                ? nil
                : SourceEdit(range: entry.range, replacement: SourceWriter.line(fixed), changesMeaning: true))
    }
}
