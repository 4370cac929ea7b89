// What some tests need of the machine, and a container without privileges, a chroot or an ordinary user may lack. Each is tried
// once, by doing it; the tests that need what is missing are skipped with the reason.

import Glibc
import Posix
package import Testing

/// Something that may be missing.
package struct Need: Sendable {
    package let isMet: Bool
    fileprivate let absence: Comment

    /// To become any user, to give files away, and to signal the processes of others.
    package static let otherUsers = Need(
        isMet: Privileges.isRoot && Privileges.capabilities.isSuperset(of: capabilitiesOfUsers),
        absence: "only root can become another user, if its capabilities are not restricted")

    /// To be or to become a user who is not root.
    package static let ordinaryUser = Need(
        isMet: !Privileges.isRoot || otherUsers.isMet,
        absence: "root cannot become another user here, because its capabilities are restricted")

    /// To see the descriptors, the environment and the program of a process that forbids dumps, as servers do.
    package static let inspection = Need(
        isMet: Privileges.capabilities.contains(Privileges.Capabilities(rawValue: 1 << 19)),
        absence: "only root with CAP_SYS_PTRACE sees the descriptors and the program of a process that forbids dumps")

    /// To mount folders where only one process sees them.
    package static let mounts = Need(
        running: "unshare", "-m", "mount", "--make-rprivate", "/",
        absence: "a mount of one's own needs root with CAP_SYS_ADMIN, and a root folder that is a mount")

    /// To be process 1 of a container.
    package static let processNamespaces = Need(
        running: "unshare", "--pid", "--fork", "true", absence: "only root with CAP_SYS_ADMIN can make process 1")

    /// A collection of published files.
    package static let realFiles = Need(
        isMet: !RealFiles.apple.isEmpty && !RealFiles.statements.isEmpty,
        absence: "there is no collection of published files beside the repository")

    /// CAP_CHOWN, CAP_DAC_OVERRIDE, CAP_KILL, CAP_SETGID and CAP_SETUID.
    private static let capabilitiesOfUsers = Privileges.Capabilities(rawValue: 0b1110_0011)

    private init(isMet: Bool, absence: Comment) { (self.isMet, self.absence) = (isMet, absence) }

    private init(running words: String..., absence: Comment) {
        self.init(isMet: (try? Command(words).run().status) == 0, absence: absence)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips the test, or the suite, where something is missing.
    package static func needs(_ need: Need) -> Self { .enabled(if: need.isMet, need.absence) }
}
