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
                lines.append("  \(file.path)  \(status) \(file.contentType ?? "no type"), \(file.byteCount ?? 0) bytes")
            }
        }
        for finding in report.findings {
            let place = finding.range.map { " \($0.start.line):\($0.start.column)" } ?? ""
            let fix = finding.fix.map { "; \($0)" } ?? ""
            lines.append("  \(finding.severity.rawValue)[\(finding.rule)]:\(place) \(finding.message)\(fix)")
        }
        return lines
    }

    static func text(_ report: HostReport, isColored: Bool) -> String {
        let errors = report.findings.count { $0.severity == .error }
        let warnings = report.findings.count { $0.severity == .warning }
        // Half of it is a stranger's.
        var lines = lines(report).map(Printable.line)
        if isColored { lines = lines.map(colored) }
        lines.append("  \(Count.of(errors, "error")), \(Count.of(warnings, "warning"))")
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
