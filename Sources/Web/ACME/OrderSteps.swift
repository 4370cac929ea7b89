// One order, from its journal to a certificate, as steps for the caller: requests, waits, and answers to challenges to put in
// place (RFC 8555 §7.4, §7.5). After a crash or a lost response, it reads the order's state from the authority and continues from
// there, so nothing is done twice.
//
// A temporary problem causes a wait, which shows the problem. Each change of the journal is saved before the next request. If the
// response to the request for an order is lost, `OrderSearch` finds the order. Without a result the order is requested again:
// Let's Encrypt then returns the same order.

import SourceJSON
public import TLS

/// What the caller has to do next. Call `confirmStep` after each `save`, `publish` and `withdraw`.
public enum OrderStep: Hashable, Sendable {
    /// Store the journal.
    case save(OrderJournal)
    /// Send the request, and give the response to `take`, or the reason for its failure to `takeFailure`.
    case send(AuthorityRequest)
    /// Put the answers in place, visible to the authority.
    case publish([OrderAnswer])
    /// Remove these answers.
    case withdraw([OrderAnswer])
    /// Get the next step at this time, in seconds since 1970. The problem, if any, is the reason.
    case wait(until: Int64, AuthorityProblem?)
    case finished(OrderOutcome)
}

/// How an order ended.
public enum OrderOutcome: Hashable, Sendable {
    case issued(IssuedChain)
    case failed(OrderFailure)
}

/// Why an order failed.
public struct OrderFailure: Hashable, Sendable, CustomStringConvertible {
    public enum Cause: Hashable, Sendable {
        /// The authority does not accept the account. Register it again, or replace it.
        case account
        /// The operator has to agree to new terms.
        case terms
        /// The authority has paused these hosts until the operator unpauses them on this page.
        case paused(AuthorityURL)
        /// The authority did not find the answers to challenges. Each problem is that of one host.
        case validation
        /// The authority refused the hosts, the key, the profile or another part of the order.
        case refused
        /// The authority no longer has the order, or it took too long. Order again.
        case lost
        /// A response of the authority cannot be used.
        case unusable
    }

    public let cause: Cause
    public let problems: [AuthorityProblem]

    public var description: String { problems.map(\.description).joined(separator: "; ") }
}

/// The steps of one order. Run only one order for the same hosts at a time: after a crash, authorities cannot tell them apart.
public struct OrderSteps: Sendable {
    public private(set) var journal: OrderJournal

    /// The purpose of the next request, or the next step without a request.
    private enum Goal: Sendable {
        case order
        case search(OrderSearch)
        case readOrder(AuthorityURL)
        case readAuthorization(AuthorityURL)
        case publish
        case respond(AuthorityURL)
        case finalize(AuthorityURL)
        case download(AuthorityURL)
        case downloadAlternate(AuthorityURL, instead: IssuedChain)
        case withdraw(OrderOutcome)
        case end(OrderOutcome)
    }

    private var goal: Goal
    /// The journal as it is stored.
    private var saved: OrderJournal?
    private var call: SignedCall?
    private var waitUntil: Int64?
    private var trouble: AuthorityProblem?
    /// Consecutive requests that failed temporarily.
    private var failures = 0
    /// Whether a request failed and may have had its effect, so the state is read before it is repeated.
    private var isRepeating = false

    /// In its latest state.
    private var order: AuthorityOrder?
    /// Authorizations that are not read yet, later alternate chains.
    private var remaining: [AuthorityURL] = []
    /// Authorizations without a decision of the authority.
    private var undecided: [AuthorityURL] = []
    private var hostProblems: [AuthorityProblem] = []
    private var answers: [(challenge: AuthorityURL, answer: OrderAnswer)] = []
    /// Challenges that the authority knows to be answered.
    private var responded: Set<AuthorityURL> = []
    /// The authority's objection to that, if any.
    private var responseProblem: AuthorityProblem?
    /// Whether all hosts are validated, so the order should be ready.
    private var expectsReady = false

