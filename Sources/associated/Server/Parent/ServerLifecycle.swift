// When the parent starts, signals, restarts and gives up on its servers. Pure: events and the time go in, actions come out, and
// `ParentProcess` carries them out. A server has a number here, counted from 0 in the order of starts.

import Glibc
import Posix

struct ServerLifecycle {
    enum Event: Equatable {
        case begin
        case ready(Int)
        /// Nil: it could not be started.
        case ended(Int, ChildProcess.End?)
        /// SIGTERM or SIGINT
        case stop
        /// SIGUSR2
        case upgrade
        /// SIGHUP and SIGUSR1, which the servers act on
        case pass(Int32)
        /// The time of `dueMilliseconds` has come.
        case due
    }

    enum Action: Equatable {
        /// For an upgrade, with the settings on disk; otherwise with those in force and the sockets that are open.
        case start(Int, isUpgrade: Bool)
        case send(Int32, to: Int)
        /// The sockets of the upgrade replace those of before.
        case keepSockets
        /// The upgrade has failed: closes the sockets that were opened for it.
        case dropSockets
        /// Closes this process's sockets, so that a client is refused when the server closes its own.
        case closeSockets
        case say(Note)
        case exit(Int32)
    }

    /// A message for the operator.
    enum Note: Equatable {
        case upgraded(to: Int, from: Int?)
        case notUpgraded(Int, ChildProcess.End?)
        /// The new server is not ready in time, and is killed.
        case upgradeOverdue(Int)
        case upgradeUnderWay
        case upgradeTooEarly
        case died(Int, ChildProcess.End?, restartMilliseconds: Int64?)
        case diedDraining(Int, ChildProcess.End?)
        case gaveUp
    }

    private struct Server {
        let number: Int
        var readySince: Int64?
    }

    /// The server that answers clients, or the one that is started to do so; nil between a server's end and its restart.
    private var current: Server?
    /// The server that an upgrade has started, until it is ready.
    private var successor: Server?
    /// When to kill it, if it is not ready by then.
    private var upgradeEndsAt: Int64?
    /// Servers that finish their requests after an upgrade.
    private var draining: [Int] = []
    private var count = 0
    private var hasServed = false
    private var failedStarts = 0
    private var delay = RestartDelay()
    private var restartAt: Int64?
    /// When to kill what an operator has told twice to stop.
    private var killAt: Int64?
    private var isStopping = false
    /// Whether no server is started any more; those that finish their requests may do so.
    private var hasGivenUp = false
    /// Of the server that was current when the parent was told to stop, or gave up.
    private var status: Int32 = 0

    static let failedStartsMax = 3
    /// The time that the server of an upgrade has to become ready: far more than the largest configuration takes from its saved state.
    static let upgradeMilliseconds: Int64 = 600_000
    /// The time that a server has to write its last log lines when it is told to exit immediately.
    static let killMilliseconds: Int64 = 1_000

    /// When the next `due` event is wanted.
    var dueMilliseconds: Int64? { [killAt, upgradeEndsAt, restartAt].compactMap(\.self).min() }

    func isCurrent(_ number: Int) -> Bool { current?.number == number }

    mutating func handle(_ event: Event, now: Int64) -> [Action] {
        switch event {
        case .begin: return [startCurrent()]
        case .ready(let number): return ready(number, now)
        case .ended(let number, let ending):
            let actions = ended(number, ending, now)
            return (isStopping || hasGivenUp) && alive.isEmpty ? actions + [.exit(status)] : actions
        case .stop: return stop(now)
        case .upgrade: return upgrade(now)
        case .pass(let signal): return alive.map { .send(signal, to: $0) }
        case .due: return due(now)
        }
    }

    private var alive: [Int] { [current?.number, successor?.number].compactMap(\.self) + draining }

    private mutating func startCurrent() -> Action {
        current = Server(number: count)
        count += 1
        return .start(count - 1, isUpgrade: false)
    }

    private mutating func ready(_ number: Int, _ now: Int64) -> [Action] {
        if isStopping { return [] }
        if current?.number == number, current?.readySince == nil {
            current?.readySince = now
            (hasServed, failedStarts) = (true, 0)
            return []
        }
        guard successor?.number == number else { return [] }
        let old = current?.number
        current = Server(number: number, readySince: now)
        (successor, upgradeEndsAt, restartAt, failedStarts) = (nil, nil, nil, 0)
        delay.reset()
        draining += [old].compactMap(\.self)
        return [.keepSockets] + [old].compactMap { $0.map { .send(ServerSignal.takenOver, to: $0) } }
            + [.say(.upgraded(to: number, from: old))]
    }

