// Which calls a process may make of the kernel from now on. What is named may be made, some only with certain arguments;
// some that no server makes but that those who take one over want are refused in so many words (EPERM); every other call is
// one that this kernel does not have (ENOSYS), which is what libraries expect of older ones and know how to do without.
// A refused call is an error for whoever made it and no end of the service.

import CLinux
import Glibc

/// A filter for the system calls of a process, as data.
public struct SystemCallFilter: Sendable {
    /// What is done about one call.
    public struct Rule: Sendable {
        public var call: Int32
        /// The call is the rule's when all conditions of one of these hold.
        public var alternatives: [[Condition]]
        /// What is done then.
        public var verdict: FilterInstruction.Verdict
        /// What is done otherwise.
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

    /// What is asked of an argument, by its position.
    public enum Condition: Equatable, Sendable {
        /// The lower half is one of these.
        case isOne(of: [UInt32], argument: Int)
        /// Nothing at all, or a null pointer.
        case isZero(argument: Int)
        case hasAny(UInt32, argument: Int)
        case hasNone(UInt32, argument: Int)
    }

    public var rules: [Rule]

    public init(rules: [Rule]) { self.rules = rules }

    /// Whether there is a filter for this kind of machine.
    public static var isSupported: Bool { associated_architecture() != 0 }

    /// Calls of the other kind of program on the same processor have numbers from here on (x32).
    private static let foreignCalls: UInt32 = 0x4000_0000

    /// The program: for each call in the order of the rules, a comparison and what follows from it.
    public var program: [FilterInstruction] {
        var program = [
            FilterInstruction(.load, FilterInstruction.Place.architecture.offset),
            // Numbers of another architecture would mean other calls.
            FilterInstruction(.jumpIfEqual, associated_architecture(), skipIfTrue: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.kill.operand),
            FilterInstruction(.load, FilterInstruction.Place.call.offset),
            FilterInstruction(.jumpIfAtLeast, SystemCallFilter.foreignCalls, skipIfFalse: 1),
            FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand),
        ]
        for rule in rules {
            let steps = SystemCallFilter.steps(rule)
            program.append(
                FilterInstruction(.jumpIfEqual, UInt32(rule.call), skipIfFalse: UInt8(steps.count)))
            program += steps
        }
        program.append(FilterInstruction(.end, FilterInstruction.Verdict.fail(ENOSYS).operand))
        return program
    }

    /// What follows when the call is the rule's: each alternative with its verdict, then what is done otherwise. Every way
    /// through it ends the program, so the argument that was loaded in place of the call's number disturbs nothing.
    private static func steps(_ rule: Rule) -> [FilterInstruction] {
        rule.alternatives.flatMap { conditions in
            var steps = [FilterInstruction(.end, rule.verdict.operand)]
            // From the last to the first, because each has to know how far it is to the next alternative.
            for condition in conditions.reversed() { steps = test(condition, elseSkip: steps.count) + steps }
            return steps
        } + [FilterInstruction(.end, rule.otherwise.operand)]
    }

    /// Goes on behind itself where the condition holds, and so many instructions further where it does not.
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

    /// Puts the filter in force, for all threads of the process. Needs `Privileges.forbidGaining`.
    /// The corresponding C function is `seccomp` with `SECCOMP_SET_MODE_FILTER`.
    public func install() throws(SystemError) {
        let program = program
        // For all threads, or for none. And without the kernel's precautions against programs that read their own secrets by
        // guessing wrong (SECCOMP_FILTER_FLAG_SPEC_ALLOW), which are meant for those that run other people's code.
        let flags: UInt32 = 1 | 4
        let result = unsafe program.withUnsafeBytes {
            unsafe associated_filter_calls($0.baseAddress, UInt16(program.count), flags)
        }
        guard result == 0 else {
            throw result > 0 ? SystemError(call: "seccomp", number: EBUSY) : .last("seccomp")
        }
    }

    /// What a server needs once it listens and before it has started its threads.
    public static var server: SystemCallFilter {
        let plain = { (calls: [Int32]) in calls.map { Rule(call: $0) } }
        return SystemCallFilter(rules: [sending] + plain(everyRequest) + guarded + plain(others) + refused)
    }

    /// In front, because a kernel without a table of what is always allowed runs the program for each call.
    private static let everyRequest: [Int32] =
        [
            SYS_epoll_pwait, SYS_recvfrom, SYS_epoll_ctl, SYS_accept4, SYS_close, SYS_writev, SYS_sendfile, SYS_read,
            SYS_write, SYS_futex, SYS_clock_gettime,
        ] + ofThisArchitecture