    /// - Parameter isSaved: whether the journal is stored already.
    public init(_ journal: OrderJournal, isSaved: Bool) {
        self.journal = journal
        saved = isSaved ? journal : nil
        goal = journal.order.map { .readOrder($0) } ?? (journal.requestedAt == nil ? .order : .search(OrderSearch()))
    }

    /// The next step.
    /// - Parameter now: seconds since 1970.
    public mutating func next(_ session: inout AuthoritySession, now: Int64) -> OrderStep {
        if let step = stepWithoutRequest(now) { return step }
        do throws(AuthorityProblem) {
            var current = call ?? makeCall(session)
            let request = try current.request(&session)
            call = current
            return .send(request)
        } catch {
            take(problem: error, now)
            return stepWithoutRequest(now) ?? .wait(until: now + 1, error)
        }
    }

    private mutating func stepWithoutRequest(_ now: Int64) -> OrderStep? {
        let isWaiting = waitUntil.map { now < $0 } ?? false
        if case .order = goal, journal.requestedAt == nil, !isWaiting { journal.requestedAt = now }
        if saved != journal { return .save(journal) }
        if let waitUntil, isWaiting { return .wait(until: waitUntil, trouble ?? responseProblem) }
        waitUntil = nil
        switch goal {
        case .publish: return .publish(answers.map(\.answer))
        case .withdraw: return .withdraw(journal.published)
        case .end(let outcome): return .finished(outcome)
        default: break
        }
        if let requestedAt = journal.requestedAt, requestedAt < now - AuthorityLimits.orderSecondsMax {
            let problem = AuthorityProblem(.unknown, "the order was not finished within two weeks")
            finish(.failed(OrderFailure(cause: .lost, problems: [trouble ?? problem])))
            return stepWithoutRequest(now)
        }
        return nil
    }

    private func makeCall(_ session: AuthoritySession) -> SignedCall {
        switch goal {
        case .order: return newOrder(session.directory)
        case .search(let search):
            // Without an account, the call fails before it has a URL.
            return SignedCall(search.url ?? session.account ?? session.directory.newAccount, nil)
        case .readOrder(let url), .readAuthorization(let url): return SignedCall(url, nil)
        case .respond(let url): return SignedCall(url, .object([]))
        case .finalize(let url):
            return SignedCall(url, .object([("csr", .string(Base64URL.text(journal.request)))]))
        case .download(let url), .downloadAlternate(let url, _):
            return SignedCall(url, nil, accept: "application/pem-certificate-chain")
        case .publish, .withdraw, .end: preconditionFailure("no request belongs to this step")
        }
    }

    private func newOrder(_ directory: AuthorityDirectory) -> SignedCall {
        let hosts = journal.hosts.map { SourceValue.object([("type", .string("dns")), ("value", .string($0))]) }
        var members: [(String, SourceValue)] = [("identifiers", .array(hosts))]
        let (profile, replaces) = options(directory)
        if let profile { members.append(("profile", .string(profile))) }
        if let replaces { members.append(("replaces", .string(replaces))) }
        return SignedCall(directory.newOrder, .object(members))
    }

    /// The options of the order that the authority supports. It would refuse the order because of others.
    private func options(_ directory: AuthorityDirectory) -> (profile: String?, replaces: String?) {
        (
            journal.profile.flatMap { directory.profiles[$0] == nil ? nil : $0 },
            directory.renewalInfo == nil ? nil : journal.replaces
        )
    }

    /// Whether a listed order is the one that was requested. An order that was finalized has another key.
    private func isRequested(_ order: AuthorityOrder, _ directory: AuthorityDirectory) -> Bool {
        func agree(_ wanted: String?, _ found: String?) -> Bool { wanted == nil || found == nil || wanted == found }
        let (profile, replaces) = options(directory)
        return (order.status == .pending || order.status == .ready)
            && agree(profile, order.profile) && agree(replaces, order.replaces)
    }

