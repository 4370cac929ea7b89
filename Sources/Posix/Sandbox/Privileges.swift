// Drops privileges permanently: switches the user, drops capabilities and prevents gaining new ones. Capabilities belong to a
// thread and are inherited by the threads it starts, so this is done while there is one. Each step is verified afterwards,
// because a process that wrongly believes it has dropped its rights is worse than one that knows it has them.

import CLinux
import Glibc

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
    }

    public static var isRoot: Bool { geteuid() == 0 }

    /// The effective and permitted capabilities of this thread. The corresponding C function is `capget`.
    public static var capabilities: Capabilities {
        var effective: UInt64 = 0
        var permitted: UInt64 = 0
        let result = unsafe associated_capabilities(&effective, &permitted)
        precondition(result == 0, "a thread may ask for its own capabilities")
        return Capabilities(rawValue: effective | permitted)
    }

    /// Switches to another user permanently. Of the present capabilities, only those in `keeping` stay. To be called while there
    /// is one thread. The corresponding C functions are `setgroups`, `setresgid` and `setresuid`.
    public static func switchUser(to account: Account, keeping: Capabilities) throws(Problem) {
        if geteuid() != 0 {
            if isAlready(account) { return }
            throw Problem(
                description:
                    "cannot switch to user \(account): only root can; start as root, or as that user without --user")
        }
        let kept = capabilities.intersection(keeping)
        guard unsafe setgroups(account.groups.count, account.groups) == 0 else {
            throw Problem("cannot leave root's groups")
        }
        guard associated_set_group(account.group) == 0 else { throw Problem("cannot switch to group \(account.group)") }
        emptyBoundingSet()
        // Otherwise switching the user drops all capabilities (capabilities(7), SECBIT_KEEP_CAPS).
        guard associated_prctl(PR_SET_KEEPCAPS, 1, 0) == 0 else { throw Problem("cannot keep a capability") }
        guard associated_set_user(account.user) == 0 else { throw Problem("cannot switch to user \(account.user)") }
        try dropCapabilities(keeping: kept)
        try verify(account)
    }

    /// Drops all capabilities of this thread except these, so that it cannot get them back. The corresponding C functions are
    /// `capset` and `prctl`.
    public static func dropCapabilities(keeping: Capabilities = []) throws(Problem) {
        emptyBoundingSet()
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
    private static func emptyBoundingSet() {
        for capability in UInt(0)..<64 {
            if associated_prctl(PR_CAPBSET_DROP, capability, 0) != 0 { return }
        }
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
