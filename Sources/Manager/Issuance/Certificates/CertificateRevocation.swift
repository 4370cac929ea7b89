// Revokes a host's certificate for an operator, for example because its key was copied, and makes the manager replace it. The
// request is signed with the certificate's key, so it does not matter which account ordered it, or which authority: each is asked.

public import ACME
import Database
import Posix
public import Store
import TLS

public enum CertificateRevocation {
    public enum Outcome: Hashable, Sendable {
        case revoked
        /// The store has no certificate for the host.
        case unknown
        /// Why no authority has revoked it.
        case refused(String)
    }

    public static func run(
        _ host: String, _ reason: Revocation.Reason, _ rules: IssuanceRules, _ account: AccountSecret,
        userAgent: String, noting revoked: RevokedCertificates, _ store: inout Store
    ) throws -> Outcome {
        let stored = try store.read { transaction throws(DatabaseError) in
            try StoredCertificate.load(host, in: transaction)
        }
        guard let stored else { return .unknown }
        var link = try AuthorityClient(rules, account, userAgent: userAgent)
        let opened = try store.keys.open(
            stored.sealedKey, for: StoredCertificate.sealingPlace(host, stored.keyKind))
        let chain = try IssuedChain(pem: Array(stored.chain.utf8))
        let key = try SigningKey(reading: opened.secret)
        var refusals: [String] = []
        for url in rules.directories {
            do throws(AuthorityProblem) {
                try link.revoke(chain, reason, signedBy: key, at: url)
                refusals = []
                break
            } catch { refusals.append("\(url.host): \(error.detail)") }
        }
        if !refusals.isEmpty { return .refused(refusals.joined(separator: "; ")) }
        // The command can be repeated: what is revoked already is no error.
        try store.write { transaction throws(DatabaseError) in
            try transaction.execute(
                "update certificate set renew_at = ? where name = ?", try transaction.now(), host)
            _ = try IssuanceReport.hurry(host, in: transaction)
        }
        do throws(SystemError) { try revoked.add(chain) } catch {
            return .refused(
                "it is revoked and will be replaced, but this cannot be noted (\(error)), so a backup of the store that is restored "
                    + "would bring it back; repeat the command")
        }
        return .revoked
    }
}
