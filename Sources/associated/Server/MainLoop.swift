// The thread that manages reloads: it waits for orders of the thread that hears signals, for what the watching thread has found, and
// for the end of its own work. What has changed is gathered for a moment, because it seldom comes alone, and then looked at in
// one round.

import Administration
import Association
import Catalogue
import Engine
import Glibc
import Hosting
import Posix
import Synchronization
import TLS
import Telemetry

/// Made by one thread and used by another.
final class Control: @unchecked Sendable {
    private let running: Running
    private let background: Background
    /// For what is tidied up beside the rounds.
    private let tidier: Background
    private var tidying: Tidying?
    private let poller: Poller
    private let orders: ControlOrders
    /// Nil where the system has no room for watching.
    private let keeper: WatchKeeper?
    private var hasBegunWatching = false
    private var log: ReloadLog { running.log }
    private var work = Work.none
    private var gatherer = ChangeGatherer()
    /// What the present round looks at, and whether an operator asked for it.
    private var round = (changes: TreeChanges(), isAsked: false)
    private var outcome = Outcome()
    private var workBegan: Int64 = 0
    private var nextTick: Int64 = 0
    /// When to look at everything, because not all of it is watched.
    private var nextLook: Int64?
    private var retrying = Retrying()
    private var watchdog: Watchdog
    private var settingsWatch: SettingsWatch
    private var refusals = RefusalWatch(now: Clock.monotonicMilliseconds())
    /// Whether the last round could not look at anything.
    private var isFailing = false
    /// What the supervisor shows.
    private var status: String

    /// What the other thread is busy with.
    private enum Work {
        case none, round
        /// Taking up what was tidied.
        case tidying
    }

    private enum Token: UInt64 {
        case orders, done, watch, tidied
    }

    private static let tickMilliseconds: Int64 = 1000
    /// Looking at everything takes time; this many times as long passes between two looks.
    private static let lookShare: Int64 = 20
    private static let lookMillisecondsMin: Int64 = 2000

    init(
        _ running: Running, _ background: Background, _ orders: ControlOrders,
        settings given: LoadedSettings, after loaded: RoundReport
    ) throws(SystemError) {
        self.running = running
        self.background = background
        self.orders = orders
        gatherer.note(loaded.later, at: Clock.monotonicMilliseconds())
        status = "serving \(loaded.summary)"
        settingsWatch = SettingsWatch(given)
        watchdog = Watchdog(milliseconds: running.supervisor.watchdogMilliseconds)
        tidier = try Background()
        poller = try Poller(eventsMax: 8)
        for (descriptor, token) in [
            (orders.descriptor, Token.orders), (background.descriptor, .done), (tidier.descriptor, .tidied),
        ] where !poller.add(descriptor, .readable, token: token.rawValue) {
            throw SystemError(call: "epoll_ctl", number: errno)
        }
        do throws(SystemError) {
            let keeper = try WatchKeeper(given, running.confinement)
            guard poller.add(keeper.descriptor, .readable, token: Token.watch.rawValue) else {
                throw .exhausted("epoll_ctl")
            }
            self.keeper = keeper
        } catch {
            keeper = nil
            nextLook = 0
            running.log.unwatched(error)
        }
        if !running.blindFolders.isEmpty { nextLook = 0 }
        try running.standing.looks.watch()
        retrying.note(loaded, running.log)
        running.tenants.wasFetched = { [overseeing = running.overseeing] in overseeing.wasFetched($0, since: $1) }
        running.standing.noteState(.history) { () throws(SystemError) in try running.journal.began(loaded) }
    }