    private mutating func ended(_ number: Int, _ ending: ChildProcess.End?, _ now: Int64) -> [Action] {
        if let index = draining.firstIndex(of: number) {
            draining.remove(at: index)
            return ending == .status(0) ? [] : [.say(.diedDraining(number, ending))]
        }
        if successor?.number == number {
            (successor, upgradeEndsAt) = (nil, nil)
            if isStopping { return [.dropSockets] }
            if current == nil { scheduleRestart(now) }
            return [.dropSockets, .say(.notUpgraded(number, ending))]
        }
        guard let server = current, server.number == number else { return [] }
        current = nil
        if isStopping {
            status = killAt == nil ? ServerLifecycle.status(ending) : ExitStatus.failure.rawValue
            return []
        }
        if !hasServed {
            let isSaid = if case .status = ending { true } else { false }
            return (isSaid ? [] : [.say(.died(number, ending, restartMilliseconds: nil))])
                + [.exit(ServerLifecycle.status(ending))]
        }
        if let since = server.readySince {
            if now - since >= RestartDelay.steadyMilliseconds { delay.reset() }
        } else {
            failedStarts += 1
        }
        if failedStarts >= ServerLifecycle.failedStartsMax {
            (hasGivenUp, status) = (true, max(ExitStatus.failure.rawValue, ServerLifecycle.status(ending)))
            // A client must not wait at a socket from which nothing accepts.
            return [.say(.died(number, ending, restartMilliseconds: nil)), .say(.gaveUp), .closeSockets]
        }
        // Otherwise the upgrade's server is about to serve.
        if successor == nil { scheduleRestart(now) }
        return [.say(.died(number, ending, restartMilliseconds: restartAt.map { $0 - now }))]
    }

    private mutating func scheduleRestart(_ now: Int64) { restartAt = now + delay.take() }

    private mutating func stop(_ now: Int64) -> [Action] {
        if isStopping {
            if killAt != nil { return alive.map { .send(SIGKILL, to: $0) } }
            killAt = now + ServerLifecycle.killMilliseconds
            return alive.map { .send(ServerSignal.exitNow, to: $0) }
        }
        (isStopping, upgradeEndsAt, restartAt) = (true, nil, nil)
        // Those that finish their requests already need not be told.
        let told = [current?.number, successor?.number].compactMap(\.self)
        return [.closeSockets] + told.map { .send(SIGTERM, to: $0) } + (alive.isEmpty ? [.exit(status)] : [])
    }

    private mutating func upgrade(_ now: Int64) -> [Action] {
        if isStopping { return [] }
        if successor != nil { return [.say(.upgradeUnderWay)] }
        if current?.readySince == nil { return [.say(.upgradeTooEarly)] }
        (successor, upgradeEndsAt) = (Server(number: count), now + ServerLifecycle.upgradeMilliseconds)
        count += 1
        return [.start(count - 1, isUpgrade: true)]
    }

    private mutating func due(_ now: Int64) -> [Action] {
        if let time = killAt, now >= time {
            killAt = .max
            return alive.map { .send(SIGKILL, to: $0) }
        }
        if let time = upgradeEndsAt, now >= time, let number = successor?.number {
            upgradeEndsAt = nil
            return [.say(.upgradeOverdue(number)), .send(SIGKILL, to: number)]
        }
        guard let time = restartAt, now >= time else { return [] }
        restartAt = nil
        return [startCurrent()]
    }

    private static func status(_ ending: ChildProcess.End?) -> Int32 {
        switch ending {
        case .status(let status): status
        case .signal: BugExit.status
        case nil: ExitStatus.failure.rawValue
        }
    }
}

/// The signals that a server gets from its parent besides SIGHUP (reload), SIGUSR1 (reopen the access log) and SIGTERM (finish and exit).
/// They are not those that an operator sends to the parent: a signal for all processes of a unit (`systemctl kill`) must not make a
/// server believe that another one has taken over.
enum ServerSignal {
    /// Another server accepts connections from the same sockets: stop accepting at once, finish what is in flight, exit.
    static let takenOver = SIGQUIT
    /// Exit without finishing anything.
    static let exitNow = SIGINT

    /// All that a server takes. SIGUSR2 is for the parent, and ignored.
    static let all = [SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, takenOver, exitNow]
}

/// The pause before the parent starts a process again, the same for a server and a manager.
struct RestartDelay {
    private var next = minMilliseconds

    static let minMilliseconds: Int64 = 1_000
    static let maxMilliseconds: Int64 = 30_000
    /// The death of a process that has worked for so long counts as the first one.
    static let steadyMilliseconds: Int64 = 60_000

    /// The pause now; the next one is longer.
    mutating func take() -> Int64 {
        defer { next = min(next * 2, RestartDelay.maxMilliseconds) }
        return next
    }

    mutating func reset() { next = RestartDelay.minMilliseconds }
}
