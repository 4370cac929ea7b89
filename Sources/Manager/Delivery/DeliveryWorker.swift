// Looks at the copies that one service, Apple's CDN or Google's, has of the hosts' files, one host at a time and at most one request
// a second by all nodes together. The store says which host is due, and so nothing is kept in memory for each host.

import Client
import Database
import Posix
public import Store
public import TLS
import Verifier

/// The monitor of one service, used by one thread.
public struct DeliveryWorker: ~Copyable {
    private let verifier: DeliveryVerifier
    private let rules: DeliveryRules
    private let status: DeliveryStatus
    private let control: WorkControl
    private let number: Int
    /// The unique name of this worker in the store.
    private let holder: String
    private var store: Store
    private let source: any DeliverySource
    private var web: WebSession
    /// Nil if a proxy is the only way out.
    private let outside: OutsideCheck?
    /// Nil without a key, and for Apple.
    private var registrations: RegistrationWatch?
    /// As the store had it at the last claim.
    private var breaker = DeliveryBreaker()
    /// When the next request may be sent, by the monotonic clock.
    private var turn: Int64 = 0
    /// When a host may be asked from outside again, which takes longer than a look.
    private var outsideDue: Int64 = 0
    private var claimCount = 0
    /// New hosts with nothing wrong, which get one line together: there may be a million.
    private var arrivals = (count: 0, since: Int64(0))
    private static let arrivalsMilliseconds: Int64 = 60_000

    /// More than any association file has.
    static let bodyBytesMax = 5 * 1_048_576
    private static let restMilliseconds: Int64 = 2_000
    private static let closedMilliseconds: Int64 = 60_000
    /// How often it waits for a host's certificate: about a day, with the waits after failed preflights.
    private static let certificateTries: Int64 = 28
    /// How many hosts without a certificate, or no longer served, are put off at once.
    private static let waitingMax = 50
    /// Questions to a host from outside take at most a quarter of the time.
    private static let outsideFactor: Int64 = 3
    private static let prematureProblem = "the server's file is newer than the one in the manager's store"
    private static let suspectProblem =
        "a file that this server is not known to have sent; looking again in ten minutes"