    /// Returns when it is ordered to end.
    func run() {
        startTidying()
        // What the start has left for later comes first: somebody may ask for it.
        if gatherer.isEmpty { startWatching() } else { startRound(.max) }
        while true {
            for index in 0..<poller.wait(milliseconds: timeout()) {
                switch Token(rawValue: poller.event(index).token) {
                case .orders:
                    let orders = orders.take()
                    if orders.ends { return }
                    if orders.looks { ask() }
                case .done: finish()
                case .tidied:
                    tidier.finish()
                    startTidying()
                case .watch: if let news = keeper?.take() { note(news) }
                case nil: break
                }
            }
            let now = Clock.monotonicMilliseconds()
            if now >= nextTick { tick(now) }
            takeUpTidied()
            startRound(now)
        }
    }

    /// Begins to tidy up when there is something, beside whatever comes meanwhile.
    private func startTidying() {
        guard work == .none, tidying == nil, !tidier.isBusy,
            let tidying = running.tenants.tidying()
        else { return }
        self.tidying = tidying
        tidier.start { tidying.run() }
    }

    /// Between two rounds, because it puts something in the place of what they work on.
    private func takeUpTidied() {
        guard let tidying, !tidier.isBusy, work == .none else { return }
        let (outcome, running) = (Outcome(), running)
        (self.outcome, work) = (outcome, .tidying)
        background.start {
            let report = running.tenants.finish(tidying)
            running.publish(report)
            running.standing.noteState(.lastGood, running.tenants.stateProblem)
            outcome.tidied = report
        }
    }

    private func timeout() -> Int32 {
        let due = work == .none ? min(nextTick, gatherer.dueMilliseconds ?? nextTick) : nextTick
        return Int32(clamping: max(0, due - Clock.monotonicMilliseconds()))
    }

    /// Watching a hundred thousand directories takes a while; what happens in it is found by looking at everything behind it.
    private func startWatching() {
        hasBegunWatching = true
        keeper?.start()
    }

    private func finish() {
        background.finish()
        let finished = work
        switch work {
        case .round: finishRound()
        case .tidying:
            log.notes(outcome.tidied?.notes ?? [])
            tidying = nil
        case .none: break
        }
        work = .none
        if !hasBegunWatching { startWatching() }
        startTidying()
        if finished == .tidying { returnMemory() }
    }

    /// What was made at first, or for a base, took far more than what is left. Nothing waits for the return of it.
    private func returnMemory() {
        if tidying == nil, !tidier.isBusy { tidier.start { Memory.returnFreed() } }
    }

    private func note(_ news: WatchKeeper.News) {
        note(news.changes)
        if news.hasStarted {
            nextLook = running.blindFolders.isEmpty ? nil : Clock.monotonicMilliseconds()
            // Whatever is watched now may be another folder than at the start, since a while or since this moment.
            if let complaint = news.complaint { Log.error(complaint) }
            returnMemory()
        }
        // What is not watched is looked at every few seconds; where that is for want of a descriptor, it is watched as soon as
        // there is one.
        guard let shortage = news.shortage else { return }
        if shortage.isShortage {
            retrying.add(TreeChanges(), watches: true, shortage, log)
        } else if nextLook == nil {
            log.unwatched(shortage)
            nextLook = Clock.monotonicMilliseconds()
        }
    }

    private func note(_ found: TreeChanges) {
        if found.everything, !found.again { running.surveyor?.survey() }
        running.surveyor?.survey(found.hostFolders.union(found.certificateFolders))
        var changes = found
        changes.certificateFolders = []
        gatherer.note(changes, at: Clock.monotonicMilliseconds())
    }

    /// Somebody wants everything to be looked at, now.
    private func ask() {
        running.supervisor.tell(.reloading)
        running.certificates?.invalidateAll()
        running.surveyor?.surveyAgain()
        lookAtSettings(isAsked: true)
        gatherer.ask(at: Clock.monotonicMilliseconds())
    }

    private func lookAtSettings(isAsked: Bool) {
        running.report(running.standing.looks.look(.control) { settingsWatch.look(isAsked: isAsked) })
    }

