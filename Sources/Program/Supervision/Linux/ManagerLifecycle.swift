// When the parent starts, signals, replaces and kills the manager. Pure, like `ServerLifecycle`: events and the time go in, actions
// come out, and `ParentProcess` carries them out. A manager that dies never ends the parent, because clients do not need it.

import Libc
import Posix

struct ManagerLifecycle {
    enum Event: Equatable {
        /// The first server is ready.
        case begin
        /// Nil: it could not be started. With the reason, if one is known.
        case ended(ChildProcess.End?, reason: String? = nil)
        /// Nothing is to be started any more: the manager is a process of its own.
        case settled
        /// An upgrade of the server has succeeded: the program and the settings may be others now.
        case restart
        /// The settings of an upgrade ask for no manager.
        case dismiss
        /// SIGHUP and SIGUSR1
        case pass(Int32)
        /// SIGTERM or SIGINT
        case stop
        /// The last server has ended, and no other one will be started.
        case serversEnded
        /// The time of `dueMilliseconds` has come.
        case due
    }

    enum Action: Equatable {
        case start
        case send(Int32)
        case say(Note)
    }

    /// A message for the operator.
    enum Note: Equatable {
        /// It has died in this way, or could not be started, for this reason, this many times in a row.
        case died(ChildProcess.End?, reason: String? = nil, count: Int, restartMilliseconds: Int64)
        case killed
    }

    /// When the manager that is alive was started; nil while there is none.
    private var startedAt: Int64?
    private var isWanted = false
    private var isEnding = false
    private var isStopping = false
    private(set) var restartAt: Int64?
    /// When to kill a manager that was told to end, and when to wait no longer for one that does not end, because it waits for a disk.
    private var killAt: Int64?
    private var leaveAt: Int64?
    private var delay = RestartDelay()
    private var lastEnd: ChildProcess.End?
    private var lastReason: String?
    /// How many managers in a row have ended like the last one.
    private var deathCount = 0
    /// When the last of these deaths was logged.
    private var saidAt: Int64 = 0

    /// A cause that lasts is logged again after this time, so that it neither fills the log nor is forgotten.
    static let repeatMilliseconds: Int64 = 60_000
    /// The time that a manager has to end when another one waits for it, or the parent.
    static let endMilliseconds: Int64 = 5_000
    /// The time that the kernel has to end it.
    static let killMilliseconds: Int64 = 1_000

    /// When the next `due` event is wanted.
    var dueMilliseconds: Int64? { killAt ?? leaveAt ?? restartAt }

    var isAlive: Bool { startedAt != nil }
    /// Whether it has died, and another one will be started.
    var isRestarting: Bool { restartAt != nil }

    mutating func handle(_ event: Event, now: Int64) -> [Action] {
        switch event {
        case .begin:
            if isStopping || isWanted { return [] }
            isWanted = true
            return isAlive ? [] : [start(now)]
        case .ended(let end, let reason): return isAlive ? ended(end, reason, now) : []
        case .settled:
            (isWanted, startedAt, killAt, leaveAt, isEnding) = (false, nil, nil, nil, false)
            forgetDeaths()
            return []
        case .restart:
            if isStopping { return [] }
            isWanted = true
            forgetDeaths()
            return isAlive ? tellToEnd(now) : [start(now)]
        case .dismiss: return dismiss(now)
        case .pass(let signal): return isAlive ? [.send(signal)] : []
        case .stop: return stop(now)
        case .serversEnded: return dismiss(now)
        case .due: return due(now)
        }
    }

    private mutating func start(_ now: Int64) -> Action {
        (startedAt, restartAt) = (now, nil)
        return .start
    }

    private mutating func forgetDeaths() {
        delay.reset()
        deathCount = 0
    }

    /// It is killed if it has not ended in time.
    private mutating func tellToEnd(_ now: Int64) -> [Action] {
        killAt = killAt ?? now + ManagerLifecycle.endMilliseconds
        if isEnding { return [] }
        isEnding = true
        return [.send(SIGTERM)]
    }

    private mutating func dismiss(_ now: Int64) -> [Action] {
        (isWanted, restartAt) = (false, nil)
        return isAlive && leaveAt == nil ? tellToEnd(now) : []
    }

    private mutating func stop(_ now: Int64) -> [Action] {
        if isStopping { return isAlive ? [kill(now)] : [] }
        (isStopping, isWanted, restartAt) = (true, false, nil)
        if !isAlive || isEnding { return [] }
        // It has as long as the servers, which may finish requests.
        isEnding = true
        return [.send(SIGTERM)]
    }

    private mutating func kill(_ now: Int64) -> Action {
        (killAt, leaveAt) = (nil, isWanted ? nil : leaveAt ?? now + ManagerLifecycle.killMilliseconds)
        return .send(SIGKILL)
    }

    private mutating func ended(_ end: ChildProcess.End?, _ reason: String?, _ now: Int64) -> [Action] {
        let livedMilliseconds = startedAt.map { now - $0 } ?? 0
        let wasEnding = isEnding
        (startedAt, killAt, leaveAt, isEnding) = (nil, nil, nil, false)
        if !isWanted { return [] }
        if wasEnding { return [start(now)] }
        if livedMilliseconds >= RestartDelay.steadyMilliseconds { forgetDeaths() }
        deathCount = end == lastEnd && reason == lastReason ? deathCount + 1 : 1
        (lastEnd, lastReason) = (end, reason)
        let milliseconds = delay.take()
        restartAt = now + milliseconds
        let isSaid = deathCount == 1 || now - saidAt >= ManagerLifecycle.repeatMilliseconds
        if !isSaid { return [] }
        saidAt = now
        return [.say(.died(end, reason: reason, count: deathCount, restartMilliseconds: milliseconds))]
    }

    private mutating func due(_ now: Int64) -> [Action] {
        if let time = killAt {
            if now < time { return [] }
            return [kill(now), .say(.killed)]
        }
        if let time = leaveAt {
            if now >= time { (startedAt, leaveAt) = (nil, nil) }
            return []
        }
        guard let time = restartAt, now >= time else { return [] }
        return [start(now)]
    }
}
