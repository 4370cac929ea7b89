// The thread that manages the process: it waits for signals, for changes of files and for the end of its own work, and
// never does anything that could make a signal wait. What has changed is gathered for a moment, because it seldom comes
// alone, and then looked at in one round.

import Association
import Catalogue
import Engine
import Glibc
import Hosting
import Posix
import TLS

final class Control {
    /// What there is to manage.
    struct Running: Sendable {
        let engine: Engine
        let published: PublishedCatalogue
        let tenants: Tenants
        let certificates: CertificateStore?
        let tickets: TicketKeys?
        let supervisor: Supervisor
        let log: ReloadLog
    }

    private let running: Running
    private let background: Background
    private let poller: Poller
    private let watch: TreeWatch?
    private var log: ReloadLog { running.log }
    private var work = Work.none
    /// What is to be looked at in the next round.
    private var pending = TreeChanges()
    /// When the first and the last of it came, by the monotonic clock.
    private var firstMilliseconds: Int64 = 0
    private var lastMilliseconds: Int64 = 0
    /// Whether somebody asked for the next round, and for the present one.
    private var isAsked = false
    private var isAnswering = false
    private var outcome = Outcome()
    private var workBegan: Int64 = 0
    private var nextTick: Int64 = 0
    /// When to look at everything, because not all of it is watched.
    private var nextLook: Int64?

    /// What the other thread is busy with.
    private enum Work {
        case none, watching, round
    }

    private enum Token: UInt64 {
        case signals, done, watch
    }

    /// Changes come in groups: this long without another one ends a group, and no group is waited for longer than that.
    private static let quietMilliseconds: Int64 = 40
    private static let gatherMillisecondsMax: Int64 = 500
    private static let tickMilliseconds: Int64 = 1000
    /// Looking at everything takes time; this many times as long passes between two looks.
    private static let lookShare: Int64 = 20
    private static let lookMillisecondsMin: Int64 = 2000

    init(
        _ running: Running, _ background: Background, _ signals: borrowing Signals,
        watching paths: (config: String, pages: String)
    ) throws(SystemError) {
        self.running = running
        self.background = background
        poller = try Poller(eventsMax: 8)
        poller.add(signals.descriptor.number, .readable, token: Token.signals.rawValue)
        poller.add(background.descriptor, .readable, token: Token.done.rawValue)
        do {
            watch = try TreeWatch(configPath: paths.config, publicPath: paths.pages)
        } catch {
            watch = nil
            nextLook = 0
            running.log.unwatched(error)
        }
    }

    /// Returns when a signal ends the server.
    func run(_ signals: borrowing Signals) {
        startWatching()
        while true {
            for index in 0..<poller.wait(milliseconds: timeout()) {
                switch Token(rawValue: poller.event(index).token) {
                case .signals:
                    let signal = signals.next()
                    running.engine.lookForNeighbours()
                    if signal != SIGHUP { return }
                    ask()
                case .done: finish()
                case .watch: if let watch { note(watch.take()) }
                case nil: break
                }
            }
            let now = Clock.monotonicMilliseconds()
            if now >= nextTick { tick(now) }
            startRound(now)
        }
    }

    private func timeout() -> Int32 {
        let isRoundDue = work == .none && !pending.isEmpty
        let due = isRoundDue ? min(nextTick, roundDue) : nextTick
        return Int32(clamping: max(0, due - Clock.monotonicMilliseconds()))
    }

    private var roundDue: Int64 {
        if isAsked { return 0 }
        return min(lastMilliseconds + Control.quietMilliseconds, firstMilliseconds + Control.gatherMillisecondsMax)
    }

    /// Watching a hundred thousand directories takes a while; what happens in it is found by looking at everything behind
    /// it. Until then nothing of the watch is read here, because the other thread has it.
    private func startWatching() {
        guard let watch, work == .none else { return }
        let (outcome, running) = (Outcome(), running)
        (self.outcome, work) = (outcome, .watching)
        background.start {
            watch.start()
            outcome.tidied = running.tidy()
            // The first round took far more than what it leaves.
            Memory.returnFreed()
        }
    }

    private func finish() {
        background.finish()
        switch work {
        case .watching:
            log.notes(outcome.tidied?.notes ?? [])
            if let watch { poller.add(watch.descriptor, .readable, token: Token.watch.rawValue) }
            if let shortage = watch?.shortage {
                log.unwatched(shortage)
                nextLook = Clock.monotonicMilliseconds()
            } else {
                nextLook = nil
            }
            note(.all)
        case .round: finishRound()
        case .none: break
        }
        work = .none
    }

    private func note(_ changes: TreeChanges) {
        if changes.isEmpty { return }
        let now = Clock.monotonicMilliseconds()
        if pending.isEmpty { firstMilliseconds = now }
        lastMilliseconds = now
        pending.merge(changes)
    }

    /// Somebody wants everything to be looked at, now.
    private func ask() {
        running.supervisor.tell(.reloading)
        // Certificates too: they would be looked at within seconds, but whoever asks wants it now.
        running.certificates?.invalidateAll()
        isAsked = true
        note(.allAgain)
    }

    private func startRound(_ now: Int64) {
        guard work == .none, !pending.isEmpty, now >= roundDue else { return }
        let (changes, outcome, running) = (pending, Outcome(), running)
        pending = TreeChanges()
        (isAsked, isAnswering) = (false, isAsked)
        (self.outcome, workBegan, work) = (outcome, now, .round)
        background.start {
            outcome.value = Result { () throws(ConfigurationError) in try running.tenants.round(changes) }
            guard case .success(let report) = outcome.value else { return }
            // Here, because nobody who waits for a change is helped by another thread's turn.
            running.published.publish(report.catalogue)
            running.engine.catalogueChanged()
            outcome.tidied = running.tidy()
        }
    }

    private func finishRound() {
        let now = Clock.monotonicMilliseconds()
        if nextLook != nil { nextLook = now + max(Control.lookMillisecondsMin, (now - workBegan) * Control.lookShare) }
        switch outcome.value {
        case .success(let report):
            log.reloaded(report, isAsked: isAnswering)
            log.notes(outcome.tidied?.notes ?? [])
            note(report.later)
        case .failure(let error): log.kept(error, isAsked: isAnswering)
        case nil: break
        }
        // A supervisor waits for the end of a reload that was asked for, however it went.
        if isAnswering { running.supervisor.tell(.ready(status: "serving")) }
        isAnswering = false
    }

    /// What is to be done every second.
    private func tick(_ now: Int64) {
        nextTick = now + Control.tickMilliseconds
        running.engine.lookForNeighbours()
        // Workers find what is wrong with a certificate in the middle of a handshake and leave saying so to this thread.
        for problem in running.certificates?.drainProblems() ?? [] { Console.error(Finding(problem)) }
        if let error = running.tickets?.look(now: now) { Console.error("associated: \(error)\n") }
        guard work == .none else { return }
        if let nextLook, now >= nextLook { note(.all) }
        if running.tenants.needsSigning() {
            // What signs a document is what a handshake uses, and has just been found to be another one.
            running.certificates?.invalidateAll()
            var changes = TreeChanges()
            changes.signatures = true
            note(changes)
        }
        if let watch, watch.hasMoved() {
            poller.remove(watch.descriptor)
            startWatching()
        }
    }
}

extension Control.Running {
    /// Does what can wait until a change is in service.
    fileprivate func tidy() -> RoundReport? {
        guard let report = tenants.tidy() else { return nil }
        published.publish(report.catalogue)
        engine.catalogueChanged()
        return report
    }
}
