// An Apple app id, `PREFIX.bundle.id`, and common mistakes in one. Only the text is checked, not whether such an app exists.

import SourceJSON

/// Checks app ids: the team id, or for old apps a seed id, of ten characters, a dot, and the bundle id.
public enum AppID {
    /// The problems of an app id, the most serious first. Empty for a valid one.
    public static func problems(in text: String) -> [TextProblem] {
        let trimmed = text.trimmingSpaces()
        guard trimmed == text else {
            return [
                TextProblem(
                    .aasa019, "app id \(text.quoted) begins or ends with a space, so it matches no app",
                    fix: "remove the space", replacement: trimmed)
            ]
        }
        if isProper(text) { return [] }
        if let placeholder = placeholder(in: text) { return [placeholder] }
        let (prefix, bundleID) = split(text)
        guard let bundleID, !bundleID.isEmpty else {
            return [
                TextProblem(
                    .aasa019, "app id \(text.quoted) is not PREFIX.bundle.id, so it matches no app",
                    fix: "write the ten characters of the team id, a dot, and the bundle id")
            ]
        }
        let prefixProblem = prefixProblem(prefix, of: text, bundleID: bundleID)
        // With a wrong prefix, the text is usually not an app id at all.
        let bundleProblem = prefixProblem?.severity == .error ? nil : bundleProblem(bundleID, of: text)
        let problems = [prefixProblem, bundleProblem].compactMap { $0 }
        let isPlaceholder = PlaceholderName.isOne(bundleID) || prefix == "ABCDE12345" || prefix == "A1B2C3D4E5"
        return problems.isEmpty && isPlaceholder ? [placeholderProblem(text)] : problems
    }

    /// Whether it is ten capitals and digits, a dot, and a bundle id without anything suspicious, as nearly all are.
    private static func isProper(_ text: String) -> Bool {
        let bytes = Array(text.utf8)
        guard bytes.count > 12, bytes[10] == UInt8(ascii: "."),
            bytes[..<10].allSatisfy({ $0.isDigit || ($0.isLetter && $0 & 0x20 == 0) })
        else { return false }
        var last = UInt8(ascii: ".")
        for byte in bytes[11...] {
            let isDot = byte == UInt8(ascii: ".")
            guard isDot ? last != byte : byte.isLetter || byte.isDigit || byte == UInt8(ascii: "-") else {
                return false
            }
            last = byte
        }
        guard last != UInt8(ascii: "."), placeholderWords(in: bytes.map(\.lowercasedASCII)) == false else {
            return false
        }
        let prefix = bytes[..<10]
        return !prefix.elementsEqual("ABCDE12345".utf8) && !prefix.elementsEqual("A1B2C3D4E5".utf8)
            && !PlaceholderName.isOne(String(decoding: bytes[11...], as: UTF8.self))
    }

    /// Splits at the first dot; the bundle id is nil without one.
    private static func split(_ text: String) -> (prefix: String, bundleID: String?) {
        guard let dot = text.firstIndex(of: ".") else { return (text, nil) }
        return (String(text[..<dot]), String(text[text.index(after: dot)...]))
    }

    private static func prefixProblem(_ prefix: String, of text: String, bundleID: String) -> TextProblem? {
        let scalars = Array(prefix.unicodeScalars)
        guard scalars.count == 10, scalars.allSatisfy({ $0.isLetter || $0.isDigit }) else {
            let reason: String
            if prefix.isEmpty {
                reason = "starts with a dot"
            } else if topLevelNames.contains(prefix.lowercased()) {
                reason = "is a bundle id without a team id"
            } else if scalars.count != 10 {
                reason = "has a prefix of \(scalars.count) characters instead of ten"
            } else {
                reason = "has a prefix with characters other than A-Z and 0-9"
            }
            return TextProblem(
                .aasa019, "app id \(text.quoted) \(reason), so it matches no app",
                fix: "write TEAMID.bundle.id with the ten characters of the team id")
        }
        guard scalars.contains(where: \.isLowerLetter) else { return nil }
        return TextProblem(
            .aasa020,
            "app id \(text.quoted) has a prefix with lower-case letters, but team ids are upper case, so it may match no app",
            fix: "write it in upper case", replacement: prefix.uppercased() + "." + bundleID, changesMeaning: true)
    }

    /// First words of bundle ids: an id that begins with one has no team id.
    private static let topLevelNames: Set<String> = [
        "com", "org", "net", "io", "web", "de", "app", "dev", "co", "me", "uk", "fr", "jp", "cn", "ru", "nl", "it",
        "es", "br",
    ]

    private static func bundleProblem(_ bundleID: String, of text: String) -> TextProblem? {
        let scalars = bundleID.unicodeScalars
        if scalars.contains("*") {
            return TextProblem(
                .aasa021, "app id \(text.quoted) has a wildcard, which association files do not support",
                fix: "list each app by its bundle id")
        }
        if let bad = scalars.first(where: { !($0.isLetter || $0.isDigit || $0 == "-" || $0 == "." || $0 == "_") }) {
            return TextProblem(
                .aasa021,
                "app id \(text.quoted) has \(String(bad).quoted), but a bundle id has only letters, digits, hyphens and dots",
                fix: "write the bundle id as Xcode shows it")
        }
        if bundleID.begins(with: ".") || bundleID.ends(with: ".") || bundleID.contains(run: "..") {
            return TextProblem(
                .aasa019, "app id \(text.quoted) has an empty part, so it matches no app",
                fix: "write the bundle id as Xcode shows it")
        }
        guard scalars.contains("_") else { return nil }
        // Documented as illegal, but not known to be rejected, so it is not an error.
        return TextProblem(
            .aasa021,
            "app id \(text.quoted) has an underscore, which Apple does not allow; Xcode writes a hyphen instead",
            fix: "compare with the bundle id in Xcode", severity: .warning)
    }

    /// A template's text instead of an id.
    private static func placeholder(in text: String) -> TextProblem? {
        guard placeholderWords(in: text.utf8.map(\.lowercasedASCII)) else { return nil }
        let (prefix, bundleID) = split(text)
        guard let bundleID, prefixProblem(prefix, of: text, bundleID: bundleID) == nil,
            bundleProblem(bundleID, of: text) == nil
        else {
            return TextProblem(
                .aasa019, "app id \(text.quoted) is a template placeholder and matches no app",
                fix: "write your team id and bundle id")
        }
        return placeholderProblem(text)
    }

    private static func placeholderWords(in lower: [UInt8]) -> Bool {
        openings.contains(where: lower.starts(with:))
            || lower.indices.contains { start in
                beginsTemplateWord[Int(lower[start])] && templateWords.contains(where: lower[start...].starts(with:))
            }
    }

    /// Beginnings of templates; elsewhere they may be part of a name, as in `com.acme.appidentity`.
    private static let openings = [
        "teamid", "team_id", "team-id", "appid", "app_id", "bundleid", "bundle_id", "bundle-id",
    ].map { Array($0.utf8) }

    /// Words that occur only in templates.
    private static let templateWords = [
        "apple_team", "your_", "your-", "<", "{{", "${", "$(", "development_team", "product_bundle",
        "bundle.identifier", "xxxxxxxx", "prefix.", "replace",
    ].map { Array($0.utf8) }

    /// By byte: most bytes of an id begin none of them.
    private static let beginsTemplateWord = (0...255).map { byte in templateWords.contains { Int($0[0]) == byte } }

    private static func placeholderProblem(_ text: String) -> TextProblem {
        TextProblem(
            .aasa022, "app id \(text.quoted) seems to be from documentation or a template",
            fix: "write your team id and bundle id")
    }
}
