// Does the work on certificates, one host at a time: looks at DNS, orders, asks the authority when to renew. Several workers run at
// once, in this process and in others; the store gives each piece of work to one of them. Everything that must survive a crash
// is stored before the next request, so a worker may be killed at any moment.

import ACME
import Database
import Posix
public import TLS

/// A worker, used by one thread.
public struct CertificateWorker: ~Copyable {
    private let rules: IssuanceRules
    private let control: ManagerControl
    private let number: Int
    /// The unique name of this worker in the store.
    private let holder: String
    private var account: AccountSecret
    private let userAgent: String
    private let suffixes: PublicSuffixes
    private let files: IssuedFiles
    /// The file of the account's thumbprint.
    private let thumbprint: String
    private let records: ChallengeRecords?
    private var store: Store
    private var link: AuthorityLink
    /// What the present claim took from the rate limits, until the authority hears of the order.
    private var unspent: [Bucket.Charge] = []
    /// When the certificate of the host of the present claim expires; nil if it has none.
    private var notAfter: Int64?
    private var isRenewal: Bool { notAfter != nil }
    /// Until when no work is begun with a new account key, by the monotonic clock: each node's server must answer with it first.
    private var quietUntil: Int64 = 0
    /// Whether the queue had the last turn.
    private var isQueueTurn = false

    private typealias State = IssuanceState

    /// After this part of its life, 7 hours of 90 days, the authority is first asked when to renew a certificate: an authority that
    /// wants it at once each time would get order after order.
    private static let firstLookDivisor: Int64 = 300
    private static let restMilliseconds: Int64 = 2_000
    /// How long a preflight is good for.
    private static let checkedMilliseconds: Int64 = 3_600_000
    /// Until a certificate is written that could not be.
    private static let putMilliseconds: Int64 = 60_000
    /// How often it looks whether a certificate that is no longer needed has expired.
    private static let leavingMilliseconds: Int64 = 7 * 86_400_000

