// One digest of all that is served, for comparing replicas: the same files give the same digest on every machine, whatever
// order they were read in. It is a sum of digests, one for each answer. Computed when asked for, once for each catalogue.

import Catalogue
import Posix
import Synchronization
import TLS

final class ServedDigest: Sendable {
    private struct Known {
        weak var catalogue: Catalogue?
        var text = ""
    }

    private let known = Mutex(Known())

    /// In hexadecimal.
    func text(of catalogue: Catalogue) -> String {
        if let text = known.withLock({ $0.catalogue === catalogue ? $0.text : nil }) { return text }
        let text = ServedDigest.text(of: catalogue)
        known.withLock { $0 = Known(catalogue: catalogue, text: text) }
        return text
    }

    static func text(of catalogue: Catalogue) -> String {
        var (high, low): (UInt64, UInt64) = (0, 0)
        catalogue.forEachAnswer { version in
            // No byte of a host, a path or a tag is 0.
            let line = "\(version.host)\0\(version.path)\0\(version.tag ?? "\(version.byteCount) bytes")"
            let digest = Digest.sha256(Array(line.utf8))
            high &+= ServedDigest.number(digest[..<8])
            low &+= ServedDigest.number(digest[8..<16])
        }
        return [high, low].map { number in
            let digits = String(number, radix: 16)
            return String(repeating: "0", count: 16 - digits.count) + digits
        }.joined()
    }

    private static func number(_ bytes: ArraySlice<UInt8>) -> UInt64 { bytes.reduce(0) { $0 << 8 | UInt64($1) } }
}
