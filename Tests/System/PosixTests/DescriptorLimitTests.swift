// Raising the limit on descriptors, in a separate process.

import Glibc
import Testing

@testable import Posix

struct DescriptorLimitTests {
    @Test func `raises the descriptor limit to the hard limit`() async {
        await #expect(processExitsWith: .success) {
            let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
            var limit = rlimit(rlim_cur: 256, rlim_max: 300)
            guard setrlimit(resource, &limit) == 0, DescriptorLimit.count == 256 else { exit(2) }
            guard DescriptorLimit.raise() == 300, DescriptorLimit.count == 300 else { exit(3) }
            guard DescriptorLimit.raise() == 300 else { exit(4) }
        }
    }
}