    public init(
        _ number: Int, _ rules: IssuanceRules, _ control: ManagerControl, places: ManagerPlaces, holder: String,
        account: AccountSecret, suffixes: PublicSuffixes, userAgent: String, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.rules, self.control) = (number, rules, control)
        self.holder = "\(holder)/\(number)"
        (self.account, self.suffixes, self.userAgent) = (account, suffixes, userAgent)
        (files, thumbprint) = (IssuedFiles(path: places.certificates), places.thumbprint)
        records = ChallengeRecords(rules)
        link = try AuthorityLink(rules, account, userAgent: userAgent, silences: control.silences)
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
        let (rules, suffixes, holder, control, account) = (rules, suffixes, holder, control, account)
        if account.next != nil {
            var next = account
            try next.advance(&store)
        }
        if Clock.monotonicMilliseconds() < quietUntil { return false }
        isQueueTurn.toggle()
        let queue = CertificateWork.queuePriority...CertificateWork.queuePriority
        let others = CertificateWork.checkPriority...CertificateWork.renewalPriority
        let lanes = isQueueTurn ? [queue, others] : [others, queue]
        var charges: [Bucket.Charge] = []
        let (isCurrent, claimed) = try store.write { transaction throws(DatabaseError) -> (Bool, Work?) in
            guard try account.isCurrent(in: transaction) else { return (false, nil) }
            if account.next != nil { return (true, nil) }
            for lane in lanes {
                let work = try Work.claim(CertificateWork.kind, by: holder, priorities: lane, in: transaction) { work in
                    // A host that is not wanted any more leaves the queue without waiting.
                    let isCharged = work.state == State.queued.rawValue && control.isWanted(work.key)
                    charges =
                        isCharged ? rules.charges(work.key, tries: work.tries, turn: work.turn, suffixes) : []
                    return charges
                }
                if let work { return (true, work) }
            }
            return (true, nil)
        }
        if !isCurrent { try takeAccount() }
        guard let work = claimed else { return false }
        unspent = charges
        try process(work)
        for note in link.takeNotes() { control.logOnce(.warning, note) }
        return true
    }

    /// Takes the account key that is in the store now.
    private mutating func takeAccount() throws(DatabaseError) {
        let thumbprint = account.key.thumbprint
        account = try AccountSecret.load(&store)
        do throws(TLSError) {
            link = try AuthorityLink(rules, account, userAgent: userAgent, silences: control.silences)
        } catch {
            return control.fail("\(error)")
        }
        if account.key.thumbprint == thumbprint { return }
        control.logOnce(.info, "the account key has the thumbprint \(account.key.thumbprint) now")
        quietUntil = Clock.monotonicMilliseconds() + rules.patience.accountMilliseconds
        // The upkeep of certificates reports what prevents it, and tries again.
        try? account.publish(at: self.thumbprint)
    }

    private mutating func process(_ work: Work) throws(DatabaseError) {
        let (host, isQueued) = (work.key, work.state == State.queued.rawValue)
        let (known, queuedMilliseconds) = try store.read {
            transaction throws(DatabaseError) -> ([StoredCertificate], Int64) in
            let now = try transaction.now()
            let since = try isQueued ? IssuanceReport.load(host, in: transaction)?.since : nil
            return (try StoredCertificate.load(host, in: transaction), since.map { now - $0 } ?? 0)
        }
        let certificates = rules.used(of: known)
        for other in known where !certificates.contains(other) {
            try store.write { transaction throws(DatabaseError) in try other.remove(in: transaction) }
        }
        notAfter = certificates.map(\.notAfter).min()
        if let problem = files.put(certificates, store.keys) {
            return try putLater(work, problem, keeping: work.journal)
        }
        // The operator has done what the authority asked for.
        if work.state == State.paused.rawValue, work.tries == 0 { link.forgetRefusals() }
        let present = work.openJournal(store.keys)
        var (kind, stored) = (present?.keyKind, StoredCertificate?.none)
        if let kind { stored = rules.certificate(for: kind, among: certificates) }
        let isWanted = control.isWanted(host)
        let journal = present.flatMap { isWanted && isKept($0, work, stored) ? $0 : nil }
        if journal == nil, let present { discard(present, of: host, isNew: stored == nil) }
        guard isWanted else { return try leave(work, certificates) }
        var work = work
        if journal == nil {
            kind = rules.dueKind(among: certificates, now: Clock.wallSeconds() * 1_000)
            guard let kind else { return try checkRenewal(work, certificates) }
            stored = rules.certificate(for: kind, among: certificates)
            // What was right before a host entered the queue may have changed since.
            let isChecked = isQueued && queuedMilliseconds < CertificateWorker.checkedMilliseconds
            if rules.isPreflightRequired, !isChecked {
                if let problem = preflight(host, directory(work, stored)) { return try postpone(work, problem) }
            }
            // Earlier looks at DNS are not failed orders, also if the settings no longer ask for them.
            work.tries = work.orderTries
            // Renewals are free of the limits, and must not wait behind new hosts.
            if !isRenewal, !isQueued {
                return try release(work, afterMilliseconds: 0, .queued, tries: work.tries)
            }
        }
        try order(work, stored, kind ?? rules.keys[0], continuing: journal)
    }

    /// Releases the work, and gives back what it has not spent. If the claim was lost in the meantime, another worker has it, and
    /// nothing changes.
    /// - Parameters:
    ///   - journal: of an order that is under way, sealed.
    ///   - certificates: to be saved together with the work.
    private mutating func release(
        _ work: Work, afterMilliseconds wait: Int64, _ state: State, _ problem: String? = nil, tries: Int64,
        journal: String? = nil, saving certificates: [StoredCertificate] = []
    ) throws(DatabaseError) {
        let unspent = unspent
        self.unspent = []
        let priority = CertificateWork.priority(state, isRenewal: isRenewal)
        let isChanged = state != .leaving && (problem != work.problem || state.rawValue != work.state)
        let isOurs = try store.write { transaction throws(DatabaseError) in
            let isOurs = try work.postpone(
                to: try transaction.now() + wait, state: state.rawValue, problem: problem, tries: tries,
                journal: journal, priority: priority, in: transaction)
            if isOurs { for certificate in certificates { try certificate.save(in: transaction) } }
            if isOurs { try Bucket.credit(unspent, in: transaction) }
            return isOurs
        }
        if isOurs, isChanged, let problem { control.logHost("\(work.key): \(state.rawValue): \(problem)") }
    }

    /// - Parameter journal: of an order that the authority may still finish, sealed.
    /// - Parameter wait: at least this long.
    private mutating func fail(
        _ work: Work, _ problem: String, _ state: State = .failing, keeping journal: String? = nil,
        afterMilliseconds wait: Int64 = 0
    ) throws(DatabaseError) {
        control.count(state)
        let usual = RenewalPlan.retryMilliseconds(
            tries: work.tries, needsOperator: state == .paused,
            lifeLeftMilliseconds: notAfter.map { $0 - Clock.wallSeconds() * 1_000 }, draw: .random(in: .min ... .max))
        try release(
            work, afterMilliseconds: max(wait, usual), state, problem, tries: work.tries + 1, journal: journal)
    }

    private mutating func postpone(_ work: Work, _ problem: PreflightProblem) throws(DatabaseError) {
        let (state, text): (State, String) =
            switch problem {
            case .dns(let text): (.waitingForDNS, text)
            case .caa(let text): (.waitingForCAA, text)
            }
        let tries = work.state == state.rawValue ? work.tries : 0
        try release(
            work, afterMilliseconds: RenewalPlan.preflightMilliseconds(tries: tries), state, text, tries: tries + 1)
    }

    /// The authority does not answer, asks to wait, or refuses the account.
    private mutating func postpone(
        _ work: Work, _ problem: AuthorityProblem, keeping journal: String?
    ) throws(DatabaseError) {
        let wait = (problem.retryAfterSeconds ?? 0) * 1_000
        switch problem.kind {
        // With `noAnswer`, another host waits for the authority, and this one has not been tried.
        case .rateLimited where wait > 0, .noAnswer where wait > 0:
            try release(
                work, afterMilliseconds: wait, problem.kind == .noAnswer ? .failing : .limited, problem.description,
                tries: work.tries, journal: journal)
        case .userActionRequired, .accountRefused: try fail(work, problem.demand, .paused, keeping: journal)
        default: try fail(work, problem.description, keeping: journal, afterMilliseconds: wait)
        }
    }

    /// An order waits for longer than a worker does.
    private mutating func postpone(
        _ work: Work, bySeconds seconds: Int64, _ problem: AuthorityProblem?, keeping journal: String?,
        at url: AuthorityURL
    ) throws(DatabaseError) {
        let wait = seconds * 1_000
        if let problem, problem.isTransient {
            return try fail(work, problem.description, keeping: journal, afterMilliseconds: wait)
        }
        let state = problem?.kind == .rateLimited ? State.limited : .ordering
        // Other hosts would be refused too, so they wait in the queue.
        if let problem, problem.isLimitOfAccount(suffixes.registeredDomain(of: work.key)),
            let bucket = rules.budget(url).account
        {
            try store.write { transaction throws(DatabaseError) in
                try bucket.drain(milliseconds: wait, in: transaction)
            }
        }
        try release(
            work, afterMilliseconds: wait, state, problem?.description, tries: work.tries, journal: journal)
    }

    /// The host is no longer served, or has a certificate of the operator. The certificate stays until it expires.
    private mutating func leave(_ work: Work, _ certificates: [StoredCertificate]) throws(DatabaseError) {
        guard let end = certificates.map(\.notAfter).max(), Clock.wallSeconds() * 1_000 < end else {
            let unspent = unspent
            let isOurs = try store.write { transaction throws(DatabaseError) in
                guard try work.finish(in: transaction) else { return false }
                try Bucket.credit(unspent, in: transaction)
                try StoredCertificate.remove(work.key, in: transaction)
                return true
            }
            if isOurs { files.remove(work.key) }
            return
        }
        let needsUpdates = rules.challenge(for: work.key) == .dns && records == nil
        let reason =
            needsUpdates
            ? "its certificate is not renewed, because wildcards need `acme.rfc2136`; set it, or put a certificate into config/hosts"
            : "it is no longer served here, or config/hosts has a certificate for it, which takes precedence"
        if needsUpdates, reason != work.problem { control.log(.warning, "\(work.key): \(reason)") }
        let life = end - Clock.wallSeconds() * 1_000
        try release(
            work, afterMilliseconds: min(life, CertificateWorker.leavingMilliseconds), .leaving, reason, tries: 0)
    }

    /// Asks the authority when to renew, and chooses the moment again if it has moved the window.
    private mutating func checkRenewal(_ work: Work, _ known: [StoredCertificate]) throws(DatabaseError) {
        var (certificates, changed) = (known, [StoredCertificate]())
        var checks: [Int64] = []
        for index in certificates.indices {
            guard let info = certificates[index].renewalID.flatMap({ link.renewalInfo($0) }) else { continue }
            checks.append(info.nextCheckSeconds)
            let window = (info.start * 1_000)..<(info.end * 1_000)
            var stored = certificates[index]
            if window.contains(stored.renewAt) { continue }
            stored.chooseRenewal(in: window)
            certificates[index] = stored
            changed.append(stored)
            let page = info.explanation.map { "; see \($0)" } ?? ""
            if !page.isEmpty || stored.renewAt <= Clock.wallSeconds() * 1_000 {
                control.log(
                    .info,
                    "\(work.key): the authority asks for a renewal on \(Clock.day(stored.renewAt / 1_000))\(page)")
            }
        }
        let wait = RenewalPlan.nextCheckMilliseconds(
            nextCheckSeconds: checks.min() ?? 6 * 3_600, draw: .random(in: .min ... .max))
        let untilRenewal = max(0, (certificates.map(\.renewAt).min() ?? 0) - Clock.wallSeconds() * 1_000)
        try release(work, afterMilliseconds: min(wait, untilRenewal), .issued, tries: 0, saving: changed)
    }

    /// Why the host cannot get a certificate now; nil if it can.
    private mutating func preflight(_ host: String, _ authority: AuthorityURL) -> PreflightProblem? {
        do throws(SystemError) {
            // An authority that does not answer is met by the order.
            return try CertificateCheck(rules, account.key.thumbprint, try? link.session(authority)).report(host)
                .problem
        } catch {
            return .dns("cannot look up names: \(error.reason)")
        }
    }

    /// - Parameter known: the order that is under way, as it is stored.
    private mutating func order(
        _ work: Work, _ stored: StoredCertificate?, _ kind: SigningKey.Kind, continuing known: OrderJournal?
    ) throws(DatabaseError) {
        let url = known?.directory ?? directory(work, stored)
        var (journal, sealed) = (known, known == nil ? nil : work.journal)
        var session: AuthoritySession
        do throws(AuthorityProblem) { session = try link.session(url) } catch {
            return try postpone(work, error, keeping: sealed)
        }
        if known == nil {
            // A certificate that cannot be written is not ordered.
            if let problem = files.problem { return try fail(work, problem) }
            if let wait = try takeSecond(work.key, at: url, isNew: stored == nil) {
                return try release(work, afterMilliseconds: wait, .issued, tries: work.tries)
            }
            do throws(TLSError) {
                journal = try OrderJournal(
                    for: [work.key], at: url, key: try SigningKey(kind), by: rules.challenge(for: work.key),
                    profile: rules.profile, replaces: stored?.renewalID, preferredIssuer: rules.preferredIssuer,
                    tries: work.orderTries)
            } catch {
                return try fail(work, error.description)
            }
        }
        guard let journal else { return }
        var steps = OrderSteps(journal, isSaved: known != nil)
        defer { link.keep(session, url) }
        let end = Clock.wallSeconds() + rules.patience.orderSecondsMax
        while true {
            let now = Clock.wallSeconds()
            if control.isStopping {
                return try release(work, afterMilliseconds: 0, .ordering, tries: work.tries, journal: sealed)
            }
            switch steps.next(&session, now: now) {
            case .save(let journal):
                let text = Base64URL.text(try store.seal(Array(journal.text.utf8), for: work.journalPlace))
                sealed = text
                let priority = CertificateWork.priority(.ordering, isRenewal: isRenewal)
                let isOurs = try store.write { transaction throws(DatabaseError) in
                    try work.record(
                        state: State.ordering.rawValue, journal: text, priority: priority, in: transaction)
                }
                guard isOurs else { return }
                unspent = []
                steps.confirmStep()
            case .send(let request):
                do throws(AuthorityProblem) { steps.take(try link.send(request), &session, now: now) } catch {
                    steps.takeFailure(error.detail, now: Clock.wallSeconds())
                }
            case .publish(let answers):
                if let problem = publish(answers) { return try fail(work, problem, keeping: sealed) }
                steps.confirmStep()
            case .withdraw(let answers):
                withdraw(answers)
                steps.confirmStep()
            case .wait(let until, let problem):
                guard until - now <= rules.patience.pauseSecondsMax, until <= end else {
                    return try postpone(work, bySeconds: until - now, problem, keeping: sealed, at: url)
                }
                control.rest(number, milliseconds: max(1, until - now) * 1_000)
                let isOurs = try store.write { transaction throws(DatabaseError) in try work.renew(in: transaction) }
                guard isOurs else { return }
            case .finished(.issued(let chain)):
                return try keep(chain, steps.journal, work)
            case .finished(.failed(let failure)):
                return try self.end(work, failure, steps.journal, isNew: stored == nil)
            }
        }
    }

    /// Takes what the first order for another kind of key takes from the rate limits: authorities count it like a renewal, but it
    /// does not name a certificate that it replaces.
    /// - Returns: how long to wait for it; nil if it was taken, or is not needed.
    private mutating func takeSecond(_ host: String, at url: AuthorityURL, isNew: Bool) throws(DatabaseError) -> Int64?
    {
        guard isNew, isRenewal else { return nil }
        let charges = rules.budget(url).charges(for: host, mayUseReserve: true, suffixes).filter(\.isOfSet)
        let shortage = try store.write { transaction throws(DatabaseError) in
            try Bucket.take(charges, in: transaction)
        }
        if shortage == nil { unspent += charges }
        return shortage?.milliseconds
    }

    /// What a failed order gives back; nothing if it was a renewal.
    private func refund(
        _ host: String, _ cause: OrderFailure.Cause, _ journal: OrderJournal, isNew: Bool
    ) -> [Bucket.Charge] {
        isNew ? rules.refund(host, cause, journal, suffixes).filter { !isRenewal || $0.isOfSet } : []
    }

    /// Whether an order is continued: at the authority whose turn it is, and at another one that has it and may still finish it.
    private func isKept(_ journal: OrderJournal, _ work: Work, _ stored: StoredCertificate?) -> Bool {
        guard let kind = journal.keyKind, rules.keys.contains(kind) else { return false }
        if journal.directory == directory(work, stored) { return true }
        return journal.order != nil && rules.directories.contains(journal.directory)
            && work.orderTries - journal.tries < RenewalPlan.triesMax(isUrgent: stored?.isUrgent == true)
    }

    /// Gives an order up.
    private mutating func discard(_ journal: OrderJournal, of host: String, isNew: Bool) {
        withdraw(journal.published)
        unspent += refund(host, .lost, journal, isNew: isNew)
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

    private mutating func keep(_ chain: IssuedChain, _ journal: OrderJournal, _ work: Work) throws(DatabaseError) {
        let facts = chain.facts
        let kind = (journal.keyKind ?? rules.keys[0]).rawValue
        let sealed = try store.seal(journal.key, for: StoredCertificate.sealingPlace(work.key, kind))
        let certificate = StoredCertificate(chain, of: work.key, keyKind: kind, sealedKey: sealed)
        let isPaired = rules.keys.count > 1
        let kept = try store.write { transaction throws(DatabaseError) -> [StoredCertificate]? in
            guard try work.renew(in: transaction) else { return nil }
            try certificate.replace(isPaired: isPaired, in: transaction)
            return try StoredCertificate.load(work.key, in: transaction)
        }
        guard let kept else { return }
        control.count(.issued)
        if let problem = files.put(kept, store.keys) { return try putLater(work, problem) }
        let isComplete = rules.dueKind(among: kept, now: Clock.wallSeconds() * 1_000) == nil
        // The next step asks the authority for its window.
        let life = certificate.notAfter - certificate.notBefore
        let wait = isComplete ? life / CertificateWorker.firstLookDivisor : 0
        try release(work, afterMilliseconds: wait, .issued, tries: 0)
        let name = isPaired ? "certificate for \(kind)" : "certificate"
        control.log(.info, "\(work.key): \(name) until \(Clock.day(facts.notAfter)), issued by \(facts.issuer)")
    }

    /// The certificate cannot be written here. That says nothing about the authority, so it does not count as a failure.
    private mutating func putLater(
        _ work: Work, _ problem: String, keeping journal: String? = nil
    ) throws(DatabaseError) {
        try release(
            work, afterMilliseconds: CertificateWorker.putMilliseconds, .failing, problem, tries: work.tries,
            journal: journal)
    }

    private mutating func end(
        _ work: Work, _ failure: OrderFailure, _ journal: OrderJournal, isNew: Bool
    ) throws(DatabaseError) {
        let url = journal.directory
        unspent = refund(work.key, failure.cause, journal, isNew: isNew)
        switch failure.cause {
        case .paused(let page): try fail(work, "\(failure); unpause it at \(page)", .paused)
        case .terms: try fail(work, failure.problems.map(\.demand).joined(separator: "; "), .paused)
        case .account:
            link.forget(url)
            try fail(work, "\(failure)")
        case .validation, .refused, .lost, .unusable: try fail(work, "\(failure)")
        }
    }
}
