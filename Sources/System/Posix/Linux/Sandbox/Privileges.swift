// Drops privileges permanently: switches the user, drops capabilities and prevents gaining new ones. Capabilities belong to a
// thread and are inherited by the threads it starts, so this is done while there is one. Each step is verified afterwards,
// because a process that wrongly believes it has dropped its rights is worse than one that knows it has them.

import CLinux
import Libc

/// The rights of a process in addition to those of its user.
public enum Privileges {
    /// Why privileges could not be dropped.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String

        init(_ what: String) { description = "\(what): \(SystemError.last("").reason)" }

        init(description: String) { self.description = description }
    }

    /// A set of capabilities, by their numbers (capabilities(7)).
    public struct Capabilities: OptionSet, Sendable {
        public let rawValue: UInt64

        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// Allows to listen on ports below 1024.
        public static let bindLowPorts = Capabilities(rawValue: 1 << 10)

        /// To signal processes of other users.
        public static let signalOthers = Capabilities(rawValue: 1 << 5)

        /// What a parent keeps whose servers become another user: to read settings and make the state directory (CAP_CHOWN,
        /// CAP_DAC_OVERRIDE, CAP_DAC_READ_SEARCH), to change the user (CAP_SETGID, CAP_SETUID, CAP_SETPCAP), to signal and to listen.
        public static let ofParent: Capabilities = [
            Capabilities(rawValue: 0b1_1100_0111), .signalOthers, .bindLowPorts,
        ]
    }

    public static var isRoot: Bool { user == 0 }

    /// The user that this process acts as. The corresponding C function is `geteuid`.
    public static var user: UInt32 { geteuid() }

    /// The effective and permitted capabilities of this thread. The corresponding C function is `capget`.
    public static var capabilities: Capabilities {
        var effective: UInt64 = 0
        var permitted: UInt64 = 0
        let result = unsafe associated_capabilities(&effective, &permitted)
        precondition(result == 0, "a thread may ask for its own capabilities")
        return Capabilities(rawValue: effective | permitted)
    }

    /// Switches to another user permanently, without any capability. To be called while there is one thread. The corresponding C
    /// functions are `setgroups`, `setresgid` and `setresuid`.
    public static func switchUser(to account: Account) throws(Problem) {
        if geteuid() != 0 {
            if isAlready(account) { return }
            throw Problem(
                description:
                    "cannot switch to user \(account): only root can; start as root, or as that user without --user")
        }
        guard unsafe setgroups(account.groups.count, account.groups) == 0 else {
            throw Problem("cannot leave root's groups")
        }
        guard associated_set_group(account.group) == 0 else { throw Problem("cannot switch to group \(account.group)") }
        emptyBoundingSet()
        guard associated_set_user(account.user) == 0 else { throw Problem("cannot switch to user \(account.user)") }
        try dropCapabilities()
        try verify(account)
    }

    /// Drops all capabilities of this thread except these, so that it cannot get them back. The corresponding C functions are
    /// `capset` and `prctl`.
    /// - Parameter bounding: the capabilities of a program that root starts afterwards.
    public static func dropCapabilities(keeping: Capabilities = [], bounding: Capabilities = []) throws(Problem) {
        emptyBoundingSet(but: bounding)
        // Kernels without ambient capabilities have none to clear.
        _ = associated_prctl(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL), 0)
        let (before, kept) = (capabilities.rawValue, capabilities.intersection(keeping).rawValue)
        // A container runtime that has dropped all capabilities may also forbid the call.
        if before == 0 { return }
        guard associated_set_capabilities(kept, kept) == 0 else { throw Problem("cannot drop capabilities") }
        guard capabilities.rawValue == kept else {
            throw Problem(description: "the process still has capabilities that it has dropped")
        }
    }

    /// Prevents this process and its children from gaining privileges by executing a program. Cannot be undone. The
    /// corresponding C function is `prctl` with `PR_SET_NO_NEW_PRIVS`.
    public static func setNoNewPrivileges() throws(Problem) {
        guard associated_prctl(PR_SET_NO_NEW_PRIVS, 1, 0) == 0 else { throw Problem("cannot set no_new_privs") }
    }

    /// Without CAP_SETPCAP this has no effect and is not needed: the process cannot gain capabilities that it does not have.
    private static func emptyBoundingSet(but kept: Capabilities = []) {
        for capability in UInt(0)..<64 where kept.rawValue & 1 << capability == 0 {
            if associated_prctl(PR_CAPBSET_DROP, capability, 0) != 0 { return }
        }
    }

    /// Has the calling thread use files with the rights of another user, if this process is root's: what it makes belongs to that user.
    /// The corresponding C functions are `setfsgid` and `setfsuid`.
    public static func acting<Result>(
        as account: Account?, _ body: () throws(SystemError) -> Result
    ) throws(SystemError) -> Result {
        guard let account, isRoot, !account.isRoot else { return try body() }
        let own = (group: getegid(), groups: currentGroups)
        defer {
            let isBack = unsafe associated_act_as(0, own.group, own.groups, own.groups.count) == 0
            precondition(isBack, "root can be root again")
            // A change of user has allowed dumps again.
            _ = associated_prctl(PR_SET_DUMPABLE, 0, 0)
        }
        guard unsafe associated_act_as(account.user, account.group, account.groups, account.groups.count) == 0 else {
            throw .last("setfsuid")
        }
        return try body()
    }

    private static var currentGroups: [gid_t] {
        var groups = [gid_t](repeating: 0, count: Int(max(0, getgroups(0, nil))))
        let count = unsafe getgroups(Int32(groups.count), &groups)
        precondition(count == groups.count, "a process may ask for its groups")
        return groups
    }

    private static func isAlready(_ account: Account) -> Bool {
        users() == Array(repeating: account.user, count: 3) && groups() == Array(repeating: account.group, count: 3)
    }

    /// Checks the ids of this process, and that it cannot become root again.
    private static func verify(_ account: Account) throws(Problem) {
        guard isAlready(account), account.isRoot || associated_set_user(0) != 0,
            account.group == 0 || associated_set_group(0) != 0
        else {
            throw Problem(description: "switched to user \(account), but the process could become root again")
        }
    }

    private static func users() -> [uid_t] {
        var users = [uid_t](repeating: 0, count: 3)
        return unsafe associated_users(&users) == 0 ? users : []
    }

    private static func groups() -> [gid_t] {
        var groups = [gid_t](repeating: 0, count: 3)
        return unsafe associated_groups(&groups) == 0 ? groups : []
    }
}

extension Directory {
    /// Changes the owner of a directory, not of its content. The corresponding C function is `lchown`.
    public static func changeOwner(of path: String, to account: Account) {
        _ = unsafe lchown(path, account.user, account.group)
    }
}
