// The main loop manages reloads. It waits for requests from the signal thread, for changes from the watch thread, and for its own
// jobs. Changes are gathered for a moment (`ChangeGatherer`) and then read in one round.

import Administration
import Certificates
import Engine
import Glibc
import Hosting
import Posix
import Supervision
import TLS
import Telemetry
import Tenancy

/// Created by one thread and used by another.
final class MainLoop: @unchecked Sendable {
    private let server: RunningServer
    /// The thread of rounds, and the outcome of the running one.
    private let rounds: Background
    private var outcome: JobResult<Result<RoundReport, ConfigurationError>>?
    /// The thread of compactions, which run in parallel.
    private let compactor: Background
    private let poller: Poller
    /// Nil if the system does not allow watching.
    private let keeper: WatchKeeper?
    private var gatherer = ChangeGatherer()
    /// The changes of the running round, and whether an operator requested it.
    private var current = (changes: TreeChanges(), isRequested: false)
    private var roundBegan: Int64 = 0
    private var nextTick: Int64 = 0
    /// When to read everything again, because not everything is watched.
    private var nextLook: Int64?
    private var retrying = Retrying()
    private var settingsWatch: SettingsWatch
    private var refusals = RefusalWatch(now: Clock.monotonicMilliseconds())
    /// Why the last round failed.
    private var failure: String?
    private var log = ReloadLog()
    /// The text that systemd shows.
    private var status: String

    private enum Token: UInt64 {
        case requests, done, watch, compacted, news
    }

    private static let tickMilliseconds: Int64 = 1000
    /// A full scan is followed by a pause of this many times its duration.
    private static let lookShare: Int64 = 20
    private static let lookMillisecondsMin: Int64 = 2000

    init(
        _ server: RunningServer, _ rounds: Background, settings given: LoadedSettings, after loaded: RoundReport
    ) throws(SystemError) {
        self.server = server
        self.rounds = rounds
        compactor = try Background()
        gatherer.note(loaded.later, at: Clock.monotonicMilliseconds())
        status = "serving \(loaded.summary)"
        settingsWatch = SettingsWatch(given)
        poller = try Poller(eventsMax: 8)
        for (descriptor, token) in [
            (server.requests.descriptor, Token.requests), (rounds.descriptor, .done),
            (compactor.descriptor, .compacted),
            (server.notifier.descriptor ?? -1, .news),
        ] where !poller.add(descriptor, .readable, token: token.rawValue) {
            throw SystemError(call: "epoll_ctl", number: errno)
        }
        do throws(SystemError) {
            let keeper = try WatchKeeper(given, server)
            guard poller.add(keeper.descriptor, .readable, token: Token.watch.rawValue) else {
                throw .exhausted("epoll_ctl")
            }
            self.keeper = keeper
        } catch {
            keeper = nil
            nextLook = 0
            ReloadLog.cannotWatch(error)
        }
        if !server.foldersWithoutEvents.isEmpty { nextLook = 0 }
        try server.state.diskTimer.watch()
        server.tenants.wasFetched = { [ledger = server.admin.ledger] host, since in
            ledger.records(of: host).contains { $0.lastSeconds >= since }
        }
        server.state.noteState(.history) { () throws(SystemError) in try server.journal?.began(loaded) }
        retrying.noteRound(isUnsaved: server.state.current.isUnsaved)
    }

    /// Returns when the process is to exit.
    func run() {
        startCompaction()
        // It takes a while to watch 100,000 directories; a full scan afterwards finds the changes in between.
        keeper?.start()
        while true {
            for index in 0..<poller.wait(milliseconds: timeout()) {
                switch Token(rawValue: poller.event(index).token) {
                case .requests:
                    let requests = server.requests.take()
                    if requests.ends { return }
                    if requests.reloads { reloadAll() }
                case .done: finishRound()
                case .compacted:
                    compactor.finish()
                    if server.state.current.isUnsaved { retrying.add(TreeChanges(savesState: true)) }
                    startCompaction()
                case .watch: if let news = keeper?.take() { handle(news) }
                case .news:
                    while let text = server.notifier.nextNews() { ParentNews(text).map(server.state.take) }
                case nil: break
                }
            }
            let now = Clock.monotonicMilliseconds()
            if now >= nextTick { tick(now) }
            startRound(now)
        }
    }