    /// - Parameter number: of its bell in the control.
    /// - Parameter timeoutMilliseconds: for one request.
    public init(
        _ number: Int, _ verifier: DeliveryVerifier, _ rules: DeliveryRules, _ status: DeliveryStatus, holder: String,
        source: any DeliverySource, outside: OutsideCheck?, timeoutMilliseconds: Int = 15_000, store: consuming Store
    ) throws(TLSError) {
        (self.number, self.verifier, self.rules, self.status) = (number, verifier, rules, status)
        control = status.control
        (self.source, self.outside) = (source, outside)
        self.holder = "\(holder)/\(number)"
        var settings = WebSessionSettings()
        (settings.userAgent, settings.proxy) = (rules.userAgent, rules.proxy)
        settings.limits.milliseconds = timeoutMilliseconds
        settings.limits.bodyBytesMax = DeliveryWorker.bodyBytesMax
        let context = try ClientContext(authorityFile: nil)
        web = WebSession(context, settings)
        if verifier == .google, let api = rules.registration {
            registrations = RegistrationWatch(
                api, rules, context, timeoutMilliseconds: timeoutMilliseconds, status.control)
        } else {
            registrations = nil
        }
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

    /// Looks at one copy, if its turn has come.
    /// - Returns: how long after `now` the next round begins.
    mutating func round(now: Int64) throws(DatabaseError) -> Int64 {
        reportArrivals(now: now)
        if turn > now { return min(DeliveryWorker.restMilliseconds, turn - now) }
        guard let pause = try step(roundBegan: Clock.monotonicMilliseconds()) else {
            return DeliveryWorker.restMilliseconds
        }
        turn = now + pause
        return min(DeliveryWorker.restMilliseconds, pause)
    }

    /// What became of an attempt to claim work.
    private enum Claim {
        case nothing
        /// The host has no certificate yet, or is not served any more.
        case waiting
        /// The service must be left alone for this time in milliseconds.
        case limited(Int64)
        case look(Work)
    }

    /// Looks at one copy, or puts off those of some hosts.
    /// - Returns: how long after the beginning of the round the next one may be looked at; nil if none is due.
    private mutating func step(roundBegan: Int64) throws(DatabaseError) -> Int64? {
        let (verifier, holder, failures, status) = (verifier, holder, breaker.failures, status)
        for _ in 0..<DeliveryWorker.waitingMax {
            claimCount += 1
            let byAge = claimCount.isMultiple(of: Work.ageInterval)
            let (claim, breaker) = try store.write { transaction throws(DatabaseError) in
                var breaker = try DeliveryBreaker.load(verifier, failures: failures, in: transaction)
                let claim = try DeliveryWorker.claim(
                    verifier, by: holder, byAge: byAge, &breaker, status, in: transaction)
                return (claim, breaker)
            }
            self.breaker = breaker
            switch claim {
            case .nothing: return nil
            case .waiting: continue
            case .limited(let milliseconds):
                // Another node may find out earlier that the service answers again.
                return Clock.monotonicMilliseconds() - roundBegan + min(milliseconds, DeliveryWorker.closedMilliseconds)
            case .look(let work):
                try look(work)
                return DeliveryVerifier.paceMilliseconds
            }
        }
        return DeliveryVerifier.paceMilliseconds
    }

    private static func claim(
        _ verifier: DeliveryVerifier, by holder: String, byAge: Bool, _ breaker: inout DeliveryBreaker,
        _ status: DeliveryStatus, in transaction: borrowing Transaction
    ) throws(DatabaseError) -> Claim {
        let now = try transaction.now()
        let closed = breaker.waitMilliseconds(now: now)
        if closed > 0 { return .limited(closed) }
        guard let work = try Work.claim(verifier.workKind, by: holder, byAge: byAge, in: transaction) else {
            return .nothing
        }
        if try DeliveryRecord.release(work, verifier, in: transaction) { return .waiting }
        // Without a certificate the service would fail, and remember that for an hour.
        if work.tries < DeliveryWorker.certificateTries,
            let milliseconds = try status.certificateWait(work.key, work.tries, transaction)
        {
            _ = try work.postpone(
                to: now + milliseconds, state: work.state,
                problem: "waiting for the host's certificate", tries: work.tries + 1, in: transaction)
            return .waiting
        }
        if let shortage = try Bucket.take([Bucket.Charge(verifier.pace)], in: transaction) {
            _ = try work.postpone(
                to: now + shortage.milliseconds, state: work.state, problem: work.problem, tries: work.tries,
                journal: work.journal,
                in: transaction)
            return .limited(shortage.milliseconds)
        }
        if breaker.problem != nil { try breaker.beginTrial(verifier, now: now, in: transaction) }
        return .look(work)
    }

    private mutating func look(_ work: Work) throws(DatabaseError) {
        guard let location = rules.location(of: work.key, at: verifier) else {
            return try store.write { transaction throws(DatabaseError) in _ = try work.finish(in: transaction) }
        }
        let response: FetchedResponse
        do throws(FetchError) { response = try web.send(location) } catch {
            return try stop(work, "\(location.host): \(error)", isRefusal: false, isTimeOut: error.isTimeOut)
        }
        if [429, 503].contains(response.status) {
            return try stop(
                work, "it answers \(response.status)", isRefusal: true,
                retryAfterSeconds: response.retryAfterSeconds(now: Clock.wallSeconds()))
        }
        let answer = verifier == .apple ? CopyAnswer(apple: response) : CopyAnswer(google: response)
        guard case .unusable(let reason) = answer else {
            try noteAnswer()
            return try commit(answer, work)
        }
        if DeliveryBreaker.isFailure(ofServiceWith: response.status) { return try stop(work, reason, isRefusal: false) }
        try noteAnswer()
        let verifier = verifier
        try store.write { transaction throws(DatabaseError) in
            try DeliveryWorker.putOff(work, verifier, reason, in: transaction)
        }
    }

    /// The service cannot be queried. That is no state of the host, whose turn comes again.
    private mutating func stop(
        _ work: Work, _ reason: String, isRefusal: Bool, isTimeOut: Bool = false, retryAfterSeconds: Int64? = nil
    ) throws(DatabaseError) {
        let (known, verifier) = (breaker, verifier)
        let (breaker, isNew) = try store.write { transaction throws(DatabaseError) in
            var breaker = known
            let now = try transaction.now()
            let isNew = breaker.noteFailure(
                reason, isRefusal: isRefusal, retryAfterSeconds: retryAfterSeconds, now: now,
                draw: .random(in: .min ... .max))
            if breaker.problem != nil { try breaker.save(verifier, in: transaction) }
            try DeliveryWorker.putOff(
                work, verifier, reason, atLeast: breaker.waitMilliseconds(now: now), isTimeOut: isTimeOut,
                in: transaction)
            return (breaker, isNew)
        }
        self.breaker = breaker
        status.noteFailure(verifier, reason, isOutage: isNew)
    }

    /// Puts off a look without a result. The failure may be due to this host, which must not take the turns of others. One odd answer
    /// does not change what is known, but after a week of them nothing is.
    private static func putOff(
        _ work: Work, _ verifier: DeliveryVerifier, _ reason: String, atLeast: Int64 = 0, isTimeOut: Bool = false,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) {
        let now = try transaction.now()
        let before = try Observation.load(work.key, verifier, in: transaction)
        let problem = "\(verifier.name): \(reason)"
        // A host for which the service takes its time must not come first again.
        let isOurs = try work.postpone(
            to: now + max(atLeast, DeliveryPlan.retryMilliseconds(tries: work.tries)), state: work.state,
            problem: problem, tries: work.tries + 1, journal: work.journal,
            priority: isTimeOut ? DeliveryPlan.priorityOfOthers : nil, in: transaction)
        guard isOurs, let before, before.state != .unknown,
            now - before.looked >= DeliveryPlan.weekMilliseconds
        else { return }
        try Observation.record(work.key, verifier, state: .unknown, detail: problem, in: transaction)
    }

    private mutating func noteAnswer() throws(DatabaseError) {
        let verifier = verifier
        if breaker.noteAnswer() {
            try store.write(isRepeatable: true) { transaction throws(DatabaseError) in
                try DeliveryBreaker().save(verifier, in: transaction)
            }
            control.log(.info, "\(verifier.name) answers questions about its copies again")
        }
        status.noteAnswer(verifier)
    }

    // A look has three parts: the store is read, the state is decided, and one transaction records it.

    /// What the store knows of the host whose copy was looked at.
    private struct Sight {
        let record: DeliveryRecord
        let before: Observation?
        let now: Int64

        /// How long the copy has been in a state.
        func milliseconds(in state: DeliveryState) -> Int64 {
            before?.state == state ? now - (before?.since ?? now) : 0
        }
    }

    private mutating func commit(_ answer: CopyAnswer, _ work: Work) throws(DatabaseError) {
        let verifier = verifier
        let sight = try store.read { transaction throws(DatabaseError) -> Sight? in
            guard let record = try DeliveryRecord.load(work.key, verifier, in: transaction) else { return nil }
            return Sight(
                record: record,
                before: try Observation.load(work.key, verifier, in: transaction),
                now: try transaction.now())
        }
        guard let sight else {
            return try store.write { transaction throws(DatabaseError) in
                _ = try DeliveryRecord.release(work, verifier, in: transaction)
            }
        }
        var verdict = DeliveryVerdict.judge(
            answer, of: verifier, current: sight.record.digest, versions: sight.record.versions,
            isSettled: sight.record.isSettled(now: sight.now))
        if verdict.state == .foreign {
            if let doubt = doubt(sight, answer, work, &verdict) {
                return try store.write { transaction throws(DatabaseError) in
                    _ = try work.postpone(
                        to: try transaction.now() + doubt.milliseconds, state: work.state, problem: doubt.problem,
                        tries: work.tries + 1, journal: doubt.journal, in: transaction)
                }
            }
        }
        askOutside(sight, &verdict)
        if registrations != nil, let file = try? source.file(of: sight.record.name, for: verifier),
            let outcome = try registrations?.look(at: file, of: sight.record.name, &store)
        {
            verdict.detail = [verdict.detail, outcome.text].filter { !$0.isEmpty }.joined(separator: "; ")
            verdict.isShort = outcome.isShort
        }
        let (messages, decided, tenant) = (rules.messages, verdict, status.tenant(work.key))
        let event = try store.write { transaction throws(DatabaseError) in
            let event = try DeliveryWorker.record(decided, sight, work, verifier, in: transaction)
            if let event { try messages.add(event.type, of: tenant, event.data, in: transaction) }
            return event
        }
        guard let event else { return }
        if !messages.isEmpty { control.wake() }
        report(event)
    }

    /// Why a copy that looks foreign is looked at again.
    private struct Doubt {
        let milliseconds: Int64
        let problem: String
        var journal: String?
    }

    /// Looks for the usual reasons why a copy of our own is not in the store: the service may be faster than the register, a version
    /// may have been served only for moments, and a deployment may have reached other servers first. One false alarm makes operators
    /// ignore the next.
    private func doubt(_ sight: Sight, _ answer: CopyAnswer, _ work: Work, _ verdict: inout DeliveryVerdict) -> Doubt? {
        let premature = Doubt(
            milliseconds: DeliveryPlan.retryMilliseconds(tries: work.tries), problem: DeliveryWorker.prematureProblem,
            journal: work.journal)
        do throws(DeliverySourceFailure) {
            guard let file = try source.file(of: sight.record.name, for: verifier),
                DocumentDigest.of(file, for: verifier) == sight.record.digest
            else { return premature }
        } catch { return premature }
        let since = max(sight.record.registered, sight.now - DeliveryRecord.keptMilliseconds) / 1_000
        let recent = source.recentVersions(of: sight.record.name, for: verifier, since: since)
        if let version = DeliveryVerdict.unseen(answer, among: recent, sight.record, sinceSeconds: since) {
            verdict.state = .older
            verdict.detail = "\(verifier.name) has a version that this server sent for a short time on \(version.day)"
            return nil
        }
        if sight.before?.state == .foreign { return nil }
        let first = work.journal.flatMap { Int64($0) }.map { min($0, sight.now) } ?? sight.now
        let left = first + DeliveryPlan.secondLookMilliseconds - sight.now
        guard left > 0 else { return nil }
        return Doubt(milliseconds: left, problem: DeliveryWorker.suspectProblem, journal: "\(first)")
    }

    /// Adds what the host's own addresses answer, if its copy has not been the current one for some time.
    private mutating func askOutside(_ sight: Sight, _ verdict: inout DeliveryVerdict) {
        switch verdict.state {
        case .equal, .unknown: return
        case .foreign: break
        case .older, .failing, .absent:
            // The wait begins with the version or the state, whichever is later.
            let since = min(sight.milliseconds(in: verdict.state), sight.now - sight.record.published)
            if since < DeliveryPlan.outsideMilliseconds { return }
        }
        let began = Clock.monotonicMilliseconds()
        guard let outside, began >= outsideDue else { return }
        let finding = outside.finding(sight.record)
        let end = Clock.monotonicMilliseconds()
        outsideDue = end + (end - began) * DeliveryWorker.outsideFactor
        if let finding { verdict.detail += verdict.detail.isEmpty ? finding : "; from outside: \(finding)" }
    }

    /// - Returns: what changed; nil if nothing did, or if another worker has the work by now.
    private static func record(
        _ verdict: DeliveryVerdict, _ sight: Sight, _ work: Work, _ verifier: DeliveryVerifier,
        in transaction: borrowing Transaction
    ) throws(DatabaseError) -> DeliveryEvent? {
        let (record, before, now) = (sight.record, sight.before, try transaction.now())
        guard let current = try DeliveryRecord.load(work.key, verifier, in: transaction), current.tag == record.tag
        else {
            // The file has changed during the look, which says nothing about the new one. Its own look is planned.
            _ = try work.postpone(
                to: now + DeliveryPlan.firstMilliseconds, state: work.state, problem: nil, tries: 0, in: transaction)
            return nil
        }
        let changed = before?.state == verdict.state ? before?.since ?? now : now
        let since = now - max(record.published, before == nil ? 0 : changed)
        let draw = UInt64.random(in: .min ... .max)
        var wait = DeliveryPlan.waitMilliseconds(
            verdict.state, sinceMilliseconds: since, maxAgeSeconds: verdict.maxAgeSeconds, draw: draw)
        if verdict.isShort { wait = DeliveryPlan.waitMilliseconds(forQuotaWithin: wait, draw: draw) }
        let isOurs = try work.postpone(
            to: now + wait, state: verdict.state.rawValue, problem: nil, tries: 0,
            priority: DeliveryPlan.priority(sinceMilliseconds: since, waitMilliseconds: wait), in: transaction)
        guard isOurs else { return nil }
        try Observation.record(work.key, verifier, state: verdict.state, detail: verdict.detail, in: transaction)
        if verdict.state == .equal { try record.noteEqual(in: transaction) }
        return DeliveryEvent(record, verdict, before: before?.state)
    }

    private mutating func report(_ event: DeliveryEvent) {
        let level: WorkControl.Level
        switch event.state {
        case .foreign: level = .error
        case .failing, .absent: level = .warning
        case .equal, .older, .unknown:
            if event.previous == nil {
                if arrivals.count == 0 { arrivals.since = Clock.monotonicMilliseconds() }
                arrivals.count += 1
                return
            }
            level = .info
        }
        let detail = event.detail.isEmpty ? "" : ": \(event.detail)"
        control.log(level, "\(event.host): \(verifier.name): \(event.state.rawValue)\(detail)")
    }

    private mutating func reportArrivals(now: Int64) {
        guard arrivals.count > 0, now - arrivals.since >= DeliveryWorker.arrivalsMilliseconds else { return }
        let hosts = arrivals.count == 1 ? "1 new host" : "\(arrivals.count) new hosts"
        control.log(.info, "\(verifier.name) has a file of \(hosts); `associated status HOST` shows which version")
        arrivals.count = 0
    }
}
