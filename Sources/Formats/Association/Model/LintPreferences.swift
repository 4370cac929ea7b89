// The preferences of a project for findings: ignored rules, and other severities. They apply when findings are reported; what the
// server publishes does not depend on them. The server ignores the same rules as `lint`, and does not change severities: its errors
// are what is not served.

import SourceJSON

/// The `lint` settings of a project.
public struct LintPreferences: Hashable, Sendable {
    public var ignored: Set<RuleID> = []
    public var severities: [RuleID: Severity] = [:]

    public init() {}

    /// What a server ignores of its files.
    public var ofServer: LintPreferences {
        var preferences = self
        preferences.severities = [:]
        return preferences
    }

    /// Names what is ignored, in the same words for the same rules.
    public var ignoredText: String { ignored.map(\.description).sorted().joined(separator: " ") }

    /// The findings to report. An error that prevents publication stays an error, because the server does not publish the file
    /// whatever the preferences. Findings about certificates can always be changed: a checked repository has none.
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

/// The comments in a file with rules to ignore in it: `// associated-ignore APP-030, APP-040`.
public enum IgnoreComment {
    private static let mark = "associated-ignore"

    /// The ids in the comments of a text, with their places, even if unknown.
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

    /// Longer lines are not comments written by a person.
    private static let lineBytesMax = 1_024

    private static func isPartOfID(_ character: Character) -> Bool {
        character.isASCII && (character.isLetter || character.isNumber || character == "-")
    }
}
