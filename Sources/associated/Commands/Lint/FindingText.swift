// Findings as compilers print them: place, severity, rule, message and fix, and the line of the file with a caret below.

import Association
import AssociationLint
import Posix
import SourceJSON

/// Findings in the form of compilers, with the source line and a caret.
struct FindingText {
    let isColoured: Bool
    /// The files that were parsed already; others, such as those of hosts, are read for their lines.
    var documents: [String: SourceDocument] = [:]

    func text(of findings: [Finding]) -> String {
        var documents = documents
        for finding in findings where finding.range != nil && documents[finding.file] == nil {
            documents[finding.file] = try? SourceReader.read(InputFile.read(finding.file), as: .json5)
        }
        return findings.map { text(of: $0, in: documents[$0.file]) }.joined()
    }

    private func text(of finding: Finding, in document: SourceDocument?) -> String {
        let place = finding.range.map { ":\($0.start.line):\($0.start.column)" } ?? ""
        let code = finding.severity == .error ? 31 : finding.severity == .warning ? 33 : 36
        let severity = coloured("\(finding.severity.rawValue)[\(finding.rule)]", code)
        let subject = coloured(Printable.line("\(finding.file)\(place):"), 1)
        let head = "\(subject) \(severity): \(Printable.line(finding.text))\n"
        guard let range = finding.range, let document, !document.text.isEmpty else { return head }
        let excerpt = document.excerpt(of: range)
        let number = String(range.start.line)
        let gap = String(repeating: " ", count: number.count)
        let caret = "^" + String(repeating: "~", count: min(excerpt.caretLength, 160) - 1)
        let indent = String(repeating: " ", count: excerpt.caretColumn)
        return head + " \(number) | \(excerpt.text)\n \(gap) | \(indent)\(coloured(caret, 32))\n"
    }

    private func coloured(_ text: String, _ code: Int) -> String {
        isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