    /// Calls that newer architectures have in one form only.
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
        // Signals to itself, and coming back from them
        SYS_rt_sigaction, SYS_rt_sigprocmask, SYS_rt_sigreturn, SYS_sigaltstack, SYS_restart_syscall,
        // Descriptors
        SYS_pread64, SYS_lseek, SYS_eventfd2, SYS_epoll_create1, SYS_ppoll,
        // Files, as far as the user, the file system and Landlock allow
        SYS_openat, SYS_openat2, SYS_fstat, SYS_newfstatat, SYS_statx, SYS_faccessat, SYS_faccessat2, SYS_readlinkat,
        SYS_getdents64, SYS_getcwd, SYS_mkdirat, SYS_renameat, SYS_renameat2, SYS_unlinkat, SYS_linkat, SYS_fsync,
        SYS_fdatasync, SYS_flock, SYS_ftruncate, SYS_fstatfs, SYS_memfd_create, SYS_inotify_init1,
        SYS_inotify_add_watch, SYS_inotify_rm_watch,
        // Who it is
        SYS_getuid, SYS_geteuid, SYS_getgid, SYS_getegid, SYS_getgroups,
    ]

    /// PR_SET_NAME, PR_GET_DUMPABLE
    private static let prCommands: [UInt32] = [15, 3]
    private static let threadFlag: UInt32 = 0x1_0000  // CLONE_THREAD
    private static let namespaceFlags: UInt32 = 0x7E02_0000  // CLONE_NEWNS, CLONE_NEWNET and their like
    /// F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC. Not those that have signals sent to others (F_SETOWN, F_SETSIG).
    private static let fileCommands: [UInt32] = [1, 2, 3, 1_030]
    private static let setIDBits: UInt32 = 0o6000

    /// An option of a socket that is set while the server runs.
    private static func socketOption(_ level: Int32, _ name: Int32) -> [Condition] {
        [.isOne(of: [UInt32(level)], argument: 1), .isOne(of: [UInt32(name)], argument: 2)]
    }

    /// Sends to where the socket is connected, and to no other address: one as an argument would reach any datagram
    /// socket, and MSG_FASTOPEN connects. `sendmsg` has its address in memory, which no filter sees, so `writev` is used.
    private static let sending = Rule(
        call: SYS_sendto,
        conditions: [
            .hasNone(~(UInt32(MSG_NOSIGNAL) | UInt32(MSG_MORE)), argument: 3), .isZero(argument: 4),
        ])

    /// Calls that can do more than a server needs, held to that.
    private static var guarded: [Rule] {
        let executable = UInt32(PROT_EXEC)
        return [
            // The end of what is sent. The other half would turn a listener into a socket that can connect.
            Rule(call: SYS_shutdown, conditions: [.isOne(of: [UInt32(SHUT_WR)], argument: 1)]),
            Rule(
                call: SYS_setsockopt,
                anyOf: [
                    socketOption(SOL_SOCKET, SO_LINGER), socketOption(SOL_SOCKET, 51),  // SO_ATTACH_REUSEPORT_CBPF
                    socketOption(SOL_SOCKET, 68),  // SO_DETACH_REUSEPORT_BPF
                    socketOption(Int32(IPPROTO_TCP), TCP_DEFER_ACCEPT),
                ]),
            Rule(call: SYS_fcntl, conditions: [.isOne(of: fileCommands, argument: 1)]),
            // Memory that was written is never executed.
            Rule(call: SYS_mmap, conditions: [.hasNone(executable, argument: 2)]),
            Rule(call: SYS_mprotect, conditions: [.hasNone(executable, argument: 2)]),
            // Threads, and no processes. The newer call hides what it is for in memory; without it the older one is taken.
            Rule(
                call: SYS_clone,
                conditions: [.hasAny(threadFlag, argument: 0), .hasNone(namespaceFlags, argument: 0)]),
            // How much a client has not taken, and whether something is a terminal.
            Rule(
                call: SYS_ioctl, conditions: [.isOne(of: [UInt32(TIOCOUTQ), UInt32(TCGETS)], argument: 1)],
                otherwise: .fail(ENOTTY)),
            Rule(call: SYS_prctl, conditions: [.isOne(of: prCommands, argument: 0)]),
            Rule(call: SYS_fchmod, conditions: [.hasNone(setIDBits, argument: 1)]),
            // To end itself when something is broken.
            Rule(call: SYS_tgkill, conditions: [.isOne(of: [UInt32(getpid())], argument: 0)]),
            // A thread that lets all others go first (PRIO_PROCESS of itself).
            Rule(
                call: SYS_setpriority,
                conditions: [
                    .isZero(argument: 0), .isZero(argument: 1), .isOne(of: [Thread.lastPriority], argument: 2),
                ]),
            // To ask for its own limits.
            Rule(call: SYS_prlimit64, conditions: [.isZero(argument: 0), .isZero(argument: 2)]),
        ]
    }

    /// What nobody but an intruder would try, and who then meets a plain no.
    private static var refused: [Rule] {
        var calls: [Int32] = [
            // Other programs and other processes
            SYS_execve, SYS_execveat, SYS_ptrace, SYS_process_vm_readv, SYS_process_vm_writev, SYS_kill, SYS_tkill,
            SYS_pidfd_open, SYS_pidfd_getfd, SYS_pidfd_send_signal, SYS_kcmp, SYS_process_madvise,
            // Files past their paths
            SYS_open_by_handle_at, SYS_name_to_handle_at, SYS_chroot, SYS_pivot_root, SYS_mount, SYS_umount2,
            SYS_open_tree, SYS_move_mount, SYS_fsopen, SYS_mount_setattr, SYS_mknodat, SYS_fchownat, SYS_symlinkat,
            // The kernel
            SYS_bpf, SYS_keyctl, SYS_add_key, SYS_request_key, SYS_unshare, SYS_setns, SYS_perf_event_open,
            SYS_userfaultfd, SYS_io_uring_setup, SYS_io_uring_enter, SYS_io_uring_register, SYS_init_module,
            SYS_finit_module, SYS_delete_module, SYS_kexec_load, SYS_reboot, SYS_swapon, SYS_swapoff, SYS_acct,
            SYS_quotactl, SYS_syslog, SYS_clock_settime, SYS_settimeofday, SYS_personality, SYS_sethostname,
            // Other users, and what they may do
            SYS_setuid, SYS_setgid, SYS_setreuid, SYS_setregid, SYS_setresuid, SYS_setresgid, SYS_setgroups,
            SYS_setfsuid, SYS_setfsgid, SYS_capset,
            // The network, and other processes here: what there is to listen on, and the way to the supervisor, is open
            SYS_socket, SYS_bind, SYS_listen, SYS_connect, SYS_socketpair, SYS_sendmsg, SYS_sendmmsg, SYS_recvmsg,
            SYS_recvmmsg,
        ]
        #if arch(x86_64)
            calls += [SYS_fork, SYS_vfork, SYS_mknod, SYS_symlink, SYS_chown, SYS_lchown, SYS_iopl, SYS_ioperm]
        #endif
        return calls.map { Rule(call: $0, verdict: .fail(EPERM)) }
    }
}

