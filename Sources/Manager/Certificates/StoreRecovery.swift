// A store that was restored from a backup is older than the certificates in service. What this node knows better wins: a newer pair
// in the folder of a host goes into the store, and a certificate that was revoked here is replaced as soon as possible. Otherwise the
// store is the original: another node may have ordered its certificates.

import Database
import Posix
import TLS

enum StoreRecovery {
    /// Takes over what the folder of a host has newer than the store.
    /// - Parameter stored: all certificates of the host in the store.
    /// - Parameter isPaired: whether a host may have one for ECDSA and one for RSA.
    /// - Returns: those that the store has now.
    static func run(
        _ host: String, _ stored: [StoredCertificate], _ files: IssuedFiles, isPaired: Bool, _ store: inout Store,
        _ control: ManagerControl
    ) throws(DatabaseError) -> [StoredCertificate] {
        let revoked = files.revoked.all
        var changed: [StoredCertificate] = []
        let now = Clock.wallSeconds()
        let isInPlace = !stored.isEmpty && files.hold(stored)
        let pairs = isInPlace ? [] : files.usablePairs(of: host, now: now).filter { !revoked.contains($0.chain) }
        for pair in isPaired ? pairs[...] : pairs.prefix(1) {
            let kind = pair.key.kindName
            let rival = stored.first { !isPaired || $0.isRSA == kind.hasPrefix("rsa") }
            if let rival, !isNewer(pair.chain.facts, than: rival, now, isRevoked: revoked.contains(rival)) { continue }
            let sealed = try store.seal(pair.key.pem, for: StoredCertificate.sealingPlace(host, kind))
            changed.append(StoredCertificate(pair.chain, of: host, keyKind: kind, sealedKey: sealed))
        }
        let isRecovered = !changed.isEmpty
        for var one in stored where changed.isEmpty && one.renewAt > now * 1_000 && revoked.contains(one) {
            one.renewAt = now * 1_000
            changed.append(one)
        }
        if changed.isEmpty { return stored }
        let new = changed
        let (current, isDone) = try store.write(isRepeatable: true) {
            transaction throws(DatabaseError) -> ([StoredCertificate], Bool) in
            // Locked, so that no worker stores another certificate meanwhile.
            _ = try transaction.lock(
                "select key from work where kind = ? and key = ?", CertificateWork.kind, host)
            let current = try StoredCertificate.load(host, in: transaction)
            guard current == stored else { return (current, false) }
            for one in new { try one.replace(isPaired: isPaired || stored.count > 1, in: transaction) }
            if !isRecovered { _ = try IssuanceReport.hurry(host, in: transaction) }
            return (try StoredCertificate.load(host, in: transaction), true)
        }
        if isDone, isRecovered { control.noteRecovered() }
        return current
    }

    /// Whether a usable pair was issued later. A later end alone does not show it, nor does a later beginning: authorities may differ
    /// in how long their certificates are valid, and date them back by an hour.
    private static func isNewer(
        _ facts: CertificateFacts, than stored: StoredCertificate, _ now: Int64, isRevoked: Bool
    ) -> Bool {
        if isRevoked || stored.notAfter <= now * 1_000 { return true }
        return facts.notBefore * 1_000 > stored.notBefore && facts.notAfter * 1_000 >= stored.notAfter
    }
}
