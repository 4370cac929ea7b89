// The calls of a running server: it serves connections that its listeners give it, reads, watches and writes files, starts
// threads, and ends. What it does only while it starts (listening, signals, another user) is not among them.

import CLinux
import Glibc

extension SystemCallFilter {
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
