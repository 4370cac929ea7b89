// When the parent starts, signals, restarts and gives up on its servers. Pure: events and the time go in, actions come out, and
// `ParentProcess` carries them out. A server has a number here, counted from 0 in the order of starts.

import Libc
import Posix

struct ServerLifecycle {
    enum Event: Equatable {
        case begin
        case ready(Int)
        /// A sign of life.
        case alive(Int)
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
        /// A server without a process, which is not started yet, ends by SIGKILL.
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
        /// It is not ready after `slowMilliseconds`.
        case slow(Int, isUpgrade: Bool)
        /// It is not ready in time, and is killed.
        case overdue(Int)
        /// It gives no sign of life, and is killed.
        case silent(Int)
        case upgradeUnderWay
        case upgradeTooEarly
        case died(Int, ChildProcess.End?, restartMilliseconds: Int64?)
        case diedDraining(Int, ChildProcess.End?)
        /// The parent was told to stop before the server was ready, which is killed.
        case stoppedEarly
        case gaveUp
    }

    private struct Server {
        let number: Int
        let startedAt: Int64
        var readySince: Int64?
        /// How many looks in a row have found no sign of life.
        var missedCount = 0
        var isCalledSlow = false
        var isKilled = false
    }

    /// The server that answers clients, or the one that is started to do so; nil between a server's end and its restart.
    private var current: Server?
    /// The server that an upgrade has started, until it is ready.
    private var successor: Server?
    /// Servers that finish their requests after an upgrade.
    private var draining: [Server] = []
    private var count = 0
    private var hasServed = false
    private var failedStarts = 0
    /// How the last server that was not told to ended, and when; nil after an upgrade.
    private var death: (text: String, at: Int64)?
    private var delay = RestartDelay()
    private var restartAt: Int64?
    /// When to look for signs of life, if a server is to give them.
    private var lookAt: Int64?
    /// When to kill what an operator has told twice to stop, and when to exit although it has not ended.
    private var killAt: Int64?
    private var exitAt: Int64?
    private(set) var isStopping = false
    /// Whether no server is started any more; those that finish their requests may do so.
    private var hasGivenUp = false
    /// Of the server that was current when the parent was told to stop, or gave up.
    private var status: Int32 = 0

    static let failedStartsMax = 3
    /// The time that a server has to become ready, except the first one, which none can stand in for: far more than the largest
    /// configuration takes from its saved state.
    static let startMilliseconds: Int64 = 600_000
    static let slowMilliseconds: Int64 = 30_000
    /// A server that is ready gives a sign of life twice in this time, while all its workers do. Looks are counted, not seconds, because
    /// the machine may have slept.
    static let lookMilliseconds: Int64 = 10_000
    static let missedLooksMax = 3
    /// The time that a server has to write its last log lines when it is told to exit immediately, and then to end.
    static let killMilliseconds: Int64 = 1_000

    /// When the next `due` event is wanted.
    var dueMilliseconds: Int64? {
        let starts = [current, successor].compactMap(\.self).flatMap(startsDue)
        return ([killAt, exitAt, restartAt, hasReady ? lookAt : nil].compactMap(\.self) + starts).min()
    }

    private var hasReady: Bool { current?.readySince != nil || !draining.isEmpty }

    /// When something is to be said about, or done to, a server that is not ready.
    private func startsDue(_ server: Server) -> [Int64] {
        if server.readySince != nil || server.isKilled { return [] }
        return (server.isCalledSlow ? [] : [server.startedAt + ServerLifecycle.slowMilliseconds])
            + (hasServed ? [server.startedAt + ServerLifecycle.startMilliseconds] : [])
    }

    func isCurrent(_ number: Int) -> Bool { current?.number == number }

    /// Whether another one is started when it ends.
    func replaces(_ number: Int) -> Bool { isCurrent(number) && !isStopping && !hasGivenUp }

    /// Whether a server has been ready, and answers clients or will be replaced. One that was killed and does not end cannot be.
    var isInControl: Bool { hasServed && current?.isKilled != true }

    /// For the next server, which reports it.
    func newsOfDeath(now: Int64, wallSeconds: Int64) -> ParentNews? {
        death.map { .died($0.text, atSeconds: wallSeconds - (now - $0.at) / 1_000) }
    }

