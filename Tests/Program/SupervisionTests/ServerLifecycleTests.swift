// What the parent does when: tables of events and actions, without a process.

import Glibc
import Posix
import Testing

@testable import Supervision

struct ServerLifecycleTests {
    private typealias Event = ServerLifecycle.Event
    private typealias Action = ServerLifecycle.Action

    /// What comes of events, each at its second.
    private static func actions(_ events: [(Int64, Event)]) -> [[Action]] {
        var lifecycle = ServerLifecycle()
        return events.map { lifecycle.handle($1, now: $0 * 1_000) }
    }

    private static let serving: [(Int64, Event)] = [(0, .begin), (1, .ready(0))]

    /// What comes of events behind the start of a server that has become ready.
    private static func later(_ events: [(Int64, Event)]) -> [[Action]] {
        Array(actions(serving + events).dropFirst(2))
    }

    @Test(
        arguments: [
            (.status(0), 0), (.status(2), 2), (.status(71), 71), (.signal(SIGSEGV), 70), (nil, 1),
        ] as [(ChildProcess.End?, Int32)])
    func `does not repeat a first start that fails`(end: ChildProcess.End?, status: Int32) {
        let actions = ServerLifecycleTests.actions([(0, .begin), (1, .ended(0, end))])
        #expect(actions[0] == [.start(0, isUpgrade: false)])
        // The server has logged why it exits, unless a signal has ended it.
        let isSaid = if case .status = end { true } else { false }
        let note = Action.say(.died(0, end, restartMilliseconds: nil))
        #expect(actions[1] == (isSaid ? [] : [note]) + [.exit(status)])
    }

