// A store that was restored from a backup is older than the certificates in service. What this node knows better wins: a newer pair
// in the folder of a host goes into the store, and a certificate that was revoked here is replaced as soon as possible. Otherwise the
// store is the original: another node may have ordered its certificates.

import Database
import Posix
import Store
import TLS

enum StoreRecovery {
    /// Takes over what the folder of a host has newer than the store.
    /// - Parameter stored: the certificate of the host in the store.
    /// - Returns: the one that the store has now.
    static func run(
        _ host: String, _ stored: StoredCertificate?, _ files: IssuedFiles, _ store: inout Store,
        _ issuance: IssuanceStatus
    ) throws(DatabaseError) -> StoredCertificate? {
        let revoked = files.revoked.all
        let now = Clock.wallSeconds()
        var new: StoredCertificate?
        var isRecovered = false
        let isInPlace = stored.map(files.holds) ?? false
        if !isInPlace, let pair = files.usablePair(of: host, now: now), !revoked.contains(pair.chain),
            stored.map({ isNewer(pair.chain.facts, than: $0, now, isRevoked: revoked.contains($0)) }) ?? true
        {
            let kind = pair.key.kindName
            let sealed = try store.seal(pair.key.pem, for: StoredCertificate.sealingPlace(host, kind))
            (new, isRecovered) = (StoredCertificate(pair.chain, of: host, keyKind: kind, sealedKey: sealed), true)
        } else if let stored, stored.renewAt > now * 1_000, revoked.contains(stored) {
            new = stored
            new?.renewAt = now * 1_000
        }
        guard let new else { return stored }
        let isFromFiles = isRecovered
        let (current, isDone) = try store.write(isRepeatable: true) {
            transaction throws(DatabaseError) -> (StoredCertificate?, Bool) in
            // Locked, so that no worker stores another certificate meanwhile.
            _ = try transaction.lock(
                "select key from work where kind = ? and key = ?", CertificateWork.kind, host)
            let current = try StoredCertificate.load(host, in: transaction)
            guard current == stored else { return (current, false) }
            try new.replace(in: transaction)
            if !isFromFiles { _ = try IssuanceReport.hurry(host, in: transaction) }
            return (try StoredCertificate.load(host, in: transaction), true)
        }
        if isDone, isRecovered { issuance.noteRecovered() }
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
