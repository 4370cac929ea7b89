// Mistakes in one pattern of Android's dynamic rules. Patterns are compared with each other elsewhere.

/// Checks one pattern of a dynamic rule.
enum AndroidPatternCheck {
    static func problems(in pattern: String, isPath: Bool) -> [TextProblem] {
        var problems: [TextProblem] = []
        if pattern.contains(run: "*?") || pattern.contains(run: "**") {
            problems.report(
                .dal036, "\(pattern.quoted) has a star before ? or *, so Android looks for a literal dot",
                fix: "write ?* for one or more characters, or one star", replacement: collapsed(pattern))
        }
        if let escape = firstEscape(pattern) {
            problems.report(
                .dal037,
                "\(pattern.quoted) has \(escape.quoted), but Android decodes URLs, so it matches only URLs that are encoded "
                    + "twice",
                fix: "write the decoded character")
        }
        if pattern.contains(run: "$(") {
            problems.report(
                .dal039, "\(pattern.quoted) has a variable of Apple's rules, but Android compares it as text",
                fix: "write one rule for each value")
        }
        if isPath, let first = pattern.unicodeScalars.first, first != "/", first != "*", first != "?" {
            problems.report(
                .dal043,
                "\(pattern.quoted) does not start with a slash, so it never matches on Android",
                fix: "write the slash", replacement: "/" + pattern, changesMeaning: true)
        }
        if let problem = innerStar(pattern) { problems.append(problem) }
        return problems
    }

    /// `**` is one star, and `*?` means `?*`.
    private static func collapsed(_ pattern: String) -> String? {
        var result = String.UnicodeScalarView()
        for character in pattern.unicodeScalars {
            if character == "*", result.last == "*" { continue }
            if character == "?", result.last == "*" {
                result.removeLast()
                result += "?*".unicodeScalars
                continue
            }
            result.append(character)
        }
        let text = String(result)
        return text.contains(run: "*?") || text.contains(run: "**") ? nil : text
    }

    private static func firstEscape(_ pattern: String) -> String? {
        let scalars = Array(pattern.unicodeScalars)
        for index in scalars.indices where scalars[index] == "%" {
            let digits = scalars[(index + 1)...].prefix(2)
            if digits.count == 2, digits.allSatisfy(\.isHexDigit) {
                return "%" + digits.map { String($0) }.joined()
            }
        }
        return nil
    }

    /// A star that would need backtracking: there is more than one character between it and the next star or the end. Before a
    /// slash it is usually meant for one segment, and works.
    private static func innerStar(_ pattern: String) -> TextProblem? {
        let scalars = Array(pattern.unicodeScalars)
        for index in scalars.indices.dropLast() where scalars[index] == "*" {
            let next = scalars[index + 1]
            if next == "*" || next == "?" { continue }
            // A single character before another star needs no backtracking: its first place is as good as any.
            let rest = scalars[(index + 2)...].drop { $0 == "?" }
            if rest.first == "*" { continue }
            let isSegment = next == "/"
            return TextProblem(
                .dal035,
                isSegment
                    ? "the star before a slash in \(pattern.quoted) matches one segment on Android, but several on iOS"
                    : "the star in \(pattern.quoted) stops at the first \(String(next).quoted) on Android, so a text with two "
                        + "of them matches only on iOS",
                fix: "end the pattern with the star, or write one rule for each shape",
                severity: isSegment ? .note : .warning)
        }
        return nil
    }
}
