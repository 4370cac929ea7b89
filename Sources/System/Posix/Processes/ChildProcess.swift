// A program that another process has started: how it ends.

import CPosix
import Libc

/// A process and its parent.
public enum ChildProcess {
    public enum End: Hashable, Sendable {
        case status(Int32)
        case signal(Int32)

        /// WIFEXITED, WEXITSTATUS and WTERMSIG are macros.
        init(_ status: Int32) {
            let signal = status & 0x7F
            self = signal == 0 ? .status(status >> 8 & 0xFF) : .signal(signal)
        }
    }

    /// This program, for starting it once more, also after its file was replaced on Linux.
    public static let ownProgram = unsafe String(cString: associated_own_program())

    /// Has the kernel kill this process when `parent` ends; false if it has ended already. To be called again after a change of user,
    /// which cancels it. The corresponding C function is `prctl` with `PR_SET_PDEATHSIG`; macOS has none.
    public static func endWithParent(_ parent: Int32) -> Bool {
        associated_end_with_parent() == 0 && getppid() == parent
    }
}

/// The variables that this process was started with.
public enum EnvironmentVariables {
    public static var names: [String] {
        unsafe entries.map { unsafe String(String(cString: $0).prefix { $0 != "=" }) }
    }

    /// For a child: a copy, because other threads may read the environment, with more variables before it. The first of two with one
    /// name counts. The caller frees the strings; the last one is nil.
    static func copy(adding variables: [(name: String, value: String)]) -> [UnsafeMutablePointer<CChar>?] {
        unsafe variables.map { unsafe strdup("\($0.name)=\($0.value)") } + entries.map { unsafe strdup($0) } + [nil]
    }

    private static var entries: [UnsafeMutablePointer<CChar>] {
        var (entries, next) = unsafe ([UnsafeMutablePointer<CChar>](), associated_environment()!)
        while let entry = unsafe next.pointee {
            unsafe entries.append(entry)
            unsafe next += 1
        }
        return unsafe entries
    }
}

/// An environment variable; nil when it is not set.
func environment(_ name: String) -> String? { unsafe getenv(name).map { unsafe String(cString: $0) } }