    mutating func handle(_ event: Event, now: Int64) -> [Action] {
        switch event {
        case .begin: return [startCurrent(now)]
        case .ready(let number): return ready(number, now)
        case .alive(let number):
            if current?.number == number { current?.missedCount = 0 }
            if let index = draining.firstIndex(where: { $0.number == number }) { draining[index].missedCount = 0 }
            return []
        case .ended(let number, let ending):
            let actions = ended(number, ending, now)
            return (isStopping || hasGivenUp) && alive.isEmpty ? actions + [.exit(status)] : actions
        case .stop: return stop(now)
        case .upgrade: return upgrade(now)
        case .pass(let signal): return alive.map { .send(signal, to: $0) }
        case .due: return due(now)
        }
    }

    private var alive: [Int] { ([current, successor].compactMap(\.self) + draining).map(\.number) }

    private mutating func startCurrent(_ now: Int64) -> Action {
        current = Server(number: count, startedAt: now)
        count += 1
        return .start(count - 1, isUpgrade: false)
    }

    private mutating func ready(_ number: Int, _ now: Int64) -> [Action] {
        let isKilled = [current, successor].contains { $0?.number == number && $0?.isKilled == true }
        if isStopping || isKilled { return [] }
        if !hasReady { lookAt = now + ServerLifecycle.lookMilliseconds }
        if current?.number == number, current?.readySince == nil {
            current?.readySince = now
            (hasServed, failedStarts) = (true, 0)
            return []
        }
        guard var new = successor, new.number == number else { return [] }
        new.readySince = now
        var old = current
        // One that is not ready has no requests to finish.
        let signal = old?.readySince == nil ? SIGKILL : ServerSignal.takenOver
        old?.isKilled = signal == SIGKILL
        (current, successor, restartAt, failedStarts, death) = (new, nil, nil, 0, nil)
        delay.reset()
        draining += [old].compactMap(\.self)
        return [.keepSockets] + [old].compactMap { $0.map { .send(signal, to: $0.number) } }
            + [.say(.upgraded(to: number, from: old?.number))]
    }

    private mutating func ended(_ number: Int, _ ending: ChildProcess.End?, _ now: Int64) -> [Action] {
        if let index = draining.firstIndex(where: { $0.number == number }) {
            let server = draining.remove(at: index)
            return ending == .status(0) || server.isKilled ? [] : [.say(.diedDraining(number, ending))]
        }
        if successor?.number == number {
            successor = nil
            if isStopping { return [.dropSockets] }
            return [.dropSockets, .say(.notUpgraded(number, ending))] + (current == nil ? replaceCurrent(now) : [])
        }
        guard let server = current, server.number == number else { return [] }
        current = nil
        if isStopping {
            let isInTime = killAt == nil && server.readySince != nil
            status = isInTime ? ServerLifecycle.status(ending) : ExitStatus.failure.rawValue
            return []
        }
        if !hasServed {
            let isSaid = if case .status = ending { true } else { false }
            return (isSaid ? [] : [.say(.died(number, ending, restartMilliseconds: nil))])
                + [.exit(ServerLifecycle.status(ending))]
        }
        let cause = server.isKilled && server.readySince != nil ? ", because it gave no sign of life" : ""
        death = ending.map { ($0.text + cause, now) } ?? death
        if let since = server.readySince {
            if now - since >= RestartDelay.steadyMilliseconds { delay.reset() }
        } else {
            failedStarts += 1
            status = max(ExitStatus.failure.rawValue, ServerLifecycle.status(ending))
        }
        let next = replaceCurrent(now)
        return [.say(.died(number, ending, restartMilliseconds: restartAt.map { $0 - now }))] + next
    }

    /// Starts another server after a pause, or gives up.
    private mutating func replaceCurrent(_ now: Int64) -> [Action] {
        if failedStarts < ServerLifecycle.failedStartsMax {
            if restartAt == nil { restartAt = now + delay.take() }
            return []
        }
        // The server of an upgrade may be another program, with other settings.
        if successor != nil { return [] }
        hasGivenUp = true
        // A client must not wait at a socket from which nothing accepts.
        return [.say(.gaveUp), .closeSockets]
    }

