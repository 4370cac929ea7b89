// Findings as a SARIF 2.1.0 log, for services that show them next to the code. Columns count Unicode scalars, and artifacts have
// relative references (§3.4.3, §3.14.17).

import Association
import SourceJSON

struct SARIFLog {
    let context: FindingContext

    func value(of findings: [Finding]) -> SourceValue {
        let ids = findings.map(\.rule).reduce(into: [RuleID]()) { if !$0.contains($1) { $0.append($1) } }
        let driver: SourceValue = .object([
            ("name", .string(context.product.name)), ("version", .string(context.product.version)),
            ("semanticVersion", .string(context.product.version)),
            ("rules", .array(ids.map(SARIFLog.rule))),
        ])
        let run: SourceValue = .object([
            ("tool", .object([("driver", driver)])), ("columnKind", .string("unicodeCodePoints")),
            ("results", .array(findings.map { result($0, ids.firstIndex(of: $0.rule) ?? 0) })),
        ])
        return .object([
            ("$schema", .string("https://json.schemastore.org/sarif-2.1.0.json")), ("version", .string("2.1.0")),
            ("runs", .array([run])),
        ])
    }

    private static func rule(_ id: RuleID) -> SourceValue {
        let rule = LintRule.named(id)
        return .object([
            ("id", .string(id.description)), ("shortDescription", message(rule.title)),
            ("fullDescription", message(rule.why)),
            ("help", help(of: rule)),
            ("properties", .object([("tags", .array(tags(of: rule).map { .string($0) }))])),
            ("defaultConfiguration", .object([("level", .string(id.severity.rawValue))])),
        ])
    }

    /// As plain text, and for services that show more.
    private static func help(of rule: LintRule) -> SourceValue {
        let sources = rule.sources.map(\.title).joined(separator: "; ")
        let markdown =
            "\(rule.why)\n\n**Fix:** \(rule.fix)\n\nSources: \(sources). `associated lint --explain \(rule.id)`"
        return .object([("text", .string("Fix: \(rule.fix)")), ("markdown", .string(markdown))])
    }

    /// The platform or part that the rule is about, and the subject of its check.
    private static func tags(of rule: LintRule) -> [String] {
        let part =
            switch rule.id.family {
            case .apple, .appleHosting: "ios"
            case .statements, .androidHosting: "android"
            case .appFile: "app-file"
            case .server, .certificate, .configuration: "server"
            }
        return ["correctness", part, rule.subject.rawValue]
    }

    private func result(_ finding: Finding, _ index: Int) -> SourceValue {
        var place: [(String, SourceValue)] = [("artifactLocation", SARIFLog.artifact(context.place(finding.file)))]
        if let range = finding.range { place.append(("region", SARIFLog.region(range))) }
        var members: [(String, SourceValue)] = [
            ("ruleId", .string(finding.rule.description)), ("ruleIndex", .integer(index)),
            ("level", .string(finding.severity.rawValue)), ("message", SARIFLog.message(finding.text)),
            ("locations", .array([.object([("physicalLocation", .object(place))])])),
        ]
        if let edit = finding.edit { members.append(("fixes", .array([fix(edit, finding)]))) }
        return .object(members)
    }

    private func fix(_ edit: SourceEdit, _ finding: Finding) -> SourceValue {
        let replacement: SourceValue = .object([
            ("deletedRegion", SARIFLog.region(edit.range)), ("insertedContent", SARIFLog.message(edit.replacement)),
        ])
        let change: SourceValue = .object([
            ("artifactLocation", SARIFLog.artifact(context.place(finding.file))),
            ("replacements", .array([replacement])),
        ])
        return .object([
            ("description", SARIFLog.message(finding.fix ?? finding.message)), ("artifactChanges", .array([change])),
        ])
    }

    private static func region(_ range: SourceRange) -> SourceValue {
        .object([
            ("startLine", .integer(range.start.line)), ("startColumn", .integer(range.start.column)),
            ("endLine", .integer(range.end.line)), ("endColumn", .integer(range.end.column)),
        ])
    }

    private static func message(_ text: String) -> SourceValue { .object([("text", .string(text))]) }

    /// A path as a URI reference (RFC 3986 §4.2), with reserved and illegal characters escaped.
    private static func artifact(_ path: String) -> SourceValue {
        let uri = path.utf8.reduce(into: "") { result, byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "/"), UInt8(ascii: "-"), UInt8(ascii: "."),
                UInt8(ascii: "_"), UInt8(ascii: "~"):
                result.unicodeScalars.append(Unicode.Scalar(byte))
            default: result += String(decoding: Percent.escape(byte), as: UTF8.self)
            }
        }
        let isRelative = !uri.hasPrefix("/")
        return .object([("uri", .string(isRelative ? uri : "file://\(uri)"))])
    }
}
