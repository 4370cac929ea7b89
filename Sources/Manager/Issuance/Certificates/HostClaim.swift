// One claim on the work for a host's certificate, and what becomes of that work after a step. Pure, but for the clock and the random
// part of a wait.

import ACME
import Posix
import Store
import TLS

/// What a worker knows of the host whose work it has claimed.
struct HostClaim {
    var work: Work
    /// What the claim has taken from the rate limits, until the order has reached the authority.
    var unspent: [Bucket.Charge]
    /// The one that the host has.
    var certificate: StoredCertificate?

    /// Whether DNS was found to be right a short time ago.
    var isChecked = false

    var isRenewal: Bool { certificate != nil }
    var isQueued: Bool { work.state == IssuanceState.queued.rawValue }

    /// What to do next for a host.
    enum Move: Equatable {
        case continueOrder(OrderJournal)
        case leave
        case checkRenewal(StoredCertificate)
        /// Both are preceded by a preflight.
        case queue, order
    }

    /// - Parameter order: the one that is under way, if it may still end well.
    func move(isWanted: Bool, order: OrderJournal?, nowSeconds: Int64) -> Move {
        if !isWanted { return .leave }
        if let order { return .continueOrder(order) }
        if let certificate, certificate.renewAt / 1_000 > nowSeconds { return .checkRenewal(certificate) }
        // Renewals are free of the limits, and must not wait behind new hosts.
        return isRenewal || isQueued ? .order : .queue
    }

    /// How the work is released.
    struct Outcome {
        var state: IssuanceState
        var problem: String?
        var waitMilliseconds: Int64
        /// The number of failed attempts from now on.
        var tries: Int64
        /// Of an order that is under way, sealed.
        var journal: String?
        /// Whether an attempt to get a certificate has failed.
        var isFailure = false
        /// Saved together with the work.
        var certificate: StoredCertificate?
    }

    /// Until a certificate is written that could not be.
    private static let putMilliseconds: Int64 = 60_000
    /// How often it is looked whether a certificate that is no longer needed has expired.
    private static let leavingMilliseconds: Int64 = 7 * 86_400_000

    /// Nothing has gone wrong, and no attempt is forgotten.
    func waiting(
        _ state: IssuanceState, milliseconds: Int64 = 0, _ problem: String? = nil, keeping journal: String? = nil
    ) -> Outcome {
        Outcome(state: state, problem: problem, waitMilliseconds: milliseconds, tries: work.tries, journal: journal)
    }

    /// The certificate is as wanted.
    func issued(milliseconds: Int64, saving changed: StoredCertificate? = nil) -> Outcome {
        Outcome(state: .issued, waitMilliseconds: milliseconds, tries: 0, certificate: changed)
    }

    /// The certificate stays until it expires, which is not now.
    func leaving(lifeMilliseconds: Int64, _ reason: String) -> Outcome {
        let wait = min(lifeMilliseconds, HostClaim.leavingMilliseconds)
        return Outcome(state: .leaving, problem: reason, waitMilliseconds: wait, tries: 0)
    }

    /// An attempt has failed, or waits for the operator.
    /// - Parameters:
    ///   - journal: of an order that the authority may still finish, sealed.
    ///   - wait: at least this long.
    func failed(
        _ problem: String, _ state: IssuanceState = .failing, keeping journal: String? = nil,
        afterMilliseconds wait: Int64 = 0
    ) -> Outcome {
        let lifeLeft = certificate.map { $0.notAfter - Clock.wallSeconds() * 1_000 }
        let usual = RenewalPlan.retryMilliseconds(
            tries: work.tries, needsOperator: state == .paused, lifeLeftMilliseconds: lifeLeft,
            draw: .random(in: .min ... .max))
        return Outcome(
            state: state, problem: problem, waitMilliseconds: max(wait, usual), tries: work.tries + 1, journal: journal,
            isFailure: true)
    }

    /// DNS does not allow a certificate.
    func failedPreflight(_ problem: PreflightProblem) -> Outcome {
        let state: IssuanceState =
            switch problem {
            case .dns: .waitingForDNS
            case .caa: .waitingForCAA
            }
        let tries = work.state == state.rawValue ? work.tries : 0
        return Outcome(
            state: state, problem: problem.description,
            waitMilliseconds: RenewalPlan.preflightMilliseconds(tries: tries), tries: tries + 1)
    }

    /// The authority does not answer, asks to wait, or refuses the account.
    func refused(_ problem: AuthorityProblem, keeping journal: String?) -> Outcome {
        let wait = (problem.retryAfterSeconds ?? 0) * 1_000
        switch problem.kind {
        case .rateLimited where wait > 0:
            return waiting(.limited, milliseconds: wait, problem.description, keeping: journal)
        // Another host waits for the authority, and this one has not been tried.
        case .noAnswer where wait > 0:
            return waiting(.failing, milliseconds: wait, problem.description, keeping: journal)
        case .userActionRequired, .accountRefused: return failed(problem.demand, .paused, keeping: journal)
        default: return failed(problem.description, keeping: journal, afterMilliseconds: wait)
        }
    }

    /// An order waits for longer than a worker does.
    func delayed(bySeconds seconds: Int64, _ problem: AuthorityProblem?, keeping journal: String?) -> Outcome {
        if let problem, problem.isTransient {
            return failed(problem.description, keeping: journal, afterMilliseconds: seconds * 1_000)
        }
        let state = problem?.kind == .rateLimited ? IssuanceState.limited : .ordering
        return waiting(state, milliseconds: seconds * 1_000, problem?.description, keeping: journal)
    }

    /// A certificate cannot be written here. That says nothing about the authority, so it does not count as a failure.
    func notWritten(_ problem: String, keeping journal: String? = nil) -> Outcome {
        waiting(.failing, milliseconds: HostClaim.putMilliseconds, problem, keeping: journal)
    }
}

extension Work {
    /// The failed orders, without the waits for DNS.
    var orderTries: Int64 { IssuanceState(rawValue: state)?.isWaitingForRecords == true ? 0 : tries }

    /// The place for which the journal of an order is sealed.
    var journalPlace: String { "work/\(kind.name)/\(key)" }

    /// The order that is under way; nil if there is none, or if it cannot be read.
    func openJournal(_ keys: SealingKeys) -> OrderJournal? {
        guard let sealed = journal.flatMap(Base64URL.bytes), let opened = try? keys.open(sealed, for: journalPlace)
        else { return nil }
        return OrderJournal(text: String(decoding: opened.secret, as: UTF8.self))
    }
}