    /// Confirms that the last `save`, `publish` or `withdraw` is done.
    public mutating func confirmStep() {
        if saved != journal {
            saved = journal
            return
        }
        switch goal {
        case .publish: if let first = answers.first { goal = .respond(first.challenge) }
        case .withdraw(let outcome): goal = .end(outcome)
        default: break
        }
    }

    /// Takes the response to the last request.
    public mutating func take(_ response: AuthorityResponse, _ session: inout AuthoritySession, now: Int64) {
        guard var current = call else { return }
        do throws(AuthorityProblem) {
            let answer = try current.take(response, &session)
            call = answer == nil ? current : nil
            guard let answer else { return }
            try advance(answer, session, now)
            endFailures()
        } catch {
            take(problem: error, now)
        }
    }

    /// A request has succeeded. Waits get longer all the same if it only led back to the one that fails.
    private mutating func endFailures() {
        let leadsBack =
            switch goal {
            case .order, .search, .finalize: isRepeating
            default: false
            }
        if !leadsBack { (failures, trouble, isRepeating) = (0, nil, false) }
    }

    /// Takes the reason why the last request failed without a response.
    public mutating func takeFailure(_ reason: String, now: Int64) { take(problem: .noAnswer(reason), now) }

    private mutating func advance(
        _ answer: AuthorityResponse, _ session: AuthoritySession, _ now: Int64
    ) throws(AuthorityProblem) {
        switch goal {
        case .order:
            guard let url = answer.location else {
                throw .unusable("the response does not have the order's https URL in Location")
            }
            try begin(url, answer, now)
        case .search(var search):
            let result = search.take(answer, hosts: journal.hosts) { isRequested($0, session.directory) }
            switch result {
            case .incomplete: goal = .search(search)
            case .notFound: goal = .order
            case .found(let url): try begin(url, answer, now)
            }
        case .readOrder: enter(try AuthorityOrder(reading: answer, hosts: journal.hosts), answer, now)
        case .readAuthorization(let url):
            let authorization = try HostAuthorization(reading: answer, hosts: journal.hosts)
            remaining.removeAll { $0 == url }
            try note(authorization, url, session.key)
            readNextAuthorization(answer, now)
        case .respond(let url):
            responded.insert(url)
            respondToNext(now: now, retryAfterSeconds: answer.retryAfterSeconds)
        case .finalize:
            let order = try AuthorityOrder(reading: answer, hosts: journal.hosts)
            if order.status == .ready || order.status == .pending {
                pollOrder(answer.retryAfterSeconds, now)
            } else {
                journal.waitingSince = now
                enter(order, answer, now)
            }
        case .download:
            let chain = try issuedChain(answer)
            remaining = answer.links("alternate")
            if let issuer = journal.preferredIssuer, !chain.endsAt(issuer: issuer) {
                downloadNextAlternate(instead: chain)
            } else {
                finish(.issued(chain))
            }
        case .downloadAlternate(_, let chain):
            if let other = try? issuedChain(answer), other.endsAt(issuer: journal.preferredIssuer ?? "") {
                finish(.issued(other))
            } else {
                downloadNextAlternate(instead: chain)
            }
        case .publish, .withdraw, .end: break
        }
    }

    /// Continues with an order that the authority has made.
    private mutating func begin(
        _ url: AuthorityURL, _ answer: AuthorityResponse, _ now: Int64
    ) throws(AuthorityProblem) {
        let order = try AuthorityOrder(reading: answer, hosts: journal.hosts)
        (journal.order, journal.waitingSince) = (url, now)
        enter(order, answer, now)
    }

    /// Continues according to the order's status.
    private mutating func enter(_ order: AuthorityOrder, _ answer: AuthorityResponse, _ now: Int64) {
        self.order = order
        switch order.status {
        case .pending where expectsReady: pollOrder(answer.retryAfterSeconds, now)
        case .pending, .invalid:
            (remaining, undecided, hostProblems, answers) = (order.authorizations, [], [], [])
            readNextAuthorization(answer, now)
        case .ready: goal = .finalize(order.finalize)
        case .valid:
            if let certificate = order.certificate {
                goal = .download(certificate)
            } else {
                pollOrder(answer.retryAfterSeconds, now)
            }
        case .processing, .unknown: pollOrder(answer.retryAfterSeconds, now)
        }
    }

