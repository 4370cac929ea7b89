// What one pattern of Android's dialect says that its author did not mean, most of it brought along from Apple's.

/// Checks one pattern of a dynamic rule.
enum AndroidPatternCheck {
    static func problems(in pattern: String, isPath: Bool) -> [TextProblem] {
        var problems: [TextProblem] = []
        if pattern.contains(run: "*?") || pattern.contains(run: "**") {
            let mended = collapsed(pattern)
            problems.append(
                TextProblem(
                    .dal036,
                    "\(pattern.quoted) has a star followed by ? or *, for which AOSP looks for a literal dot",
                    fix: "write ?* for one or more characters, or one star", replacement: mended))
        }
        if let escape = firstEscape(pattern) {
            problems.append(
                TextProblem(
                    .dal037,
                    "\(pattern.quoted) has \(escape.quoted), but Android decodes the URL before comparing, so only links "
                        + "that are encoded twice match",
                    fix: "write the decoded character"))
        }
        if pattern.contains(run: "$(") {
            problems.append(
                TextProblem(
                    .dal039, "\(pattern.quoted) has a variable of Apple's rules, which Android compares as text",
                    fix: "write one rule for each value"))
        }
        if isPath, let first = pattern.unicodeScalars.first, first != "/", first != "*", first != "?" {
            problems.append(
                TextProblem(
                    .dal043,
                    "\(pattern.quoted) does not start with a slash, as every path does, so on Android it never matches",
                    fix: "write the slash", replacement: "/" + pattern))
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

    /// A star that would have to try again: behind it stands more than one character before the next star or the end.
    /// Before a slash it is mostly meant for one segment, which is what it does.
    private static func innerStar(_ pattern: String) -> TextProblem? {
        let scalars = Array(pattern.unicodeScalars)
        for index in scalars.indices.dropLast() where scalars[index] == "*" {
            let next = scalars[index + 1]
            if next == "*" || next == "?" { continue }
            // The first place is as good as any for a single character that is followed by a star.
            let rest = scalars[(index + 2)...].drop { $0 == "?" }
            if rest.first == "*" { continue }
            let isSegment = next == "/"
            return TextProblem(
                .dal035,
                isSegment
                    ? "the star before a slash in \(pattern.quoted) stays within one segment on Android; on Apple it "
                        + "spans several"
                    : "the star in \(pattern.quoted) stops at the first \(String(next).quoted) and does not try again, "
                        + "so a text with two of them fails; on Apple it would match",
                fix: "end the pattern with the star, or write one rule for each shape",
                severity: isSegment ? .note : .warning)
        }
        return nil
    }
}
