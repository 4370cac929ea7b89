// Does the work on certificates, one host at a time: looks at DNS, orders, asks the authority when to renew. Several workers run at
// once, in this process and in others; the store gives each piece of work to one of them. Everything that must survive a crash
// is stored before the next request, so a worker may be killed at any moment.

import ACME
import Database
import Posix
public import Store
public import TLS

/// A worker, used by one thread.
public struct CertificateWorker: ~Copyable {
    private let rules: IssuanceRules
    private let issuance: IssuanceStatus
    private let control: WorkControl
    private let number: Int
    /// The unique name of this worker in the store.
    private let holder: String
    private var account: AccountSecret
    private let suffixes: PublicSuffixes
    private let places: ManagerPlaces
    private let files: IssuedFiles
    /// The file of the account's thumbprint.
    private let thumbprint: String
    private let records: ChallengeRecords?
    private var store: Store
    private var link: AuthorityClient
    /// Until when no work is begun with a new account key, by the monotonic clock: each node's server must answer with it first.
    private var quietUntil: Int64 = 0
    private var servesQueueNext = false

    private typealias State = IssuanceState

    /// After this part of its life, 7 hours of 90 days, the authority is first asked when to renew a certificate: an authority that
    /// wants it at once each time would get order after order.
    private static let firstLookDivisor: Int64 = 300
    private static let restMilliseconds: Int64 = 2_000
    /// How long a preflight is good for.
    private static let checkedMilliseconds: Int64 = 3_600_000

