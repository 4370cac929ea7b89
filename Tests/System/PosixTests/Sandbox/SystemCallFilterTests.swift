// The filters of a server and a manager: their programs are run call by call here, and applied in a child process.

import CLinux
import CPosix
import Foundation
import Testing

@testable import Posix

struct SystemCallFilterTests {
    private static let allow: UInt32 = 0x7FFF_0000
    private static let kill: UInt32 = 0x8000_0000
    private static func fails(_ number: Int32) -> UInt32 { 0x0005_0000 | UInt32(number) }

    private func verdict(
        _ call: Int32, _ arguments: [UInt64] = [], architecture: UInt32 = associated_architecture(),
        by filter: SystemCallFilter = .server
    ) -> UInt32? {
        let call = FilteredCall(number: UInt32(call), architecture: architecture, arguments: arguments)
        return FilterMachine.run(filter.program, on: call)
    }

    @Test(arguments: [SYS_recvfrom, SYS_writev, SYS_epoll_pwait, SYS_openat, SYS_exit_group, SYS_fsync])
    func `allows what a server does`(call: Int32) { #expect(verdict(call) == SystemCallFilterTests.allow) }

    @Test(arguments: [SYS_recvfrom, SYS_connect, SYS_pwrite64, SYS_pread64, SYS_ftruncate, SYS_getsockopt, SYS_accept4])
    func `allows what a manager does`(call: Int32) {
        #expect(verdict(call, by: .manager) == SystemCallFilterTests.allow)
    }

    @Test(arguments: [
        SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_mount, SYS_unshare, SYS_setresuid, SYS_kill,
        SYS_bind, SYS_listen, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg,
    ])
    func `refuses a manager what an intruder would do`(call: Int32) {
        #expect(verdict(call, by: .manager) == SystemCallFilterTests.fails(EPERM))
    }

    @Test(arguments: [
        SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_open_by_handle_at,
        SYS_mount, SYS_bpf, SYS_keyctl, SYS_unshare, SYS_setns, SYS_setresuid, SYS_capset, SYS_io_uring_setup, SYS_kill,
        SYS_connect, SYS_bind, SYS_listen, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg, SYS_recvmmsg,
    ])
    func `refuses what an intruder would do`(call: Int32) {
        #expect(verdict(call) == SystemCallFilterTests.fails(EPERM))
    }

    @Test(
        arguments: [SYS_clone3, SYS_getpriority, SYS_msgget, SYS_accept, SYS_dup3, SYS_getsockopt, 450, 1_000_000]
            as [Int32])
    func `answers unlisted calls as if the kernel did not have them`(call: Int32) {
        #expect(verdict(call) == SystemCallFilterTests.fails(ENOSYS))
    }

    @Test func `kills the process for calls of another architecture, and refuses those of x32`() {
        #expect(verdict(SYS_read, architecture: 0x4000_0003) == SystemCallFilterTests.kill)
        #expect(verdict(0x4000_0000 | SYS_read) == SystemCallFilterTests.fails(ENOSYS))
    }

    private static let fastOpen: UInt64 = 0x2000_0000
    private static let address: UInt64 = 0x7FFF_0000_1000

    /// A call, its arguments, and the error that it fails with, or 0.
    private static let guarded: [(Int32, [UInt64], Int32)] = [
        (SYS_sendto, [3, address, 5, UInt64(MSG_NOSIGNAL), 0, 0], 0),
        (SYS_sendto, [3, address, 5, UInt64(MSG_NOSIGNAL) | UInt64(MSG_MORE), 0, 0], 0),
        (SYS_sendto, [3, address, 5, UInt64(MSG_NOSIGNAL) | fastOpen, 0, 0], EPERM),
        (SYS_sendto, [3, address, 5, UInt64(MSG_NOSIGNAL) | fastOpen, address, 16], EPERM),
        (SYS_sendto, [3, address, 5, 0, address, 16], EPERM),
        (SYS_sendto, [3, address, 5, 0, address, 0], EPERM),
        (SYS_sendto, [3, address, 5, 0, 0x1000, 16], EPERM),
        (SYS_sendto, [3, address, 5, 0, 0x7FFF_0000_0000, 16], EPERM),
        (SYS_shutdown, [3, UInt64(SHUT_WR)], 0),
        (SYS_shutdown, [3, UInt64(SHUT_RD)], EPERM),
        (SYS_shutdown, [3, UInt64(SHUT_RDWR)], EPERM),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(SO_LINGER)], 0),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), 51], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_DEFER_ACCEPT)], 0),
        // The same numbers at another level: SO_KEEPALIVE, TCP_CONGESTION.
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(TCP_DEFER_ACCEPT)], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(SO_LINGER)], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), 30], EPERM),  // TCP_FASTOPEN_CONNECT
        (SYS_setsockopt, [3, 0, 1], EPERM),  // IP_TOS
        (SYS_fcntl, [3, UInt64(F_GETFD)], 0),
        (SYS_fcntl, [3, UInt64(F_SETFD), 1], 0),
        (SYS_fcntl, [3, UInt64(F_GETFL)], 0),
        (SYS_fcntl, [3, UInt64(F_DUPFD_CLOEXEC)], 0),
        (SYS_fcntl, [3, UInt64(F_SETFL), UInt64(O_ASYNC)], EPERM),
        (SYS_fcntl, [3, 8, 1], EPERM),  // F_SETOWN
        (SYS_fcntl, [3, 10, 9], EPERM),  // F_SETSIG
        (SYS_fcntl, [3, 15, address], EPERM),  // F_SETOWN_EX
        (SYS_fcntl, [3, 1_024, 0], EPERM),  // F_SETLEASE
        (SYS_fcntl, [3, 1_026, 0], EPERM),  // F_NOTIFY
        (SYS_mmap, [0, 4096, UInt64(PROT_READ | PROT_WRITE)], 0),
        (SYS_mmap, [0, 4096, UInt64(PROT_READ | PROT_EXEC)], EPERM),
        (SYS_mprotect, [0, 4096, UInt64(PROT_READ)], 0),
        (SYS_mprotect, [0, 4096, UInt64(PROT_EXEC)], EPERM),
        (SYS_clone, [0x3D0F00], 0),
        (SYS_clone, [UInt64(SIGCHLD)], EPERM),
        (SYS_clone, [0x3D0F00 | 0x4000_0000], EPERM),  // CLONE_NEWNET
        (SYS_socket, [UInt64(AF_UNIX)], EPERM),
        (SYS_socket, [UInt64(AF_INET)], EPERM),
        (SYS_ioctl, [1, UInt64(TIOCOUTQ)], 0),
        (SYS_ioctl, [1, UInt64(TCGETS)], 0),
        (SYS_ioctl, [1, UInt64(TIOCSTI)], ENOTTY),
        (SYS_prctl, [15], 0),
        (SYS_prctl, [3], 0),
        (SYS_prctl, [4], EPERM),
        (SYS_setpriority, [0, 0, 19], 0),
        (SYS_setpriority, [0, 0, 0], EPERM),
        (SYS_setpriority, [0, 1, 19], EPERM),
        (SYS_setpriority, [1, 0, 19], EPERM),
        (SYS_fchmod, [3, 0o600], 0),
        (SYS_fchmod, [3, 0o4755], EPERM),
        (SYS_tgkill, [UInt64(getpid())], 0),
        (SYS_tgkill, [1], EPERM),
        (SYS_prlimit64, [0, 7, 0, 0x7FFF_0000_0000], 0),
        (SYS_prlimit64, [0, 7, 0x7FFF_0000_0000, 0], EPERM),
        (SYS_prlimit64, [1, 7, 0, 0], EPERM),
    ]

    private static let socketFlags = UInt64(SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
    private static let stream = UInt64(SOCK_STREAM.rawValue)
    private static let datagram = UInt64(SOCK_DGRAM.rawValue)

    /// The same for a manager, as far as it differs.
    private static let guardedOfManager: [(Int32, [UInt64], Int32)] = [
        (SYS_socket, [UInt64(AF_UNIX), stream, 0], 0),
        (SYS_socket, [UInt64(AF_INET), stream | socketFlags, 0], 0),
        (SYS_socket, [UInt64(AF_INET6), datagram | socketFlags, 0], 0),
        (SYS_socket, [UInt64(AF_NETLINK), datagram, 0], EPERM),
        (SYS_socket, [UInt64(AF_INET), 5, 0], EPERM),  // SOCK_SEQPACKET
        (SYS_socket, [UInt64(AF_INET), stream, 262], EPERM),  // IPPROTO_MPTCP
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(SO_LINGER)], 0),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(SO_RCVTIMEO)], 0),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(SO_SNDTIMEO)], 0),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(SO_KEEPALIVE)], 0),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), 51], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_IP), UInt64(IP_RECVERR)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_IPV6), UInt64(IPV6_RECVERR)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_IP), UInt64(IPV6_RECVERR)], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_IPV6), UInt64(IP_RECVERR)], EPERM),
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(IP_RECVERR)], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_NODELAY)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_KEEPIDLE)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_KEEPINTVL)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_KEEPCNT)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(TCP_USER_TIMEOUT)], 0),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), 30], EPERM),  // TCP_FASTOPEN_CONNECT
        // The same numbers at another level: SO_DEBUG, TCP_CONGESTION.
        (SYS_setsockopt, [3, UInt64(SOL_SOCKET), UInt64(TCP_NODELAY)], EPERM),
        (SYS_setsockopt, [3, UInt64(IPPROTO_TCP), UInt64(SO_LINGER)], EPERM),
        (SYS_fcntl, [3, UInt64(F_GETFD)], 0),
        (SYS_fcntl, [3, UInt64(F_SETFD), 1], 0),
        (SYS_fcntl, [3, UInt64(F_GETFL)], 0),
        (SYS_fcntl, [3, UInt64(F_DUPFD_CLOEXEC)], 0),
        (SYS_fcntl, [3, 5, address], 0),  // F_GETLK
        (SYS_fcntl, [3, 6, address], 0),  // F_SETLK
        (SYS_fcntl, [3, UInt64(F_SETFL), UInt64(O_NONBLOCK)], 0),
        (SYS_fcntl, [3, UInt64(F_SETFL), UInt64(O_ASYNC)], EPERM),
        (SYS_fcntl, [3, 8, 1], EPERM),  // F_SETOWN
    ]

    /// A filter, and all of its table.
    private static var cases: [(filter: SystemCallFilter, guarded: [(Int32, [UInt64], Int32)])] {
        let differing = [SYS_socket, SYS_setsockopt, SYS_fcntl]
        let common = guarded.filter { call, _, _ in !differing.contains(call) }
        return [(filter: .server, guarded: guarded), (filter: .manager, guarded: common + guardedOfManager)]
    }

    private static func expected(_ failure: Int32) -> UInt32 { failure == 0 ? allow : fails(failure) }

    @Test(arguments: guarded)
    func `checks the arguments of some calls`(call: Int32, arguments: [UInt64], failure: Int32) {
        #expect(verdict(call, arguments) == SystemCallFilterTests.expected(failure))
    }

    @Test(arguments: guardedOfManager)
    func `checks the arguments of some calls of a manager`(call: Int32, arguments: [UInt64], failure: Int32) {
        #expect(verdict(call, arguments, by: .manager) == SystemCallFilterTests.expected(failure))
    }

    /// The rules without one condition, one of its values or one alternative, by what was removed.
    private static func weakened(_ whole: SystemCallFilter) -> [(String, SystemCallFilter)] {
        var filters: [(String, SystemCallFilter)] = []
        func add(_ index: Int, _ what: String, _ change: (inout [[SystemCallFilter.Condition]]) -> Void) {
            var filter = whole
            change(&filter.rules[index].alternatives)
            filters.append(("call \(whole.rules[index].call), \(what)", filter))
        }
        for (index, rule) in whole.rules.enumerated() {
            for (number, alternative) in rule.alternatives.enumerated() {
                if rule.alternatives.count > 1 {
                    add(index, "without alternative \(number)") { _ = $0.remove(at: number) }
                }
                for (place, condition) in alternative.enumerated() {
                    add(index, "without \(condition)") { _ = $0[number].remove(at: place) }
                    guard case .isOne(let values, let argument) = condition, values.count > 1 else { continue }
                    for value in values {
                        add(index, "without value \(value)") {
                            $0[number][place] = .isOne(of: values.filter { $0 != value }, argument: argument)
                        }
                    }
                }
            }
        }
        return filters
    }

    @Test func `the table tests each condition of each rule`() {
        for (whole, guarded) in SystemCallFilterTests.cases {
            let weakened = SystemCallFilterTests.weakened(whole)
            #expect(weakened.count > 30)
            for (what, filter) in weakened {
                let decides = guarded.contains { call, arguments, failure in
                    verdict(call, arguments, by: filter) != SystemCallFilterTests.expected(failure)
                }
                #expect(decides, "\(what)")
            }
        }
    }

    @Test func `no call has two rules`() {
        for filter in [SystemCallFilter.server, .manager] {
            let calls = filter.rules.map(\.call)
            let repeated = Dictionary(grouping: calls) { $0 }.filter { $0.value.count > 1 }.keys
            #expect(repeated.isEmpty && calls.count > 60)
        }
        // Of two rules for one call the first would decide, and the second would go unnoticed.
        let twice = SystemCallFilter(rules: [
            SystemCallFilter.Rule(call: SYS_read), SystemCallFilter.Rule(call: SYS_read, verdict: .kill),
        ])
        #expect(verdict(SYS_read, by: twice) == SystemCallFilterTests.allow)
    }

    @Test func `the kernel applies the filter to all threads`() async {
        await #expect(processExitsWith: .success) {
            try Privileges.setNoNewPrivileges()
            let elsewhere = try Semaphore()
            let done = try Semaphore()
            nonisolated(unsafe) var outcome: Int32 = 0
            // Started before the filter is applied.
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

    @Test func `under the filter of a manager, a connection works and nothing can listen`() async {
        await #expect(processExitsWith: .success) {
            let listener = try Listener(try #require(SocketAddress("127.0.0.1:0")), sharesPort: true)
            try Privileges.setNoNewPrivileges()
            try SystemCallFilter.manager.install()
            let client = try ClientSocket(to: listener.address, timeoutMilliseconds: 5_000)
            try client.send([1])
            let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let hasListened = listen(number, 1) == 0
            let failure = errno
            let isForeign = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 262) >= 0
            // The listener is open until here.
            let isOpen = listener.address.port > 0
            exit(isOpen && number >= 0 && !hasListened && failure == EPERM && !isForeign ? 0 : 1)
        }
    }
}
