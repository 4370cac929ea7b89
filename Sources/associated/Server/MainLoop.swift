// The main loop manages reloads. It waits for requests of the thread that hears signals, for what the watching thread has found, and
// for the end of its own jobs. Changes are gathered for a moment, because they seldom come alone (`ChangeGatherer`), and then
// looked at in one round (`JobRunner`).

import Administration
import Association
import Catalogue
import Engine
import Glibc
import Hosting
import Posix
import TLS
import Telemetry

/// Made by one thread and used by another.
final class MainLoop: @unchecked Sendable {
    private let server: RunningServer
    private var jobs: JobRunner
    private let poller: Poller
    private let requests: Mailbox<MainLoopRequests>
    /// Nil where the system has no room for watching.
    private let keeper: WatchKeeper?
    private var hasBegunWatching = false
    private var gatherer = ChangeGatherer()
    /// What the present round looks at, and whether an operator asked for it.
    private var round = (changes: TreeChanges(), isAsked: false)
    private var roundBegan: Int64 = 0
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

    private enum Token: UInt64 {
        case requests, done, watch, tidied
    }

    private static let tickMilliseconds: Int64 = 1000
    /// Looking at everything takes time; this many times as long passes between two looks.
    private static let lookShare: Int64 = 20
    private static let lookMillisecondsMin: Int64 = 2000

    init(
        _ server: RunningServer, _ worker: Background, _ requests: Mailbox<MainLoopRequests>,
        settings given: LoadedSettings,
        after loaded: RoundReport
    ) throws(SystemError) {
        (self.server, self.requests) = (server, requests)
        jobs = try JobRunner(server, worker: worker)
        gatherer.note(loaded.later, at: Clock.monotonicMilliseconds())
        status = "serving \(loaded.summary)"
        settingsWatch = SettingsWatch(given)
        watchdog = Watchdog(milliseconds: server.notifier.watchdogMilliseconds)
        poller = try Poller(eventsMax: 8)
        for (descriptor, token) in [
            (requests.descriptor, Token.requests), (worker.descriptor, .done), (jobs.tidier.descriptor, .tidied),
        ] where !poller.add(descriptor, .readable, token: token.rawValue) {
            throw SystemError(call: "epoll_ctl", number: errno)
        }
        do throws(SystemError) {
            let keeper = try WatchKeeper(given, server.sandbox)
            guard poller.add(keeper.descriptor, .readable, token: Token.watch.rawValue) else {
                throw .exhausted("epoll_ctl")
            }
            self.keeper = keeper
        } catch {
            keeper = nil
            nextLook = 0
            ReloadLog.unwatched(error)
        }
        if !server.blindFolders.isEmpty { nextLook = 0 }
        try server.state.diskTimer.watch()
        retrying.note(loaded)
        server.tenants.wasFetched = { [admin = server.admin] in admin.wasFetched($0, since: $1) }
        server.state.noteState(.history) { () throws(SystemError) in try server.journal.began(loaded) }
    }

    /// Returns when it is asked to end.
    func run() {
        jobs.startTidying()
        // What the start has left for later comes first: a client may ask for it.
        if gatherer.isEmpty { startWatching() } else { startRound(.max) }
        while true {
            for index in 0..<poller.wait(milliseconds: timeout()) {
                switch Token(rawValue: poller.event(index).token) {
                case .requests:
                    let requests = requests.take()
                    if requests.ends { return }
                    if requests.reloads { reloadAll() }
                case .done: finishJob()
                case .tidied:
                    jobs.tidier.finish()
                    jobs.startTidying()
                case .watch: if let news = keeper?.take() { note(news) }
                case nil: break
                }
            }
            let now = Clock.monotonicMilliseconds()
            if now >= nextTick { tick(now) }
            jobs.applyTidied()
            startRound(now)
        }
    }

    private func timeout() -> Int32 {
        let due = jobs.isBusy ? nextTick : min(nextTick, gatherer.dueMilliseconds ?? nextTick)
        return Int32(clamping: max(0, due - Clock.monotonicMilliseconds()))
    }

    /// Watching a hundred thousand directories takes a while; what happens in it is found by looking at everything behind it.
    private func startWatching() {
        hasBegunWatching = true
        keeper?.start()
    }

    private func handle(_ news: WatchKeeper.News) {
        add(news.changes)
        if news.hasStarted {
            nextLook = server.blindFolders.isEmpty ? nil : Clock.monotonicMilliseconds()
            // Whatever is watched now may be another folder than at the start, since a while or since this moment.
            if let complaint = news.complaint { Log.error(complaint) }
            jobs.returnMemory()
        }
        // What is not watched is looked at every few seconds; where that is for want of a descriptor, it is watched as soon as
        // there is one.
        guard let shortage = news.shortage else { return }
        if shortage.isShortage {
            retrying.add(TreeChanges(), watches: true, shortage)
        } else if nextLook == nil {
            ReloadLog.unwatched(shortage)
            nextLook = Clock.monotonicMilliseconds()
        }
    }

