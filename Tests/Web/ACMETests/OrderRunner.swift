// Runs the steps of an order against a scripted authority, with a virtual clock and with crashes.

import Testing

@testable import ACME
@testable import ACMESupport
@testable import TLS

/// Where the process ends.
struct Crash: Hashable {
    /// Counted from 0.
    var step: Int
    /// Whether the step is done, and only its result is lost.
    var isAfterStep: Bool
}

/// One order, and the authority that it is for.
final class OrderRunner {
    static let issuer = Result { try TestIssuer() }

    let authority: ScriptedAuthority
    let key: AccountKey
    let start: OrderJournal
    private(set) var now: Int64 = 1_800_000_000
    /// The length of each wait.
    private(set) var waitSeconds: [Int64] = []
    private(set) var steps: [OrderStep] = []
    /// The stored journal.
    private(set) var stored: String?

    init(
        _ hosts: [String] = ["shop.example"], _ oddities: ScriptedAuthority.Oddities = .init(),
        by challenge: ChallengeKind = .http,
        profile: String? = nil, replaces: String? = nil, preferredIssuer: String? = nil
    ) throws {
        key = AccountKey(try SigningKey(.p256))
        authority = ScriptedAuthority(key, try OrderRunner.issuer.get(), oddities)
        start = try OrderJournal(
            for: hosts, at: address("https://ca.example/dir"), key: SigningKey(.p256), by: challenge, profile: profile,
            replaces: replaces, preferredIssuer: preferredIssuer)
    }

    var waits: [AuthorityProblem?] {
        steps.compactMap { if case .wait(_, let problem) = $0 { .some(problem) } else { nil } }
    }

    /// Runs until there is an outcome, for at most 60 days of the virtual clock. Each request takes a second. After each crash, it continues with the stored journal.
    /// - Parameter lostAnswer: the step whose request reaches the authority, but whose response is lost.
    func run(_ crashes: [Crash] = [], lostAnswer: Int? = nil, stepsMax: Int = 400) throws -> OrderOutcome {
        let began = now
        while true {
            let journal = try stored.map { try #require(OrderJournal(text: $0)) } ?? start
            var machine = OrderSteps(journal, isSaved: stored != nil)
            var session = AuthoritySession(
                try authority.directory, key: key, account: try address("https://ca.example/account/1"))
            crashed: while true {
                let step = machine.next(&session, now: now)
                let number = steps.count
                steps.append(step)
                try #require(
                    number < stepsMax && now - began < 60 * 86_400, "the order does not end: \(steps.suffix(6))")
                if crashes.contains(Crash(step: number, isAfterStep: false)) { break crashed }
                var response: AuthorityResponse?
                switch step {
                case .save(let journal): stored = journal.text
                case .send(let request):
                    response = authority.answer(request)
                    now += 1
                case .publish(let answers): for answer in answers { publish(answer) }
                case .withdraw(let answers): for answer in answers { withdraw(answer) }
                case .wait(let until, _):
                    try #require(until > now)
                    waitSeconds.append(until - now)
                    now = until
                case .finished(let outcome): return outcome
                }
                if crashes.contains(Crash(step: number, isAfterStep: true)) { break crashed }
                if response != nil, lostAnswer == number {
                    machine.takeFailure("the connection ended", now: now)
                } else if let response {
                    machine.take(response, &session, now: now)
                } else if case .wait = step {
                } else {
                    machine.confirmStep()
                }
            }
        }
    }

    /// Makes the next run a new order for the same hosts.
    func beginAgain() { stored = nil }

    private func place(_ answer: OrderAnswer) -> (String, String) {
        switch answer.kind {
        case .http: ("\(answer.host)/.well-known/acme-challenge/\(answer.token)", answer.keyAuthorization)
        case .dns: ("\(answer.recordName) \(answer.recordValue)", "")
        }
    }

    private func publish(_ answer: OrderAnswer) { authority.world[place(answer).0] = place(answer).1 }

    private func withdraw(_ answer: OrderAnswer) { authority.world[place(answer).0] = nil }
}

extension OrderOutcome {
    var chain: IssuedChain? {
        if case .issued(let chain) = self { chain } else { nil }
    }

    var failure: OrderFailure? {
        if case .failed(let failure) = self { failure } else { nil }
    }
}
