// Digests by meaning: two files of one digest tell a phone the same. Apple's CDN hands out the file, so it is compared as JSON,
// without regard to white space and the order of members. Google's service lists statements, so they are compared as a set.

import SourceJSON
import TLS
import Verifier

/// The digest of what a file says.
enum DocumentDigest {
    /// Deeper files are compared byte by byte.
    private static let limits = SourceLimits(depth: 128)

    /// The digest of a host's file, for comparison with the copy of a service. Nil if they cannot be compared.
    static func of(_ file: [UInt8], for verifier: DeliveryVerifier) -> [UInt8]? {
        switch verifier {
        case .apple: ofDocument(CopyAnswer.plain(file))
        case .google: CopyAnswer.apps(in: file).map(ofStatements)
        }
    }

    static func ofDocument(_ file: [UInt8]) -> [UInt8] {
        let document = SourceReader.read(file, as: .json, limits: limits)
        guard document.isAcceptable, let value = document.value else { return Digest.sha256(file) }
        return Digest.sha256(SourceWriter.minified(sorted(value)))
    }

    static func ofStatements(_ statements: Set<String>) -> [UInt8] {
        Digest.sha256(Array(statements.sorted().joined(separator: "\n").utf8))
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
