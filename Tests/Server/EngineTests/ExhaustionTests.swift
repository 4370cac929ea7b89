// Without descriptors the worker accepts no client, and waits without using the CPU.

import Foundation
import Posix
import Testing

struct ExhaustionTests {
    @Test func `waits when it has no descriptors, and serves the waiting clients later`() async {
        // In a separate process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let server = try TestEngine(workers: 1)
            var clients = ClientList()
            for _ in 0..<8 { try clients.add(server.address, sending: "") }
            let pause = try Poller()
            let noFiles = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit()
            getrlimit(noFiles, &limit)
            let original = limit
            let free = dup(0)
            close(free)
            // Room for three more descriptors; eight connections wait for one each.
            limit.rlim_cur = rlim_t(free) + 3
            guard setrlimit(noFiles, &limit) == 0 else { exit(2) }
            try clients.send(get("/doc"))
            let before = ExhaustionTests.processorMicroseconds()
            _ = pause.wait(milliseconds: 400)
            let used = ExhaustionTests.processorMicroseconds() - before
            var raised = original
            guard setrlimit(noFiles, &raised) == 0 else { exit(2) }
            guard try clients.statuses() == Array(repeating: 200, count: 8) else { exit(3) }
            guard used < 200_000 else { exit(4) }
        }
    }

    /// The CPU time of this process.
    private static func processorMicroseconds() -> Int {
        var usage = rusage()
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        return (usage.ru_utime.tv_sec + usage.ru_stime.tv_sec) * 1_000_000 + usage.ru_utime.tv_usec
            + usage.ru_stime.tv_usec
    }
}