    private mutating func note(
        _ authorization: HostAuthorization, _ url: AuthorityURL, _ key: AccountKey
    ) throws(AuthorityProblem) {
        switch authorization.status {
        case .valid: break
        case .unknown: undecided.append(url)
        case .invalid, .deactivated, .expired, .revoked: hostProblems.append(authorization.problem)
        case .pending:
            undecided.append(url)
            guard order?.status != .invalid else { return }
            guard let challenge = authorization.challenges.first(where: { $0.kind == journal.challenge }) else {
                var problem = AuthorityProblem(
                    .rejectedIdentifier,
                    "the authority does not offer the challenge \(journal.challenge.rawValue), only "
                        + authorization.offered.joined(separator: ", "))
                problem.host = authorization.host
                throw problem
            }
            guard challenge.isPending, !responded.contains(challenge.url) else { return }
            let answer = OrderAnswer(
                kind: challenge.kind, host: authorization.host, token: challenge.token,
                keyAuthorization: key.keyAuthorization(challenge.token))
            answers.append((challenge.url, answer))
        }
    }

    private mutating func readNextAuthorization(_ answer: AuthorityResponse, _ now: Int64) {
        if let url = remaining.first {
            goal = .readAuthorization(url)
        } else if order?.status == .invalid || undecided.isEmpty && !hostProblems.isEmpty {
            // The order has a problem of its own if finalization failed, after all hosts were validated.
            let own =
                order?.problem
                ?? AuthorityProblem(.unknown, "the authority does not give a reason why the order is invalid")
            let cause: OrderFailure.Cause = hostProblems.isEmpty ? .refused : .validation
            finish(.failed(OrderFailure(cause: cause, problems: hostProblems.isEmpty ? [own] : hostProblems)))
        } else if undecided.isEmpty {
            expectsReady = true
            if let url = journal.order { goal = .readOrder(url) }
        } else if answers.isEmpty {
            pollAuthorizations(answer.retryAfterSeconds, now)
        } else if journal.published.count + answers.count > AuthorityLimits.answersMax {
            take(problem: .unusable("the authority replaces its challenges again and again"), now)
        } else {
            journal.published += answers.map(\.answer).filter { !journal.published.contains($0) }
            goal = .publish
        }
    }

    /// Tells the authority about the next answer, or waits for its decisions.
    private mutating func respondToNext(now: Int64, retryAfterSeconds: Int64?) {
        answers.removeAll { responded.contains($0.challenge) }
        if let next = answers.first {
            goal = .respond(next.challenge)
        } else {
            journal.waitingSince = now
            pollAuthorizations(retryAfterSeconds, now)
        }
    }

    private mutating func pollAuthorizations(_ retryAfterSeconds: Int64?, _ now: Int64) {
        (remaining, undecided) = (undecided, [])
        if let url = remaining.first { goal = .readAuthorization(url) }
        poll(retryAfterSeconds, now)
    }

    private mutating func pollOrder(_ retryAfterSeconds: Int64?, _ now: Int64) {
        expectsReady = false
        if let url = journal.order { goal = .readOrder(url) }
        poll(retryAfterSeconds, now)
    }

    /// Without `Retry-After`, each wait is half the time since the authority got something to do, also after a crash.
    private mutating func poll(_ retryAfterSeconds: Int64?, _ now: Int64) {
        let half = (now - max(0, min(journal.waitingSince, now))) / 2
        waitUntil = now + max(1, retryAfterSeconds ?? min(3600, half))
    }

