// Looks at the copies that Apple's CDN and Google's service have of the hosts' files, one host at a time and at most one request a
// second to each service by all nodes together. The store says which host is due, and so nothing is kept in memory for each host.

import Client
import Database
import Posix
public import TLS
import Verifier

/// The delivery monitor, used by one thread.
public struct DeliveryWorker: ~Copyable {
    private let rules: DeliveryRules
    private let control: ManagerControl
    private let number: Int
    /// The unique name of this worker in the store.
    private let holder: String
    private var store: Store
    private let source: any DeliverySource
    private var register: DeliveryRegister
    private var apple: WebSession
    private var google: WebSession
    private var breakers: [DeliveryVerifier: DeliveryBreaker] = [:]
    /// When the next request to a service may be sent, by the monotonic clock.
    private var turns: [DeliveryVerifier: Int64] = [:]
    private var fetchesDue: Int64 = 0

    /// More than any association file has.
    static let bodyBytesMax = 5 * 1_048_576
    private static let milliseconds = 15_000
    private static let restMilliseconds: Int64 = 2_000
    private static let fetchesMilliseconds: Int64 = 20_000
    private static let moreFetchesMilliseconds: Int64 = 1_000
    /// How often it waits for a host's certificate: about a day, with the waits after failed preflights.
    private static let certificateTries: Int64 = 28
    /// How many hosts without a certificate are put off at once.
    private static let waitingMax = 50
    /// After a request without an answer; doubled each time up to about an hour.
    private static let retryMilliseconds: Int64 = 60_000
    private static let prematureProblem = "the server's file is newer than the one in the manager's store"

