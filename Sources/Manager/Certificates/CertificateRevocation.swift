// Revokes a host's certificate for an operator, for example because its key was copied, and makes the manager replace it. The
// request is signed with the certificate's key, so it does not matter which account ordered it, or which authority: each is asked.

public import ACME
import Database
import Posix
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
        var link = try AuthorityLink(rules, account, userAgent: userAgent)
        var refusals: [String] = []
        for certificate in stored {
            let opened = try store.keys.open(
                certificate.sealedKey, for: StoredCertificate.sealingPlace(host, certificate.keyKind))
            let chain = try IssuedChain(pem: Array(certificate.chain.utf8))
            let key = try SigningKey(reading: opened.secret)
            var problems: [String] = []
            for url in rules.directories {
                do throws(AuthorityProblem) {
                    try link.revoke(chain, reason, signedBy: key, at: url)
                    problems = []
                    break
                } catch { problems.append("\(url.host): \(error.detail)") }
            }
            refusals += problems
            if !problems.isEmpty { continue }
            // Replaced even if another one is not revoked. The command can be repeated: what is revoked already is no error.
            try store.write { transaction throws(DatabaseError) in
                try transaction.execute(
                    "update certificate set renew_at = ? where name = ? and key_kind = ?", try transaction.now(), host,
                    certificate.keyKind)
                _ = try IssuanceReport.hurry(host, in: transaction)
            }
            do throws(SystemError) { try revoked.add(chain) } catch {
                refusals.append(
                    "it is revoked and will be replaced, but this cannot be noted (\(error)), so a backup of the store that is restored "
                        + "would bring it back; repeat the command")
            }
        }
        if !refusals.isEmpty { return .refused(refusals.joined(separator: "; ")) }
        return stored.isEmpty ? .unknown : .revoked
    }
}
