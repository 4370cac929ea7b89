// Restricts which files a process may open, whatever its user's permissions are: the kernel refuses every file that no rule
// allows. A rule belongs to a directory, not to its path: another directory that takes its place is not allowed. Rules apply to
// this thread and to those it starts. Further restrictions can be added, but none removed.
//
// Kernels differ in what they can restrict; each is asked for what it supports (landlock(7)).

import CLinux
import Libc

/// The kernel's Landlock.
public enum Landlock {
    /// The version of the interface; 0 if the kernel has no Landlock, or has it turned off.
    public static var version: Int { Int(max(0, associated_landlock_version())) }

    /// What is allowed below a directory.
    public struct Access: OptionSet, Sendable {
        public let rawValue: UInt64

        public init(rawValue: UInt64) { self.rawValue = rawValue }

        private static let writeFile: UInt64 = 1 << 1
        private static let readFile: UInt64 = 1 << 2
        private static let readFolder: UInt64 = 1 << 3
        private static let removeFolder: UInt64 = 1 << 4
        private static let removeFile: UInt64 = 1 << 5
        private static let makeFolder: UInt64 = 1 << 7
        private static let makeFile: UInt64 = 1 << 8
        private static let truncate: UInt64 = 1 << 14

        /// Files can be read, directories listed.
        public static let read = Access(rawValue: readFile | readFolder)
        /// Files can also be created, written, replaced and removed, and folders created and removed.
        public static let write = Access(
            rawValue: read.rawValue | writeFile | removeFolder | removeFile | makeFolder | makeFile | truncate)

        /// The rights that apply to a file.
        fileprivate static let ofFiles = Access(rawValue: 1 | writeFile | readFile | truncate)

        /// All rights that a version can restrict, including executing and device files.
        fileprivate static func handled(_ version: Int) -> Access {
            let counts = [13, 13, 14, 15, 15, 16]
            return Access(rawValue: 1 << counts[min(version, counts.count - 1)] - 1)
        }
    }

    /// A path and what is allowed below it.
    public struct Rule: Hashable, Sendable {
        public var path: String
        public var access: UInt64

        public init(_ path: String, _ access: Access) {
            self.path = path
            self.access = access.rawValue
        }
    }

    /// Forbids this thread, and those it starts, every file that no rule allows. Rules for missing paths are skipped. Requires a
    /// version that is not 0, and `Privileges.setNoNewPrivileges`.
    public static func restrictFiles(to rules: [Rule]) throws(SystemError) {
        let handled = Access.handled(version)
        let ruleset = try create(files: handled.rawValue)
        for rule in rules {
            let number = unsafe associated_open_place(rule.path)
            if number < 0 { continue }
            let place = Descriptor(takingOwnershipOf: number)
            var access = Access(rawValue: rule.access).intersection(handled)
            if try !stat(of: place.number).isDirectory { access.formIntersection(.ofFiles) }
            // A pipe, or another object outside of mountable file systems, needs no rule (EBADFD).
            let result = associated_landlock_allow(ruleset.number, place.number, access.rawValue)
            guard result == 0 || errno == EBADFD else { throw .last("landlock_add_rule") }
        }
        guard associated_landlock_enforce(ruleset.number) == 0 else { throw .last("landlock_restrict_self") }
    }

    /// Forbids this thread, and those it starts, to bind and connect TCP sockets, to signal other processes, and to connect to
    /// their abstract sockets. Connected sockets are not affected. Restrictions that the kernel does not support are skipped;
    /// false when it supports none.
    /// - Parameter ports: TCP ports to which it may connect nevertheless, at any address.
    public static func restrictNetwork(connecting ports: [UInt16] = []) throws(SystemError) -> Bool {
        let version = version
        // Binding and connecting; abstract sockets and signals.
        let network: UInt64 = version >= 4 ? 3 : 0
        let scope: UInt64 = version >= 6 ? 3 : 0
        if network == 0 { return false }
        let ruleset = try create(network: network, scope: scope)
        for port in ports {
            guard associated_landlock_allow_connecting(ruleset.number, port) == 0 else {
                throw .last("landlock_add_rule")
            }
        }
        guard associated_landlock_enforce(ruleset.number) == 0 else { throw .last("landlock_restrict_self") }
        return true
    }

    /// Older kernels accept the fields that they do not know only if these are zero.
    private static func create(
        files: UInt64 = 0, network: UInt64 = 0, scope: UInt64 = 0
    ) throws(SystemError) -> Descriptor {
        let attributes = [files, network, scope]
        let number = unsafe attributes.withUnsafeBytes { unsafe associated_landlock_create($0.baseAddress, $0.count) }
        return try Descriptor(number, of: "landlock_create_ruleset")
    }
}