    private func timeout() -> Int32 {
        let due = rounds.isBusy ? nextTick : min(nextTick, gatherer.dueMilliseconds ?? nextTick)
        return Int32(clamping: max(0, due - Clock.monotonicMilliseconds()))
    }

    private func handle(_ news: WatchKeeper.News) {
        add(news.changes)
        if news.hasStarted {
            nextLook = server.foldersWithoutEvents.isEmpty ? nil : Clock.monotonicMilliseconds()
            if !compactor.isBusy { compactor.start { Memory.returnFreed() } }
        }
        // What cannot be watched is read every few seconds; if descriptors ran out, watching is tried again.
        guard let shortage = news.shortage else { return }
        if shortage.isShortage {
            retrying.add(TreeChanges(), watches: true, shortage)
        } else if nextLook == nil {
            ReloadLog.cannotWatch(shortage, leftOut: news.leftOut.map(\.description).sorted())
            nextLook = Clock.monotonicMilliseconds()
        }
    }

    private func add(_ found: TreeChanges) {
        if found.everything, !found.repeatsFindings { server.surveyor?.survey() }
        server.surveyor?.survey(found.hostFolders.union(found.certificateFolders))
        var changes = found
        changes.certificateFolders = []
        gatherer.note(changes, at: Clock.monotonicMilliseconds())
    }

    /// An operator wants a full reload now.
    private func reloadAll() {
        server.notifier.notify(.reloading)
        server.certificates?.invalidateAll()
        server.surveyor?.surveyNow()
        checkSettings(isRequested: true)
        gatherer.requestReload(at: Clock.monotonicMilliseconds())
    }

    private func checkSettings(isRequested: Bool) {
        let news = server.state.diskTimer.measure { settingsWatch.check(isRequested: isRequested) }
        // Then the reload says why.
        if news?.objection != nil, server.sandbox.folderComplaint() != nil { return }
        server.report(news, isRequested: isRequested)
        if isRequested, let owners = news?.owners { server.tenants.use(owners) }
    }

    private func startRound(_ now: Int64) {
        guard !rounds.isBusy, let next = gatherer.take(at: now) else { return }
        (current, roundBegan) = (next, Clock.monotonicMilliseconds())
        let outcome = JobResult<Result<RoundReport, ConfigurationError>>()
        self.outcome = outcome
        rounds.start { [server] in outcome.value = server.reload(next.changes) }
    }

    /// Starts a compaction if one is needed; rounds continue.
    private func startCompaction() {
        guard !rounds.isBusy, !compactor.isBusy, let compaction = server.tenants.beginCompaction() else { return }
        compactor.start { [server] in
            compaction.run()
            server.finish(compaction)
            // It needs much more memory than is used afterwards.
            Memory.returnFreed()
        }
    }

    private func finishRound() {
        rounds.finish()
        guard let outcome = outcome.take()?.value else { return }
        defer { startCompaction() }
        let (now, previous) = (Clock.monotonicMilliseconds(), status)
        if nextLook != nil {
            nextLook = now + max(MainLoop.lookMillisecondsMin, (now - roundBegan) * MainLoop.lookShare)
        }
        switch outcome {
        case .success(let report):
            if failure != nil { Log.info("\(server.sandbox.places.config)/apps can be read again") }
            failure = nil
            gatherer.noteCosts(of: current.changes, report.costs, at: now)
            log.reloaded(report, isRequested: current.isRequested, now: now) { [tenants = server.tenants] file in
                tenants.tenant(ofFile: file)
            }
            server.surveyor?.survey(report.changes.map(\.host))
            status = "serving \(report.summary)"
            add(report.later)
            retrying.noteRound(isUnsaved: server.state.current.isUnsaved)
        case .failure(let error):
            // No event may say that the cause has gone.
            retrying.add(current.changes, error.shortage)
            if error.shortage == nil {
                status = "still serving the previous version: \(error)"
                if current.isRequested || failure != "\(error)" { ReloadLog.failed(error) }
                failure = "\(error)"
            }
        }
        // After a requested reload systemd expects READY, even if it failed.
        if current.isRequested {
            server.notifier.notify(.ready(status: status))
        } else if status != previous {
            server.notifier.notify(.serving(status: status))
        }
        current.isRequested = false
    }

