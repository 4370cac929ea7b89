// Restricts the system calls of the process (seccomp). The calls of the list are allowed, some only with certain arguments. Calls
// that the process never makes but an attacker would want fail with EPERM. Every other call fails with ENOSYS, as if the kernel
// did not have it; libraries handle that, because older kernels do the same. A forbidden call does not end the process.

import CLinux
import Libc

/// A filter for the system calls of a process, as data.
public struct SystemCallFilter: Sendable {
    public struct Rule: Sendable {
        public var call: Int32
        /// The rule matches when all conditions of one alternative are true.
        public var alternatives: [[Condition]]
        /// What happens when the rule matches.
        public var verdict: FilterInstruction.Verdict
        /// What happens when it does not.
        public var otherwise: FilterInstruction.Verdict

        init(
            call: Int32, anyOf alternatives: [[Condition]], verdict: FilterInstruction.Verdict = .allow,
            otherwise: FilterInstruction.Verdict = .fail(EPERM)
        ) {
            (self.call, self.alternatives) = (call, alternatives)
            (self.verdict, self.otherwise) = (verdict, otherwise)
        }

        init(
            call: Int32, conditions: [Condition] = [], verdict: FilterInstruction.Verdict = .allow,
            otherwise: FilterInstruction.Verdict = .fail(EPERM)
        ) {
            self.init(call: call, anyOf: [conditions], verdict: verdict, otherwise: otherwise)
        }
    }

    /// A condition on an argument, which is named by its position.
    public enum Condition: Equatable, Sendable {
        /// The lower half is one of these values.
        case isOne(of: [UInt32], argument: Int)
        /// All 64 bits are zero, as in a null pointer.
        case isZero(argument: Int)
        case hasAny(UInt32, argument: Int)
        case hasNone(UInt32, argument: Int)
    }

    public var rules: [Rule]

    public init(rules: [Rule]) { self.rules = rules }

    public static var isSupported: Bool { associated_architecture() != 0 }

    /// Numbers from here on are calls of x32 programs on the same processor.
    private static let foreignCalls: UInt32 = 0x4000_0000