    private func startRound(_ now: Int64) {
        guard work == .none, let round = gatherer.take(at: now) else { return }
        let (changes, outcome, running) = (round.changes, Outcome(), running)
        (self.round, self.outcome) = (round, outcome)
        (workBegan, work) = (Clock.monotonicMilliseconds(), .round)
        background.start { outcome.value = running.round(changes) }
    }

    private func finishRound() {
        let (now, former) = (Clock.monotonicMilliseconds(), status)
        if nextLook != nil { nextLook = now + max(Control.lookMillisecondsMin, (now - workBegan) * Control.lookShare) }
        switch outcome.value {
        case .success(let report):
            if isFailing { Log.info("\(running.confinement.places.config)/apps can be read again") }
            isFailing = false
            gatherer.ended(round.changes, report.costs, at: now)
            log.reloaded(report, isAsked: round.isAsked)
            running.surveyor?.survey(report.changes.map(\.host))
            status = "serving \(report.summary)"
            note(report.later)
            retrying.note(report, log)
        case .failure(let error):
            if let shortage = error.shortage {
                retrying.add(round.changes, shortage, log)
            } else {
                status = "serving as before: \(error)"
                log.kept(error)
                isFailing = true
            }
        case nil: break
        }
        // A supervisor waits for the end of a reload that was asked for, however it went.
        if round.isAsked {
            running.supervisor.tell(.ready(status: status))
        } else if status != former {
            running.supervisor.tell(.serving(status: status))
        }
        round.isAsked = false
    }

    /// What is to be done every second.
    private func tick(_ now: Int64) {
        nextTick = now + Control.tickMilliseconds
        running.standing.tick()
        lookAtSettings(isAsked: false)
        running.engine.lookForNeighbours()
        // Those who do not answer until somebody wants to know have been asked by then.
        let isAlive = running.engine.silences().allSatisfy { $0 <= WorkerState.silentMillisecondsMax }
        if watchdog.isDue(now: now, isAlive: isAlive) { running.supervisor.tell(.alive) }
        for text in running.overseeing.complaints() { Log.warning(text) }
        // Surveys and handshakes leave what they find to this thread.
        if let news = running.certificates?.drainNews() { log.certificates(news) }
        if running.standing.noteState(.ledger, running.overseeing.problem) {
            // There is room again, so what could not be remembered is written now.
            var changes = TreeChanges()
            changes.records = true
            note(changes)
        }
        running.standing.explainState(running.confinement.stateComplaint)
        for (level, text) in running.standing.takeStateNotes() { Log.write(level, text) }
        if let figures = refusals.look(at: running.engine, now: now) {
            running.standing.refusals = figures
            if let warning = figures.warning { Log.warning(warning) }
        }
        AccessLog.report(running.engine.journal)
        if let error = running.tickets?.look(now: now) { Log.error("\(error)") }
        guard work == .none else { return }
        if let due = retrying.take(now: now) {
            note(due.changes)
            if due.watches { startWatching() }
        }
        if let nextLook, now >= nextLook { note(.all) }
        if running.tenants.needsSigning() {
            // What signs a document is what a handshake uses, and has just been found to be another one.
            running.certificates?.invalidateAll()
            var changes = TreeChanges()
            changes.signatures = true
            note(changes)
        }
    }
}

final class ControlOrders: Sendable {
    struct Orders: Sendable {
        /// To look at everything, now.
        var looks = false
        /// To begin nothing more.
        var ends = false
    }

    private let orders = Mutex(Orders())
    private let hasOrders: WakeUp

    init() throws(SystemError) { hasOrders = try WakeUp() }

    /// Readable when there are any.
    var descriptor: Int32 { hasOrders.descriptor.number }

    func give(_ change: @Sendable (inout Orders) -> Void) {
        orders.withLock { change(&$0) }
        hasOrders.wake()
    }

    func take() -> Orders {
        hasOrders.clear()
        return orders.withLock { orders in
            defer { orders = Orders() }
            return orders
        }
    }
}
