// What the parent does with the manager when: tables of events and actions, without a process.

import Glibc
import Posix
import Testing

@testable import Supervision

struct ManagerLifecycleTests {
    private typealias Event = ManagerLifecycle.Event
    private typealias Action = ManagerLifecycle.Action

    private static let died = ChildProcess.End.signal(SIGKILL)
    private static let failed = ChildProcess.End.status(1)

    /// What comes of events, each at its second.
    private static func actions(_ events: [(Int64, Event)]) -> [[Action]] {
        var lifecycle = ManagerLifecycle()
        return events.map { lifecycle.handle($1, now: $0 * 1_000) }
    }

    /// What comes of events behind the start of a manager.
    private static func later(_ events: [(Int64, Event)]) -> [[Action]] {
        Array(actions([(0, .begin)] + events).dropFirst())
    }

    private static func note(_ end: ChildProcess.End?, _ count: Int, seconds: Int64) -> Action {
        .say(.died(end, count: count, restartMilliseconds: seconds * 1_000))
    }

    @Test func `starts one manager, when the first server is ready`() {
        let actions = ManagerLifecycleTests.actions([
            (0, .pass(SIGHUP)), (1, .begin), (2, .begin), (3, .pass(SIGHUP)), (3, .due),
        ])
        #expect(actions == [[], [.start], [], [.send(SIGHUP)], []])
    }

