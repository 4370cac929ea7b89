// What `associated check` prints of a report.

import Association
import Posix
import SourceJSON
import TLS
import Verifier

enum CheckOutput {
    /// What stays the same while nothing changes: without times.
    static func lines(_ report: HostReport) -> [String] {
        var lines = ["\(report.host)"]
        if !report.addresses.isEmpty { lines.append("  at \(report.addresses.joined(separator: ", "))") }
        if let peer = report.peer, let own = peer.certificates.first {
            lines.append("  \(peer.version), certificate by \(own.issuer), until \(Clock.day(own.notAfter))")
        }
        for file in report.files {
            if let failure = file.failure {
                lines.append("  \(file.path)  \(failure)")
            } else if let status = file.status {
                let facts = [file.contentType, file.byteCount.map { Count.of($0, "byte") }].compactMap { $0 }
                lines.append("  \(file.path)  \(status)" + (status == 200 ? " \(facts.joined(separator: ", "))" : ""))
            }
        }
        for (finding, rules) in distinct(report.findings) {
            let place = finding.range.map { " \($0.start.line):\($0.start.column)" } ?? ""
            let fix = finding.fix.map { "; \($0)" } ?? ""
            let path = isAboutNeighbour(finding) ? " \(finding.file.dropFirst("https://\(report.host)".count)):" : ""
            lines.append("  \(finding.severity.rawValue)[\(rules)]:\(path)\(place) \(finding.message)\(fix)")
        }
        return lines
    }

    /// Whether it is about one of the other well-known files, which its rule does not tell.
    private static func isAboutNeighbour(_ finding: Finding) -> Bool { ("SRV-006"..."SRV-013").contains(finding.rule) }

    /// What stands in the way of both verifiers is said once, with the rules of both.
    private static func distinct(_ findings: [Finding]) -> [(finding: Finding, rules: String)] {
        var found: [(finding: Finding, rules: String)] = []
        for finding in findings {
            let index = found.firstIndex { other in
                other.finding.rule != finding.rule && other.finding.severity == finding.severity
                    && other.finding.message == finding.message && other.finding.fix == finding.fix
                    && other.finding.range == finding.range
            }
            if let index { found[index].rules += ", \(finding.rule)" } else { found.append((finding, finding.rule)) }
        }
        return found
    }

    static func text(_ report: HostReport, isColored: Bool) -> String {
        // Half of it is a stranger's.
        var lines = lines(report).map(Printable.line)
        if isColored { lines = lines.map(colored) }
        lines.append("  \(FindingFormat.summary(distinct(report.findings).map(\.finding), showsNotes: true))")
        return lines.joined(separator: "\n") + "\n"
    }

    static func json(_ reports: [HostReport]) -> [UInt8] {
        SourceWriter.canonical(.array(reports.map(value)))
    }

    private static func value(_ report: HostReport) -> SourceValue {
        let own = report.peer?.certificates.first
        return .object([
            ("host", .string("\(report.host)")),
            ("addresses", .array(report.addresses.map { .string($0) })),
            ("tlsVersion", optional(report.peer?.version)),
            ("certificateIssuer", optional(own?.issuer)),
            ("certificateNotAfter", optional(own.map { Clock.day($0.notAfter) })),
            ("files", .array(report.files.map(value))),
            ("findings", .array(report.findings.map(FindingFormat.value))),
        ])
    }

    private static func value(_ file: HostReport.File) -> SourceValue {
        .object([
            ("path", .string(file.path)), ("failure", optional(file.failure)),
            ("status", file.status.map { .integer($0) } ?? .null), ("contentType", optional(file.contentType)),
            ("bytes", file.byteCount.map { .integer($0) } ?? .null),
            ("milliseconds", file.milliseconds.map { .integer($0) } ?? .null),
        ])
    }

    private static func optional(_ text: String?) -> SourceValue { text.map { .string($0) } ?? .null }

    private static func colored(_ line: String) -> String {
        if line.hasPrefix("  error[") { return "\u{1B}[31m\(line)\u{1B}[0m" }
        if line.hasPrefix("  warning[") { return "\u{1B}[33m\(line)\u{1B}[0m" }
        return line.hasPrefix(" ") ? line : "\u{1B}[1m\(line)\u{1B}[0m"
    }
}
