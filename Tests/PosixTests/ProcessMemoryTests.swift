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
}
