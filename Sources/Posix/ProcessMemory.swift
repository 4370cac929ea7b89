// How much memory this process may have, and what others may see of it.

import CLinux
import Glibc

public enum ProcessMemory {
    /// Keeps the memory, and with it private keys, out of core dumps and away from debuggers and `/proc` for everybody but
    /// root. A crash still ends the process with its signal; only the image is not written. A program started from here
    /// decides anew. The corresponding C function is `prctl` with `PR_SET_DUMPABLE`.
    public static func forbidDumps() throws(SystemError) {
        guard associated_set_dumpable(0) == 0 else { throw .last("prctl") }
    }

    /// How many bytes this process may have: the least of what the machine has, what its control groups leave it, and its own
    /// limits. To be asked before it gives up its files. The corresponding C functions are `sysconf` and `getrlimit`.
    public static var limitBytes: Int {
        let machine = Int(sysconf(Int32(_SC_PHYS_PAGES))) * Int(sysconf(Int32(_SC_PAGESIZE)))
        let limits = [RLIMIT_AS, RLIMIT_DATA].map { kind -> Int in
            var limit = rlimit()
            let result = getrlimit(__rlimit_resource_t(kind.rawValue), &limit)
            precondition(result == 0, "a process may ask for its own limits")
            return Int(clamping: limit.rlim_cur)
        }
        return min(machine, ControlGroups().memoryBytes ?? .max, limits[0], limits[1])
    }

    /// Whether a crash may leave an image of the memory.
    public static var isDumpable: Bool { associated_dumpable() != 0 }
}