    @Test func `restarts a server that dies, later each time, and soon again after a minute`() {
        let died = ChildProcess.End.signal(SIGKILL)
        let actions = ServerLifecycleTests.later([
            (2, .ended(0, died)), (2, .due), (3, .due), (3, .ready(1)), (4, .ended(1, died)), (6, .due), (6, .ready(2)),
            (66, .ended(2, died)), (67, .due),
        ])
        #expect(
            actions == [
                [.say(.died(0, died, restartMilliseconds: 1_000))], [], [.start(1, isUpgrade: false)], [],
                [.say(.died(1, died, restartMilliseconds: 2_000))], [.start(2, isUpgrade: false)], [],
                [.say(.died(2, died, restartMilliseconds: 1_000))], [.start(3, isUpgrade: false)],
            ])
    }

    @Test func `the pause before a restart has a limit`() {
        var lifecycle = ServerLifecycle()
        var now: Int64 = 0
        _ = lifecycle.handle(.begin, now: now)
        var pauses: [Int64] = []
        for number in 0..<8 {
            _ = lifecycle.handle(.ready(number), now: now)
            _ = lifecycle.handle(.ended(number, .status(0)), now: now)
            let due = lifecycle.dueMilliseconds ?? 0
            pauses.append(due - now)
            now = due
            #expect(lifecycle.handle(.due, now: now) == [.start(number + 1, isUpgrade: false)])
        }
        #expect(pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000])
    }

    @Test(
        arguments: [(.status(0), 1), (.status(70), 70), (.signal(SIGILL), 70), (nil, 1)] as [(ChildProcess.End?, Int32)]
    )
    func `after three failed starts in a row the parent exits`(end: ChildProcess.End?, status: Int32) {
        let actions = ServerLifecycleTests.later([
            (2, .ended(0, .signal(SIGKILL))), (3, .due), (3, .ended(1, end)), (5, .due), (5, .ended(2, end)), (9, .due),
            (9, .ended(3, end)),
        ])
        #expect(actions[2] == [.say(.died(1, end, restartMilliseconds: 2_000))])
        #expect(actions[4] == [.say(.died(2, end, restartMilliseconds: 4_000))])
        #expect(
            actions[6] == [.say(.died(3, end, restartMilliseconds: nil)), .say(.gaveUp), .closeSockets, .exit(status)])
    }

    @Test func `a parent that gives up waits for servers that finish their requests, and can be told to stop`() {
        let failures: [(Int64, Event)] = [
            (2, .upgrade), (3, .ready(1)), (4, .ended(1, .signal(SIGKILL))), (5, .due), (5, .ended(2, .status(1))),
            (7, .due), (7, .ended(3, .status(1))), (11, .due), (11, .ended(4, .status(1))),
        ]
        let waiting = ServerLifecycleTests.later(failures + [(12, .upgrade), (90, .ended(0, .status(0)))])
        #expect(waiting[8] == [.say(.died(4, .status(1), restartMilliseconds: nil)), .say(.gaveUp), .closeSockets])
        #expect(Array(waiting.dropFirst(9)) == [[.say(.upgradeTooEarly)], [.exit(1)]])
        let stopped = ServerLifecycleTests.later(failures + [(12, .stop), (13, .stop), (14, .ended(0, .status(0)))])
        #expect(Array(stopped.dropFirst(9)) == [[.closeSockets], [.send(SIGINT, to: 0)], [.exit(1)]])
    }

    private static let slow = ServerLifecycle.slowMilliseconds / 1_000
    private static let limit = ServerLifecycle.startMilliseconds / 1_000
    private static let killed = ChildProcess.End.signal(SIGKILL)

    @Test func `says once that the server of an upgrade is slow, and kills it when its time is over`() {
        let (slow, end) = (2 + ServerLifecycleTests.slow, 2 + ServerLifecycleTests.limit)
        var events: [(Int64, Event)] = [(2, .upgrade), (slow - 1, .due), (slow, .due), (slow + 1, .due)]
        // It works meanwhile.
        events += [(end - 1, .alive(0)), (end - 1, .due), (end, .alive(0)), (end, .due), (end, .alive(0)), (end, .due)]
        events += [(end + 1, .ready(1)), (end + 1, .ended(1, ServerLifecycleTests.killed))]
        events += [(end + 2, .upgrade), (end + 3, .ready(2)), (end + 4, .due)]
        let actions = ServerLifecycleTests.later(events)
        #expect(
            Array(actions.dropFirst()) == [
                [], [.say(.slow(1, isUpgrade: true))], [], [], [], [], [.say(.overdue(1)), .send(SIGKILL, to: 1)], [],
                [],
                [], [.dropSockets, .say(.notUpgraded(1, ServerLifecycleTests.killed))], [.start(2, isUpgrade: true)],
                [.keepSockets, .send(SIGQUIT, to: 0), .say(.upgraded(to: 2, from: 0))], [],
            ])
    }

    @Test func `a restart is limited like an upgrade, the first start only said to be slow`() {
        let first = ServerLifecycleTests.actions([
            (0, .begin), (ServerLifecycleTests.slow - 1, .due), (ServerLifecycleTests.slow, .due),
            (2 * ServerLifecycleTests.limit, .due),
        ])
        #expect(Array(first.dropFirst()) == [[], [.say(.slow(0, isUpgrade: false))], []])
        let end = 3 + ServerLifecycleTests.limit
        let restart = ServerLifecycleTests.later([
            (2, .ended(0, nil)), (3, .due), (3 + ServerLifecycleTests.slow, .due), (end - 1, .due), (end, .due),
            (end, .ended(1, ServerLifecycleTests.killed)),
        ])
        #expect(
            Array(restart.dropFirst(2)) == [
                [.say(.slow(1, isUpgrade: false))], [], [.say(.overdue(1)), .send(SIGKILL, to: 1)],
                [.say(.died(1, ServerLifecycleTests.killed, restartMilliseconds: 2_000))],
            ])
    }

    @Test func `wants to be called for each of these times`() {
        var lifecycle = ServerLifecycle()
        func due(_ event: Event, at now: Int64) -> Int64? {
            _ = lifecycle.handle(event, now: now)
            return lifecycle.dueMilliseconds
        }
        #expect(due(.begin, at: 0) == ServerLifecycle.slowMilliseconds)
        #expect(due(.ready(0), at: 1) == 1 + ServerLifecycle.lookMilliseconds)
        #expect(due(.due, at: 10_001) == 10_001 + ServerLifecycle.lookMilliseconds)
        #expect(due(.stop, at: 10_002) == 20_001)
        #expect(due(.stop, at: 10_003) == 10_003 + ServerLifecycle.killMilliseconds)
        #expect(due(.due, at: 11_003) == 11_003 + ServerLifecycle.killMilliseconds)
    }

    @Test
    func `kills a ready server that gives no sign of life three times in a row, also one that finishes its requests`() {
        let looks = (1...6).map { Int64(1) + $0 * ServerLifecycle.lookMilliseconds / 1_000 }
        let actions = ServerLifecycleTests.later([
            (looks[0], .due), (looks[1], .due), (looks[1], .alive(0)), (looks[2], .due), (looks[3], .due),
            (looks[4], .due), (looks[5], .due), (looks[5], .ended(0, ServerLifecycleTests.killed)),
        ])
        #expect(
            actions == [
                [], [], [], [], [], [.say(.silent(0)), .send(SIGKILL, to: 0)], [],
                [.say(.died(0, ServerLifecycleTests.killed, restartMilliseconds: 1_000))],
            ])
        let draining = ServerLifecycleTests.later([
            (2, .upgrade), (3, .ready(1)), (looks[0], .due), (looks[1], .due), (looks[1], .alive(1)), (looks[2], .due),
            (looks[2], .ended(0, ServerLifecycleTests.killed)),
        ])
        #expect(Array(draining.dropFirst(5)) == [[.say(.silent(0)), .send(SIGKILL, to: 0)], []])
        // The kernel may not end a process that waits for a file system, which does not hold up a stop.
        let stuck = ServerLifecycleTests.later([
            (2, .stop), (looks[0], .due), (looks[1], .due), (looks[2], .due), (looks[2] + 1, .due),
        ])
        #expect(Array(stuck.dropFirst(3)) == [[.say(.silent(0)), .send(SIGKILL, to: 0)], [.exit(1)]])
        // A machine that has slept wakes up once.
        let slept = ServerLifecycleTests.later([(looks[0] + 36_000, .due), (looks[0] + 36_001, .due)])
        #expect(slept == [[], []])
    }

    @Test func `a supervisor is told nothing before a server is ready, and while a killed one does not end`() {
        var lifecycle = ServerLifecycle()
        _ = lifecycle.handle(.begin, now: 0)
        #expect(!lifecycle.isInControl)
        _ = lifecycle.handle(.ready(0), now: 0)
        for look in 1...3 {
            #expect(lifecycle.isInControl)
            _ = lifecycle.handle(.due, now: Int64(look) * ServerLifecycle.lookMilliseconds)
        }
        #expect(!lifecycle.isInControl)
        _ = lifecycle.handle(.ended(0, ServerLifecycleTests.killed), now: 40_000)
        #expect(lifecycle.isInControl)
    }

    @Test func `an upgrade replaces the server when the new one is ready`() {
        let actions = ServerLifecycleTests.later([
            (2, .upgrade), (2, .upgrade), (3, .ready(1)), (3, .pass(SIGUSR1)), (4, .ended(0, .status(0))),
            (5, .upgrade), (6, .ready(2)), (7, .ended(1, .status(70))),
        ])
        #expect(
            actions == [
                [.start(1, isUpgrade: true)], [.say(.upgradeUnderWay)],
                [.keepSockets, .send(SIGQUIT, to: 0), .say(.upgraded(to: 1, from: 0))],
                [.send(SIGUSR1, to: 1), .send(SIGUSR1, to: 0)], [], [.start(2, isUpgrade: true)],
                [.keepSockets, .send(SIGQUIT, to: 1), .say(.upgraded(to: 2, from: 1))],
                [.say(.diedDraining(1, .status(70)))],
            ])
    }

    @Test func `an upgrade that fails changes nothing, and one before the server is ready is not begun`() {
        let actions = ServerLifecycleTests.actions([
            (0, .begin), (0, .upgrade), (1, .ready(0)), (2, .upgrade), (3, .ended(1, .status(1))), (4, .pass(SIGHUP)),
        ])
        #expect(
            Array(actions.dropFirst()) == [
                [.say(.upgradeTooEarly)], [], [.start(1, isUpgrade: true)],
                [.dropSockets, .say(.notUpgraded(1, .status(1)))], [.send(SIGHUP, to: 0)],
            ])
    }

    @Test func `a server that dies during an upgrade is replaced by the new one, or restarted`() {
        let died = ChildProcess.End.signal(SIGBUS)
        let replaced = ServerLifecycleTests.later([(2, .upgrade), (3, .ended(0, died)), (4, .ready(1))])
        #expect(
            replaced == [
                [.start(1, isUpgrade: true)], [.say(.died(0, died, restartMilliseconds: 1_000))],
                [.keepSockets, .say(.upgraded(to: 1, from: nil))],
            ])
        // One that hangs keeps no other from being started, whichever is ready first.
        let restarted = ServerLifecycleTests.later([
            (2, .upgrade), (3, .ended(0, died)), (4, .due), (5, .ready(2)), (6, .ready(1)),
        ])
        #expect(restarted[2] == [.start(2, isUpgrade: false)])
        #expect(restarted[4] == [.keepSockets, .send(SIGQUIT, to: 2), .say(.upgraded(to: 1, from: 2))])
        let overtaken = ServerLifecycleTests.later([
            (2, .upgrade), (3, .ended(0, died)), (4, .due), (5, .ready(1)),
            (5, .ended(2, ServerLifecycleTests.killed)),
        ])
        #expect(
            Array(overtaken.dropFirst(3)) == [
                [.keepSockets, .send(SIGKILL, to: 2), .say(.upgraded(to: 1, from: 2))], [],
            ])
        let failed = ServerLifecycleTests.later([(2, .upgrade), (3, .ended(0, died)), (4, .ended(1, nil)), (5, .due)])
        #expect(failed[2] == [.dropSockets, .say(.notUpgraded(1, nil))])
        let failures: [(Int64, Event)] = [
            (2, .upgrade), (3, .ended(0, died)), (4, .due), (4, .ended(2, nil)), (6, .due), (6, .ended(3, nil)),
            (10, .due), (10, .ended(4, nil)),
        ]
        let last = ServerLifecycleTests.later(failures + [(11, .due), (12, .ended(1, nil))])
        #expect(
            Array(last.dropFirst(7)) == [
                [.say(.died(4, nil, restartMilliseconds: nil))], [],
                [.dropSockets, .say(.notUpgraded(1, nil)), .say(.gaveUp), .closeSockets, .exit(1)],
            ])
        #expect(failed[3] == [.start(2, isUpgrade: false)])
    }

    @Test func `a stop waits for all servers, and a second one does not`() {
        let actions = ServerLifecycleTests.later([
            (2, .upgrade), (3, .ready(1)), (4, .stop), (5, .ended(1, .status(0))), (6, .ready(1)), (7, .upgrade),
            (8, .ended(0, .status(0))),
        ])
        #expect(Array(actions.dropFirst(2)) == [[.closeSockets, .send(SIGTERM, to: 1)], [], [], [], [.exit(0)]])
        let hasty = ServerLifecycleTests.later([
            (2, .stop), (3, .stop), (3, .due), (4, .due), (4, .ended(0, .signal(SIGKILL))),
        ])
        #expect(
            hasty == [
                [.closeSockets, .send(SIGTERM, to: 0)], [.send(SIGINT, to: 0)], [], [.send(SIGKILL, to: 0)], [.exit(1)],
            ])
        // The kernel cannot end a process that waits for some disks.
        let stuck = ServerLifecycleTests.later([(2, .stop), (3, .stop), (4, .due), (4, .due), (5, .due)])
        #expect(Array(stuck.dropFirst(2)) == [[.send(SIGKILL, to: 0)], [], [.exit(1)]])
    }

    @Test func `a stop during an upgrade, or before a restart, starts nothing more`() {
        let upgrading = ServerLifecycleTests.later([
            (2, .upgrade), (3, .stop), (4, .ended(1, .status(1))), (5, .ended(0, .status(0))),
        ])
        #expect(
            upgrading == [
                [.start(1, isUpgrade: true)], [.closeSockets, .send(SIGTERM, to: 0), .send(SIGKILL, to: 1)],
                [.dropSockets], [.exit(0)],
            ])
        let waiting = ServerLifecycleTests.later([(2, .ended(0, .signal(SIGKILL))), (2, .stop)])
        #expect(waiting[1] == [.closeSockets, .exit(0)])
        let starting = ServerLifecycleTests.actions([(0, .begin), (0, .stop), (1, .ended(0, .signal(SIGKILL)))])
        #expect(
            Array(starting.dropFirst()) == [[.closeSockets, .say(.stoppedEarly), .send(SIGKILL, to: 0)], [.exit(1)]])
    }
}

