// Giving privileges up, for good: another user, no capabilities, none to be had again. Capabilities belong to a thread and
// are inherited by those it starts, so this is done while there is one. Whatever is given up is looked at afterwards: a
// process that only believes to have lost its rights is worse than one that knows it has them.

import CLinux
import Glibc

/// What a process may do beyond what its user may.
public enum Privileges {
    /// Why the privileges are not gone.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String

        init(_ what: String) { description = "\(what): \(SystemError.last("").reason)" }

        init(description: String) { self.description = description }
    }

    /// A set of capabilities, by their numbers (capabilities(7)).
    public struct Capabilities: OptionSet, Sendable {
        public let rawValue: UInt64

        public init(rawValue: UInt64) { self.rawValue = rawValue }

        /// To listen on ports below 1024.
        public static let bindLowPorts = Capabilities(rawValue: 1 << 10)
    }

    public static var isRoot: Bool { geteuid() == 0 }

    /// The capabilities that this thread has or could take. The corresponding C function is `capget`.
    public static var capabilities: Capabilities {
        var effective: UInt64 = 0
        var permitted: UInt64 = 0
        let result = unsafe associated_capabilities(&effective, &permitted)
        precondition(result == 0, "a thread may ask for its own capabilities")
        return Capabilities(rawValue: effective | permitted)
    }

    /// Becomes another user for good. Of the capabilities, only those in `keeping` stay, as far as they were there. To be
    /// called while there is one thread. The corresponding C functions are `setgroups`, `setresgid` and `setresuid`.
    public static func become(_ account: Account, keeping: Capabilities) throws(Problem) {
        if geteuid() != 0 {
            if isAlready(account) { return }
            throw Problem(
                description:
                    "cannot become user \(account): only root can; start as root, or as that user without --user")
        }
        let kept = capabilities.intersection(keeping)
        guard unsafe setgroups(account.groups.count, account.groups) == 0 else {
            throw Problem("cannot leave root's groups")
        }
        guard associated_set_group(account.group) == 0 else { throw Problem("cannot become group \(account.group)") }
        emptyBoundingSet()
        // Otherwise a change of user takes all of them (capabilities(7), SECBIT_KEEP_CAPS).
        guard associated_prctl(PR_SET_KEEPCAPS, 1, 0) == 0 else { throw Problem("cannot keep a capability") }
        guard associated_set_user(account.user) == 0 else { throw Problem("cannot become user \(account.user)") }
        try drop(keeping: kept)
        try verify(account)
    }

    /// Gives up all capabilities of this thread but these, and with them the way to get them back.
    /// The corresponding C functions are `capset` and `prctl`.
    public static func drop(keeping: Capabilities = []) throws(Problem) {
        emptyBoundingSet()
        // Kernels without ambient capabilities have none to clear.
        _ = associated_prctl(PR_CAP_AMBIENT, UInt(PR_CAP_AMBIENT_CLEAR_ALL), 0)
        let (before, kept) = (capabilities.rawValue, capabilities.intersection(keeping).rawValue)
        // A supervisor that has taken them away may have taken this call too.
        if before == 0 { return }
        guard associated_set_capabilities(kept, kept) == 0 else { throw Problem("cannot give up capabilities") }
        guard capabilities.rawValue == kept else {
            throw Problem(description: "the kernel let this process keep capabilities that it gave up")
        }
    }

    /// Whatever is executed from here on gains nothing by it. Cannot be undone. The corresponding C function is `prctl` with
    /// `PR_SET_NO_NEW_PRIVS`.
    public static func forbidGaining() throws(Problem) {
        guard associated_prctl(PR_SET_NO_NEW_PRIVS, 1, 0) == 0 else { throw Problem("cannot set no_new_privs") }
    }

    /// Without CAP_SETPCAP this changes nothing, and there is nothing to change: what is not permitted cannot be gained.
    private static func emptyBoundingSet() {
        for capability in UInt(0)..<64 {
            if associated_prctl(PR_CAPBSET_DROP, capability, 0) != 0 { return }
        }
    }

    private static func isAlready(_ account: Account) -> Bool {
        users() == Array(repeating: account.user, count: 3) && groups() == Array(repeating: account.group, count: 3)
    }

    /// Looks at what has become of this process, and tries to undo it.
    private static func verify(_ account: Account) throws(Problem) {
        guard isAlready(account), account.isRoot || associated_set_user(0) != 0,
            account.group == 0 || associated_set_group(0) != 0
        else {
            throw Problem(description: "became user \(account), and could become root again")
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
    /// Makes a directory somebody else's. What is in it stays whose it is. The corresponding C function is `lchown`.
    public static func give(_ path: String, to account: Account) {
        _ = unsafe lchown(path, account.user, account.group)
    }
}
