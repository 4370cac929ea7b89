// Findings for people, for programs, for code scanning (SARIF 2.1.0) and for workflows on GitHub.

import Association
import AssociationLint
import Posix
import SourceJSON

enum FindingFormat: String, CaseIterable {
    case text, json, sarif, github

    /// A person gets each thing once in a file; programs get each finding. `texts` are those of files that are not as they
    /// are on the disk.
    func text(of findings: [Finding], texts: [String: [UInt8]] = [:]) -> String {
        switch self {
        case .text:
            FindingText(isColoured: Console.wantsColour, texts: texts).text(of: FindingDigest.digest(findings))
        case .json: json(.array(findings.map(FindingFormat.value)))
        case .sarif: json(SARIFLog.value(of: findings))
        case .github: findings.map(FindingFormat.annotation).joined()
        }
    }

    private func json(_ value: SourceValue) -> String { String(decoding: SourceWriter.canonical(value), as: UTF8.self) }

    /// What was found, in numbers.
    static func summary(_ findings: [Finding], showsNotes: Bool) -> String {
        func count(_ severity: Severity, _ noun: String) -> String {
            Count.of(findings.count { $0.severity == severity }, noun)
        }
        let notes = count(.note, "note")
        let hasNotes = findings.contains { $0.severity == .note }
        return "\(count(.error, "error")), \(count(.warning, "warning"))"
            + (showsNotes ? ", \(notes)" : hasNotes ? "; \(notes), shown with --notes" : "")
    }

    /// A finding as a program reads it.
    static func value(of finding: Finding) -> SourceValue {
        .object([
            ("file", .string(finding.file)),
            ("line", finding.range.map { .integer($0.start.line) } ?? .null),
            ("column", finding.range.map { .integer($0.start.column) } ?? .null),
            ("rule", .string(finding.rule.description)), ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.message)), ("fix", finding.fix.map { .string($0) } ?? .null),
        ])
    }

    /// A workflow command: one line, with what ends a line or a value written as an escape.
    private static func annotation(_ finding: Finding) -> String {
        let level =
            switch finding.severity {
            case .error: "error"
            case .warning: "warning"
            case .note: "notice"
            }
        var properties = ["file=\(property(finding.file))"]
        if let range = finding.range {
            properties += ["line=\(range.start.line)", "endLine=\(range.end.line)", "col=\(range.start.column)"]
            if range.start.line == range.end.line { properties.append("endColumn=\(range.end.column)") }
        }
        properties.append("title=\(property(finding.rule.description))")
        let message = finding.message + (finding.fix.map { "; \($0)" } ?? "")
        return "::\(level) \(properties.joined(separator: ","))::\(escaped(message))\n"
    }

    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case "%": result += "%25"
            case "\r": result += "%0D"
            case "\n": result += "%0A"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }

    private static func property(_ text: String) -> String {
        escaped(text).unicodeScalars.reduce(into: "") { result, scalar in
            switch scalar {
            case ":": result += "%3A"
            case ",": result += "%2C"
            default: result.unicodeScalars.append(scalar)
            }
        }
    }
}

/// Findings as compilers write them, with the source line and a caret.
struct FindingText {
    let isColoured: Bool
    var texts: [String: [UInt8]] = [:]

    func text(of findings: [Finding]) -> String {
        var text = ""
        // One file after the other, each read once more for its lines.
        var document: (file: String, text: SourceDocument?)?
        for finding in findings {
            if document?.file != finding.file {
                let bytes = texts[finding.file] ?? (try? File.read(finding.file, bytesMax: AppFile.bytesMax))?.bytes
                document = (finding.file, bytes.map { SourceReader.read($0, as: .json5) })
            }
            text += self.text(of: finding, in: document?.text)
        }
        return text
    }

    private func text(of finding: Finding, in document: SourceDocument?) -> String {
        let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        let severity = coloured("\(finding.severity.rawValue)[\(finding.rule)]", code(of: finding.severity))
        let fix = finding.fix.map { "; \($0)" } ?? ""
        let subject = coloured(Printable.line("\(finding.file)\(place):"), 1)
        let head = "\(subject) \(severity): \(Printable.line(finding.message + fix))\n"
        guard let range = finding.range, let document, !document.text.isEmpty else { return head }
        let excerpt = document.excerpt(of: range)
        let number = String(range.start.line)
        let gap = String(repeating: " ", count: number.count)
        let caret = "^" + String(repeating: "~", count: min(excerpt.caretLength, 160) - 1)
        let indent = String(repeating: " ", count: excerpt.caretColumn)
        return head + " \(number) | \(excerpt.text)\n \(gap) | \(indent)\(coloured(caret, 32))\n"
    }

    private func code(of severity: Severity) -> Int {
        switch severity {
        case .error: 31
        case .warning: 33
        case .note: 36
        }
    }

    private func coloured(_ text: String, _ code: Int) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