// The language that the kernel is told in which system calls it shall refuse: classic BPF over a fixed record that describes
// one call (seccomp(2)). Programs are data: they are made here, and read by the kernel, or by a test that runs them.

/// One instruction, laid out as the kernel reads it (`struct sock_filter`).
public struct FilterInstruction: Equatable, Sendable {
    public var code: UInt16
    /// How many instructions to skip where the comparison holds, and where not.
    public var skipIfTrue: UInt8
    public var skipIfFalse: UInt8
    public var operand: UInt32

    init(_ code: Code, _ operand: UInt32, skipIfTrue: UInt8 = 0, skipIfFalse: UInt8 = 0) {
        self.code = code.rawValue
        self.skipIfTrue = skipIfTrue
        self.skipIfFalse = skipIfFalse
        self.operand = operand
    }

    /// The few that are needed here.
    public enum Code: UInt16, Sendable {
        /// Takes a word of the record, by its offset.
        case load = 0x20
        case jumpIfEqual = 0x15
        case jumpIfAtLeast = 0x35
        /// Where the word and the operand have a bit in common.
        case jumpIfAny = 0x45
        case end = 0x06
    }

    /// A word of the record.
    public enum Place: Sendable {
        case call
        case architecture
        /// The lower half of an argument; most are no longer than that.
        case argument(Int)
        case upperHalf(Int)

        /// Offsets in `struct seccomp_data`, on machines that put the lower half first, as all do that we run on.
        var offset: UInt32 {
            switch self {
            case .call: 0
            case .architecture: 4
            case .argument(let index): 16 + 8 * UInt32(index)
            case .upperHalf(let index): 20 + 8 * UInt32(index)
            }
        }
    }

    /// What is done about a call.
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
