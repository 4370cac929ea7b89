// The filter of a running server: its program run here call by call, and put in force in a child process.

import CLinux
import Foundation
import Testing

@testable import Posix

struct SystemCallFilterTests {
    private static let allow: UInt32 = 0x7FFF_0000
    private static let kill: UInt32 = 0x8000_0000
    private static func fails(_ number: Int32) -> UInt32 { 0x0005_0000 | UInt32(number) }

    private func verdict(
        _ call: Int32, _ arguments: [UInt64] = [], architecture: UInt32 = associated_architecture()
    ) -> UInt32? {
        let call = FilteredCall(number: UInt32(call), architecture: architecture, arguments: arguments)
        return FilterMachine.run(SystemCallFilter.server.program, on: call)
    }

    @Test(arguments: [SYS_recvfrom, SYS_sendto, SYS_epoll_pwait, SYS_openat, SYS_exit_group, SYS_fsync])
    func `what a server does is allowed`(call: Int32) {
        #expect(verdict(call) == SystemCallFilterTests.allow)
    }

    @Test(arguments: [
        SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_open_by_handle_at,
        SYS_mount, SYS_bpf, SYS_keyctl, SYS_unshare, SYS_setns, SYS_setresuid, SYS_capset, SYS_io_uring_setup, SYS_kill,
        SYS_connect, SYS_bind,
    ])
    func `what an intruder does is refused`(call: Int32) {
        #expect(verdict(call) == SystemCallFilterTests.fails(EPERM))
    }

    @Test(arguments: [SYS_clone3, SYS_getpriority, SYS_msgget, 450, 1_000_000] as [Int32])
    func `a call that nobody has thought of is one that the kernel does not have`(call: Int32) {
        #expect(verdict(call) == SystemCallFilterTests.fails(ENOSYS))
    }

    @Test func `numbers of another architecture end the process, and those of x32 are not there`() {
        #expect(verdict(SYS_read, architecture: 0x4000_0003) == SystemCallFilterTests.kill)
        #expect(verdict(0x4000_0000 | SYS_read) == SystemCallFilterTests.fails(ENOSYS))
    }

    /// A call, its arguments, and whether it is allowed or what it fails with.
    private static let guarded: [(Int32, [UInt64], Int32)] = [
        (SYS_mmap, [0, 4096, UInt64(PROT_READ | PROT_WRITE)], 0),
        (SYS_mmap, [0, 4096, UInt64(PROT_READ | PROT_EXEC)], EPERM),
        (SYS_mprotect, [0, 4096, UInt64(PROT_READ)], 0),
        (SYS_mprotect, [0, 4096, UInt64(PROT_EXEC)], EPERM),
        (SYS_clone, [0x3D0F00], 0),
        (SYS_clone, [UInt64(SIGCHLD)], EPERM),
        (SYS_socket, [UInt64(AF_UNIX)], EPERM),
        (SYS_socket, [UInt64(AF_INET)], EPERM),
        (SYS_ioctl, [1, UInt64(TIOCOUTQ)], 0),
        (SYS_ioctl, [1, UInt64(TCGETS)], 0),
        (SYS_ioctl, [1, UInt64(TIOCSTI)], ENOTTY),
        (SYS_prctl, [15], 0),
        (SYS_prctl, [4], EPERM),
        (SYS_tgkill, [UInt64(getpid())], 0),
        (SYS_tgkill, [1], EPERM),
        (SYS_prlimit64, [0, 7, 0, 0x7FFF_0000_0000], 0),
        (SYS_prlimit64, [0, 7, 0x7FFF_0000_0000, 0], EPERM),
        (SYS_prlimit64, [1, 7, 0, 0], EPERM),
    ]

    @Test(arguments: guarded)
    func `some calls depend on their arguments`(call: Int32, arguments: [UInt64], failure: Int32) {
        let expected = failure == 0 ? SystemCallFilterTests.allow : SystemCallFilterTests.fails(failure)
        #expect(verdict(call, arguments) == expected)
    }

    @Test func `no call has two rules`() {
        let calls = SystemCallFilter.server.rules.map(\.call)
        let repeated = Dictionary(grouping: calls) { $0 }.filter { $0.value.count > 1 }.keys
        #expect(repeated.isEmpty)
    }

    @Test func `the kernel takes the program and keeps to it, in all threads`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.forbidGaining()
            let elsewhere = try Semaphore()
            let done = try Semaphore()
            nonisolated(unsafe) var outcome: Int32 = 0
            // Started before the filter is in force.
            let thread = try Thread(name: "elsewhere") {
                elsewhere.wait()
                outcome = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0) < 0 ? errno : 0
                done.signal()
            }
            try SystemCallFilter.server.install()
            elsewhere.signal()
            done.wait()
            thread.join()
            var words: [UnsafeMutablePointer<CChar>?] = [strdup("/bin/true"), nil]
            execve("/bin/true", &words, &words)
            let started = errno
            let hasForked = fork() >= 0
            exit(outcome == EPERM && started == EPERM && !hasForked ? 0 : 1)
        }
    }
}