    @Test func `restarts a manager that dies, later each time, and soon again after a minute`() {
        let (died, failed) = (ManagerLifecycleTests.died, ManagerLifecycleTests.failed)
        let actions = ManagerLifecycleTests.later([
            (2, .ended(died)), (2, .due), (3, .due), (4, .ended(failed)), (5, .due), (6, .due), (66, .ended(failed)),
            (67, .due), (126, .ended(failed)), (128, .due),
        ])
        #expect(
            actions == [
                [ManagerLifecycleTests.note(died, 1, seconds: 1)], [], [.start],
                [ManagerLifecycleTests.note(failed, 1, seconds: 2)], [], [.start],
                // After a minute it is the first death again, a second before that not yet.
                [ManagerLifecycleTests.note(failed, 1, seconds: 1)], [.start],
                [ManagerLifecycleTests.note(failed, 2, seconds: 2)], [.start],
            ])
    }

    @Test(arguments: [.status(1), .signal(SIGSEGV), nil] as [ChildProcess.End?])
    func `the pause before a restart has a limit, and the log is not filled`(end: ChildProcess.End?) {
        var lifecycle = ManagerLifecycle()
        var now: Int64 = 0
        _ = lifecycle.handle(.begin, now: now)
        var pauses: [Int64] = []
        var said: [Int] = []
        for death in 1...9 {
            let actions = lifecycle.handle(.ended(end), now: now)
            let due = lifecycle.dueMilliseconds ?? 0
            if !actions.isEmpty {
                #expect(actions == [.say(.died(end, count: death, restartMilliseconds: due - now))])
                said.append(death)
            }
            pauses.append(due - now)
            now = due
            #expect(lifecycle.handle(.due, now: now) == [.start])
        }
        #expect(pauses == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000, 30_000, 30_000])
        // A line a minute.
        #expect(said == [1, 7, 9])
    }

    @Test func `a cause that lasts is logged once a minute, and each new one at once`() {
        var lifecycle = ManagerLifecycle()
        var (now, deaths): (Int64, Int) = (0, 0)
        _ = lifecycle.handle(.begin, now: now)
        /// The notes of managers that die at once, for this long.
        func notes(_ reason: String, seconds: Int64) -> [ManagerLifecycle.Note] {
            var notes: [ManagerLifecycle.Note] = []
            let end = now + seconds * 1_000
            while now < end {
                deaths += 1
                for case .say(let note) in lifecycle.handle(.ended(.status(1), reason: reason), now: now) {
                    notes.append(note)
                }
                now = lifecycle.dueMilliseconds ?? end
                _ = lifecycle.handle(.due, now: now)
            }
            return notes
        }
        let first = notes("the file is no database", seconds: 1_261)
        #expect(first.count == 21 && deaths == 46)
        #expect(
            first.first
                == .died(.status(1), reason: "the file is no database", count: 1, restartMilliseconds: 1_000))
        let second = notes("the password is wrong", seconds: 60)
        #expect(second == [.died(.status(1), reason: "the password is wrong", count: 1, restartMilliseconds: 30_000)])
    }

    @Test func `says when the next one is started, while it waits for that`() {
        var lifecycle = ManagerLifecycle()
        var times: [Int64?] = []
        for (second, event) in [(0, .begin), (5, .ended(nil, reason: "no link")), (6, .due), (7, .settled)]
            as [(Int64, Event)]
        {
            _ = lifecycle.handle(event, now: second * 1_000)
            times.append(lifecycle.restartAt)
        }
        #expect(times == [nil, 6_000, nil, nil])
    }

    @Test func `a separate manager is not looked after, and what it needs is looked at with each server`() {
        let actions = ManagerLifecycleTests.actions([
            (0, .begin), (0, .ended(nil, reason: "no link")), (1, .due), (1, .settled), (60, .due), (61, .pass(SIGHUP)),
            (62, .begin), (62, .settled), (63, .stop),
        ])
        let note = Action.say(.died(nil, reason: "no link", count: 1, restartMilliseconds: 1_000))
        #expect(actions == [[.start], [note], [.start], [], [], [], [.start], [], []])
    }

    @Test func `another kind of death is logged again`() {
        let (died, failed) = (ManagerLifecycleTests.died, ManagerLifecycleTests.failed)
        let actions = ManagerLifecycleTests.later([
            (0, .ended(failed)), (1, .due), (1, .ended(failed)), (3, .due), (3, .ended(failed)), (7, .due),
            (7, .ended(died)), (15, .due), (15, .ended(failed)),
        ])
        #expect(actions[4].isEmpty)
        #expect(actions[6] == [ManagerLifecycleTests.note(died, 1, seconds: 8)])
        #expect(actions[8] == [ManagerLifecycleTests.note(failed, 1, seconds: 16)])
    }

    @Test func `an upgrade replaces the manager when the old one has ended`() {
        let actions = ManagerLifecycleTests.later([
            (2, .restart), (3, .restart), (4, .ended(.status(0))), (5, .pass(SIGHUP)), (6, .ended(.status(0))),
        ])
        #expect(
            actions == [
                [.send(SIGTERM)], [], [.start], [.send(SIGHUP)],
                [ManagerLifecycleTests.note(.status(0), 1, seconds: 1)],
            ])
    }

    @Test func `an upgrade kills a manager that does not end`() {
        let actions = ManagerLifecycleTests.later([
            (2, .restart), (6, .due), (7, .due), (8, .ended(.signal(SIGKILL))), (9, .due),
        ])
        #expect(actions == [[.send(SIGTERM)], [], [.send(SIGKILL), .say(.killed)], [.start], []])
    }

    @Test func `an upgrade starts a manager that waits for its restart, with the shortest pause again`() {
        let (died, start) = (ManagerLifecycleTests.died, [ManagerLifecycle.Action.start])
        let actions = ManagerLifecycleTests.later([
            (0, .ended(died)), (1, .due), (1, .ended(died)), (2, .restart), (3, .due), (4, .ended(died)), (5, .due),
        ])
        #expect(Array(actions.dropFirst(3)) == [start, [], [ManagerLifecycleTests.note(died, 1, seconds: 1)], start])
    }

    @Test func `an upgrade may bring a manager or remove it`() {
        let brought = ManagerLifecycleTests.actions([(0, .dismiss), (1, .restart), (2, .begin)])
        #expect(brought == [[], [.start], []])
        let removed = ManagerLifecycleTests.later([(1, .dismiss), (2, .ended(.status(0))), (3, .due), (4, .restart)])
        #expect(removed == [[.send(SIGTERM)], [], [], [.start]])
        let waiting = ManagerLifecycleTests.later([(1, .ended(ManagerLifecycleTests.died)), (1, .dismiss), (2, .due)])
        #expect(Array(waiting.dropFirst()) == [[], []])
    }

    @Test func `a stop ends the manager, and nothing starts another one`() {
        let actions = ManagerLifecycleTests.later([
            (1, .stop), (2, .begin), (3, .restart), (100, .due), (100, .ended(.status(0))), (101, .serversEnded),
            (102, .due),
        ])
        #expect(actions == [[.send(SIGTERM)], [], [], [], [], [], []])
        let early = ManagerLifecycleTests.actions([(0, .stop), (1, .begin), (2, .serversEnded), (3, .stop)])
        #expect(early == [[], [], [], []])
        let waiting = ManagerLifecycleTests.later([(1, .ended(ManagerLifecycleTests.died)), (1, .stop), (2, .due)])
        #expect(Array(waiting.dropFirst()) == [[], []])
    }

    @Test func `a manager that outlives the servers is killed five seconds later, or at the second stop`() {
        let actions = ManagerLifecycleTests.later([
            (1, .stop), (20, .serversEnded), (24, .due), (25, .due), (26, .ended(.signal(SIGKILL))),
        ])
        #expect(actions == [[.send(SIGTERM)], [], [], [.send(SIGKILL), .say(.killed)], []])
        let hasty = ManagerLifecycleTests.later([(1, .stop), (2, .stop), (3, .ended(.signal(SIGKILL)))])
        #expect(hasty == [[.send(SIGTERM)], [.send(SIGKILL)], []])
        // The kernel cannot end a process that waits for some disks.
        var stuck = ManagerLifecycle()
        for (time, event) in [(0, .begin), (1, .stop), (2, .stop), (2, .serversEnded)] as [(Int64, Event)] {
            _ = stuck.handle(event, now: time * 1_000)
        }
        #expect(stuck.isAlive && stuck.dueMilliseconds == 2_000 + ManagerLifecycle.killMilliseconds)
        _ = stuck.handle(.due, now: 2_999)
        #expect(stuck.isAlive)
        _ = stuck.handle(.due, now: 3_000)
        #expect(!stuck.isAlive && stuck.dueMilliseconds == nil)
        // Servers that are given up end it too.
        let givenUp = ManagerLifecycleTests.later([(1, .serversEnded), (6, .due)])
        #expect(givenUp == [[.send(SIGTERM)], [.send(SIGKILL), .say(.killed)]])
    }

    @Test func `the parent waits for it only while it is alive`() {
        var lifecycle = ManagerLifecycle()
        #expect(!lifecycle.isAlive && lifecycle.dueMilliseconds == nil)
        _ = lifecycle.handle(.begin, now: 0)
        #expect(lifecycle.isAlive)
        _ = lifecycle.handle(.serversEnded, now: 0)
        #expect(lifecycle.isAlive && lifecycle.dueMilliseconds == ManagerLifecycle.endMilliseconds)
        _ = lifecycle.handle(.ended(.status(0)), now: 1)
        #expect(!lifecycle.isAlive && lifecycle.dueMilliseconds == nil)
    }
}
