// What a crash leaves of a process.

import CLinux
import Foundation
import Posix
import Testing

struct ProcessMemoryTests {
    /// Whether a crash of this process may write a core dump.
    static var isDumpable: Bool { associated_prctl(PR_GET_DUMPABLE, 0, 0) != 0 }

    @Test func `writes no core dump once they are disabled`() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessMemoryTests.isDumpable
            try ProcessMemory.forbidDumps()
            exit(before && !ProcessMemoryTests.isDumpable ? 0 : 1)
        }
    }

    @Test func `uses the smallest memory limit`() async {
        // In a separate process, because the limit cannot be removed.
        await #expect(processExitsWith: .success) {
            let before = ProcessMemory.limitBytes
            guard before > 1 << 20 else { exit(2) }
            var limit = rlimit()
            getrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit)
            limit.rlim_cur = rlim_t(before / 2)
            guard setrlimit(__rlimit_resource_t(RLIMIT_DATA.rawValue), &limit) == 0 else { exit(3) }
            guard ProcessMemory.limitBytes == before / 2 else { exit(4) }
        }
    }
}
