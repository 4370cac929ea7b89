// The application id of an Android app, and common mistakes in one.

import SourceJSON

/// Checks Android package names.
public enum PackageName {
    /// The problems of a package name; empty for a valid one.
    public static func problems(in text: String) -> [TextProblem] {
        let fix = "write the applicationId of the app's build file"
        let trimmed = text.trimmingSpaces()
        guard trimmed == text else {
            return [
                TextProblem(
                    .dal009, "package name \(text.quoted) begins or ends with a space, so it matches no app",
                    fix: "remove the space", replacement: trimmed)
            ]
        }
        guard !text.isEmpty else {
            return [TextProblem(.dal009, "package name is empty, so it matches no app", fix: fix)]
        }
        if let problem = shapeProblem(text, fix: fix) { return [problem] }
        return PlaceholderName.isOne(text)
            ? [
                TextProblem(
                    .dal013, "package name \(text.quoted) seems to be from documentation or a template",
                    fix: fix)
            ] : []
    }

    private static func isProper(_ text: String) -> Bool {
        var parts = 0
        var last = UInt8(ascii: ".")
        for byte in text.utf8 {
            if last == UInt8(ascii: ".") {
                guard byte.isLetter else { return false }
                parts += 1
            } else if !byte.isLetter, !byte.isDigit, byte != UInt8(ascii: "_"), byte != UInt8(ascii: ".") {
                return false
            }
            last = byte
        }
        return parts > 1 && last != UInt8(ascii: ".")
    }

    /// Two or more parts, each a letter and then letters, digits and underscores.
    private static func shapeProblem(_ text: String, fix: String) -> TextProblem? {
        if isProper(text) { return nil }
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        let name = "package name \(text.quoted)"
        if let bad = text.unicodeScalars.first(where: { !($0.isLetter || $0.isDigit || $0 == "_" || $0 == ".") }) {
            let hint = bad == "*" ? "; wildcards are not supported" : ""
            let found = bad == " " ? "a space" : String(bad).quoted
            return TextProblem(
                .dal009, "\(name) has \(found), which an application id cannot have\(hint)", fix: fix)
        }
        if parts.count < 2 {
            return TextProblem(
                .dal009, "\(name) has one part, but an application id has two or more, with dots", fix: fix)
        }
        if parts.contains(where: \.isEmpty) {
            return TextProblem(.dal009, "\(name) has an empty part, so it matches no app", fix: fix)
        }
        if let bad = parts.first(where: { !($0.unicodeScalars.first?.isLetter ?? false) }) {
            // An Apple app id in this place starts with ten characters, often a digit first.
            return TextProblem(
                .dal009, "\(name) has the part \(String(bad).quoted), which does not start with a letter", fix: fix)
        }
        return nil
    }
}

enum PlaceholderName {
    private static let roots = [
        "com.example", "org.example", "com.yourcompany", "com.yourapp", "com.mycompany", "com.yourdomain",
        "com.company.app", "your.package",
    ].map { Array($0.utf8) }

    /// Whether this is an example's name, or one below it.
    static func isOne(_ name: String) -> Bool {
        let lower = name.utf8.map(\.lowercasedASCII)
        return roots.contains { root in
            lower.starts(with: root) && (lower.count == root.count || lower[root.count] == UInt8(ascii: "."))
        }
    }
}