    /// - Parameters:
    ///   - number: of its bell in the control.
    ///   - node: the name of the state directory, which outlives the process.
    public init(
        _ number: Int, _ rules: DeliveryRules, _ control: ManagerControl, node: String, holder: String,
        source: any DeliverySource, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.rules, self.control) = (number, rules, control)
        self.holder = "\(holder)/\(number)"
        self.source = source
        register = DeliveryRegister(node: node, source: source, control)
        var settings = WebSessionSettings()
        (settings.userAgent, settings.proxy) = (rules.userAgent, rules.proxy)
        settings.limits.milliseconds = DeliveryWorker.milliseconds
        settings.limits.bodyBytesMax = DeliveryWorker.bodyBytesMax
        let context = try ClientContext(authorityFile: nil)
        apple = WebSession(context, settings)
        google = WebSession(context, settings)
        self.store = store
    }

    /// Works until the process ends.
    public mutating func run() {
        control.work(number) { () throws(DatabaseError) in
            let began = Clock.monotonicMilliseconds()
            // The pace includes the time of the work.
            return began + (try round(now: began)) - Clock.monotonicMilliseconds()
        }
    }

    /// Does what is due.
    /// - Returns: how long after `now` the next round begins.
    mutating func round(now: Int64) throws(DatabaseError) -> Int64 {
        let began = Clock.monotonicMilliseconds()
        let hasMore = try register.step(served: control.servedDigest, &store, now: now)
        if now >= fetchesDue {
            let areMore = try register.takeFetches(&store)
            let wait = areMore ? DeliveryWorker.moreFetchesMilliseconds : DeliveryWorker.fetchesMilliseconds
            fetchesDue = now + wait
        }
        var wait = DeliveryWorker.restMilliseconds
        for verifier in DeliveryVerifier.allCases {
            let closed = breakers[verifier]?.waitMilliseconds(now: now) ?? 0
            let turn = max(closed, (turns[verifier] ?? 0) - now)
            if turn > 0 {
                wait = min(wait, turn)
            } else if let pause = try step(verifier, roundBegan: began) {
                turns[verifier] = now + pause
                wait = min(wait, pause)
            }
        }
        return hasMore ? 0 : wait
    }

    /// What became of an attempt to claim work.
    private enum Claim {
        case nothing
        /// The host has no certificate yet.
        case waiting
        /// All nodes together have sent enough requests for this time in milliseconds.
        case limited(Int64)
        case look(Work)
    }

    /// Looks at one copy, or puts off those of some hosts.
    /// - Returns: how long after the beginning of the round the next one may be looked at; nil if none is due.
    private mutating func step(_ verifier: DeliveryVerifier, roundBegan: Int64) throws(DatabaseError) -> Int64? {
        let holder = holder
        for _ in 0..<DeliveryWorker.waitingMax {
            let claim = try store.write { transaction throws(DatabaseError) in
                try DeliveryWorker.claim(verifier, by: holder, in: transaction)
            }
            switch claim {
            case .nothing: return nil
            case .waiting: continue
            case .limited(let milliseconds): return Clock.monotonicMilliseconds() - roundBegan + milliseconds
            case .look(let work):
                try look(work, verifier)
                return DeliveryVerifier.paceMilliseconds
            }
        }
        return DeliveryVerifier.paceMilliseconds
    }

    private static func claim(
        _ verifier: DeliveryVerifier, by holder: String, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Claim {
        guard let work = try Work.claim(verifier.workKind, by: holder, in: transaction) else { return .nothing }
        let now = try transaction.now()
        // Without a certificate the service would fail, and remember that for an hour.
        if work.tries < DeliveryWorker.certificateTries, try CertificateWork.isPending(work.key, in: transaction) {
            _ = try work.postpone(
                to: now + RenewalPlan.preflightMilliseconds(tries: work.tries), state: work.state,
                problem: "waiting for the host's certificate", tries: work.tries + 1, in: transaction)
            return .waiting
        }
        if let wait = try Bucket.debit([Bucket.Charge(verifier.pace)], in: transaction) {
            _ = try work.postpone(
                to: now + wait, state: work.state, problem: nil, tries: work.tries, in: transaction)
            return .limited(wait)
        }
        return .look(work)
    }

    private mutating func look(_ work: Work, _ verifier: DeliveryVerifier) throws(DatabaseError) {
        guard let location = rules.location(of: work.key, at: verifier) else {
            return try drop(work)
        }
        let response: FetchedResponse
        do throws(FetchError) { response = try send(location, to: verifier) } catch {
            // A host for which the service takes its time must not come first again.
            if error.isTimeOut { try loseUrgency(work) }
            return try stop(work, verifier, "\(location.host): \(error)", isRefusal: false)
        }
        if [429, 503].contains(response.status) {
            return try stop(
                work, verifier, "it answers \(response.status)", isRefusal: true,
                retryAfterSeconds: response.retryAfterSeconds(now: Clock.wallSeconds()))
        }
        let answer = verifier == .apple ? CopyAnswer(apple: response) : CopyAnswer(google: response)
        if case .unusable(let reason) = answer, DeliveryBreaker.isFailure(ofServiceWith: response.status) {
            noteFailure(verifier, reason, isRefusal: false)
        } else {
            noteAnswer(verifier)
        }
        try commit(answer, work, verifier)
    }

    private mutating func send(
        _ location: WebLocation, to verifier: DeliveryVerifier
    ) throws(FetchError) -> FetchedResponse {
        switch verifier {
        case .apple: try apple.send(location)
        case .google: try google.send(location)
        }
    }

    /// The service cannot be queried. That is no state of the host, whose turn comes again.
    private mutating func stop(
        _ work: Work, _ verifier: DeliveryVerifier, _ reason: String, isRefusal: Bool, retryAfterSeconds: Int64? = nil
    ) throws(DatabaseError) {
        let closed = noteFailure(verifier, reason, isRefusal: isRefusal, retryAfterSeconds: retryAfterSeconds)
        // The failure may be due to this host, which must not take the turns of others.
        let wait = max(DeliveryWorker.retryMilliseconds << min(max(0, work.tries), 6), closed)
        try store.write { transaction throws(DatabaseError) in
            _ = try work.postpone(
                to: try transaction.now() + wait, state: work.state, problem: "\(verifier.name): \(reason)",
                tries: work.tries + 1, in: transaction)
        }
    }

    private mutating func loseUrgency(_ work: Work) throws(DatabaseError) {
        try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
            try transaction.execute(
                "update work set priority = ? where kind = ? and key = ?", DeliveryPlan.priorityOfOthers, work.kind,
                work.key)
        }
    }

    private mutating func noteAnswer(_ verifier: DeliveryVerifier) {
        var breaker = breakers[verifier] ?? DeliveryBreaker()
        if breaker.noteAnswer() { control.log(.info, "\(verifier.name) answers questions about its copies again") }
        breakers[verifier] = breaker
        control.noteDelivery(verifier, nil)
    }

    /// - Returns: how long no more requests are sent.
    @discardableResult
    private mutating func noteFailure(
        _ verifier: DeliveryVerifier, _ reason: String, isRefusal: Bool, retryAfterSeconds: Int64? = nil
    ) -> Int64 {
        let now = Clock.monotonicMilliseconds()
        var breaker = breakers[verifier] ?? DeliveryBreaker()
        let isNew = breaker.noteFailure(
            reason, isRefusal: isRefusal, retryAfterSeconds: retryAfterSeconds, now: now,
            draw: .random(in: .min ... .max))
        breakers[verifier] = breaker
        control.noteDelivery(verifier, breaker.problem)
        if isNew {
            control.log(
                .warning,
                "cannot ask \(verifier.name) for its copies: \(reason); "
                    + "the deliveries to it are unknown until it answers")
        }
        return breaker.waitMilliseconds(now: now)
    }

    private mutating func drop(_ work: Work) throws(DatabaseError) {
        try store.write { transaction throws(DatabaseError) in _ = try work.finish(in: transaction) }
    }

    /// Records what was seen, tells the receivers of messages, and chooses the time of the next look.
    private mutating func commit(
        _ answer: CopyAnswer, _ work: Work, _ verifier: DeliveryVerifier
    ) throws(DatabaseError) {
        if try isPremature(answer, work, verifier) {
            let wait = DeliveryWorker.retryMilliseconds << min(max(0, work.tries), 6)
            try store.write { transaction throws(DatabaseError) in
                _ = try work.postpone(
                    to: try transaction.now() + wait, state: work.state, problem: DeliveryWorker.prematureProblem,
                    tries: work.tries + 1, in: transaction)
            }
            return
        }
        let targets = rules.webhooks
        let event = try store.write { transaction throws(DatabaseError) in
            try DeliveryWorker.commit(answer, work, verifier, targets, in: transaction)
        }
        guard let event else { return }
        if !targets.isEmpty { control.wake() }
        let level: ManagerControl.Level =
            switch event.state {
            case .foreign: .error
            case .failing, .absent: .warning
            case .equal, .older, .unknown: .info
            }
        let detail = event.detail.isEmpty ? "" : ": \(event.detail)"
        control.log(level, "\(event.host): \(verifier.name): \(event.state.rawValue)\(detail)")
    }

    /// Whether a copy looks like a file of another server only because the store does not have the version that the server
    /// sends now. The service may be faster than the register, and one false alarm makes operators ignore the next.
    private mutating func isPremature(
        _ answer: CopyAnswer, _ work: Work, _ verifier: DeliveryVerifier
    ) throws(DatabaseError) -> Bool {
        let record = try store.read { transaction throws(DatabaseError) -> DeliveryRecord? in
            guard let record = try DeliveryRecord.load(work.key, verifier, in: transaction) else { return nil }
            let verdict = DeliveryVerdict.judge(
                answer, of: verifier, current: record.digest, versions: record.versions,
                isSettled: record.isSettled(now: try transaction.now()))
            return verdict.state == .foreign ? record : nil
        }
        guard let record else { return false }
        do throws(DeliverySourceFailure) {
            guard let file = try source.file(of: record.name, for: verifier) else { return true }
            return DocumentDigest.of(file, for: verifier) != record.digest
        } catch {
            return true
        }
    }

    /// - Returns: what changed; nil if nothing did, or if another worker has the work by now.
    private static func commit(
        _ answer: CopyAnswer, _ work: Work, _ verifier: DeliveryVerifier, _ targets: [WebhookTarget],
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> DeliveryEvent? {
        guard let record = try DeliveryRecord.load(work.key, verifier, in: transaction) else {
            _ = try work.finish(in: transaction)
            return nil
        }
        let now = try transaction.now()
        let verdict = DeliveryVerdict.judge(
            answer, of: verifier, current: record.digest, versions: record.versions,
            isSettled: record.isSettled(now: now))
        let before = try Observation.load(work.key, in: transaction).first { $0.verifier == verifier.rawValue }
        // One odd answer does not change what is known.
        if case .unusable = answer, before != nil {
            _ = try work.postpone(
                to: now + (DeliveryWorker.retryMilliseconds << min(max(0, work.tries), 6)), state: work.state,
                problem: verdict.detail, tries: work.tries + 1, in: transaction)
            return nil
        }
        let changed = before?.state == verdict.state.rawValue ? before?.since ?? now : now
        let wait = DeliveryPlan.waitMilliseconds(
            verdict.state, sinceMilliseconds: now - max(record.published, before == nil ? 0 : changed),
            maxAgeSeconds: verdict.maxAgeSeconds, draw: .random(in: .min ... .max))
        let isOurs = try work.postpone(
            to: now + wait, state: verdict.state.rawValue, problem: nil, tries: 0, in: transaction)
        guard isOurs else { return nil }
        try transaction.execute(
            "update work set priority = ? where kind = ? and key = ?", DeliveryPlan.priority(waitMilliseconds: wait),
            work.kind, work.key)
        try Observation.record(
            work.key, verifier.rawValue, state: verdict.state.rawValue, digest: verdict.digest, detail: verdict.detail,
            in: transaction)
        if verdict.state == .equal { try record.noteEqual(in: transaction) }
        guard
            let event = DeliveryEvent(
                record, verdict, before: before.flatMap { DeliveryState(rawValue: $0.state) }, at: now)
        else { return nil }
        try WebhookWork.add(event, to: targets, in: transaction)
        return event
    }
}

extension CertificateWork {
    /// Whether a host is to get a certificate here and has none yet.
    static func isPending(_ host: String, in transaction: borrowing Transaction) throws(DatabaseError) -> Bool {
        let count: Int64 = try transaction.query(
            """
            select count(*) from work left join certificate on certificate.name = work.key
            where work.kind = ? and work.key = ? and work.state not in (?, ?) and certificate.name is null
            """, kind, host, IssuanceState.issued.rawValue, IssuanceState.leaving.rawValue)[0][0]
        return count > 0
    }
}
