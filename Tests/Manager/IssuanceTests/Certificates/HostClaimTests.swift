// What a worker does next for a host: a table over values.

import ACME
import TLS
import Testing

@testable import Issuance
@testable import Store

struct HostClaimTests {
    private static let now: Int64 = 1_000_000

    private static func claim(_ state: IssuanceState, renewAt: Int64?) -> HostClaim {
        let work = Work(
            kind: CertificateWork.kind, key: "a.example", state: state.rawValue, turn: 0, tries: 0,
            problem: nil, journal: nil, holder: "n/1", isTakenOver: false, attempt: 1)
        let certificate = renewAt.map { time in
            StoredCertificate(
                name: "a.example", keyKind: "p256", chain: "", issuer: "", sealedKey: [], notBefore: 0,
                notAfter: (time + 1_000) * 1_000, renewAt: time * 1_000)
        }
        return HostClaim(work: work, unspent: [], certificate: certificate)
    }

    private static func name(_ move: HostClaim.Move) -> String {
        switch move {
        case .continueOrder: "continue"
        case .leave: "leave"
        case .checkRenewal: "check"
        case .queue: "queue"
        case .order: "order"
        }
    }

    /// Each row: the state, when its certificate is to be renewed (from now, nil without one), whether the host is wanted, whether an
    /// order may still end well, and the move.
    @Test(
        arguments: [
            (.new, nil, true, false, "queue"), (.waitingForDNS, nil, true, false, "queue"),
            (.failing, nil, true, false, "queue"), (.queued, nil, true, false, "order"),
            (.ordering, nil, true, true, "continue"), (.ordering, nil, true, false, "queue"),
            // A renewal enters no queue, and an order goes on although the moment for its renewal has been moved.
            (.issued, 1, true, false, "check"), (.issued, 0, true, false, "order"), (.issued, -1, true, false, "order"),
            (.failing, -1, true, false, "order"), (.ordering, 1, true, true, "continue"),
            // Nothing is ordered for a host that nobody wants.
            (.queued, nil, false, false, "leave"), (.ordering, nil, false, true, "leave"),
            (.issued, 1, false, false, "leave"), (.issued, -1, false, true, "leave"),
        ] as [(IssuanceState, Int64?, Bool, Bool, String)])
    func `decides what is next`(state: IssuanceState, renewal: Int64?, isWanted: Bool, hasOrder: Bool, expected: String)
        throws
    {
        let claim = HostClaimTests.claim(state, renewAt: renewal.map { HostClaimTests.now + $0 })
        let journal = try OrderJournal(
            for: ["a.example"], at: #require(AuthorityURL("https://ca.example/directory")), key: SigningKey(.p256),
            by: .http, profile: nil, replaces: nil, preferredIssuer: nil, tries: 0)
        let move = claim.move(isWanted: isWanted, order: hasOrder ? journal : nil, nowSeconds: HostClaimTests.now)
        #expect(HostClaimTests.name(move) == expected)
    }
}