    private func note(_ found: TreeChanges) {
        if found.everything, !found.again { server.surveyor?.survey() }
        server.surveyor?.survey(found.hostFolders.union(found.certificateFolders))
        var changes = found
        changes.certificateFolders = []
        gatherer.note(changes, at: Clock.monotonicMilliseconds())
    }

    /// An operator wants everything to be looked at, now.
    private func reloadAll() {
        server.notifier.tell(.reloading)
        server.certificates?.invalidateAll()
        server.surveyor?.surveyNow()
        checkSettings(isRequested: true)
        gatherer.requestReload(at: Clock.monotonicMilliseconds())
    }

    private func checkSettings(isRequested: Bool) {
        server.report(server.state.diskTimer.measure(.settings) { settingsWatch.check(isRequested: isRequested) })
    }

    private func startRound(_ now: Int64) {
        guard !jobs.isBusy, let round = gatherer.take(at: now) else { return }
        (self.round, roundBegan) = (round, Clock.monotonicMilliseconds())
        jobs.startRound(round.changes)
    }

    private func finishJob() {
        let finished = jobs.finish()
        switch finished {
        case .round(let outcome): finishRound(outcome)
        case .tidying(let report): ReloadLog.notes(report.notes)
        case nil: break
        }
        if !hasBegunWatching { startWatching() }
        jobs.startTidying()
        if case .tidying = finished { jobs.returnMemory() }
    }

    private func finishRound(_ outcome: Result<RoundReport, ConfigurationError>) {
        let (now, former) = (Clock.monotonicMilliseconds(), status)
        if nextLook != nil {
            nextLook = now + max(MainLoop.lookMillisecondsMin, (now - roundBegan) * MainLoop.lookShare)
        }
        switch outcome {
        case .success(let report):
            if isFailing { Log.info("\(server.sandbox.places.config)/apps can be read again") }
            isFailing = false
            gatherer.noteCosts(of: round.changes, report.costs, at: now)
            ReloadLog.reloaded(report, isRequested: round.isRequested)
            server.surveyor?.survey(report.changes.map(\.host))
            status = "serving \(report.summary)"
            add(report.later)
            retrying.note(report)
        case .failure(let error):
            if let shortage = error.shortage {
                retrying.add(round.changes, shortage)
            } else {
                status = "serving as before: \(error)"
                ReloadLog.kept(error)
                isFailing = true
            }
        }
        // A supervisor waits for the end of a reload that was asked for, however it went.
        if round.isAsked {
            server.notifier.tell(.ready(status: status))
        } else if status != former {
            server.notifier.tell(.serving(status: status))
        }
        round.isRequested = false
    }

    /// The work of every second.
    private func tick(_ now: Int64) {
        nextTick = now + MainLoop.tickMilliseconds
        server.state.tick()
        checkSettings(isRequested: false)
        server.engine.lookForNeighbours()
        // A worker that answers only when asked has been asked by then.
        let isAlive = server.engine.silences().allSatisfy { $0 <= WorkerState.silentMillisecondsMax }
        if watchdog.isDue(now: now, isAlive: isAlive) { server.notifier.tell(.alive) }
        for text in server.admin.complaints() { Log.warning(text) }
        // Surveys and handshakes leave what they find to this thread.
        if let news = server.certificates?.drainNews() { ReloadLog.certificates(news) }
        if server.state.noteState(.ledger, server.admin.problem) {
            // There is room again, so what could not be remembered is written now.
            var changes = TreeChanges()
            changes.records = true
            note(changes)
        }
        server.state.explainState(server.sandbox.stateComplaint)
        for (level, text) in server.state.takeStateNotes() { Log.write(level, text) }
        if let figures = refusals.sample(server.engine, now: now) {
            server.state.refusals = figures
            if let warning = figures.warning { Log.warning(warning) }
        }
        AccessLog.report(server.engine.journal)
        if let error = server.tickets?.look(now: now) { Log.error("\(error)") }
        guard !jobs.isBusy else { return }
        if let due = retrying.take(now: now) {
            add(due.changes)
            if due.watches { startWatching() }
        }
        if let nextLook, now >= nextLook { add(.all) }
        if server.tenants.needsSigning() {
            // What signs a document is what a handshake uses, and has just been found to be another one.
            server.certificates?.invalidateAll()
            var changes = TreeChanges()
            changes.signatures = true
            add(changes)
        }
    }
}

/// What the thread that hears signals wants of the main loop. It leaves a request and goes on listening, so nothing that a reload
/// waits for, a file system least of all, makes a signal wait.
struct MainLoopRequests: Sendable {
    /// To look at everything, now.
    var reloads = false
    /// To begin nothing more.
    var ends = false
}
