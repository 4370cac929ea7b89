// What a project wants to hear of its files: rules it ignores, and severities of its own. Findings stay what the rules made
// them until they are reported; what the server publishes does not depend on any of this.

import SourceJSON

/// The `lint` settings of a project.
public struct LintPreferences: Hashable, Sendable {
    /// The rules that are not reported.
    public var ignored: Set<RuleID> = []
    public var severities: [RuleID: Severity] = [:]

    public init() {}

    /// The findings as they are to be reported. An error that keeps a file from being published stays an error: a
    /// preference cannot make the server serve it. Certificates are no part of a repository that is checked.
    public func apply(to findings: [Finding], alsoIgnoring more: Set<RuleID> = [], keepsErrors: Bool) -> [Finding] {
        findings.compactMap { finding in
            if keepsErrors, finding.severity == .error, finding.rule.family != .certificate { return finding }
            if ignored.contains(finding.rule) || more.contains(finding.rule) { return nil }
            var finding = finding
            finding.severity = severities[finding.rule] ?? finding.severity
            return finding
        }
    }
}

/// The comments of a file that name rules to ignore in it: `// associated-ignore APP-030, APP-040`.
public enum IgnoreComment {
    private static let mark = "associated-ignore"

    /// The ids that the comments of a text name, each at its place, known or not.
    public static func rules(in text: [UInt8]) -> [LocatedText] {
        let lines = String(decoding: text, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
        var offset = 0
        var rules: [LocatedText] = []
        for (index, line) in lines.enumerated() {
            defer { offset += line.utf8.count + 1 }
            guard line.utf8.count <= lineBytesMax, let found = line.firstRange(of: mark) else { continue }
            let before = line[..<found.lowerBound]
            guard before.contains(run: "//") || before.contains(run: "/*") else { continue }
            for word in line[found.upperBound...].split(whereSeparator: { !isPartOfID($0) }) {
                let before = line[..<word.startIndex]
                let start = SourcePosition(
                    line: index + 1, column: before.unicodeScalars.count + 1, offset: offset + before.utf8.count)
                let end = SourcePosition(
                    line: start.line, column: start.column + word.unicodeScalars.count,
                    offset: start.offset + word.utf8.count)
                rules.append(LocatedText(String(word), range: SourceRange(start: start, end: end)))
            }
        }
        return rules
    }

    /// No comment that a person writes has longer lines.
    private static let lineBytesMax = 1_024

    private static func isPartOfID(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "-")
    }
}