    /// The program: for each rule in order, a comparison with the call's number, and the instructions of the rule.
    public var program: [FilterInstruction] {
        var program = [
            FilterInstruction(.load, FilterInstruction.Place.architecture.offset),
            // The numbers of another architecture mean other calls.
            FilterInstruction(.jumpIfEqual, associated_architecture(), skipIfTrue: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.kill.operand),
            FilterInstruction(.load, FilterInstruction.Place.call.offset),
            FilterInstruction(.jumpIfAtLeast, SystemCallFilter.foreignCalls, skipIfFalse: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand),
        ]
        for rule in rules {
            let steps = SystemCallFilter.steps(rule)
            program.append(FilterInstruction(.jumpIfEqual, UInt32(rule.call), skipIfFalse: UInt8(steps.count)))
            program += steps
        }
        program.append(FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand))
        return program
    }

    /// The instructions of a rule: each alternative with its verdict, then the verdict for all others. Every path through them
    /// ends the program, so it does not matter that loading an argument overwrites the call's number.
    private static func steps(_ rule: Rule) -> [FilterInstruction] {
        rule.alternatives.flatMap { conditions in
            var steps = [FilterInstruction(.end, rule.verdict.operand)]
            // From the last to the first, because each must know the distance to the next alternative.
            for condition in conditions.reversed() { steps = test(condition, elseSkip: steps.count) + steps }
            return steps
        } + [FilterInstruction(.end, rule.otherwise.operand)]
    }

    /// Continues after itself when the condition is true, and otherwise skips this many further instructions.
    private static func test(_ condition: Condition, elseSkip count: Int) -> [FilterInstruction] {
        func load(_ place: FilterInstruction.Place) -> FilterInstruction { FilterInstruction(.load, place.offset) }
        let count = UInt8(count)
        switch condition {
        case .isOne(let values, let argument):
            let last = values.count - 1
            return [load(.argument(argument))]
                + values.enumerated().map { index, value in
                    FilterInstruction(
                        .jumpIfEqual, value, skipIfTrue: UInt8(last - index), skipIfFalse: index == last ? count : 0)
                }
        case .isZero(let argument):
            return [
                load(.argument(argument)), FilterInstruction(.jumpIfEqual, 0, skipIfFalse: count + 2),
                load(.upperHalf(argument)), FilterInstruction(.jumpIfEqual, 0, skipIfFalse: count),
            ]
        case .hasAny(let bits, let argument):
            return [load(.argument(argument)), FilterInstruction(.jumpIfAny, bits, skipIfFalse: count)]
        case .hasNone(let bits, let argument):
            return [load(.argument(argument)), FilterInstruction(.jumpIfAny, bits, skipIfTrue: count)]
        }
    }

    /// Installs the filter for all threads of the process. Requires `Privileges.setNoNewPrivileges`.
    /// The corresponding C function is `seccomp` with `SECCOMP_SET_MODE_FILTER`.
    public func install() throws(SystemError) {
        let program = program
        // For all threads or none (SECCOMP_FILTER_FLAG_TSYNC), and without the mitigations of speculative execution
        // (SECCOMP_FILTER_FLAG_SPEC_ALLOW), which are meant for programs that run untrusted code.
        let flags: UInt32 = 1 | 4
        let result = unsafe program.withUnsafeBytes {
            unsafe associated_filter_calls($0.baseAddress, UInt16(program.count), flags)
        }
        guard result == 0 else {
            throw result > 0 ? SystemError(call: "seccomp", number: EBUSY) : .last("seccomp")
        }
    }

    /// The calls that a server needs from the moment when it listens.
    public static var server: SystemCallFilter {
        filter(guardedOfServer, refusing: [SYS_socket, SYS_connect])
    }

    /// The calls that a manager needs as soon as its libraries are loaded: those of a server, and those of outgoing connections
    /// and of a database file. Landlock restricts the ports to which a TCP socket may connect.
    public static var manager: SystemCallFilter {
        filter(guardedOfManager, allowing: ofManager)
    }

    /// The rules of all filters, and those of one.
    private static func filter(
        _ own: [Rule], allowing allowed: [Int32] = [], refusing refused: [Int32] = []
    ) -> SystemCallFilter {
        func plain(_ calls: [Int32]) -> [Rule] { calls.map { Rule(call: $0) } }
        let refusals = (refusedCalls + refused).map { Rule(call: $0, verdict: .fail(EPERM)) }
        return SystemCallFilter(
            rules: [sending] + plain(everyRequest) + own + guarded + plain(others + allowed) + refusals)
    }

    /// First, because kernels without a cache of always-allowed calls run the program for each call.
    private static let everyRequest: [Int32] =
        [
            SYS_epoll_pwait, SYS_recvfrom, SYS_epoll_ctl, SYS_accept4, SYS_close, SYS_writev, SYS_sendfile, SYS_read,
            SYS_write, SYS_futex, SYS_clock_gettime,
        ] + ofThisArchitecture

    /// Older forms of calls, which newer architectures do not have.
    private static var ofThisArchitecture: [Int32] {
        #if arch(x86_64)
            [
                SYS_epoll_wait, SYS_open, SYS_stat, SYS_lstat, SYS_access, SYS_poll, SYS_mkdir, SYS_rename, SYS_unlink,
                SYS_rmdir, SYS_link, SYS_readlink, SYS_time,
            ]
        #else
            []
        #endif
    }

    private static let others: [Int32] = [
        // Memory and threads
        SYS_brk, SYS_munmap, SYS_mremap, SYS_madvise, SYS_membarrier, SYS_set_robust_list, SYS_rseq, SYS_sched_yield,
        SYS_sched_getaffinity, SYS_gettid, SYS_getpid, SYS_exit, SYS_exit_group, SYS_nanosleep, SYS_clock_nanosleep,
        SYS_clock_getres, SYS_gettimeofday, SYS_getrandom, SYS_getrusage, SYS_sysinfo, SYS_uname,
        // Its own signal handlers
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
        // Descriptors
        SYS_pread64, SYS_lseek, SYS_eventfd2, SYS_epoll_create1, SYS_ppoll,
        // Files, within the limits of the user's permissions and Landlock
        SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
        SYS_getdents64, SYS_getcwd, SYS_mkdirat, SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_linkat, SYS_fsync,
        SYS_fdatasync, SYS_flock, SYS_ftruncate, SYS_fstatfs, SYS_memfd_create, SYS_inotify_init1,
        SYS_inotify_add_watch, SYS_inotify_rm_watch,
        // Its own ids
        SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups,
    ]

    /// Connections, whose sockets `guardedOfManager` restricts, and pages of a database file.
    private static let ofManager: [Int32] = [
        SYS_connect, SYS_getsockopt, SYS_getsockname, SYS_getpeername, SYS_pwrite64,
    ]

    /// PR_SET_NAME, PR_GET_DUMPABLE
    private static let prCommands: [UInt32] = [15, 3]
    private static let threadFlag: UInt32 = 0x1_0000  // CLONE_THREAD
    private static let namespaceFlags: UInt32 = 0x7E02_0000  // CLONE_NEWNS, CLONE_NEWNET and so on
    /// F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. Not F_SETOWN and F_SETSIG, which make the kernel signal other processes.
    private static let fileCommands: [UInt32] = [1, 2, 3, 1_030]
    /// F_GETLK and F_SETLK, with which SQLite locks parts of a file.
    private static let lockCommands: [UInt32] = [5, 6]
    private static let setFlagsCommand: UInt32 = 4  // F_SETFL
    private static let setIDBits: UInt32 = 0o6000

    /// The conditions for setting socket options of one level.
    private static func socketOptions(_ level: Int32, _ names: [Int32]) -> [Condition] {
        [.isOne(of: [UInt32(level)], argument: 1), .isOne(of: names.map { UInt32($0) }, argument: 2)]
    }

    /// Sending to the connected peer only: with an address argument, any datagram socket could be reached, and MSG_FASTOPEN
    /// connects. `sendmsg` has its address in memory, which a filter cannot see, so `writev` is used instead.
    private static let sending = Rule(
        call: SYS_sendto,
        conditions: [
            .hasNone(~(UInt32(MSG_NOSIGNAL) | UInt32(MSG_MORE)), argument: 3), .isZero(argument: 4),
        ])

    private static var guardedOfServer: [Rule] {
        [
            Rule(
                call: SYS_setsockopt,
                anyOf: [
                    socketOptions(SOL_SOCKET, [SO_LINGER]), socketOptions(Int32(IPPROTO_TCP), [TCP_DEFER_ACCEPT]),
                ]),
            Rule(call: SYS_fcntl, conditions: [.isOne(of: fileCommands, argument: 1)]),
        ]
    }

    private static var guardedOfManager: [Rule] {
        let families = [AF_UNIX, AF_INET, AF_INET6].map { UInt32($0) }
        // Streams and datagrams, with any of the two flags.
        let kinds = SOCK_STREAM.rawValue | SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let asynchronous = UInt32(O_ASYNC)
        return [
            // Only the usual protocol of a family: Landlock does not restrict connections of MPTCP and SCTP.
            Rule(
                call: SYS_socket,
                conditions: [
                    .isOne(of: families, argument: 0), .hasNone(~kinds, argument: 1), .isOne(of: [0], argument: 2),
                ]),
            // Time limits, what the client library of PostgreSQL sets, and what the C library sets on the socket for a name server.
            // Not TCP_FASTOPEN_CONNECT.
            Rule(
                call: SYS_setsockopt,
                anyOf: [
                    socketOptions(Int32(IPPROTO_IP), [IP_RECVERR]), socketOptions(Int32(IPPROTO_IPV6), [IPV6_RECVERR]),
                    socketOptions(SOL_SOCKET, [SO_LINGER, SO_RCVTIMEO, SO_SNDTIMEO, SO_KEEPALIVE]),
                    socketOptions(
                        Int32(IPPROTO_TCP),
                        [TCP_NODELAY, TCP_KEEPIDLE, TCP_KEEPINTVL, TCP_KEEPCNT, TCP_USER_TIMEOUT]),
                ]),
            // O_ASYNC makes the kernel send signals.
            Rule(
                call: SYS_fcntl,
                anyOf: [
                    [.isOne(of: fileCommands + lockCommands, argument: 1)],
                    [.isOne(of: [setFlagsCommand], argument: 1), .hasNone(asynchronous, argument: 2)],
                ]),
        ]
    }

    /// Calls that are restricted to the arguments that both need.
    private static var guarded: [Rule] {
        let executable = UInt32(PROT_EXEC)
        return [
            // Only the sending half. Shutting down the other half of a listener would make it a socket that can connect.
            Rule(call: SYS_shutdown, conditions: [.isOne(of: [UInt32(SHUT_WR)], argument: 1)]),
            // Written memory must never be executable.
            Rule(call: SYS_mmap, conditions: [.hasNone(executable, argument: 2)]),
            Rule(call: SYS_mprotect, conditions: [.hasNone(executable, argument: 2)]),
            // Threads, but no processes. `clone3` has its flags in memory, so it is not allowed; glibc then uses `clone`.
            Rule(
                call: SYS_clone,
                conditions: [.hasAny(threadFlag, argument: 0), .hasNone(namespaceFlags, argument: 0)]),
            // How much a client has not acknowledged, and whether a descriptor is a terminal.
            Rule(
                call: SYS_ioctl, conditions: [.isOne(of: [UInt32(TIOCOUTQ), UInt32(TCGETS)], argument: 1)],
                otherwise: .fail(ENOTTY)),
            Rule(call: SYS_prctl, conditions: [.isOne(of: prCommands, argument: 0)]),
            Rule(call: SYS_fchmod, conditions: [.hasNone(setIDBits, argument: 1)]),
            // To abort itself.
            Rule(call: SYS_tgkill, conditions: [.isOne(of: [UInt32(getpid())], argument: 0)]),
            // To lower the priority of the calling thread (PRIO_PROCESS).
            Rule(
                call: SYS_setpriority,
                conditions: [
                    .isZero(argument: 0), .isZero(argument: 1), .isOne(of: [UInt32(Thread.lastPriority)], argument: 2),
                ]),
            // To read its own limits.
            Rule(call: SYS_prlimit64, conditions: [.isZero(argument: 0), .isZero(argument: 2)]),
        ]
    }

    /// Calls that only an attacker would make.
    private static var refusedCalls: [Int32] {
        var calls: [Int32] = [
            // Other programs and other processes
            SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
            SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp, SYS_process_madvise,
            // Files without their paths, mounts and owners
            SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2,
            SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_mount_setattr, SYS_mknodat, SYS_fchownat, SYS_symlinkat,
            // The kernel
            SYS_bpf, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_unshare, SYS_setns, SYS_perf_event_open,
            SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_init_module,
            SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
            SYS_quotactl, SYS_syslog, SYS_clock_settime, SYS_settimeofday, SYS_personality, SYS_sethostname,
            // Other users and capabilities
            SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
            SYS_setfsuid, SYS_setfsgid, SYS_capset,
            // New listeners: they, and the connection to the service manager, are open already
            SYS_bind, SYS_listen, SYS_socketpair, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg, SYS_recvmmsg,
        ]
        #if arch(x86_64)
            calls += [SYS_fork, SYS_vfork, SYS_mknod, SYS_symlink, SYS_chown, SYS_lchown, SYS_iopl, SYS_ioperm]
        #endif
        return calls
    }
}

