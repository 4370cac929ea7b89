// Findings for people, for programs, for code scanning (SARIF 2.1.0) and for workflows on GitHub.

package import Association
package import SourceJSON

/// What the formats say about the program, and where it runs.
package struct FindingContext {
    let product: (name: String, version: String)
    /// The current directory, which is that of the repository, with a slash at the end.
    let directory: String
    let isColoured: Bool
    /// The bytes of a file for its lines; nil if it cannot be read.
    let read: (String) -> [UInt8]?

    package init(
        product: (name: String, version: String), directory: String, isColoured: Bool,
        read: @escaping (String) -> [UInt8]?
    ) {
        (self.product, self.directory, self.isColoured, self.read) = (product, directory, isColoured, read)
    }

    /// The path of a file as a pull request has it.
    func place(_ path: String) -> String {
        var path = path.begins(with: directory) ? path.dropFirst(directory.count) : path[...]
        while path.begins(with: "./") { path = path.dropFirst(2).drop { $0 == "/" } }
        return String(path)
    }
}

package enum FindingFormat: String, CaseIterable {
    case text, json, sarif, github

    /// The findings as text. For a person, equal findings in one file are merged.
    /// - Parameter documents: the files that were parsed already.
    package func text(
        of findings: [Finding], documents: [String: SourceDocument] = [:], in context: FindingContext
    ) -> String {
        switch self {
        case .text: FindingText(context: context, documents: documents).text(of: FindingDigest.digest(findings))
        case .json: json(.array(findings.map(FindingFormat.value)))
        case .sarif: json(SARIFLog(context: context).value(of: findings))
        case .github: findings.map { FindingFormat.annotation($0, at: context.place($0.file)) }.joined()
        }
    }

    private func json(_ value: SourceValue) -> String { String(decoding: SourceWriter.canonical(value), as: UTF8.self) }

    /// A finding for programs.
    package static func value(of finding: Finding) -> SourceValue {
        .object([
            ("file", .string(finding.file)),
            ("line", finding.range.map { .integer($0.start.line) } ?? .null),
            ("column", finding.range.map { .integer($0.start.column) } ?? .null),
            ("rule", .string(finding.rule.description)), ("severity", .string(finding.severity.rawValue)),
            ("message", .string(finding.message)), ("fix", finding.fix.map { .string($0) } ?? .null),
        ])
    }

    /// A workflow command in one line.
    private static func annotation(_ finding: Finding, at place: String) -> String {
        let level = finding.severity == .note ? "notice" : finding.severity.rawValue
        var properties = ["file=\(property(place))"]
        if let range = finding.range {
            properties += ["line=\(range.start.line)", "endLine=\(range.end.line)", "col=\(range.start.column)"]
            if range.start.line == range.end.line { properties.append("endColumn=\(range.end.column)") }
        }
        properties.append("title=\(property(finding.rule.description))")
        return "::\(level) \(properties.joined(separator: ","))::\(escaped(finding.text))\n"
    }

    /// The text with reserved characters percent-encoded.
    private static func escaped(_ text: String, _ reserved: String = "%\r\n") -> String {
        let bytes = text.utf8.flatMap { reserved.utf8.contains($0) ? Percent.escape($0) : [$0] }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func property(_ text: String) -> String { escaped(text, "%\r\n:,") }
}

/// Findings in the form of compilers, with the source line and a caret.
struct FindingText {
    let context: FindingContext
    /// The files that were parsed already; others, such as those of hosts, are read for their lines.
    var documents: [String: SourceDocument] = [:]

    func text(of findings: [Finding]) -> String {
        var documents = documents
        for finding in findings where finding.range != nil && documents[finding.file] == nil {
            documents[finding.file] = context.read(finding.file).map { SourceReader.read($0, as: .json5) }
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
        context.isColoured ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
    }
}
