// Limits of control groups, from files as kernels and container runtimes write them.

import Testing

@testable import Posix

struct ControlGroupsTests {
    private static let unlimited = "9223372036854771712\n"

    @Test(
        arguments: [
            // Version 2, in a container: the group is the top one.
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "268435456\n"], 268_435_456),
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/memory.max": "max\n"], nil),
            // A service of systemd, whose slice has a smaller limit.
            (
                [
                    "/proc/self/cgroup": "0::/web.slice/associated.service\n",
                    "/sys/fs/cgroup/web.slice/memory.max": "1000000\n",
                    "/sys/fs/cgroup/web.slice/associated.service/memory.max": "2000000\n",
                    "/sys/fs/cgroup/web.slice/associated.service/memory.high": "max\n",
                ], 1_000_000
            ),
            (["/proc/self/cgroup": "0::/a\n", "/sys/fs/cgroup/a/memory.high": "500\n"], 500),
            // Version 1, where the path is the host's and the file is the container's.
            (
                [
                    "/proc/self/cgroup": "5:cpu,cpuacct:/docker/x\n4:memory:/docker/x\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "67108864\n",
                ], 67_108_864
            ),
            (
                [
                    "/proc/self/cgroup": "4:memory:/docker/x\n",
                    "/sys/fs/cgroup/memory/memory.limit_in_bytes": unlimited,
                    "/sys/fs/cgroup/memory/docker/x/memory.limit_in_bytes": "4096\n",
                ], 4_096
            ),
            (["/proc/self/cgroup": "4:memory:/\n", "/sys/fs/cgroup/memory/memory.limit_in_bytes": unlimited], nil),
            ([:], nil), (["/proc/self/cgroup": "nonsense\n::\n"], nil),
        ] as [([String: String], Int?)])
    func `uses the smallest memory limit of all groups`(files: [String: String], bytes: Int?) {
        #expect(ControlGroups { files[$0] }.memoryBytes == bytes)
    }

    @Test(
        arguments: [
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "50000 100000\n"], 0.5),
            (["/proc/self/cgroup": "0::/\n", "/sys/fs/cgroup/cpu.max": "max 100000\n"], nil),
            (
                [
                    "/proc/self/cgroup": "0::/a/b\n", "/sys/fs/cgroup/a/cpu.max": "150000 100000\n",
                    "/sys/fs/cgroup/a/b/cpu.max": "400000 100000\n",
                ], 1.5
            ),
            (
                [
                    "/proc/self/cgroup": "5:cpu,cpuacct:/x\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "200000\n",
                    "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                ], 2
            ),
            (
                [
                    "/proc/self/cgroup": "5:cpu:/\n", "/sys/fs/cgroup/cpu/cpu.cfs_quota_us": "-1\n",
                    "/sys/fs/cgroup/cpu/cpu.cfs_period_us": "100000\n",
                ], nil
            ),
            ([:], nil),
        ] as [([String: String], Double?)])
    func `uses the smallest CPU limit of all groups`(files: [String: String], processors: Double?) {
        #expect(ControlGroups { files[$0] }.processors == processors)
    }

    @Test func `reads the limits of this process's group`() {
        let groups = ControlGroups()
        #expect(groups.memoryBytes ?? 1 > 0)
        #expect(groups.processors ?? 1 > 0)
        #expect(processorCount() > 0)
    }
}
