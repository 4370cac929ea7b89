// What others may see of this process's memory.

import CLinux

public enum ProcessMemory {
    /// Keeps the memory, and with it private keys, out of core dumps and away from debuggers and `/proc` for everybody but
    /// root. A crash still ends the process with its signal; only the image is not written. A program started from here
    /// decides anew. The corresponding C function is `prctl` with `PR_SET_DUMPABLE`.
    public static func forbidDumps() throws(SystemError) {
        guard associated_set_dumpable(0) == 0 else { throw .last("prctl") }
    }

    /// Whether a crash may leave an image of the memory.
    public static var isDumpable: Bool { associated_dumpable() != 0 }
}