// The language of the filter: classic BPF over a fixed record that describes one call (seccomp(2)). Programs are data: the
// kernel runs them, and so does a test.

/// One instruction in the kernel's layout (`struct sock_filter`).
public struct FilterInstruction: Equatable, Sendable {
    public var code: UInt16
    /// How many instructions to skip when the comparison is true, and when it is false.
    public var skipIfTrue: UInt8
    public var skipIfFalse: UInt8
    public var operand: UInt32

    init(_ code: Code, _ operand: UInt32, skipIfTrue: UInt8 = 0, skipIfFalse: UInt8 = 0) {
        self.code = code.rawValue
        self.skipIfTrue = skipIfTrue
        self.skipIfFalse = skipIfFalse
        self.operand = operand
    }

    /// The operations that are used here.
    public enum Code: UInt16, Sendable {
        /// Loads a word of the record by its offset.
        case load = 0x20
        case jumpIfEqual = 0x15
        case jumpIfAtLeast = 0x35
        /// True when the word and the operand have a bit in common.
        case jumpIfAny = 0x45
        case end = 0x06
    }

    /// A word of the record.
    public enum Place: Sendable {
        case call
        case architecture
        /// The lower half of an argument, which is all of most arguments.
        case argument(Int)
        case upperHalf(Int)

        /// Offsets in `struct seccomp_data` on little-endian machines, as all supported ones are.
        var offset: UInt32 {
            switch self {
            case .call: 0
            case .architecture: 4
            case .argument(let index): 16 + 8 * UInt32(index)
            case .upperHalf(let index): 20 + 8 * UInt32(index)
            }
        }
    }

    /// What happens to a call.
    public enum Verdict: Equatable, Sendable {
        case allow
        /// The call fails with this number.
        case fail(Int32)
        /// The process ends.
        case kill

        var operand: UInt32 {
            switch self {
            case .allow: 0x7FFF_0000
            case .fail(let number): 0x0005_0000 | UInt32(number)
            case .kill: 0x8000_0000
            }
        }
    }
}