    /// Runs every second.
    private func tick(_ now: Int64) {
        nextTick = now + MainLoop.tickMilliseconds
        server.state.change { $0.tickMilliseconds = now }
        checkSettings(isRequested: false)
        for text in server.admin.keeper.takeWarnings() { Log.warning(text) }
        // Surveys and handshakes leave their findings here.
        if let news = server.certificates?.register.drain() {
            log.certificates(news, now: now) { [server] in server.state.tenant(of: $0, in: server.published) }
        }
        log.endHours(now: now)
        server.state.noteState(.ledger, server.admin.keeper.problem)
        server.state.noteState(.certificates, server.certificates?.keptProblem)
        server.state.explainState(server.sandbox.stateComplaint)
        server.state.checkOtherStates()
        if let figures = refusals.sample(server.engine, now: now) {
            server.state.change { $0.report.refusals = figures }
            if let warning = figures.warning { Log.warning(warning) }
        }
        AccessLog.report(server.engine.accessLog)
        if let error = server.tickets?.reloadFile(now: now) { Log.error("\(error)") }
        guard !rounds.isBusy else { return }
        if let due = retrying.take(now: now) {
            add(due.changes)
            if due.watches { keeper?.start() }
        }
        if let nextLook, now >= nextLook { add(.all) }
        if server.tenants.needsSigning() {
            // Handshakes use the same certificate that signs documents and has just changed.
            server.certificates?.invalidateAll()
            add(TreeChanges(signatures: true))
        }
    }
}

/// Requests of the signal thread to the main loop. They are only left here, so a signal never waits for a file system.
struct MainLoopRequests: Sendable {
    /// A full reload.
    var reloads = false
    /// Start nothing more.
    var ends = false
}

/// Repeats rounds that failed, or whose state could not be saved, with growing pauses. One line is logged when a shortage begins and one
/// when it is over; `ServerState` logs what cannot be saved.
struct Retrying {
    private var changes = TreeChanges()
    /// Whether watching must start again.
    private var watches = false
    private var dueMilliseconds: Int64 = 0
    private var pauseMilliseconds = Retrying.pauseMillisecondsMin
    private var isSaid = false

    private static let pauseMillisecondsMin: Int64 = 500
    private static let pauseMillisecondsMax: Int64 = 15_000

    private var isEmpty: Bool { changes.isEmpty && !watches }

    /// A round has succeeded, though something of the state may not be saved.
    mutating func noteRound(isUnsaved: Bool) {
        guard isEmpty else { return }
        if isSaid { ReloadLog.recovered() }
        isSaid = false
        if isUnsaved { add(TreeChanges(savesState: true)) } else { self = Retrying() }
    }

    /// - Parameter reason: what ran out; nil for another failure, which is said elsewhere.
    mutating func add(_ more: TreeChanges, watches isUnwatched: Bool = false, _ reason: SystemError? = nil) {
        changes.merge(more)
        watches = watches || isUnwatched
        dueMilliseconds = Clock.monotonicMilliseconds() + pauseMilliseconds
        pauseMilliseconds = min(pauseMilliseconds * 2, Retrying.pauseMillisecondsMax)
        guard let reason, !isSaid else { return }
        ReloadLog.shortage(reason)
        isSaid = true
    }

    /// The changes that are due, if any.
    mutating func take(now: Int64) -> (changes: TreeChanges, watches: Bool)? {
        guard !isEmpty, now >= dueMilliseconds else { return nil }
        defer { (changes, watches) = (TreeChanges(), false) }
        return (changes, watches)
    }
}
