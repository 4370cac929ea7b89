// The user, the group and the supplementary groups that a process switches to, as the operator names them. Names are looked up
// in the system's tables, which must happen before the sandbox restricts files.

import CPosix
import Libc

/// A user id with its groups.
public struct Account: Hashable, Sendable, CustomStringConvertible {
    public var user: UInt32
    public var group: UInt32
    /// The supplementary groups of the user.
    public var groups: [UInt32]
    /// As the operator wrote it.
    public var description: String

    /// Why there is no such account.
    public struct Problem: Error, CustomStringConvertible {
        public let description: String
    }

    /// Reads `NAME`, `NAME:GROUP`, `UID` or `UID:GID`. A number need not be in the user table. Without a group, it is that of the
    /// user's entry, or has the same number as the user. The corresponding C functions are `getpwnam` and `getgrouplist`.
    public init(_ text: String) throws(Problem) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        let entry: Entry?
        if let number = UInt32(parts[0]) {
            user = number
            entry = unsafe Entry(getpwuid(number))
        } else {
            guard let found = unsafe parts[0].isEmpty ? nil : Entry(getpwnam(parts[0])) else {
                throw Problem(
                    description: "there is no user \"\(parts[0])\"; create it, or give a number such as 65532")
            }
            user = found.user
            entry = found
        }
        if parts.count > 1 {
            guard let number = unsafe UInt32(parts[1]) ?? getgrnam(parts[1])?.pointee.gr_gid else {
                throw Problem(
                    description: "there is no group \"\(parts[1])\"; create it, or give a number such as 65532")
            }
            group = number
        } else {
            group = entry?.group ?? user
        }
        // The system calls read (uid_t) -1 as "do not change".
        guard user != .max, group != .max else { throw Problem(description: "\(text) is not a user") }
        groups = [group]
        if let entry { groups = Account.groups(of: entry.name, group) }
        description = text
    }

    public var isRoot: Bool { user == 0 }

    /// The owner and the group of a file or folder, with links followed; nil if there is none. The corresponding C function is
    /// `stat`.
    public static func owner(of path: String) -> Account? {
        guard let status = try? stat(at: path) else { return nil }
        return try? Account("\(status.st_uid):\(status.st_gid)")
    }

    /// An entry of the user table, copied before the next look-up overwrites it.
    private struct Entry {
        let name: String
        let user: UInt32
        let group: UInt32

        init?(_ found: UnsafeMutablePointer<passwd>?) {
            guard let found = unsafe found else { return nil }
            name = unsafe String(cString: found.pointee.pw_name)
            user = unsafe found.pointee.pw_uid
            group = unsafe found.pointee.pw_gid
        }
    }

    private static let groupsMax: Int32 = 1_024

    private static func groups(of name: String, _ group: UInt32) -> [UInt32] {
        var count = groupsMax
        var groups = [gid_t](repeating: 0, count: Int(count))
        guard unsafe getgrouplist(name, group, &groups, &count) >= 0 else { return [group] }
        return Array(groups.prefix(Int(count)))
    }
}
