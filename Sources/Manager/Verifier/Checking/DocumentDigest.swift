// Digests by meaning: two files of one digest tell a phone the same. Apple's CDN hands out the file, so it is compared as JSON,
// without regard to white space and the order of members. Google's service lists statements, so they are compared as a set.

import SourceJSON
import TLS

/// The digest of what a file says.
public enum DocumentDigest {
    /// Deeper files are compared byte by byte.
    private static let limits = SourceLimits(depth: 128)

    /// The digest of what Apple has or fetches, without its signature.
    public static func ofDocument(_ file: [UInt8]) -> [UInt8] {
        let file = CopyAnswer.plain(file)
        let document = SourceReader.read(file, as: .json, limits: limits)
        guard document.isAcceptable, let value = document.value else { return Digest.sha256(file) }
        return Digest.sha256(canonical(value))
    }

    /// The text that all forms of a value have in common.
    static func canonical(_ value: SourceValue) -> [UInt8] { SourceWriter.minified(sorted(value)) }

    /// The digest of a statement list as Google reads it; nil if it includes others, which are not known here.
    public static func ofStatementList(_ file: [UInt8]) -> [UInt8]? { CopyAnswer.apps(in: file).map(ofStatements) }

    /// The digest of the apps, and behind it that of their dynamic rules if there are any.
    public static func ofStatements(_ statements: Set<String>) -> [UInt8] {
        let apps = Set(statements.map(CopyAnswer.withoutRules))
        let rules = statements.subtracting(apps)
        return digest(apps) + (rules.isEmpty ? [] : digest(rules))
    }

    /// Whether two digests of statements are of the same apps.
    public static func haveSameApps(_ one: [UInt8], _ other: [UInt8]) -> Bool { one.prefix(32) == other.prefix(32) }

    private static func digest(_ texts: Set<String>) -> [UInt8] {
        Digest.sha256(Array(texts.sorted().joined(separator: "\n").utf8))
    }

    /// The value with the members of each object in the order of their keys. Of members with one key the last one counts.
    private static func sorted(_ value: SourceValue) -> SourceValue {
        switch value.kind {
        case .null, .bool, .number, .string: return value
        case .array(let elements): return .array(elements.map(sorted))
        case .object(let members):
            let ordered = members.withLastOfEachKey.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }
            return .object(ordered.map { ($0.key, sorted($0.value)) })
        }
    }
}
