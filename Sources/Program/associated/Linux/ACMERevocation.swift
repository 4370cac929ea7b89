// `associated acme revoke HOST`: has the authority revoke the certificate of a host, and the manager order another one.

import ACME
import Database
import Issuance
import Management
import Posix
import Store
import Supervision

enum ACMERevocation {
    /// The reasons of RFC 5280 that an operator may give.
    private static let reasons: [(name: String, reason: Revocation.Reason)] = [
        ("unspecified", .unspecified), ("key-compromise", .keyCompromise), ("affiliation-changed", .affiliationChanged),
        ("superseded", .superseded), ("cessation", .cessationOfOperation),
    ]
    static let reasonNames = reasons.map(\.name).joined(separator: ", ")

    static func run(
        _ host: String, reason name: String?, _ loaded: LoadedSettings, _ inputs: ManagerInputs, _ rules: IssuanceRules
    ) throws(Refusal) -> ExitStatus {
        guard let reason = reasons.first(where: { $0.name == name ?? "unspecified" })?.reason else {
            throw .usage("unknown reason \"\(name ?? "")\"; write one of \(reasonNames)")
        }
        // The certificate's key will be in memory, and a core dump would copy it to disk.
        try? ProcessMemory.forbidDumps()
        try ACMEImport.becomeOwner(of: loaded)
        let keys = try inputs.keys(createsMissing: false)
        let outcome: CertificateRevocation.Outcome
        do {
            var store = try Store(inputs.location, keys: keys)
            let account = try AccountSecret.load(&store)
            outcome = try CertificateRevocation.run(
                host, reason, rules, account, userAgent: Product.userAgent,
                noting: RevokedCertificates(inputs.places), &store)
        } catch {
            throw .failure("cannot revoke the certificate of \(host): \(error)")
        }
        switch outcome {
        case .revoked:
            let next = inputs.obstacle ?? "the manager orders another one now; see `associated acme status \(host)`"
            Console.output(
                line: "the manager's certificates of \(host) are revoked; clients that look them up refuse them")
            Console.output(line: "next: \(next)")
            return .success
        case .unknown: return .failure(saying: "the manager has no certificate of \(host)")
        case .refused(let problem):
            return .failure(saying: "a certificate of \(host) is not revoked: \(problem)")
        }
    }
}
