// What a crash would leave of a process.

import Foundation
import Posix
import Testing

struct ProcessMemoryTests {
    @Test func `after it is forbidden, no image of the memory is written`() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessMemory.isDumpable
            try ProcessMemory.forbidDumps()
            exit(before && !ProcessMemory.isDumpable ? 0 : 1)
        }
    }

    @Test func `the least of all limits is what the process may have`() async {
        // In a process of its own, because a limit stays.
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
