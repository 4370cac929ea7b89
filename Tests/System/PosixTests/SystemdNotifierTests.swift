// Notifications to the supervisor that the process is alive.

import Glibc
import Testing

@testable import Posix

struct SystemdNotifierTests {
    @Test(
        arguments: [
            ("30000000", nil, 15_000), ("30000000", "7", 15_000), ("30000000", "8", nil), ("30000000", "", nil),
            ("0", nil, nil), ("-1", nil, nil), ("often", nil, nil), (nil, "7", nil),
        ] as [(String?, String?, Int64?)])
    func `notifies twice in the interval that the supervisor allows`(
        text: String?, process: String?, milliseconds: Int64?
    ) {
        #expect(SystemdNotifier.watchdogMilliseconds(text, process, 7) == milliseconds)
    }

    @Test func `sends no notification while the process hangs`() {
        var watchdog = Watchdog(milliseconds: 2_000)
        let signs = [(0, true), (1_000, true), (2_000, true), (4_000, false), (5_000, true), (6_000, true)].map {
            watchdog.isDue(now: Int64($0), isAlive: $1)
        }
        #expect(signs == [true, false, true, false, true, false])
        var none = Watchdog(milliseconds: nil)
        let sign = none.isDue(now: 0, isAlive: true)
        #expect(!sign)
    }

    @Test(.timeLimit(.minutes(1)))
    func `a receiver that does not read holds up no message for longer than a second`() throws {
        let reports = try ChildReports()
        var size: Int32 = 4_096
        setsockopt(reports.childDescriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
        let notifier = SystemdNotifier(takingOwnershipOf: dup(reports.childDescriptor), watchdogMilliseconds: nil)
        var longest: Int64 = 0
        while longest < 400 {
            let begin = Clock.monotonicMilliseconds()
            notifier.notify(.stopping)
            longest = Clock.monotonicMilliseconds() - begin
        }
        #expect(longest < 1_000)
        while reports.next() != nil {}
        notifier.notify(.serving(status: "one app"))
        guard case .state(.serving("one app")) = reports.next() else {
            Issue.record("a message is delivered again")
            return
        }
    }
}