struct InheritanceTests {
    private static let whole = Inheritance(
        role: .server, parent: 7, reports: 4, watchdogMilliseconds: 15_000, upgradeCount: 3, settings: 11,
        groups: [
            Inheritance.Group(purpose: .http, numbers: [5, 6]),
            Inheritance.Group(purpose: .https, expectsProxyHeader: true, numbers: [7]),
            Inheritance.Group(purpose: .admin, numbers: [8]), Inheritance.Group(purpose: .managerAdmin, numbers: [9]),
            Inheritance.Group(purpose: .link, numbers: [10]),
        ])

    @Test func `a server reads what its parent writes`() {
        #expect(
            InheritanceTests.whole.text
                == "2 server 7 4 15000 settings:11 upgrades:3 http:5,6 https+proxy:7 admin:8 manager-admin:9 link:10")
        #expect(Inheritance(InheritanceTests.whole.text) == InheritanceTests.whole)
        var unlocked = InheritanceTests.whole
        unlocked.needsLock = true
        #expect(Inheritance(unlocked.text) == unlocked)
        // From a parent of an earlier version.
        #expect(Inheritance("2 server 7 4 0") == Inheritance(role: .server, parent: 7, reports: 4))
    }

    @Test(arguments: [
        (
            ParentNews.managerEnded("exited with status 1: no  key", restartMilliseconds: 8_000),
            "manager 8000 exited with status 1: no  key"
        ),
        (.managerEnded("", restartMilliseconds: nil), "manager -1 "),
        (.notUpgraded("a: b", atSeconds: 7), "upgrade 7 a: b"),
        (.died("was ended by SIGKILL", atSeconds: 7), "died 7 was ended by SIGKILL"),
    ])
    func `a running server reads what its parent tells`(news: ParentNews, text: String) {
        #expect(news.text == text)
        #expect(ParentNews(text) == news)
        for other in ["", "exited with status 1", "manager x y", "manager 1", "other 1 x"] {
            #expect(ParentNews(other) == nil)
        }
    }

    @Test func `a manager reads what its parent writes`() {
        let whole = Inheritance(
            role: .manager, parent: 7, groups: [Inheritance.Group(purpose: .managerAdmin, numbers: [9])])
        #expect(whole.text == "2 manager 7 0 0 manager-admin:9")
        #expect(Inheritance(whole.text) == whole)
        #expect(Inheritance("2 manager 7 0 0") == Inheritance(role: .manager, parent: 7))
        #expect(Inheritance("2 manager 7 4 0") == Inheritance(role: .manager, parent: 7, reports: 4))
    }

    @Test(arguments: [
        "", "2 server 7 4", "1 7 4 0", "1 server 7 4 0", "2 other 7 4 0", "2 server 0 4 0", "2 server 7 2 0",
        "2 server 7 4 -1", "2 server 7 4 0 http", "2 server 7 4 0 http:", "2 server 7 4 0 http:5,",
        "2 server 7 4 0 http:2", "2 server 7 4 0 ftp:5", "2 server 7 4 0 http+:5", "2 server 7 4 0 http:5:6",
        "2 server 7 4 0 +proxy:5", "2 server 7 4 0 settings:", "2 server 7 4 0 settings:2",
        "2 server 7 4 0 http:5 settings:6", "2 server 7 4 0 upgrades:0", "2 server 7 4 0 upgrades:1 settings:6",
        // What belongs to the other child.
        "2 server 7 0 0", "2 manager 7 2 0", "2 manager 7 0 0 admin:5",
        "2 manager 7 0 0 http:5",
    ])
    func `rejects any other text`(text: String) { #expect(Inheritance(text) == nil) }
}
