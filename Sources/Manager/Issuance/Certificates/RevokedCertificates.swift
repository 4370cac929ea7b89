// The certificates that `associated acme revoke` has had revoked on this node, in a file beside the store: a store that is restored from a
// backup does not know them. A line has the digest of a certificate and when it expires, after which it is forgotten.

import Posix
import TLS

/// The file `state/acme/revoked`.
public struct RevokedCertificates: Sendable {
    private let folder: String
    private static let name = "revoked"
    private static let bytesMax = 1 << 20

    public init(_ places: ManagerPlaces) { folder = places.nodeFolder }

    /// What the file had when it was read.
    struct Known {
        /// When each expires, in seconds since 1970, by its digest.
        fileprivate var ends: [String: Int64]

        var isEmpty: Bool { ends.isEmpty }

        func contains(_ chain: IssuedChain) -> Bool { ends[RevokedCertificates.digest(chain)] != nil }

        func contains(_ stored: StoredCertificate) -> Bool {
            if isEmpty { return false }
            return (try? IssuedChain(pem: Array(stored.chain.utf8))).map(contains) ?? false
        }
    }

    var all: Known {
        let bytes =
            (try? File.read("\(folder)/\(RevokedCertificates.name)", bytesMax: RevokedCertificates.bytesMax).bytes)
        let lines = String(decoding: bytes ?? [], as: UTF8.self).split(separator: "\n").map { $0.split(separator: " ") }
        let ends = lines.compactMap { words in
            words.count == 2 ? Int64(words[1]).map { (String(words[0]), $0) } : nil
        }
        return Known(ends: Dictionary(ends) { max($0, $1) })
    }

    func add(_ chain: IssuedChain) throws(SystemError) {
        try Directory.create(folder, permissions: 0o700)
        try File.replaceDurably(RevokedCertificates.name, in: folder, permissions: 0o600) {
            var ends = all.ends.filter { $0.value >= Clock.wallSeconds() }
            ends[RevokedCertificates.digest(chain)] = chain.facts.notAfter
            return Array(ends.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }.joined().utf8)
        }
    }

    private static func digest(_ chain: IssuedChain) -> String { Digest.hexadecimal(Digest.sha256(chain.leaf)) }
}