    private mutating func stop(_ now: Int64) -> [Action] {
        if isStopping {
            if killAt != nil { return kill(now) }
            killAt = now + ServerLifecycle.killMilliseconds
            return alive.map { .send(ServerSignal.exitNow, to: $0) }
        }
        (isStopping, restartAt) = (true, nil)
        var actions = [Action.closeSockets]
        if let current, current.readySince == nil { actions.append(.say(.stoppedEarly)) }
        // Those that finish their requests already need not be told, and one that is not ready has none.
        for server in [current, successor].compactMap(\.self) {
            actions.append(.send(server.readySince == nil ? SIGKILL : SIGTERM, to: server.number))
        }
        return actions + (alive.isEmpty ? [.exit(status)] : [])
    }

    /// Does not wait for processes that the kernel cannot end, because they wait for a disk.
    private mutating func kill(_ now: Int64) -> [Action] {
        (killAt, exitAt) = (.max, exitAt ?? now + ServerLifecycle.killMilliseconds)
        return alive.map { .send(SIGKILL, to: $0) }
    }

    private mutating func upgrade(_ now: Int64) -> [Action] {
        if isStopping { return [] }
        if successor != nil { return [.say(.upgradeUnderWay)] }
        if current?.readySince == nil { return [.say(.upgradeTooEarly)] }
        successor = Server(number: count, startedAt: now)
        count += 1
        return [.start(count - 1, isUpgrade: true)]
    }

    private mutating func due(_ now: Int64) -> [Action] {
        if let time = exitAt, now >= time {
            exitAt = nil
            return [.exit(ExitStatus.failure.rawValue)]
        }
        if let time = killAt, now >= time { return kill(now) }
        var actions = ServerLifecycle.checkStart(&current, isUpgrade: false, hasServed, now)
        actions += ServerLifecycle.checkStart(&successor, isUpgrade: true, hasServed, now)
        if hasReady, let time = lookAt, now >= time {
            lookAt = now + ServerLifecycle.lookMilliseconds
            actions += ServerLifecycle.look(&current)
            for index in draining.indices {
                var server: Server? = draining[index]
                actions += ServerLifecycle.look(&server)
                draining[index] = server ?? draining[index]
            }
            if isStopping, !actions.isEmpty { exitAt = exitAt ?? now + ServerLifecycle.killMilliseconds }
        }
        if let time = restartAt, now >= time {
            restartAt = nil
            actions.append(startCurrent(now))
        }
        return actions
    }

    private static func checkStart(
        _ server: inout Server?, isUpgrade: Bool, _ hasServed: Bool, _ now: Int64
    ) -> [Action] {
        guard let found = server, found.readySince == nil, !found.isKilled else { return [] }
        if hasServed, now >= found.startedAt + startMilliseconds {
            server?.isKilled = true
            return [.say(.overdue(found.number)), .send(SIGKILL, to: found.number)]
        }
        if found.isCalledSlow || now < found.startedAt + slowMilliseconds { return [] }
        server?.isCalledSlow = true
        return [.say(.slow(found.number, isUpgrade: isUpgrade))]
    }

    private static func look(_ server: inout Server?) -> [Action] {
        guard let found = server, found.readySince != nil, !found.isKilled else { return [] }
        server?.missedCount += 1
        if found.missedCount + 1 < missedLooksMax { return [] }
        server?.isKilled = true
        return [.say(.silent(found.number)), .send(SIGKILL, to: found.number)]
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
public enum ServerSignal {
    /// Another server accepts connections from the same sockets: stop accepting at once, finish what is in flight, exit.
    public static let takenOver = SIGQUIT
    /// Exit without finishing anything.
    public static let exitNow = SIGINT

    /// All that a server takes. SIGUSR2 is for the parent, and ignored.
    public static let all = [SIGTERM, SIGHUP, SIGUSR1, SIGUSR2, takenOver, exitNow]
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

extension ChildProcess.End {
    /// Such as `was ended by SIGKILL`.
    var text: String {
        switch self {
        case .status(let status): "exited with status \(status)"
        case .signal(let signal): "was ended by \(ChildProcess.name(ofSignal: signal))"
        }
    }
}