    /// The chain in a response, which must be for the journal's key and hosts.
    private func issuedChain(_ answer: AuthorityResponse) throws(AuthorityProblem) -> IssuedChain {
        let chain: IssuedChain
        let isOurs: Bool
        do throws(TLSError) {
            chain = try IssuedChain(pem: answer.body)
            isOurs = chain.isFor(try SigningKey(reading: journal.key))
        } catch {
            throw .unusable(error.description)
        }
        guard isOurs, journal.hosts.allSatisfy(chain.covers) else {
            throw .unusable("the certificate is for another key or for other hosts")
        }
        return chain
    }

    private mutating func downloadNextAlternate(instead chain: IssuedChain) {
        if remaining.isEmpty {
            finish(.issued(chain))
        } else {
            goal = .downloadAlternate(remaining.removeFirst(), instead: chain)
        }
    }

    private mutating func finish(_ outcome: OrderOutcome) {
        (call, waitUntil) = (nil, nil)
        goal = journal.published.isEmpty ? .end(outcome) : .withdraw(outcome)
    }

    /// Continues according to the problem and the purpose of the request.
    private mutating func take(problem: AuthorityProblem, _ now: Int64) {
        let isMessageSent = call?.isMessageSent ?? false
        call = nil
        if problem.isTransient || problem.kind == .rateLimited && problem.unpausePage == nil {
            if case .downloadAlternate(_, let chain) = goal, failures >= 3 {
                return downloadNextAlternate(instead: chain)
            }
            failures += 1
            trouble = problem
            // The authority may have done it, although the response is missing.
            if case .finalize = goal, let url = journal.order { (goal, isRepeating) = (.readOrder(url), true) }
            if case .order = goal, isMessageSent, problem.kind != .badNonce, problem.kind != .rateLimited {
                (goal, isRepeating) = (.search(OrderSearch()), true)
            }
            // Refused, so there is no order to be found.
            if case .order = goal, problem.kind == .rateLimited { journal.requestedAt = nil }
            let demanded = problem.retryAfterSeconds ?? (problem.kind == .rateLimited ? 3600 : 0)
            waitUntil = now + max(demanded, min(3600, 5 << Int64(min(failures, 10))))
            return
        }
        let isAboutAccount = [.accountDoesNotExist, .externalAccountRequired, .userActionRequired].contains(
            problem.kind)
        switch goal {
        case .order where journal.replaces != nil && OrderSteps.mayConcernReplaced(problem):
            // The new certificate matters more than the link to the old one, which may be from another authority.
            journal.replaces = nil
        case .search(var search) where !isAboutAccount:
            goal = search.skip() == .incomplete ? .search(search) : .order
        case .respond(let url) where !isAboutAccount:
            // The authority may know the answer already; the authorization shows it.
            responseProblem = problem
            responded.insert(url)
            respondToNext(now: now, retryAfterSeconds: nil)
        case .finalize where problem.kind == .orderNotReady, .download where problem.status == 404: pollOrder(nil, now)
        case .downloadAlternate(_, let chain): downloadNextAlternate(instead: chain)
        case .readOrder where problem.status == 404, .readAuthorization where problem.status == 404:
            finish(.failed(OrderFailure(cause: .lost, problems: [problem])))
        default: finish(.failed(OrderFailure(cause: OrderSteps.cause(of: problem), problems: [problem])))
        }
    }

    /// Whether an order may have been refused because of the certificate that it replaces (RFC 9773 §5).
    private static func mayConcernReplaced(_ problem: AuthorityProblem) -> Bool {
        problem.unpausePage == nil
            && ([.alreadyReplaced, .malformed, .unauthorized].contains(problem.kind)
                || [404, 409].contains(problem.status))
    }

    private static func cause(of problem: AuthorityProblem) -> OrderFailure.Cause {
        if let page = problem.unpausePage { return .paused(page) }
        switch problem.kind {
        case .accountDoesNotExist, .externalAccountRequired, .unauthorized: return .account
        case .userActionRequired: return .terms
        case .unusable: return .unusable
        default: return .refused
        }
    }
}