    public init(
        _ number: Int, _ rules: IssuanceRules, _ issuance: IssuanceStatus, places: ManagerPlaces, holder: String,
        account: AccountSecret, suffixes: PublicSuffixes, userAgent: String, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.rules, self.issuance) = (number, rules, issuance)
        control = issuance.control
        self.holder = "\(holder)/\(number)"
        (self.account, self.suffixes) = (account, suffixes)
        self.places = places
        (files, thumbprint) = (IssuedFiles(places), places.thumbprint)
        records = ChallengeRecords(rules)
        link = try AuthorityClient(rules, account, userAgent: userAgent, silences: issuance.silences)
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in try step() ? 0 : CertificateWorker.restMilliseconds }
    }

    /// Does one piece of work: in turn one of the queue and another one, as far as there are both.
    /// - Returns: false if none is due.
    mutating func step() throws(DatabaseError) -> Bool {
        // Used by closures that cannot reach the worker.
        let (rules, suffixes, holder, issuance, account) = (rules, suffixes, holder, issuance, account)
        if Clock.monotonicMilliseconds() < quietUntil { return false }
        servesQueueNext.toggle()
        let queue = CertificateWork.queuePriority...CertificateWork.queuePriority
        let others = CertificateWork.checkPriority...CertificateWork.renewalPriority
        let lanes = servesQueueNext ? [queue, others] : [others, queue]
        var charges: [Bucket.Charge] = []
        let (isCurrent, claimed) = try store.write { transaction throws(DatabaseError) -> (Bool, Work?) in
            guard try account.isCurrent(in: transaction) else { return (false, nil) }
            for lane in lanes {
                let work = try Work.claim(CertificateWork.kind, by: holder, priorities: lane, in: transaction) { work in
                    // A host that is not wanted any more leaves the queue without waiting.
                    let isCharged = work.state == State.queued.rawValue && issuance.isWanted(work.key)
                    charges = isCharged ? rules.charges(work.key, tries: work.tries, turn: work.turn, suffixes) : []
                    return charges
                }
                if let work { return (true, work) }
            }
            return (true, nil)
        }
        if !isCurrent { try takeAccount() }
        guard let work = claimed else { return false }
        var claim = HostClaim(work: work, unspent: charges)
        if let outcome = try process(&claim) { try release(claim, outcome) }
        for note in link.takeNotes() { control.logOnce(.warning, note) }
        return true
    }

    /// Takes the account key that is in the store now.
    private mutating func takeAccount() throws(DatabaseError) {
        let thumbprint = account.key.thumbprint
        account = try AccountSecret.load(&store)
        link.use(account)
        if account.key.thumbprint == thumbprint { return }
        control.logOnce(.info, "the account key has the thumbprint \(account.key.thumbprint) now")
        quietUntil = Clock.monotonicMilliseconds() + rules.patience.accountMilliseconds
        // The upkeep of certificates reports what prevents it, and tries again.
        try? account.publish(at: self.thumbprint)
    }

    /// - Returns: nil if the work is done, or if another worker has it.
    private mutating func process(_ claim: inout HostClaim) throws(DatabaseError) -> HostClaim.Outcome? {
        let (work, host) = (claim.work, claim.work.key)
        let stored = try store.read { transaction throws(DatabaseError) in
            // What was right before a host entered the queue may have changed since.
            if claim.isQueued, let since = try IssuanceReport.load(host, in: transaction)?.since {
                claim.isChecked = try transaction.now() - since < CertificateWorker.checkedMilliseconds
            }
            return try StoredCertificate.load(host, in: transaction)
        }
        claim.certificate = try StoreRecovery.run(host, stored, files, &store, issuance)
        if let problem = claim.certificate.flatMap({ files.put($0, store.keys) }) {
            return claim.notWritten(problem, keeping: work.journal)
        }
        // The operator has done what the authority asked for.
        if work.state == State.paused.rawValue, work.tries == 0 { link.forgetRefusals() }
        let journal = work.openJournal(store.keys)
        // The operator may have added one since the hosts were compared.
        let isWanted = issuance.isWanted(host) && places.ownCertificate(of: host) == nil
        let kept = journal.flatMap { isWanted && isKept($0, claim) ? $0 : nil }
        if let journal, kept == nil {
            withdraw(journal.published)
            claim.unspent += refund(claim, .lost, journal)
        }
        let move = claim.move(isWanted: isWanted, order: kept, nowSeconds: Clock.wallSeconds())
        switch move {
        case .continueOrder(let order): return try carryOut(&claim, order, sealed: work.journal)
        case .leave: return try retireHost(claim)
        case .checkRenewal(let certificate): return checkRenewal(claim, certificate)
        case .queue, .order:
            if rules.isPreflightRequired, !claim.isChecked,
                let problem = preflight(host, directory(work, claim.certificate))
            {
                return claim.failedPreflight(problem)
            }
            // Earlier looks at DNS are not failed orders, also if the settings no longer ask for them.
            claim.work.tries = work.orderTries
            return move == .queue ? claim.waiting(.queued) : try order(&claim)
        }
    }

    /// Releases the work, and gives back what it has not spent. If the claim was lost in the meantime, another worker has it, and
    /// nothing changes.
    private mutating func release(_ claim: HostClaim, _ outcome: HostClaim.Outcome) throws(DatabaseError) {
        let (work, state, problem) = (claim.work, outcome.state, outcome.problem)
        if outcome.isFailure { issuance.count(state) }
        let priority = CertificateWork.priority(state, isRenewal: claim.isRenewal)
        let isOurs = try store.write { transaction throws(DatabaseError) in
            let isOurs = try work.postpone(
                to: try transaction.now() + outcome.waitMilliseconds, state: state.rawValue, problem: problem,
                tries: outcome.tries, journal: outcome.journal, priority: priority, in: transaction)
            if isOurs { try outcome.certificate?.save(in: transaction) }
            if isOurs { try Bucket.credit(claim.unspent, in: transaction) }
            return isOurs
        }
        let isChanged = state != .leaving && (problem != work.problem || state.rawValue != work.state)
        if isOurs, isChanged, let problem { control.logHost("\(work.key): \(state.rawValue): \(problem)") }
    }

    /// The host is no longer served, or has a certificate of the operator. The certificate stays until it expires.
    private mutating func retireHost(_ claim: HostClaim) throws(DatabaseError) -> HostClaim.Outcome? {
        let work = claim.work
        let life = (claim.certificate?.notAfter ?? 0) - Clock.wallSeconds() * 1_000
        guard life > 0 else {
            let isOurs = try store.write { transaction throws(DatabaseError) in
                guard try work.finish(in: transaction) else { return false }
                try Bucket.credit(claim.unspent, in: transaction)
                try StoredCertificate.remove(work.key, in: transaction)
                return true
            }
            if isOurs { files.remove(work.key) }
            return nil
        }
        let needsUpdates = rules.challenge(for: work.key) == .dns && records == nil
        let reason =
            needsUpdates
            ? "its certificate is not renewed, because wildcards need `acme.rfc2136`; set it, or put a certificate into config/hosts"
            : "it is no longer served here, or config/hosts has a certificate for it, which takes precedence"
        if needsUpdates, reason != work.problem { control.log(.warning, "\(work.key): \(reason)") }
        return claim.leaving(lifeMilliseconds: life, reason)
    }

    /// Asks the authority when to renew, and chooses the moment again if it has moved the window.
    private mutating func checkRenewal(_ claim: HostClaim, _ certificate: StoredCertificate) -> HostClaim.Outcome {
        var stored = certificate
        let info = stored.renewalID.flatMap { link.renewalInfo($0) }
        if let info, !((info.start * 1_000)..<(info.end * 1_000)).contains(stored.renewAt) {
            stored.chooseRenewal(in: (info.start * 1_000)..<(info.end * 1_000))
            let page = info.explanation.map { "; see \($0)" } ?? ""
            if !page.isEmpty || stored.renewAt <= Clock.wallSeconds() * 1_000 {
                control.logHost(
                    "\(claim.work.key): the authority asks for a renewal on \(Clock.day(stored.renewAt / 1_000))\(page)",
                    .info)
            }
        }
        let wait = RenewalPlan.nextCheckMilliseconds(
            nextCheckSeconds: info?.nextCheckSeconds ?? 6 * 3_600, draw: .random(in: .min ... .max))
        let untilRenewal = max(0, stored.renewAt - Clock.wallSeconds() * 1_000)
        return claim.issued(
            milliseconds: min(wait, untilRenewal), saving: stored == certificate ? nil : stored)
    }

    /// Why the host cannot get a certificate now; nil if it can.
    private mutating func preflight(_ host: String, _ authority: AuthorityURL) -> PreflightProblem? {
        // An authority that does not answer is met by the order.
        let report = HostPreflight(rules, account.key.thumbprint, try? link.session(authority)).report(host)
        if let areSilent = report.areNameServersSilent { issuance.noteNameServers(areSilent: areSilent) }
        return report.problem
    }

    /// Orders a certificate, which replaces the one that the host has.
    private mutating func order(_ claim: inout HostClaim) throws(DatabaseError) -> HostClaim.Outcome? {
        let url = directory(claim.work, claim.certificate)
        // A certificate that cannot be written is not ordered.
        if let problem = files.problem { return claim.failed(problem) }
        let journal: OrderJournal
        do throws(TLSError) {
            journal = try OrderJournal(
                for: [claim.work.key], at: url, key: try SigningKey(rules.key),
                by: rules.challenge(for: claim.work.key),
                profile: rules.profile, replaces: claim.certificate?.renewalID, preferredIssuer: rules.preferredIssuer,
                tries: claim.work.orderTries)
        } catch {
            return claim.failed(error.description)
        }
        return try carryOut(&claim, journal, sealed: nil)
    }

    /// - Parameter sealed: the journal as it is stored; nil if it is not.
    private mutating func carryOut(
        _ claim: inout HostClaim, _ journal: OrderJournal, sealed: String?
    ) throws(DatabaseError) -> HostClaim.Outcome? {
        let (work, url) = (claim.work, journal.directory)
        var (sealed, steps) = (sealed, OrderSteps(journal, isSaved: sealed != nil))
        var session: AuthoritySession
        do throws(AuthorityProblem) { session = try link.session(url) } catch {
            return claim.refused(error, keeping: sealed)
        }
        defer { link.keep(session, url) }
        let deadline = Clock.wallSeconds() + rules.patience.orderSecondsMax
        var isAccepted = journal.order != nil
        while true {
            let now = Clock.wallSeconds()
            if control.isStopping { return claim.waiting(.ordering, keeping: sealed) }
            switch steps.next(&session, now: now) {
            case .save(let journal):
                let text = Base64URL.text(try store.seal(Array(journal.text.utf8), for: work.journalPlace))
                sealed = text
                let priority = CertificateWork.priority(.ordering, isRenewal: claim.isRenewal)
                let isOurs = try store.write { transaction throws(DatabaseError) in
                    try work.record(state: State.ordering.rawValue, journal: text, priority: priority, in: transaction)
                }
                guard isOurs else { return nil }
                claim.unspent = []
                if !isAccepted, journal.order != nil {
                    isAccepted = true
                    try liftLimit(at: url)
                }
                steps.confirmStep()
            case .send(let request):
                do throws(AuthorityProblem) { steps.take(try link.send(request), &session, now: now) } catch {
                    steps.takeFailure(error.detail, now: Clock.wallSeconds())
                }
            case .publish(let answers):
                if let problem = publish(answers) { return claim.failed(problem, keeping: sealed) }
                steps.confirmStep()
            case .withdraw(let answers):
                withdraw(answers)
                steps.confirmStep()
            case .wait(let until, let problem):
                guard until - now <= rules.patience.pauseSecondsMax, until <= deadline else {
                    try holdBack(work.key, at: url, seconds: until - now, problem)
                    return claim.delayed(bySeconds: until - now, problem, keeping: sealed)
                }
                control.rest(number, milliseconds: max(1, until - now) * 1_000)
                guard try store.write(work.renew) else { return nil }
            case .finished(.issued(let chain)): return try storeCertificate(claim, chain, steps.journal)
            case .finished(.failed(let failure)): return failOrder(&claim, failure, steps.journal)
            }
        }
    }

    /// If the authority has refused an order because of a limit of the account, other hosts would be refused too, so they wait in the
    /// queue.
    private mutating func holdBack(
        _ host: String, at url: AuthorityURL, seconds: Int64, _ problem: AuthorityProblem?
    ) throws(DatabaseError) {
        guard let problem, !problem.isTransient, problem.isLimitOfAccount(suffixes.registeredDomain(of: host)),
            let bucket = rules.budget(url).account
        else { return }
        try store.write { transaction throws(DatabaseError) in
            try AccountLimit.note(
                problem.description, milliseconds: seconds * 1_000, at: url, bucket, in: transaction)
        }
    }

    /// An order that the authority accepts shows that it no longer limits the account.
    private mutating func liftLimit(at url: AuthorityURL) throws(DatabaseError) {
        guard let bucket = rules.budget(url).account else { return }
        let isLifted = try store.write { transaction throws(DatabaseError) in
            try AccountLimit.lift(at: url, bucket, in: transaction)
        }
        if isLifted { control.log(.info, "\(url.host) no longer limits the account: it has accepted an order") }
    }

    /// What a failed order gives back; nothing if it was a renewal.
    private func refund(_ claim: HostClaim, _ cause: OrderFailure.Cause, _ journal: OrderJournal) -> [Bucket.Charge] {
        claim.isRenewal ? [] : rules.refund(claim.work.key, cause, journal, suffixes)
    }

    /// Whether an order is continued: at the authority whose turn it is, and at another one that has it and may still finish it.
    private func isKept(_ journal: OrderJournal, _ claim: HostClaim) -> Bool {
        guard journal.keyKind == rules.key else { return false }
        let stored = claim.certificate
        if journal.directory == directory(claim.work, stored) { return true }
        return journal.order != nil && rules.directories.contains(journal.directory)
            && claim.work.orderTries - journal.tries < RenewalPlan.triesMax(isUrgent: stored?.isUrgent == true)
    }

    /// Puts the answers for DNS in place. Over HTTP, the server answers every challenge with the thumbprint.
    /// - Returns: why that was not possible.
    private func publish(_ answers: [OrderAnswer]) -> String? {
        let answers = answers.filter { $0.kind == .dns }
        if answers.isEmpty { return nil }
        guard let records else { return "its order waits for a TXT record; configure acme.rfc2136" }
        let (control, number) = (control, number)
        do throws(PreflightProblem) {
            try records.publish(answers) { control.rest(number, milliseconds: 1_000) }
            return nil
        } catch {
            return error.description
        }
    }

    /// A record that stays does no harm, so the order does not wait for it.
    private func withdraw(_ answers: [OrderAnswer]) {
        for answer in answers where answer.kind == .dns {
            guard let problem = records?.withdraw(answer) else { continue }
            control.log(
                .warning,
                "\(answer.host): its TXT record \(answer.recordValue) stays in DNS: \(problem); remove it by hand")
        }
    }

    /// The authority for the next order: another one after a day of failures, and sooner if the certificate expires soon.
    private func directory(_ work: Work, _ stored: StoredCertificate?) -> AuthorityURL {
        rules.directory(tries: work.orderTries, isUrgent: stored?.isUrgent == true)
    }

    private mutating func storeCertificate(
        _ claim: HostClaim, _ chain: IssuedChain, _ journal: OrderJournal
    ) throws(DatabaseError) -> HostClaim.Outcome? {
        let (work, facts) = (claim.work, chain.facts)
        let kind = (journal.keyKind ?? rules.key).rawValue
        let sealed = try store.seal(journal.key, for: StoredCertificate.sealingPlace(work.key, kind))
        let certificate = StoredCertificate(chain, of: work.key, keyKind: kind, sealedKey: sealed)
        let isKept = try store.write { transaction throws(DatabaseError) in
            guard try work.renew(in: transaction) else { return false }
            try certificate.replace(in: transaction)
            return true
        }
        guard isKept else { return nil }
        issuance.count(.issued)
        if let problem = files.put(certificate, store.keys) { return claim.notWritten(problem) }
        control.log(.info, "\(work.key): certificate until \(Clock.day(facts.notAfter)), issued by \(facts.issuer)")
        // The next step asks the authority for its window.
        let life = certificate.notAfter - certificate.notBefore
        return claim.issued(milliseconds: life / CertificateWorker.firstLookDivisor)
    }

    private mutating func failOrder(
        _ claim: inout HostClaim, _ failure: OrderFailure, _ journal: OrderJournal
    ) -> HostClaim.Outcome {
        claim.unspent = refund(claim, failure.cause, journal)
        switch failure.cause {
        case .paused(let page): return claim.failed("\(failure); unpause it at \(page)", .paused)
        case .terms: return claim.failed(failure.problems.map(\.demand).joined(separator: "; "), .paused)
        case .account: link.forget(journal.directory)
        case .validation, .refused, .lost, .unusable: break
        }
        return claim.failed("\(failure)")
    }
}
