// How the program exits because of a bug. A failed precondition is an invalid instruction, so the kernel sends a signal. The
// handler prints one line with the place in the program and exits with a status of its own. It repairs and cleans up nothing:
// memory may be damaged, so it uses only a few bytes of the stack.

import CPosix
import Libc

/// Signal handlers that report a bug and exit.
public enum BugExit {
    /// `EX_SOFTWARE` of sysexits.h.
    public static let status: Int32 = 70
    /// `EX_OSERR` of sysexits.h: the system has no memory left.
    public static let memoryStatus: Int32 = 71

    /// The address at which the program was loaded. Written once, before there is a second thread.
    nonisolated(unsafe) private static var base: UInt = 0
    /// The line's priority for the systemd journal. Written once, before there is a second thread.
    nonisolated(unsafe) private static var prefix: StaticString = ""

    /// Installs the handler for the signals of a bug, except where there is one already, such as Swift's for backtraces. The
    /// corresponding C function is `sigaction`.
    public static func install() {
        unsafe base = associated_program_start()
        if StandardDescriptors.errorIsJournal { unsafe prefix = "<2>" }
        for signal in [SIGILL, SIGTRAP, SIGSEGV, SIGBUS, SIGFPE, SIGABRT] {
            unsafe associated_handle_fault(signal) { signal, information, _ in unsafe BugExit.end(signal, information) }
        }
    }

    /// Async-signal-safe: no memory from the heap, no lock (signal-safety(7)).
    private static func end(_ signal: Int32, _ information: UnsafeMutablePointer<siginfo_t>?) {
        if signal == SIGBUS { unsafe exitUnreadableFile(information) }
        // Swift traps when it gets no memory; the failed allocation has set errno.
        let isOutOfMemory = errno == ENOMEM
        unsafe write(prefix)
        write(isOutOfMemory ? "associated: exiting, out of memory: " : "associated: exiting because of a bug: ")
        switch signal {
        case SIGILL: write("failed check (SIGILL)")
        case SIGTRAP: write("failed check (SIGTRAP)")
        case SIGSEGV: write("invalid memory access (SIGSEGV)")
        case SIGFPE: write("arithmetic error (SIGFPE)")
        default: write("call to abort (SIGABRT)")
        }
        // A signal of another process, or of abort, has no address.
        if let information = unsafe information, unsafe associated_is_fault(information), signal != SIGABRT {
            let place = unsafe associated_fault_address(information)
            write(signal == SIGSEGV ? " at address 0x" : " at associated+0x")
            unsafe writeHexadecimal(signal == SIGSEGV ? place : place &- base)
        }
        if isOutOfMemory {
            write("; raise the memory limit, or lower limits.connectionsMax\n")
            _exit(memoryStatus)
        }
        write("; please report it with this line and the version\n")
        _exit(status)
    }

    /// Not a bug: the file was truncated, or its disk has failed.
    private static func exitUnreadableFile(_ information: UnsafeMutablePointer<siginfo_t>?) -> Never {
        unsafe write(prefix)
        write("associated: exiting, cannot read a mapped file (SIGBUS)")
        if let information = unsafe information, unsafe associated_is_fault(information) {
            write(" at address 0x")
            unsafe writeHexadecimal(associated_fault_address(information))
        }
        write("; check the disk for errors, and that no other program writes to the state directory\n")
        _exit(status)
    }

    /// Exits when the kernel refuses a memory mapping.
    static func exitOutOfMemory() -> Never {
        unsafe write(prefix)
        write("associated: exiting, out of memory; raise the memory limit, or lower limits.connectionsMax\n")
        _exit(memoryStatus)
    }

    private static func write(_ text: StaticString) {
        _ = unsafe Libc.write(STDERR_FILENO, text.utf8Start, text.utf8CodeUnitCount)
    }

    private static func writeHexadecimal(_ number: UInt) {
        var digits = InlineArray<16, UInt8>(repeating: 0x30)
        var rest = number
        var first = 15
        for place in stride(from: 15, through: 0, by: -1) {
            let digit = UInt8(truncatingIfNeeded: rest & 0xF)
            digits[place] = digit < 10 ? 0x30 &+ digit : 0x57 &+ digit
            if digit > 0 { first = place }
            rest >>= 4
        }
        unsafe withUnsafeBytes(of: digits) { bytes in
            _ = unsafe Libc.write(STDERR_FILENO, bytes.baseAddress.map { unsafe $0 + first }, 16 - first)
        }
    }
}
